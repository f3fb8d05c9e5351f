// Deduplication of whole files within an upload. The first of several files with equal content is packed; the others become its twins: they
// lie in the same task, and the packer lets them refer to what it stored (pack-twins.ts). SHA-256 decides what is equal; comparing sizes,
// and the beginnings of large files, only avoids most of the reading.
import { digestFiles, type DigestOptions } from './dedup-digests.js';
import { markGroup, sameDigests, sameSizes } from './dedup-groups.js';
import { openEntryTable, type EntryTable } from '../../format/columns/entry-table.js';
import type { UploadRun } from '../run/upload-run.js';

/** Files beyond this size are compared by their beginnings first. */
const LARGE_BYTES = 2 ** 20;
const BEGINNING_BYTES = 64 * 1024;

export type TwinInput = Pick<UploadRun, 'packing' | 'source' | 'scanned' | 'emit' | 'signal'>;

/** Marks the twins among the pending rows when the upload is deduplicated. @throws internal, cancelled */
export async function markTwins({ packing, source: root, scanned, emit, signal }: TwinInput): Promise<void> {
  const { dedup, workers, fileChecksums } = packing;
  if (dedup !== true) return;
  const table = openEntryTable(scanned.table);
  const settings = { table: scanned.table, root, workers, signal };
  const rows = await withEqualBeginnings(sameSizes(table), table, settings);
  if (rows.length === 0) return;
  emit({ type: 'note', text: `comparing the content of ${rows.length} files that may be equal` });
  const limitBytes = Number.POSITIVE_INFINITY;
  const digests = await digestFiles(rows, { ...settings, limitBytes, withMd5: fileChecksums });
  sameDigests(rows, table.columns, digests, (group) => markGroup(table, group));
}

/** Leaves out large files that differ from all others at once. */
async function withEqualBeginnings(
  rows: Uint32Array,
  table: EntryTable,
  settings: Pick<DigestOptions, 'table' | 'root' | 'workers' | 'signal'>,
): Promise<Uint32Array> {
  const isLarge = (row: number): boolean => (table.columns.size[row] ?? 0) > LARGE_BYTES;
  const large = rows.filter(isLarge);
  if (large.length === 0) return rows;
  const digests = await digestFiles(large, { ...settings, limitBytes: BEGINNING_BYTES, withMd5: false });
  const equal = new Set<number>();
  sameDigests(large, table.columns, digests, (group) => {
    for (const row of group) equal.add(row);
  });
  return rows.filter((row) => !isLarge(row) || equal.has(row));
}
