// Archives what a stream gives as one file: a version of its dataset with that file and nothing else. The stream is packed while it is read,
// in memory that does not depend on its length, and cannot be read again: what the store loses meanwhile ends the upload, and an
// interrupted one cannot be resumed. Nothing is committed before whoever writes the stream says that it was all.
import { uploadCost } from '../cost/upload-cost.js';
import { ArchiverError, integrityError, isArchiverError, usageError } from '../platform/failures/errors.js';
import { memoryPlan } from '../platform/limits/memory-plan.js';
import { newStat, type Stat } from '../platform/libc/stat.js';
import { pathProblem } from '../platform/paths/path-rules.js';
import { displayPath, type RawPath } from '../platform/paths/raw-path.js';
import { EntryTableBuilder, KIND } from '../format/columns/entry-table.js';
import type { OpenedStore } from '../store/open-store.js';
import { checkShrunken } from './changes/doubtful-source.js';
import { listAfterPacking, makeFullVersion } from './full-version.js';
import type { ManifestStrategy } from './make-version.js';
import { amountsOf } from './plan/planned-amounts.js';
import type { PlannedAmounts } from './run/upload-gate.js';
import type { StoredObject } from '../cost/stored-object.js';
import { type UploadPlan, type UploadSizes, uploadSizes } from './plan/plan-upload.js';
import { retireBroken } from './retire-broken.js';
import { autoShardCount } from './run/shard-strategy.js';
import { settleDataset } from './settle-dataset.js';
import { type ArchiveOptions, type Settings, settingsOf } from './run/settings.js';
import type { UploadRun } from './run/upload-run.js';
import type { ScanResult } from './scan/scan.js';
import { READ_BUFFERS, StreamFeed, type StreamInput } from './stream/stream-feed.js';
import type { UploadResult } from './upload-result.js';
import { withRun } from './with-run.js';

export type { StreamInput } from './stream/stream-feed.js';

/** The file that the stream becomes. */
export interface StreamFile {
  readonly name: RawPath;
  readonly mode: number;
}

const S_IFDIR = 0o040000;

