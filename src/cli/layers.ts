// Finds the value of each flag: from the command line, then `ARCHIVER_*`, then the config file, then the default. A bad value in any layer
// is an error that names the layer; a value that a higher layer overrides is not read at all.
import { usageError } from '../core/platform/failures/errors.js';
import { refuseUndecoded } from '../core/platform/text/typed-path.js';
import type { Origin } from './origin.js';
import { envNames } from './env-names.js';
import { kebab, parseGiven, type Flag, type Flags } from './flag.js';
import { gotTexts, quotedTexts } from './redact.js';
import { suggest } from '../core/platform/text/suggest.js';

export interface ConfigValue {
  readonly texts: readonly string[];
  /** For errors: `upload.shardCount in /home/me/.archiver.yaml, line 3`. */
  readonly where: string;
  readonly line: number;
}

/** Returns the setting of the config file for a flag of the current command. */
export interface ConfigLookup {
  (key: string): ConfigValue | undefined;
}

export interface Layers {
  readonly path: string;
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: ConfigLookup;
  /** Flags for which only argv counts: a typed value, or one in a higher layer, rules out the others. */
  readonly overruled?: ReadonlySet<string>;
}

export interface Resolved {
  readonly values: Readonly<Record<string, unknown>>;
  readonly origins: Readonly<Record<string, Origin>>;
  /** Name of the variable or config key that gave a value, for messages. */
  readonly sources: Readonly<Record<string, string>>;
  /** What was given, as it was typed. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** Required flags that no layer gives. */
  readonly missing: readonly string[];
}

export interface Layered {
  readonly origin: Origin;
  readonly source: string;
  readonly texts: readonly string[];
}

/** Splits a variable: a repeatable flag takes one text per line, pairs are separated by commas or lines, and all others take one text. */
function envTexts(flag: Flag, text: string): readonly string[] {
  if (flag.kind !== 'repeat' && flag.kind !== 'pairs') return [text];
  return text
    .split(flag.kind === 'pairs' ? /[\n,]/ : '\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function fromFlag(key: string, flag: Flag, texts: readonly string[]): Layered | undefined {
  if (texts.length === 0) return undefined;
  const source = flag.label ?? `--${kebab(key)}`;
  const takesOne = flag.kind === 'switch' || flag.kind === 'single';
  if (takesOne && new Set(texts).size > 1) {
    const shown = flag.secret || flag.kind === 'switch' ? '' : `: ${quotedTexts(key, flag, texts).join(' and ')}`;
    throw usageError(`${source} is given twice with different values${shown}`);
  }
  return { origin: 'flag', source, texts };
}

function fromEnvironment(key: string, flag: Flag, { path, env }: Layers): Layered | undefined {
  if (flag.isFileOnly === true) return undefined;
  for (const name of envNames(path, key)) {
    const text = env[name];
    // An empty variable is how scripts unset one; it never means an empty value.
    if (text !== undefined && text !== '') return { origin: 'environment', source: name, texts: envTexts(flag, text) };
  }
  return undefined;
}

function fromConfig(key: string, { config }: Layers): Layered | undefined {
  const found = config(key);
  return found && { origin: 'config', source: found.where, texts: found.texts };
}

/** Returns the highest layer that gives this flag a value; undefined when only the default remains. */
export function findLayer(key: string, flag: Flag, layers: Layers): Layered | undefined {
  const typed = fromFlag(key, flag, layers.texts[key] ?? []);
  if (typed !== undefined || layers.overruled?.has(key) === true) return typed;
  return fromEnvironment(key, flag, layers) ?? fromConfig(key, layers);
}

function emptyValue(flag: Flag): unknown {
  if (flag.kind === 'pairs') return {};
  return flag.kind === 'repeat' || flag.kind === 'csv' ? [] : undefined;
}

/** Parses the texts of one layer. @throws usage that names the layer */
export function parseTexts(key: string, flag: Flag, { texts, source }: Pick<Layered, 'texts' | 'source'>): unknown {
  if (!flag.secret) for (const text of texts) refuseUndecoded(text, source);
  const parsed = parseGiven(flag, texts);
  if (parsed.ok) return parsed.value;
  const near = flag.type.choices && suggest(texts.at(-1) ?? '', flag.type.choices);
  throw usageError(
    `${source} ${parsed.reason}${gotTexts(key, flag, texts)}`,
    near === undefined ? parsed.hint : `did you mean ${near}?`,
  );
}

function defaultValue(key: string, flag: Flag, text: string): unknown {
  const parsed = flag.parse([text]);
  if (parsed.ok) return parsed.value;
  throw new Error(`the default of --${kebab(key)} ${parsed.reason}`);
}

/** Returns the values of all flags, with the origin of each. */
export function resolveLayers(flags: Flags, layers: Layers): Resolved {
  const values: Record<string, unknown> = {};
  const origins: Record<string, Origin> = {};
  const sources: Record<string, string> = {};
  const texts: Record<string, readonly string[]> = {};
  const missing: string[] = [];
  for (const [key, flag] of Object.entries(flags)) {
    const found = findLayer(key, flag, layers);
    origins[key] = found?.origin ?? 'default';
    if (found !== undefined) {
      sources[key] = found.source;
      texts[key] = found.texts;
      values[key] = parseTexts(key, flag, found);
    } else if (flag.defaultText === undefined) {
      if (flag.required) missing.push(key);
      values[key] = emptyValue(flag);
    } else values[key] = defaultValue(key, flag, flag.defaultText);
  }
  return { values, origins, sources, texts, missing };
}
