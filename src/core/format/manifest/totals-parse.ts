// The sums of a listing, as manifests and version records write them.
import type { Fields } from '../../platform/json/json-fields.js';
import type { Totals } from './manifest-types.js';

/** @throws integrity for a count that is missing or is none */
export function readTotals(fields: Fields): Totals {
  return {
    entries: fields.count('entries'),
    files: fields.count('files'),
    directories: fields.count('directories'),
    symlinks: fields.count('symlinks'),
    hardlinks: fields.count('hardlinks'),
    bytes: fields.count('bytes'),
    storedBytes: fields.count('storedBytes'),
    chunks: fields.count('chunks'),
    skipped: fields.count('skipped'),
  };
}
