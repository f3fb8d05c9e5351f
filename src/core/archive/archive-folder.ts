// The front door: archives a folder as one committed version of its dataset. See docs/architecture.md for the picture.
//   scan ─► settle the dataset ─► (continue an interrupted run) ─► compare, where only changes are wanted ─► make the version
import { ArchiverError, errorText, isArchiverError } from '../platform/failures/errors.js';
import type { OpenedStore } from '../store/open-store.js';
import { uploadChanges, compareWithConcurrent, type NeedsFullVersion } from './changes/upload-changes.js';
import type { Baseline } from './changes/baseline.js';
import type { SettledDataset } from './changes/resolve-dataset.js';
import { settleDataset } from './settle-dataset.js';
import { checkEmptySources } from './changes/doubtful-part.js';
import { checkShrunken, refuseResend, warnOfEmpty } from './changes/doubtful-source.js';
import { destinationOf } from './inspect-destination.js';
import { listAfterPacking, makeFullVersion, listWhilePacking } from './full-version.js';
import { markUnneeded } from './mark-unneeded.js';
import type { NotWhole, UploadRun } from './run/upload-run.js';
import type { HeadStart } from './pack/head-start.js';
import { continueUpload } from './resumed/continue-upload.js';
import { retireBroken } from './retire-broken.js';
import { type ArchiveOptions, type Settings, settingsOf } from './run/settings.js';
import type { UploadResult } from './upload-result.js';
import { withRun } from './with-run.js';

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
  const { saved, journal } = settings.resume;
  // An upload that compares first may have nothing to pack.
  const isRest = saved !== undefined || settings.layout.direct !== undefined;
  const mayBeIdle = settings.dryRun || settings.dataset.changes !== undefined || isRest;
  return await withRun(settings, opening, {
    packsAtOnce: !mayBeIdle,
    ...(saved === undefined ? {} : { createdAt: new Date(saved.state.createdAt) }),
    settle: async (found) => await settleDataset(settings, found),
    async toEnd(run, settled, started) {
      const result = await runToEnd(run, settled, started);
      await retireBroken(run);
      await journal?.remove();
      const { store, region, isAws, runBy, ledger, signal } = run;
      const usesKms = run.encryption.kmsKeyId !== undefined;
      const place = { provider: runBy, region, isAws, isFolder: store.url.startsWith('file:'), usesKms };
      if (!settings.dryRun) return { ...result, billed: { place, objects: () => ledger.objects() } };
      const { highest: version, isListed } = settled;
      const destination = await destinationOf({ store, region, isAws, runBy }, { version, isListed }, signal);
      return { ...result, destination: { ...destination, usesKms } };
    },
    failed: async (error, run) =>
      await run.sender.withdraw(withNotWhole(run.notWhole, error), journal, settings.resume.cleansUp),
  });
}

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
  started: HeadStart | undefined,
): Promise<UploadResult> {
  const run = { ...given, packing: packingOf(given, baseline) };
  // What was packed with other checksums, or what was found out about it lies elsewhere.
  if (run.packing.dedup === true || run.scanned.hasMoved === true) await started?.withdraw(run.ledger.table);
  const { saved } = run.resume;
  const { after } = run.dataset;
  if (after !== undefined && (!isListed || highest !== after)) throw overtaken(run);
  warnOfEmpty(run);
  if (baseline === undefined) {
    refuseResend(run);
    checkShrunken(run, { version: highest, totals });
    checkEmptySources(run, highest);
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
  const outcome = await makeFullVersion(current, strategy, ordinal, started);
  if (!('result' in outcome)) {
    if (after === undefined) return await orFullVersion(await compareWithConcurrent(outcome.lost));
    await markUnneeded(outcome.lost, []);
    throw overtaken(run);
  }
  const { result } = outcome;
  return { ...result, measured: { ...result.measured, isRewritten } };
}

const overtaken = ({ datasetId }: UploadRun): ArchiverError =>
  new ArchiverError('conflict', `another writer has made a version of dataset ${datasetId} meanwhile`, {
    hint: 'look at what it holds; the same call again goes on from there',
  });

async function orFullVersion(outcome: UploadResult | NeedsFullVersion): Promise<UploadResult> {
  if (!('run' in outcome)) return outcome;
  const { run, highest, counts } = outcome;
  const made = await makeFullVersion(run, listAfterPacking(run), { highest, isListed: false });
  if ('result' in made) return { ...made.result, changes: { ...counts(), noChanges: false, comparedWith: 'none' } };
  throw new ArchiverError('internal', 'a self-contained version lost its ordinal to another writer');
}
