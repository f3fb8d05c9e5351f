// Opens what is made of a source, an upload or a plan of one: the source is listed in a thread while the store is opened, asked what it
// keeps, and the dataset is looked up.
import { openEntryTable } from '../format/columns/entry-table.js';
import { loadCodec } from '../platform/codec/codec.js';
import { asWritable, refuseUnlisted } from '../store/create-once/create-once.js';
import { newUploadId, uploadFolder, type UploadId } from '../store/ids/upload-id.js';
import type { OpenedStore } from '../store/open-store.js';
import { refuseUnsupportedClasses } from '../store/storage-classes/supported-classes.js';
import type { SettledDataset } from './changes/resolve-dataset.js';
import { HeadStart } from './pack/head-start.js';
import { packSettings } from './pack/pack-settings.js';
import { aheadSizes } from './plan/plan-upload.js';
import { cacheFolder } from '../dataset/cache/cache-folder.js';
import { rememberedIn } from './run/remembered.js';
import type { Settings } from './run/settings.js';
import { encryptionFor } from './run/upload-encryption.js';
import { UploadLedger } from './run/upload-ledger.js';
import { refuseUnlockable, retentionOf } from './run/upload-lock.js';
import type { NotWhole, UploadRun } from './run/upload-run.js';
import { reportSkips } from './scan/report-skips.js';
import type { Ahead } from './scan/rows-ahead.js';
import { scanInWorker } from './scan/scan-in-worker.js';
import type { ScanResult } from './scan/scan.js';
import type { PartList } from './scan/scan-listed.js';
import type { ScanWindow } from './scan/scan-window.js';
import { excludedTrees } from './scan/source-folder.js';
import { ChunkSender } from './transfer/send-chunk.js';

/** A store that was opened for a run, and what this computer remembers of it. */
export type RunStore = Pick<UploadRun, 'store' | 'remembered'>;

/** What is left of a run that failed. */
export interface Failed extends Pick<UploadRun, 'notWhole' | 'uploadId'> {
  readonly sender: ChunkSender;
}

/** What is made of a source. */
export interface Making<R> {
  /** True to start the threads that pack while the source is being listed, and to have them pack what it has first where that can be known. */
  readonly packsAtOnce: boolean;
  /** When it began; now, unless it was begun by another run. */
  readonly createdAt?: Date;
  /** Paths to look at, instead of all that the filter keeps. */
  readonly listed?: PartList;
  /** What a listing would give, where there is no folder to list. */
  readonly scanned?: ScanResult;
  /** Rows that are listed at first, for a run that asks for the others by `scanOn`. */
  readonly maxRows?: number | undefined;
  readonly settle: (store: RunStore) => Promise<SettledDataset>;
  readonly toEnd: (
    run: UploadRun,
    settled: SettledDataset,
    started: HeadStart | undefined,
    scanOn: ScanOn,
  ) => Promise<R>;
  /** Returns the error to end with. */
  readonly failed: (error: unknown, run: Failed) => Promise<unknown>;
}

/** Lists a window of the source; without one, all of it. */
export type ScanOn = (window: ScanWindow | undefined) => Promise<ScanResult>;

