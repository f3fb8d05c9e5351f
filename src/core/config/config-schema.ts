// What the file may say, as data. The command tree fills it in; this module only knows the shape.

export interface ConfigKey {
  /** `upload.shardCount`, as parts. */
  readonly path: readonly string[];
  /** A map of texts (tags) is a value here, not a section. */
  readonly isMap: boolean;
  /** A list of values is one value. */
  readonly isList: boolean;
}

export interface ConfigSchema<K extends ConfigKey = ConfigKey> {
  /** Every key by its dotted path. */
  readonly keys: ReadonlyMap<string, K>;
  /** Every section by its dotted path; the root is the empty text. */
  readonly sections: ReadonlySet<string>;
  /** Sections whose own sections the user names, each with the keys that these have. */
  readonly named: ReadonlyMap<string, ReadonlyMap<string, K>>;
  /** The nearest known name below a section, for "did you mean". */
  readonly suggest: (name: string, known: readonly string[]) => string | undefined;
}

/** A name of the user's: part of a dotted path, and typed before a colon. */
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;

/** Returns the keys below a section that the user has named: `stores.nas`; undefined for any other section. */
export function keysOfNamed<K extends ConfigKey>(
  { named }: Pick<ConfigSchema<K>, 'named'>,
  path: string,
): ReadonlyMap<string, K> | undefined {
  const at = path.lastIndexOf('.');
  return NAME.test(path.slice(at + 1)) ? named.get(path.slice(0, Math.max(at, 0))) : undefined;
}

/** Returns the key with this dotted path: `aws.region`, `stores.nas.url`. */
export function keyAt<K extends ConfigKey>(
  schema: Pick<ConfigSchema<K>, 'keys' | 'named'>,
  path: string,
): K | undefined {
  const at = path.lastIndexOf('.');
  return schema.keys.get(path) ?? keysOfNamed(schema, path.slice(0, Math.max(at, 0)))?.get(path.slice(at + 1));
}

/** The names that may stand directly below a section. */
export function namesBelow(schema: ConfigSchema, section: string): readonly string[] {
  const ofNamed = keysOfNamed(schema, section);
  if (ofNamed !== undefined) return [...ofNamed.keys()].sort();
  const start = section === '' ? '' : `${section}.`;
  const below = [...schema.keys.keys(), ...schema.sections]
    .filter((path) => path !== '' && path.startsWith(start) && path !== section)
    .map((path) => path.slice(start.length).split('.')[0] ?? '');
  return [...new Set(below)].sort();
}
