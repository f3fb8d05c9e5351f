// The entries of a version, with what tells whether a file of this computer is still the one that was read for it.
import { readView } from '../../dataset/chain/read-view.js';
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { integrityError } from '../../platform/failures/errors.js';
import type { Stat } from '../../platform/libc/stat.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import type { NeededChunk } from '../../restore/plan/needed-chunk.js';
import { type Extra, openTable, type SelectedTable, TableBuilder } from '../../restore/plan/selected-table.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';

export interface StoredEntries {
  readonly head: ManifestHead;
  readonly table: SelectedTable;
  readonly extras: ReadonlyMap<number, Extra>;
  /** Rows of files that changed while they were read. */
  readonly torn: ReadonlySet<number>;
  readonly inodes: readonly number[];
  readonly ctimes: readonly Ctime[];
}

/** Seconds and nanoseconds. */
export type Ctime = readonly [seconds: number, nanos: number];

interface ReadOptions {
  readonly uploadId: UploadId;
  readonly manifestSha256: ExpectedDigests;
  readonly signal: AbortSignal;
}

/** Reads the entries of a version. @throws what `readView` throws; integrity for an entry that this version of archiver does not know */
export async function readStoredEntries(
  reader: ObjectReader,
  { uploadId, manifestSha256, signal }: ReadOptions,
): Promise<StoredEntries> {
  const builder = new TableBuilder();
  const torn = new Set<number>();
  const inodes: number[] = [];
  const ctimes: Ctime[] = [];
  const { head } = await readView(reader, {
    uploadId,
    sha256: manifestSha256,
    onEntry(entry) {
      const problem = pathProblem(entry.path);
      if (problem !== undefined) throw integrityError(`${displayPath(entry.path)}: ${problem}`);
      const index = builder.add(entry);
      if (entry.changed === true) torn.add(index);
      inodes.push(Number(entry.inode));
      ctimes.push([entry.ctime.seconds, entry.ctime.nanos]);
    },
    onForeign({ path, foreignType }) {
      throw integrityError(`the type '${displayPath(foreignType)}' of ${displayPath(path)} is not known`);
    },
    signal,
  });
  return { head, table: openTable(builder.data()), extras: builder.extras, torn, inodes, ctimes };
}

/** Whether size, modification time and inode are those that were read; the time of the last change, which renaming changes, if given. */
export function isAsStored({ table, inodes }: StoredEntries, index: number, stat: Stat, ctime?: Ctime): boolean {
  const { size, mtimeSeconds, mtimeNanos } = table.columns;
  return (
    (table.type(index) === 'symlink' || stat.size === size[index]) &&
    stat.mtimeSeconds === mtimeSeconds[index] &&
    stat.mtimeNanos === mtimeNanos[index] &&
    Number(stat.inode) === inodes[index] &&
    (ctime === undefined || (stat.ctimeSeconds === ctime[0] && stat.ctimeNanos === ctime[1]))
  );
}

/** The chunks that hold the content, each fetched as a whole. */
export function chunksOf({ head, table, extras }: StoredEntries): readonly NeededChunk[] {
  const used = new Set<number>();
  for (let index = 0; index < table.count; index++) {
    used.add(table.columns.chunk[index] ?? -1);
    for (const { chunk } of extras.get(index)?.segments ?? []) used.add(chunk);
  }
  return [...used].flatMap((position) => {
    const record = head.chunks[position];
    if (record === undefined) return [];
    const key = chunkKey(head.uploadId, record.key);
    if (key === undefined) return [];
    const { size, storageClass } = record;
    return [{ key, sizeBytes: size, storageClass, fetchedBytes: size, gets: 1 }];
  });
}
