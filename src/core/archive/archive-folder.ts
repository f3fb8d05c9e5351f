// The front door: archives a folder as one committed version of its dataset. See docs/architecture.md for the picture.
//   scan ─► settle the dataset ─► (continue an interrupted run) ─► compare, where only changes are wanted ─► make the version
import { refuseUnsupportedClasses } from '../store/storage-classes/supported-classes.js';
import { loadCodec } from '../platform/codec/codec.js';
import { asWritable, refuseUnlisted } from '../store/create-once/create-once.js';
import { newUploadId, uploadFolder, type UploadId } from '../store/ids/upload-id.js';
import { ArchiverError, errorText, isArchiverError } from '../platform/failures/errors.js';
import type { OpenedStore } from '../store/open-store.js';
import { uploadChanges, compareWithConcurrent, type NeedsFullVersion } from './changes/upload-changes.js';
import type { Baseline } from './changes/baseline.js';
import { type SettledDataset, resolveDataset } from './changes/resolve-dataset.js';
import { checkShrunken, refuseResend, warnOfEmpty } from './changes/doubtful-source.js';
import { destinationOf } from './inspect-destination.js';
import { listAfterPacking, makeFullVersion, listWhilePacking } from './full-version.js';
import type { NotWhole, UploadRun } from './run/upload-run.js';
import { PackPool } from './pack/pack-pool.js';
import { cacheFolder, rememberedIn } from './run/remembered.js';
import { continueUpload } from './resumed/continue-upload.js';
import { retireBroken } from './retire-broken.js';
import { openEntryTable } from '../format/columns/entry-table.js';
import { scanInWorker } from './scan/scan-in-worker.js';
import { excludedTrees } from './scan/source-folder.js';
import { reportSkips } from './scan/report-skips.js';
import { type ArchiveOptions, type Settings, settingsOf } from './run/settings.js';
import { ChunkSender } from './transfer/send-chunk.js';
import { encryptionFor } from './run/upload-encryption.js';
import { UploadLedger } from './run/upload-ledger.js';
import { refuseUnlockable, retentionOf } from './run/upload-lock.js';
import type { UploadResult } from './upload-result.js';

/**
 * Archives a folder as the next version of its dataset: a full listing or, with `dataset.changes`, what differs from the version before.
 * The store stays open. @throws ArchiverError; no version of it is visible then
 */
export async function archiveFolder({
  store,
  ...options
}: ArchiveOptions & { readonly store: OpenedStore }): Promise<UploadResult> {
  return await archive(settingsOf(options), Promise.resolve(store));
}

