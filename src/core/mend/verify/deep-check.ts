// Reads chunks again, all or a sample, and checks the digest of each object and frame, the tar headers, and the MD5 of every file whose
// parts are all among them. Uses the same workers as a restore, with nothing written.
import { isArchiverError } from '../../platform/failures/errors.js';
import { StoreError } from '../../store/store-error.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { EventSink } from '../../events/events.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { resultPath } from '../../platform/failures/failure-list.js';
import { mendedText } from '../../restore/unpack/mended-text.js';
import { extentCut, planWork } from '../../restore/plan/plan-work.js';
import { metered, progressMeter } from '../../events/progress-meter.js';
import { STATE, type Extra, type SelectedTable, type TableData } from '../../restore/plan/selected-table.js';
import { SpanSource } from '../../restore/fetch/span-source.js';
import type { Trouble } from '../../restore/unpack/unpack-protocol.js';
import { isOfObject, runUnpack } from '../../restore/unpack/unpack-run.js';
import { workerCount, type WorkerPool } from '../../restore/unpack/worker-pool.js';
import { MISNAMED } from '../../restore/unpack/chunk-checker.js';
import type { Problems } from './problem.js';

export interface DeepCheckOptions {
  readonly reader: ObjectReader;
  readonly head: ManifestHead;
  readonly table: SelectedTable;
  readonly data: TableData;
  readonly extras: ReadonlyMap<number, Extra>;
  /** Positions of the chunks to read. */
  readonly chunks: readonly number[];
  /** For this check alone: it may be closed after it. */
  readonly pool: WorkerPool;
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes?: number | undefined;
  readonly errors: Problems;
  readonly warnings: Problems;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface DeepCheckResult {
  /** Number of chunks that were read from end to end. */
  readonly chunksRead: number;
  readonly filesChecked: number;
  readonly bytesRead: number;
  /** Positions of chunks that the store refused to return because they are cold. */
  readonly refusedAsCold: readonly number[];
}

/** Returns the chunks that hold content of an entry. */
const partsOf = ({ table, extras }: Pick<DeepCheckOptions, 'table' | 'extras'>, index: number): readonly number[] =>
  extras.get(index)?.segments?.map(({ chunk }) => chunk) ?? [table.columns.chunk[index] ?? -1];

/** Leaves out files with a part outside of the chosen chunks, because they cannot be checked. */
function leaveOutPartial({ table, extras, chunks }: DeepCheckOptions): void {
  const chosen = new Set(chunks);
  const { columns } = table;
  for (let index = 0; index < table.count; index++) {
    const segments = extras.get(index)?.segments;
    const isRead =
      segments === undefined
        ? chosen.has(columns.chunk[index] ?? -1)
        : segments.every(({ chunk }) => chosen.has(chunk));
    if (!isRead) columns.state[index] = STATE.skipped;
  }
}

/** Checks the content of chunks. */
export async function deepCheck(options: DeepCheckOptions): Promise<DeepCheckResult> {
  const { head, table, data, extras, chunks, pool, emit, signal } = options;
  leaveOutPartial(options);
  const work = planWork({
    table,
    extras,
    chunks: head.chunks,
    hardlinks: new Map(),
    workers: workerCount(options.memoryLimitBytes),
    memoryLimitBytes: options.memoryLimitBytes,
    wholeChunks: chunks,
  });
  const storedBytes = chunks.reduce((sum, chunk) => sum + (head.chunks[chunk]?.size ?? 0), 0);
  const files = [...contentOf(table)];
  const bytes = files.reduce((sum, index) => sum + (table.columns.size[index] ?? 0), 0);
  emit({ type: 'plan', items: files.length, bytes, chunks: chunks.length });
  emit({ type: 'phase', phase: 'transferring' });
  const source = new SpanSource({
    reader: options.reader,
    keyOf: ({ record }) => chunkKey(head.uploadId, record.key),
    fillsCache: false,
  });
  const meter = progressMeter(emit, (index) => displayPath(table.path(index)));
  const unpack = (): Promise<void> =>
    runUnpack({
      lanes: work.lanes,
      empty: work.empty,
      data: { write: undefined, verifyFiles: true, checkChunks: true, table: data, extents: work.extents },
      extras,
      extrasOf: (chunk) => extentCut(chunk, work, extras),
      source,
      pool,
      workers: work.workers,
      requestsAtOnce: options.requestsAtOnce,
      bytesUnderWay: work.bytesUnderWay,
      withTail: true,
      isOfObject: (error) => isOfObject(error) || isOfChunk(error),
      onProgress: meter.add,
      onTrouble: (trouble) => report(options, trouble, source.refusedAsCold),
      emit,
      signal,
    });
  await metered(meter, storedBytes > 0 ? unpack() : Promise.resolve());
  const filesChecked = files.filter((index) => table.columns.state[index] === STATE.done).length;
  return {
    chunksRead: chunks.length - source.failed.size,
    filesChecked,
    bytesRead: source.fetched.bytesFetched,
    refusedAsCold: [...source.refusedAsCold],
  };
}

function* contentOf(table: SelectedTable): Generator<number> {
  for (let index = 0; index < table.count; index++) {
    const type = table.type(index);
    if ((type === 'file' || type === 'hardlink') && table.columns.state[index] === STATE.waiting) yield index;
  }
}

/**
 * Tells whether an entry refers to content that another upload stored. Later versions drop and add names of hard links without storing them
 * again, so such content may lie under a name that is gone; its digest is checked all the same.
 */
function isElsewhere({ head, table, extras }: DeepCheckOptions, index: number): boolean {
  const [chunk = -1] = partsOf({ table, extras }, index);
  return head.chunks[chunk]?.key.startsWith('../') === true;
}

/** A single chunk may be cold, or encrypted with a key that we may not use: all others are still read. */
const isOfChunk = (error: unknown): boolean =>
  isArchiverError(error, 'cold-storage') || (error instanceof StoreError && error.isRefused);

function report(
  options: DeepCheckOptions,
  { failures, chunkFailures, mended }: Trouble,
  cold: ReadonlySet<number>,
): void {
  const { head, table, errors, warnings } = options;
  for (const wrong of mended) {
    warnings.add(mendedText(wrong, head.chunks), { key: head.chunks[wrong.chunk]?.key ?? '' });
  }
  for (const { chunk, frame, reason } of chunkFailures) {
    if (cold.has(chunk)) continue;
    const key = head.chunks[chunk]?.key ?? '';
    errors.add(frame === undefined ? `chunk ${chunk}: ${reason}` : `chunk ${chunk}, frame ${frame}: ${reason}`, {
      key,
    });
  }
  for (const { index, reason } of failures) {
    if (partsOf(options, index).some((chunk) => cold.has(chunk))) continue;
    if (reason === MISNAMED && isElsewhere(options, index)) continue;
    errors.add(reason, { path: resultPath(table.path(index)) });
  }
}
