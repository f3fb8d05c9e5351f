// What the file may say, as data. The command tree fills it in; this module only knows the shape.

export interface ConfigKey {
  /** `upload.shardCount`, as parts. */
  readonly path: readonly string[];
  /** A map of texts (tags) is a value here, not a section. */
  readonly isMap: boolean;
  /** A list of values is one value. */
  readonly isList: boolean;
}

export interface ConfigSchema {
  /** Every key by its dotted path. */
  readonly keys: ReadonlyMap<string, ConfigKey>;
  /** Every section by its dotted path; the root is the empty text. */
  readonly sections: ReadonlySet<string>;
  /** The nearest known name below a section, for "did you mean". */
  readonly suggest: (name: string, known: readonly string[]) => string | undefined;
}

/** The names that may stand directly below a section. */
export function namesBelow(schema: ConfigSchema, section: string): readonly string[] {
  const start = section === '' ? '' : `${section}.`;
  const below = [...schema.keys.keys(), ...schema.sections]
    .filter((path) => path !== '' && path.startsWith(start) && path !== section)
    .map((path) => path.slice(start.length).split('.')[0] ?? '');
  return [...new Set(below)].sort();
}