/** Runs `toEnd` with the listed source and the open store, which stays open. @throws what its parts throw */
export async function withRun<R>(settings: Settings, opening: Promise<OpenedStore>, making: Making<R>): Promise<R> {
  const startedMs = performance.now();
  const { emit, signal, layout } = settings;
  const { createdAt = settings.now(), listed, maxRows, scanned: given } = making;
  // An upload id belongs to one process for ever: a run that continues what another has sent gets an id of its own (rules.md#own-ids).
  const uploadId = newUploadId(settings.now(), settings.randomBytes(4));
  const notWhole: NotWhole[] = [];
  const retention = retentionOf(layout.lock, { createdAt, now: settings.now() });
  const sender = new ChunkSender(emit, async () => (await opening).deleter, layout.direct?.requests, settings.also);
  emit({ type: 'phase', phase: 'scanning' });
  const started = making.packsAtOnce ? new HeadStart(settings.packing.workers) : undefined;
  const settling = opening.then(async (opened) => {
    const remembered = settings.remembered ?? rememberedOf(settings, opened);
    return { remembered, ...(await making.settle({ remembered, store: opened.store })) };
  });
  const asking = opening.then((opened) => writable(opened, settings, uploadId));
  settling.catch(() => undefined); // awaited below; meanwhile a failure is not "unhandled"
  asking.catch(() => undefined);
  try {
    const input = { ...settings, listed, filter: await filterOf(settings, opening) };
    const window = maxRows === undefined ? undefined : { after: undefined, maxRows };
    const ahead = packingAhead({ ...settings, uploadId }, making, started);
    const listedAlready = given ?? (await settings.objects?.list(input.filter, emit));
    const { result: scanned, loss } =
      listedAlready === undefined
        ? await scanInWorker({ ...input, window, ahead }, emit)
        : { result: listedAlready, loss: undefined };
    const seen = { items: scanned.files, bytes: scanned.bytes };
    const scanOn: ScanOn = async (next) => {
      if (next === undefined) [seen.items, seen.bytes] = [0, 0];
      const { result } = await scanInWorker({ ...input, window: next }, (event) => {
        const { items, bytes } = seen;
        emit(event.type === 'scan' ? { ...event, items: items + event.items, bytes: bytes + event.bytes } : event);
      });
      [seen.items, seen.bytes] = [seen.items + result.files, seen.bytes + result.bytes];
      // What the first window has is told.
      const told = next === undefined ? scanned.last : undefined;
      reportSkips(
        result.skipped.filter(({ path }) => told === undefined || path > told),
        settings,
      );
      return result;
    };
    const { region, requests, retries, isAws, runBy } = await opening;
    emit({ type: 'step', step: 'plan', uploadId });
    reportSkips(scanned.skipped, settings);
    for (const text of [loss, loadCodec().slowness]) if (text !== undefined) emit({ type: 'note', text });
    const ledger = new UploadLedger(openEntryTable(scanned.table));
    const { remembered, ...settled } = await settling;
    const writing = await asking;
    const { store } = writing;
    if (!settled.isListed) refuseUnlisted(store);
    const { datasetId } = settled;
    const encryption = encryptionFor(settled.encryption, store, uploadId, signal);
    const identity = { uploadId, datasetId, createdAt, encryption };
    const surroundings = {
      remembered,
      store,
      // A writer without permission to list would not see what becomes of the objects that the check puts.
      refuseUnsupportedClasses: async (classes: Iterable<string>) =>
        settled.isListed ? await refuseUnsupportedClasses(writing, classes, inFolder(settings, uploadId)) : undefined,
      retention,
      region,
      isAws,
      runBy,
      requests,
      retries,
      sender,
      startedMs,
      notWhole,
    };
    const { storageClass = settings.layout.storageClass } = settled;
    const asSettled = { ...settings, layout: { ...settings.layout, storageClass } };
    return await making.toEnd(
      { ...asSettled, ...identity, ...surroundings, scanned, ledger },
      settled,
      started,
      scanOn,
    );
  } catch (error) {
    throw await making.failed(error, { sender, notWhole, uploadId });
  } finally {
    await started?.close();
    await asking.catch(() => undefined); // it cleans up before the store is closed
  }
}

/** Has chunks of what is listed packed while more is; undefined where that cannot be planned. */
function packingAhead(
  run: Settings & Pick<UploadRun, 'uploadId'>,
  { listed }: Pick<Making<unknown>, 'listed'>,
  started: HeadStart | undefined,
): Ahead | undefined {
  const sizes = listed === undefined ? aheadSizes(run) : undefined;
  if (sizes === undefined || started === undefined) return undefined;
  const { chunkBytes, settledBytes, most, shards, memory } = sizes;
  const options = { settings: packSettings(run, chunkBytes), shards, outputBytes: memory.outputBytes(chunkBytes) };
  return {
    sizes: { chunkBytes, settledBytes, most },
    onChunk: (chunk, table) => started.begin(chunk, table, options),
  };
}

/** Asks the store, while the scan runs, whether it creates a key only once and can lock what is to be locked. */
async function writable(opened: OpenedStore, settings: Settings, uploadId: UploadId): Promise<OpenedStore> {
  const { signal, dryRun, dataset, layout } = settings;
  if (layout.lock !== undefined) await refuseUnlockable(opened, signal);
  return await asWritable(opened, { ...inFolder(settings, uploadId), dryRun, host: dataset.host });
}

/** Settings for the questions that are asked by putting objects, in the folder of the upload. */
const inFolder = ({ home, now, signal, warn, randomBytes }: Settings, uploadId: UploadId) => ({
  home,
  now: now(),
  signal,
  warn,
  randomBytes,
  folder: uploadFolder(uploadId),
});

/** What this computer remembers of an open store. */
export function rememberedOf(
  { home, cacheFolder: given, warn }: Pick<Settings, 'home' | 'cacheFolder' | 'warn'>,
  opened: OpenedStore,
): UploadRun['remembered'] {
  const folder = given ?? (home === undefined ? undefined : cacheFolder(home));
  return folder === undefined ? {} : rememberedIn(folder, opened, warn);
}

/** Neither the store nor archiver's own files are archived. */
async function filterOf({ filter, source, home }: Settings, opening: Promise<OpenedStore>) {
  const skipTrees = filter.skipTrees ?? excludedTrees(source, (await opening).store.url, home);
  return { ...filter, skipTrees };
}