/** Archives a stream as the next version of its dataset, into a store that it opens and closes. @throws ArchiverError; no version of it is visible then */
export async function archiveStream(
  open: () => Promise<OpenedStore>,
  { file, input }: { readonly file: StreamFile; readonly input: StreamInput },
  options: ArchiveOptions,
): Promise<UploadResult> {
  const problem = pathProblem(file.name);
  if (problem !== undefined) throw usageError(`${displayPath(file.name)} cannot be the name of a file: ${problem}`);
  // Checksums run through all pieces, so one thread packs them.
  const settings = settingsOf({ ...options, packing: { ...options.packing, workers: 1, dedup: false } });
  const opening = open();
  try {
    return await archive(settings, { file, input }, opening);
  } finally {
    input.close();
    await opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

async function archive(
  settings: Settings,
  { file, input }: { readonly file: StreamFile; readonly input: StreamInput },
  opening: Promise<OpenedStore>,
): Promise<UploadResult> {
  return await withRun(settings, opening, {
    packsAtOnce: false,
    scanned: asScanned(file, settings.now()),
    settle: async (found) => await settleDataset(settings, found),
    async toEnd(run, { highest, isListed, totals }) {
      checkShrunken(run, { version: highest, totals });
      await run.refuseUnsupportedClasses([run.layout.storageClass]);
      await askBudgets(run, input);
      const listing = streamListing(input);
      // Budgets are asked already, by what may come: a plan does not know.
      const asked = { ...run, uploadGate: undefined };
      const made = await makeFullVersion(asked, listing(asked), { highest, isListed }, undefined, listing);
      if (!('result' in made)) throw new ArchiverError('internal', 'a full version lost its ordinal to another writer');
      await retireBroken(run);
      return resultOf(run, made.result);
    },
    failed: async (error, { sender }) => await sender.withdraw(error),
  });
}

/** Adds what is known once all of the stream was read. */
function resultOf(run: UploadRun, result: UploadResult): UploadResult {
  const { store, region, isAws, runBy, ledger, encryption } = run;
  const usesKms = encryption.kmsKeyId !== undefined;
  const place = { provider: runBy, region, isAws, isFolder: store.url.startsWith('file:'), usesKms };
  const { files, bytes } = result;
  const measured = { ...result.measured, bytes, packed: { files, bytes } };
  return { ...result, measured, billed: { place, objects: () => ledger.objects() } };
}

/** What a listing of a folder with this file alone would give, of a size that is not known. */
function asScanned({ name, mode }: StreamFile, now: Date): ScanResult {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const table = new EntryTableBuilder();
  const index = table.add(name);
  const seconds = Math.floor(now.getTime() / 1000);
  const { columns: c } = table;
  c.kind[index] = KIND.file;
  c.mode[index] = mode;
  c.uid[index] = uid;
  c.gid[index] = gid;
  c.mtimeSeconds[index] = c.ctimeSeconds[index] = c.atimeSeconds[index] = seconds;
  const root: Stat = { ...newStat(), mode: S_IFDIR | 0o755, uid, gid, mtimeSeconds: seconds, ctimeSeconds: seconds };
  const nothing = { files: 0, bytes: 0 };
  return {
    table: table.finish(),
    root,
    skipped: [],
    files: 1,
    bytes: 0,
    young: [],
    leftOut: 0,
    reasons: [],
    dvc: {
      linkedFiles: nothing,
      cacheLeftOut: nothing,
      cacheKept: nothing,
      temporary: [],
      localConfigs: [],
      outsideLinks: [],
    },
  };
}

/** Lists what was read; the stream can be packed once. */
function streamListing(input: StreamInput): (run: UploadRun) => ManifestStrategy {
  let isRead = false;
  return (run) => {
    const { ledger, layout, now } = run;
    const { policy, memory, chunkBytes, shards } = streamSizes(run);
    const given = { input, table: ledger.table, ledger, chunkBytes, shards, storageClass: layout.storageClass, now };
    const listing = listAfterPacking(run);
    return {
      list: (plan) => listing.list(plan),
      hooks: { ...listing.hooks, source: new StreamFeed(given) },
      plan(pending): UploadPlan {
        if (isRead && pending.files > 0)
          throw integrityError('what the store had of stdin was lost meanwhile, and stdin cannot be read again', {
            hint: 'nothing was committed; run it again',
          });
        isRead = true;
        return { lanes: [], shards, chunkBytes, pending, policy, memory };
      },
    };
  };
}

/** Sizes and limits for content of a length that is not known: in memory lie pieces that are read, and packed ones. */
function streamSizes(run: UploadRun): UploadSizes {
  const { layout, packing } = run;
  const shards = layout.shardCount === 0 ? autoShardCount(undefined) : layout.shardCount;
  const { policy } = uploadSizes(run, 0, 0);
  const memory = memoryPlan(packing.memoryLimitBytes ?? MEMORY_BYTES, packing.workers, packing.frameBytes);
  const share = Math.floor(memory.bufferBytes / (READ_BUFFERS + PACKED_BUFFERS) / MIB) * MIB;
  const chunkBytes = Math.min(MOST_CHUNK_BYTES, Math.max(LEAST_CHUNK_BYTES, share));
  const left = memory.bufferBytes - READ_BUFFERS * chunkBytes;
  const buffers = (bytes: number): number => Math.max(1, Math.floor(left / memory.outputBytes(bytes)));
  return { policy, shards, chunkBytes, memory: { ...memory, buffers } };
}

const MIB = 2 ** 20;
/** Without --memory-limit: less than 300 MB, and pieces that are no smaller than a frame. */
const MEMORY_BYTES = 280 * MIB;
const PACKED_BUFFERS = 5;
const LEAST_CHUNK_BYTES = 4 * MIB;
const MOST_CHUNK_BYTES = 32 * MIB;

/** More than any budget allows. */
const UNKNOWN_BYTES = 2 ** 53;

/** Asks budgets for what may come at most, in each store; where that is not known, any limit refuses. @throws budget-exceeded */
async function askBudgets(run: UploadRun, { maxBytes }: StreamInput): Promise<void> {
  const { uploadGate, also, layout, encryption, dryRun } = run;
  if (dryRun) return;
  const { chunkBytes } = streamSizes(run);
  const amountsIn = (place: Parameters<typeof amountsOf>[0], storageClass: string): PlannedAmounts => {
    if (maxBytes === undefined) return unknownAmounts(place, { storageClass, sizeBytes: chunkBytes });
    const count = Math.max(1, Math.ceil(maxBytes / chunkBytes));
    return amountsOf(place, { objects: () => [{ storageClass, sizeBytes: maxBytes / count, count }], entries: 1 });
  };
  try {
    await uploadGate?.(amountsIn(run, layout.storageClass));
    await also?.mayBegin({
      ...run,
      amountsIn: ({ store, region, isAws, runBy }, storageClass) =>
        amountsIn({ store, region, isAws, runBy, encryption }, storageClass),
    });
  } catch (error) {
    if (maxBytes !== undefined || !isArchiverError(error, 'budget-exceeded')) throw error;
    throw new ArchiverError(
      'budget-exceeded',
      'a budget applies, and how much stdin gives is not known; nothing is sent',
      {
        cause: error,
        hint: 'say it: --expected-size 50GiB is reserved, and more than that is refused; or go on with --ignore-budget',
      },
    );
  }
}

/** Amounts of what has no known end; `chunk` is one of its objects. */
function unknownAmounts(place: Parameters<typeof amountsOf>[0], chunk: StoredObject): PlannedAmounts {
  const { billAt } = amountsOf(place, { objects: () => [chunk], entries: 1 });
  const unknown = (bill: ReturnType<typeof uploadCost>): ReturnType<typeof uploadCost> =>
    bill.costUsd === 0
      ? bill
      : { ...bill, costUsd: null, lines: bill.lines.map((line) => ({ ...line, costUsd: null })) };
  return { bytes: UNKNOWN_BYTES, billAt: (prices) => unknown(billAt(prices)) };
}
