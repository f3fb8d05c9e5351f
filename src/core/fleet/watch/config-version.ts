import { parse } from 'yaml';
import { decodeUtf8 } from '../../text/strict-utf8.js';

/** `version` of a config as it lies in the store, whatever else is in it; undefined for what is none. Whether an agent takes it is another question. */
export function configVersionOf(bytes: Uint8Array): number | undefined {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return undefined;
  let config: unknown;
  try {
    config = parse(decoded.text, { maxAliasCount: 0, logLevel: 'silent' });
  } catch {
    return undefined; // agents refuse it too, and their heartbeats say why
  }
  const version: unknown = typeof config === 'object' && config !== null ? Reflect.get(config, 'version') : undefined;
  return typeof version === 'number' && Number.isSafeInteger(version) && version > 0 ? version : undefined;
}
