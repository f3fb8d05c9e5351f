import { decodeUtf8 } from '../../platform/text/strict-utf8.js';

/** As configs are written: a key at the beginning of a line. */
const VERSION = /^\{?["']?version["']?[ \t]*:[ \t]*([1-9]\d{0,14})[ \t\r]*(?:[,}#]|$)/m;

/**
 * `version` of a config as it lies in the store; undefined where it is not seen. Whether an agent takes it is another question. Nobody
 * has verified it: 2 KB of YAML can hold a parser up for good, so that it is not parsed.
 */
export function configVersionOf(bytes: Uint8Array): number | undefined {
  const decoded = decodeUtf8(bytes);
  const digits = decoded.ok ? VERSION.exec(decoded.text)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
