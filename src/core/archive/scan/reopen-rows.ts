// Makes rows of a table pending again, with nothing left of what they were: a row that was kept and is then packed anew must
// not carry the holes, pieces or checksum of its former content.
import type { EntryExtra } from '../../manifest/entry-line.js';
import type { Entry } from '../../manifest/manifest-types.js';
import { defined } from '../../defined.js';
import { type EntryTable, MD5_BYTES, SHA256_BYTES, STATUS } from './entry-table.js';

type Parts = Pick<Entry, 'chunk' | 'offset' | 'md5' | 'sha256'> & EntryExtra;
type Place = { readonly [K in keyof Parts]: Parts[K] | undefined };

function setDigest(digests: Buffer, bytes: number, index: number, hex: string | undefined): void {
  if (hex === undefined) digests.fill(0, index * bytes, (index + 1) * bytes);
  else digests.write(hex, index * bytes, 'hex');
}

/** One row. Its place and checksum are filled in when it is packed. */
export function reopenRow({ columns, md5, sha256 }: EntryTable, extras: Map<number, EntryExtra>, index: number): void {
  columns.status[index] = STATUS.pending;
  columns.chunk[index] = -1;
  columns.offset[index] = 0;
  setDigest(md5, MD5_BYTES, index, undefined);
  setDigest(sha256, SHA256_BYTES, index, undefined);
  extras.delete(index);
}

/** Where the content of a row lies, and what it has beside the columns. Most rows have nothing there. */
export function placeRow(
  { columns, md5, sha256 }: EntryTable,
  extras: Map<number, EntryExtra>,
  index: number,
  { chunk, offset, segments, holes, xattrs, before, ...digests }: Place,
): void {
  columns.chunk[index] = chunk ?? -1;
  columns.offset[index] = offset ?? 0;
  setDigest(md5, MD5_BYTES, index, digests.md5);
  setDigest(sha256, SHA256_BYTES, index, digests.sha256);
  if ((segments ?? holes ?? xattrs ?? before) === undefined) extras.delete(index);
  else extras.set(index, defined({ segments, holes, xattrs, before }));
}

/** Every row that this run has not stored itself. A group of hard links shares its content: all of it or nothing. */
export function reopenUnstored(table: EntryTable, extras: Map<number, EntryExtra>): void {
  const { status, group } = table.columns;
  const openGroups = new Set<number>();
  for (let index = 0; index < table.count; index++) {
    if (status[index] !== STATUS.kept && status[index] !== STATUS.same) continue;
    reopenRow(table, extras, index);
    if (group[index] !== 0) openGroups.add(group[index] ?? 0);
  }
  if (openGroups.size === 0) return;
  for (let index = 0; index < table.count; index++) {
    const isStored = status[index] === STATUS.stored || status[index] === STATUS.changed;
    if (isStored && openGroups.has(group[index] ?? 0)) reopenRow(table, extras, index);
  }
}