/** Like `archiveFolder`, into a store that it opens while the folder is being listed and closes afterwards. */
export async function archiveInto(open: () => Promise<OpenedStore>, options: ArchiveOptions): Promise<UploadResult> {
  const opening = open();
  try {
    return await archive(settingsOf(options), opening);
  } finally {
    await opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

async function archive(settings: Settings, opening: Promise<OpenedStore>): Promise<UploadResult> {
  const startedMs = performance.now();
  const { emit, signal, resume, layout } = settings;
  const { saved, journal } = resume;
  const createdAt = saved === undefined ? settings.now() : new Date(saved.state.createdAt);
  // An upload id belongs to one process for ever: a run that continues what another has sent gets an id of its own (rules.md#own-ids).
  const uploadId = newUploadId(settings.now(), settings.randomBytes(4));
  const notWhole: NotWhole[] = [];
  const retention = retentionOf(layout.lock, { createdAt, now: settings.now() });
  const sender = new ChunkSender(emit, async () => (await opening).deleter, layout.direct?.requests);
  emit({ type: 'phase', phase: 'scanning' });
  // An upload that compares first may have nothing to pack.
  const isRest = saved !== undefined || layout.direct !== undefined;
  const mayBeIdle = settings.dryRun || settings.dataset.changes !== undefined || isRest;
  const pool = mayBeIdle ? undefined : new PackPool(settings.packing.workers);
  const settling = opening.then(async (opened) => {
    const remembered = settings.remembered ?? rememberedOf(settings, opened);
    return { remembered, ...(await resolveDataset({ ...settings, remembered, store: opened.store })) };
  });
  const asking = opening.then((opened) => writable(opened, settings, uploadId));
  settling.catch(() => undefined); // awaited below; meanwhile a failure is not "unhandled"
  asking.catch(() => undefined);
  try {
    const { result: scanned, loss } = await scanInWorker(
      { ...settings, filter: await filterOf(settings, opening) },
      emit,
    );
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
    const run = { ...settings, ...identity, ...surroundings, scanned, ledger };
    const result = await runToEnd(run, settled, pool);
    await retireBroken(run);
    await journal?.remove();
    const usesKms = encryption.kmsKeyId !== undefined;
    const place = { provider: runBy, region, isAws, isFolder: store.url.startsWith('file:'), usesKms };
    if (!settings.dryRun) return { ...result, billed: { place, objects: () => ledger.objects() } };
    const { highest: version, isListed } = settled;
    const destination = await destinationOf({ store, region, isAws, runBy }, { version, isListed }, signal);
    return { ...result, destination: { ...destination, usesKms } };
  } catch (error) {
    throw await sender.withdraw(withNotWhole(notWhole, error), journal, resume.cleansUp);
  } finally {
    await pool?.close();
    await asking.catch(() => undefined); // it cleans up before the store is closed
  }
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

/** Adds to a failure which versions this run has written that are not whole. */
function withNotWhole(notWhole: readonly NotWhole[], error: unknown): unknown {
  const before = notWhole.map(({ text }) => text).join('; ');
  if (before === '') return error;
  const { exitCode = 1, hint, code = 'integrity' } = isArchiverError(error) ? error : {};
  return new ArchiverError(code, `${before}; making it again failed: ${errorText(error)}`, {
    cause: error,
    exitCode,
    hint,
  });
}

function rememberedOf({ home, cacheFolder: given, warn }: Settings, opened: OpenedStore): UploadRun['remembered'] {
  const folder = given ?? (home === undefined ? undefined : cacheFolder(home));
  return folder === undefined ? {} : rememberedIn(folder, opened, warn);
}

/** Neither the store nor archiver's own files are archived. */
async function filterOf({ filter, source, home }: Settings, opening: Promise<OpenedStore>) {
  const skipTrees = filter.skipTrees ?? excludedTrees(source, (await opening).store.url, home);
  return { ...filter, skipTrees };
}

/**
 * Deduplicates a sync if the version before did, and a source with contents of a DVC cache, most of which are copies of files in the
 * workspace, unless `dedup` says otherwise.
 */
function packingOf({ packing, layout, scanned }: UploadRun, baseline: Baseline | undefined): UploadRun['packing'] {
  if (layout.direct !== undefined) return packing;
  const hasCopies = scanned.dvc.cacheKept.files > 0 ? true : undefined;
  return { ...packing, dedup: packing.dedup ?? baseline?.view.head.settings.dedup ?? hasCopies };
}

async function runToEnd(
  given: UploadRun,
  { baseline, highest, isListed, totals, isRewritten }: SettledDataset,
  pool: PackPool | undefined,
): Promise<UploadResult> {
  const run = { ...given, packing: packingOf(given, baseline) };
  const { saved } = run.resume;
  warnOfEmpty(run);
  if (baseline === undefined) {
    refuseResend(run);
    checkShrunken(run, { version: highest, totals });
  }
  const ordinal = { highest, isListed };
  let current = run;
  if (saved !== undefined) {
    const taken = await continueUpload(run, saved);
    if ('result' in taken) return taken.result;
    current = taken.run;
  }
  if (baseline !== undefined) return await orFullVersion(await uploadChanges(current, baseline));
  const isPackedAtOnce = saved === undefined && run.layout.direct === undefined;
  const strategy = isPackedAtOnce ? listWhilePacking(current) : listAfterPacking(current);
  const outcome = await makeFullVersion(current, strategy, ordinal, pool);
  if (!('result' in outcome)) return await orFullVersion(await compareWithConcurrent(outcome.lost));
  const { result } = outcome;
  return { ...result, measured: { ...result.measured, isRewritten } };
}

async function orFullVersion(outcome: UploadResult | NeedsFullVersion): Promise<UploadResult> {
  if (!('run' in outcome)) return outcome;
  const { run, highest, counts } = outcome;
  const made = await makeFullVersion(run, listAfterPacking(run), { highest, isListed: false });
  if ('result' in made) return { ...made.result, changes: { ...counts(), noChanges: false, comparedWith: 'none' } };
  throw new ArchiverError('internal', 'a self-contained version lost its ordinal to another writer');
}
