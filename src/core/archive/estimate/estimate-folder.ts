// What an upload of a folder would store, without a store: the upload's own scan, filter and plan, and a sample of how well the
// content compresses.
import type { EventSink } from '../../events/events.js';
import type { StoredObject } from '../../cost/stored-object.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { planChunks } from '../plan/chunk-plan.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { uploadSizes } from '../plan/plan-upload.js';
import { openEntryTable } from '../../format/columns/entry-table.js';
import type { FilterOptions } from '../scan/filter.js';
import { scanInWorker } from '../scan/scan-in-worker.js';
import { type Skip } from '../scan/skip.js';
import { tellSkips } from '../scan/tell-skips.js';
import { settingsOf } from '../run/settings.js';
import { listingBytes } from './listing-bytes.js';
import { type Sample, sampleCompression } from './sample-compression.js';

export interface FolderEstimateOptions {
  readonly source: RawPath;
  readonly filter: FilterOptions;
  /** Most shards; 0 for as many as an upload chooses. */
  readonly maxShards: number;
  readonly memoryLimitBytes: number | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface FolderEstimate {
  readonly files: number;
  /** Sizes of these files; each name counts. */
  readonly bytes: number;
  readonly skipped: readonly Skip[];
  readonly shards: number;
  readonly chunkBytes: number;
  /** Most requests at a time. */
  readonly requestsAtOnce: number;
  readonly packedBytes: number;
  readonly sample: Sample;
  /** Of each chunk, with its table of contents; not compressed where nothing could be sampled. */
  readonly chunks: readonly Omit<StoredObject, 'storageClass'>[];
  readonly storedBytes: number;
  /** In STANDARD, beside the chunks. */
  readonly manifestBytes: number;
}

/** @throws not-found, access-denied for the folder; usage for a pattern that is none; cancelled */
export async function estimateFolder(options: FolderEstimateOptions): Promise<FolderEstimate> {
  const { source, filter, maxShards, memoryLimitBytes, emit, signal } = options;
  emit({ type: 'phase', phase: 'scanning' });
  const { result: scanned } = await scanInWorker({ source, filter, signal }, emit);
  const settings = settingsOf({ source, emit, signal, packing: { memoryLimitBytes } });
  tellSkips(scanned.skipped, settings);
  const table = openEntryTable(scanned.table);
  const pending = pendingTotals(table);
  const sizes = uploadSizes(settings, scanned.bytes, pending.bytes);
  const { chunkBytes, policy } = sizes;
  const shards = maxShards === 0 ? sizes.shards : Math.min(maxShards, sizes.shards);
  const { shardStrategy: strategy, storageClass } = settings.layout;
  const tasks = planChunks(table, { strategy, shards, chunkBytes, storageClass }).flat();
  emit({ type: 'phase', phase: 'reading' });
  const sample = await sampleCompression({
    table,
    source,
    signal,
    onProgress: (done, total) => {
      if (done.files === 0) emit({ type: 'plan', items: total.files, bytes: total.bytes });
      emit({ type: 'progress', items: done.files, bytes: done.bytes });
    },
  });
  const share = sample.rawBytes === 0 ? 1 : Math.min(1, sample.storedBytes / sample.rawBytes);
  const { inChunk, inManifest } = listingBytes(table);
  const chunks = tasks.map(({ rawBytes, entries }) => ({
    sizeBytes: Math.ceil(rawBytes * share + entries.length * inChunk),
  }));
  return {
    files: scanned.files,
    bytes: scanned.bytes,
    skipped: scanned.skipped,
    shards,
    chunkBytes,
    requestsAtOnce: policy.windowLimit,
    chunks,
    packedBytes: tasks.reduce((sum, { rawBytes }) => sum + rawBytes, 0),
    storedBytes: chunks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    manifestBytes: Math.ceil(pending.entries * inManifest),
    sample,
  };
}
