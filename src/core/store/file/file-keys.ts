// Turns keys into paths below the base folder, and knows which names are reserved for the store.
import { join } from 'node:path';
import { printable } from '../../platform/paths/raw-path.js';
import { StoreError } from '../store-error.js';
import { checkKey } from '../store-url.js';

/** Names with this beginning are the store's own (temp files, locks): never keys, never listed. */
export const RESERVED = '.archiver~';
export const TEMP_PREFIX = `${RESERVED}tmp-`;
const MAX_SEGMENT_BYTES = 255;

/** Returns the path of a key. @throws usage for an invalid key, unsupported for a key that no file can have */
export function keyPath(folder: string, key: string): string {
  checkKey(key);
  const refuse = (why: string): never => {
    throw new StoreError('unsupported', `a folder cannot hold the key '${printable(key.slice(0, 300))}': ${why}`);
  };
  for (const segment of key.split('/')) {
    if (segment === '') refuse('it has an empty part (two slashes, or one at the end)');
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
      refuse(`a part of it is longer than ${MAX_SEGMENT_BYTES} bytes`);
    if (segment.startsWith(RESERVED)) refuse(`names that begin with '${RESERVED}' are the store's own`);
  }
  return join(folder, key);
}
