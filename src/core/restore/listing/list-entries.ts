// Lists the entries of an upload as its manifest streams in, however long it is.
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';
import { type ReadView, readView } from '../../dataset/chain/read-view.js';
import type { EventSink } from '../../events/events.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { KIND } from '../../format/columns/entry-table.js';
import { entryOf, type RowBatch } from '../../format/rows/row-batch.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';
import { NothingSelected } from '../../format/manifest/nothing-selected.js';
import { createSelection, type Selectors } from '../../format/manifest/selection.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath } from '../../platform/paths/raw-path.js';

export interface ListEntriesOptions {
  readonly uploadId: UploadId;
  /** Digests that the manifest may have. */
  readonly sha256: ExpectedDigests | undefined;
  readonly selectors: Selectors;
  /** Leaves out the names of owners and what describes the file on its disk. */
  readonly withoutNames?: boolean;
  /** Called with everything but folders, in the order of the paths, and with the chunks of the upload. */
  readonly onEntry: (entry: Entry, chunks: readonly ChunkRecord[]) => void;
  /** Awaited before more is read. */
  readonly onPiece: () => Promise<void>;
  readonly warn: (text: string) => void;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface ListedEntries {
  readonly view: ReadView;
  readonly files: number;
  readonly bytes: number;
  /** Selectors that matched nothing, except patterns. */
  readonly unmatched: readonly Failure[];
}

/** Calls `onEntry` with what is selected; memory stays flat. @throws NothingSelected; what `readView` throws */
export async function listEntries(reader: ObjectReader, options: ListEntriesOptions): Promise<ListedEntries> {
  const { uploadId, sha256, selectors, onEntry, onPiece, warn, emit, signal, withoutNames } = options;
  const selection = createSelection(selectors);
  let chunks: readonly ChunkRecord[] = [];
  let files = 0;
  let bytes = 0;
  const take = (entry: Entry): void => {
    files++;
    bytes += entry.size;
    onEntry(entry, chunks);
  };
  const takeRows = (batch: RowBatch): void => {
    for (let row = 0; row < batch.count; row++) if (batch.kind[row] === KIND.file) take(entryOf(batch, row));
  };
  const view = await readView(reader, {
    uploadId,
    sha256,
    emit,
    signal,
    withoutNames,
    needles: selection.needles,
    ranges: selection.ranges,
    onHead: ({ head }) => {
      chunks = head.chunks;
      selection.begin(head);
    },
    onEntry: (entry) => {
      if (selection.matches(entry, undefined) && entry.type !== 'directory') take(entry);
    },
    onRows: withoutNames === true && selection.isEverything ? takeRows : undefined,
    onForeign: ({ path, foreignType }) => {
      if (selection.matches({ path, type: 'file' }, undefined))
        warn(
          `${displayPath(path)} is not listed: entries of type '${displayPath(foreignType)}' are not known; update archiver`,
        );
    },
    onPiece,
  });
  await onPiece();
  const conflict = files === 0 ? selection.conflict() : undefined;
  // A pattern that nothing matches is an empty list, and no mistake.
  const unmatched = selection.unmatched().filter(({ path }) => selectors.patterns?.includes(path) !== true);
  if (files === 0 && (unmatched.length > 0 || conflict !== undefined))
    throw new NothingSelected({ unmatched, conflict });
  return { view, files, bytes, unmatched };
}
