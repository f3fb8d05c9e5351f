// Estimates what an upload of a folder would store, without a store: uses the upload's own scan, filter and plan, and a sample of how well
// the content compresses.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { EventSink } from '../../events/events.js';
import type { StoredObject } from '../../cost/stored-object.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { planChunks } from '../plan/chunk-plan.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { uploadSizes } from '../plan/plan-upload.js';
import { openEntryTable, type EntryTable, KIND, MD5_BYTES, XXH64_BYTES } from '../../format/columns/entry-table.js';
import type { FilterOptions } from '../scan/filter-options.js';
import { scanInWorker } from '../scan/scan-in-worker.js';
import type { Skip } from '../scan/skip.js';
import { reportSkips } from '../scan/report-skips.js';
import { settingsOf } from '../run/settings.js';
import { type Sample, sampleCompression } from './sample-compression.js';
import { loadCodec } from '../../platform/codec/codec.js';
import { entryLine } from '../../format/manifest/entry-line.js';
import { readAccountNames } from '../scan/account-names.js';

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
  /** Total size of these files; each name counts. */
  readonly bytes: number;
  readonly skipped: readonly Skip[];
  readonly shards: number;
  readonly chunkBytes: number;
  /** Most requests at a time. */
  readonly requestsAtOnce: number;
  readonly packedBytes: number;
  readonly sample: Sample;
  /** Size of each chunk with its table of contents; uncompressed if nothing could be sampled. */
  readonly chunks: readonly Omit<StoredObject, 'storageClass'>[];
  readonly storedBytes: number;
  /** Size of the manifest, which is stored in STANDARD beside the chunks. */
  readonly manifestBytes: number;
}

/** Estimates an upload of `source`. @throws not-found, access-denied for the folder; usage for an invalid pattern; cancelled */
export async function estimateFolder(options: FolderEstimateOptions): Promise<FolderEstimate> {
  const { source, filter, maxShards, memoryLimitBytes, emit, signal } = options;
  emit({ type: 'phase', phase: 'scanning' });
  const { result: scanned } = await scanInWorker({ source, filter, signal }, emit);
  const settings = settingsOf({ source, emit, signal, packing: { memoryLimitBytes } });
  reportSkips(scanned.skipped, settings);
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

// Estimates what the lists of entries take: the table of contents in each chunk, and the manifest. For many small files that is more than
// their content. Runs of lines are written as an upload writes them, with digests that compress as little as real ones.

const RUNS = 4;
const RUN_ROWS = 1024;
/** zstd level of tables of contents, as in table-frame.ts. */
const TABLE_LEVEL = 3;

/** Compressed bytes for each entry. */
interface ListingBytes {
  readonly inChunk: number;
  readonly inManifest: number;
}

/** Measures the lists of a table whose digests are not used yet. */
function listingBytes(table: EntryTable): ListingBytes {
  const names = readAccountNames();
  const { chunk, kind, offset, size } = table.columns;
  const runs = Math.min(RUNS, Math.ceil(table.count / RUN_ROWS));
  const lines: string[] = [];
  for (let run = 0; run < runs; run++) {
    const first = Math.floor((run * table.count) / runs);
    const last = Math.min(table.count, first + RUN_ROWS);
    for (let index = first, at = 0; index < last; index++) {
      if (kind[index] === KIND.dropped) continue;
      const digest = hash('sha256', String(index));
      table.md5.write(digest.slice(0, 32), index * MD5_BYTES, 'hex');
      table.xxh64.write(digest.slice(32, 48), index * XXH64_BYTES, 'hex');
      chunk[index] = run;
      offset[index] = at;
      at += size[index] ?? 0;
      lines.push(entryLine(table, index, names));
    }
  }
  if (lines.length === 0) return { inChunk: 0, inManifest: 0 };
  const text = Buffer.from(lines.join(',\n'), 'latin1');
  const codec = loadCodec();
  const inChunk = codec.compressFrame(Buffer.allocUnsafe(codec.compressBound(text.length)), text, TABLE_LEVEL);
  return { inChunk: inChunk / lines.length, inManifest: gzipSync(text).length / lines.length };
}
