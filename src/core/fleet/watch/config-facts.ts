// Facts of a stored config that tell how its writer is to run. The config has not been verified, so it is not parsed: 2 KB of YAML can block
// a parser forever. Its lines are read as configs are written; what is not found counts as not there.
import { parseDuration } from '../../platform/text/parse-duration.js';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';

export interface ConfigFacts {
  /** Undefined when it is not found. */
  readonly version: number | undefined;
  /** `scan_interval`. */
  readonly intervalMs: number | undefined;
  /** Undefined when it names none, so that archives go to where the config lies. */
  readonly storeUrl: string | undefined;
}

/** Matches the version as configs are written: a key at the beginning of a line. */
const VERSION = /^\{?["']?version["']?[ \t]*:[ \t]*([1-9]\d{0,14})[ \t\r]*(?:[,}#]|$)/m;
const LINE = /^([ \t]{0,40})(\w{1,40}):[ \t]{0,40}(.{0,1000})$/;
const TEXT = /^(?:"([^"\\]*)"|'([^']*)'|([^\s"'#&*!|>{[][^\s#]*))(?:\s+(?:#.*)?)?$/;

/** Returns what is found in a stored config, without checking whether an agent would accept it. Never throws. */
export function configFactsOf(bytes: Uint8Array): ConfigFacts {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return { version: undefined, intervalMs: undefined, storeUrl: undefined };
  const digits = VERSION.exec(decoded.text)?.[1];
  const { scan_interval: interval = '', store, ...s3 } = keysOf(decoded.text);
  return {
    version: digits === undefined ? undefined : Number(digits),
    intervalMs: parseDuration(interval) || undefined,
    storeUrl: store ?? bucketUrl(s3['s3_config.bucket'], s3['s3_config.prefix']),
  };
}

type Keys = Readonly<Partial<Record<string, string>>>;

/** The keys of the config and of `s3_config`, with their texts; the first of each counts. */
function keysOf(text: string): Keys {
  const keys: Record<string, string> = {};
  let section = '';
  for (const line of text.split('\n')) {
    const [, indent, name, rest = ''] = LINE.exec(line.trimEnd()) ?? [];
    if (name === undefined) continue;
    const isTop = indent === '';
    if (isTop) section = rest === '' || rest.startsWith('#') ? name : '';
    const found = textOf(rest);
    if (found !== undefined && (isTop || section === 's3_config')) keys[isTop ? name : `${section}.${name}`] ??= found;
  }
  return keys;
}

/** The text of a value on one line, without its quotes. */
function textOf(value: string): string | undefined {
  const [, ...texts] = TEXT.exec(value) ?? [];
  return texts.find((one) => one !== undefined);
}

const bucketUrl = (bucket: string | undefined, prefix: string | undefined): string | undefined =>
  bucket === undefined ? undefined : `s3://${bucket}${prefix === undefined ? '' : `/${prefix}`}`;
