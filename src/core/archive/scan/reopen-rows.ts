// Makes rows of a table pending again and clears what was recorded of them: a row that was kept and is then packed anew must not carry the
// holes, pieces or checksum of its former content.
import type { EntryExtra } from '../../format/manifest/entry-line.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import { defined } from '../../platform/defined.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type EntryTable, MD5_BYTES, SHA256_BYTES, STATUS, XXH64_BYTES } from '../../format/columns/entry-table.js';

type Parts = Pick<Entry, 'chunk' | 'offset' | 'md5' | 'sha256' | 'xxh64'> & EntryExtra;
type Place = { readonly [K in keyof Parts]: Parts[K] | undefined };

function setDigest(digests: Buffer, bytes: number, index: number, hex: string | undefined): void {
  if (hex === undefined) digests.fill(0, index * bytes, (index + 1) * bytes);
  else digests.write(hex, index * bytes, 'hex');
}

/** Reopens one row. Its place and checksum are filled in when it is packed. */
export function reopenRow(
  { columns, md5, sha256, xxh64 }: EntryTable,
  extras: Map<number, EntryExtra>,
  index: number,
): void {
  columns.status[index] = STATUS.pending;
  columns.chunk[index] = -1;
  columns.offset[index] = 0;
  setDigest(md5, MD5_BYTES, index, undefined);
  setDigest(sha256, SHA256_BYTES, index, undefined);
  setDigest(xxh64, XXH64_BYTES, index, undefined);
  extras.delete(index);
}

/** Records where the content of a row lies, and what it has beside the columns, which is nothing for most rows. */
export function placeRow(
  { columns, md5, sha256, xxh64 }: EntryTable,
  extras: Map<number, EntryExtra>,
  index: number,
  { chunk, offset, segments, holes, xattrs, before, ...digests }: Place,
): void {
  columns.chunk[index] = chunk ?? -1;
  columns.offset[index] = offset ?? 0;
  setDigest(md5, MD5_BYTES, index, digests.md5);
  setDigest(sha256, SHA256_BYTES, index, digests.sha256);
  setDigest(xxh64, XXH64_BYTES, index, digests.xxh64);
  if ((segments ?? holes ?? xattrs ?? before) === undefined) extras.delete(index);
  else extras.set(index, defined({ segments, holes, xattrs, before }));
}

const isStored = ({ columns: { status } }: EntryTable, index: number): boolean =>
  status[index] === STATUS.stored || status[index] === STATUS.changed;

/** Reopens every row that is kept from an earlier version, or the same as there: all that this run has not stored itself. */
export function reopenUnstored(table: EntryTable, extras: Map<number, EntryExtra>): void {
  const { status } = table.columns;
  reopenRows(table, extras, (index) => status[index] === STATUS.kept || status[index] === STATUS.same);
}

/** Reopens rows that are stored in one of these chunks; returns the paths of those that had changed while they were read. */
export function reopenLost(
  table: EntryTable,
  extras: Map<number, EntryExtra>,
  chunks: ReadonlySet<number>,
): ReadonlySet<RawPath> {
  const isLost = (index: number): boolean =>
    extras.get(index)?.segments?.some(({ chunk }) => chunks.has(chunk)) ?? chunks.has(table.columns.chunk[index] ?? -1);
  return reopenRows(table, extras, (index) => isStored(table, index) && isLost(index));
}

/** Reopens rows; of a group of hard links, which shares its content, all or none. */
function reopenRows(
  table: EntryTable,
  extras: Map<number, EntryExtra>,
  isToReopen: (index: number) => boolean,
): ReadonlySet<RawPath> {
  const { status, group } = table.columns;
  const openGroups = new Set<number>();
  const changed = new Set<RawPath>();
  const reopen = (index: number): void => {
    if (status[index] === STATUS.changed) changed.add(table.path(index));
    reopenRow(table, extras, index);
  };
  for (let index = 0; index < table.count; index++) {
    if (!isToReopen(index)) continue;
    reopen(index);
    if (group[index] !== 0) openGroups.add(group[index] ?? 0);
  }
  if (openGroups.size === 0) return changed;
  for (let index = 0; index < table.count; index++)
    if (isStored(table, index) && openGroups.has(group[index] ?? 0)) reopen(index);
  return changed;
}
