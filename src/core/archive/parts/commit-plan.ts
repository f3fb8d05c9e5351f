// Makes a version of the results of a plan's parts: all of them must be there and whole. Whoever commits twice, or at the same time as
// somebody else, finds the version that names the plan.
import { highestVersion } from '../../dataset/records/version-record.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import type { OpenedStore } from '../../store/open-store.js';
import type { ObjectStore, RequestCounts } from '../../store/object-store.js';
import { asWritable } from '../../store/create-once/create-once.js';
import { refuseShared } from '../../store/plain-store.js';
import { manifestKeyOf, uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import { checkShrunken } from '../changes/doubtful-source.js';
import { resolveDataset, type SettledDataset } from '../changes/resolve-dataset.js';
import { commitUpload, type CommitInput, rememberHead } from '../commit/commit-upload.js';
import type { Commitment } from '../commit/commitment.js';
import { putSegments } from '../transfer/put-segments.js';
import { type ArchiveOptions, type Settings, settingsOf } from '../run/settings.js';
import { encryptionFor } from '../run/upload-encryption.js';
import { retentionOf } from '../run/upload-lock.js';
import { rememberedOf } from '../with-run.js';
import { flagCommit } from './commit-flag.js';
import { notWhole, referred } from '../commit/commit-checks.js';
import { FolderLooks, wholeParts } from './check-attempt.js';
import { compose } from './compose-version.js';
import { isPartialWith, leftOutOfShares, sumOfLeftOut } from './left-out-paths.js';
import { markOtherAttempts } from './mark-attempt.js';
import type { LeftOutPaths } from '../../format/parts/part-documents.js';
import { resultsPrefix } from '../../format/parts/part-keys.js';
import { assertWhole, committedHead, foldersOf, type MadeVersion, versionOf } from './plan-version.js';
import { listResults, type ReadPlan, readResults } from './read-plan.js';

export interface CommitOptions extends Pick<
  ArchiveOptions,
  'emit' | 'signal' | 'home' | 'now' | 'randomBytes' | 'warn'
> {
  readonly allowMassDelete: boolean;
  /** True if the user says that nobody else commits there now: asked for where a store creates no key only once. */
  readonly isExclusive: boolean;
}

/** The version that a plan has become. */
export interface CommittedPlan {
  readonly uploadId: UploadId;
  readonly location: string;
  readonly manifestKey: string;
  readonly datasetId: string;
  readonly version: number;
  readonly fork?: string;
  /** True if it was a version before. */
  readonly isAlready: boolean;
  readonly totals: Totals;
  readonly leftOut: LeftOutPaths;
  /** True if something is missing or torn. */
  readonly partial: boolean;
  readonly requests: RequestCounts;
  readonly durationMs: number;
}

/** Parts without a result that counts, in order. */
export interface MissingParts {
  readonly missing: readonly number[];
  readonly requests: RequestCounts;
}

/**
 * Commits a plan, or says which parts are missing. @throws plain-store for one that creates no key only once, unless nobody else writes
 * there; conflict, integrity, and what a commit throws
 */
export async function commitPlan(
  opened: OpenedStore,
  plan: ReadPlan,
  { isExclusive, ...options }: CommitOptions,
): Promise<CommittedPlan | MissingParts> {
  const startedMs = performance.now();
  const settings = settingsFor(plan, options);
  const { signal, warn, emit, now } = settings;
  const probing = { ...settings, now: now(), folder: uploadFolder(plan.uploadId), dryRun: false, isExclusive };
  const { store } = await asWritable(opened, { ...probing, host: settings.dataset.host });
  const ended = (): Pick<CommittedPlan, 'requests' | 'durationMs'> => ({
    requests: { ...opened.requests },
    durationMs: Math.round(performance.now() - startedMs),
  });
  emit({ type: 'phase', phase: 'listing' });
  const before = await versionOf(store, plan, signal);
  const listed = await listResults(store, resultsPrefix(plan.uploadId), signal);
  const results = await readResults(store, plan, listed, { signal, warn });
  const shown = ({ version, fork, totals, isAlready }: MadeVersion, named: ReadonlySet<string>): CommittedPlan => ({
    ...described(store, plan, { version, totals, leftOut: leftOutOf(plan, results, named) }),
    ...defined({ fork }),
    isAlready,
    ...ended(),
  });
  if (before !== undefined) return shown(before, await assertWhole(store, plan, before, signal));
  refuseShared(store, 'committing a plan');
  let commitment = await committedHead(store, plan, signal);
  if (commitment === undefined) {
    const looks = new FolderLooks(store, signal);
    const { parts, missing } = await wholeParts({ reader: store, looks, signal }, plan, results, warn);
    if (missing.length > 0) return { missing, requests: ended().requests };
    const { cache } = rememberedOf(settings, opened);
    commitment = await compose({ store, looks, cache, signal }, plan, parts);
  }
  const run = await commitInput(opened, { plan, settings, store });
  const { base } = plan.head;
  if (base !== undefined && run.settled.highest > base.version)
    warn(
      `dataset ${plan.head.datasetId} has got version ${run.settled.highest} since it was planned on version ${base.version}: the new one lists what was planned`,
    );
  emit({ type: 'phase', phase: 'committing' });
  emit({ type: 'step', step: 'manifest', uploadId: plan.uploadId });
  checkShrunken(shownOf(run, settings, commitment.totals), {
    version: run.settled.highest,
    totals: run.settled.totals,
  });
  await flagCommit(store, plan.uploadId, settings.randomBytes(4), signal);
  const made = await commit(run, plan, commitment);
  const { named } = made;
  // On a plain store results still come while commits read them: only an attempt that has none is surely not needed.
  const put = store.plain === undefined ? [] : [...results.values()].flat().map((one) => one.uploadId);
  const needed = new Set([...named, ...put.map((attempt) => uploadFolder(attempt))]);
  await markOtherAttempts(run, plan.uploadId, needed);
  return shown(made, named);
}

function settingsFor(
  { head }: ReadPlan,
  { allowMassDelete, ...options }: Omit<CommitOptions, 'isExclusive'>,
): Settings {
  const { source, datasetId, writerId, storage, objectLock, createdAt } = head;
  const lock = objectLock && {
    mode: objectLock.mode,
    retainMs: Date.parse(objectLock.until) - Date.parse(createdAt),
  };
  const encryption = { kmsKeyId: storage['kmsKeyId'], encryptManifest: false, keep: true };
  const isAllowed = allowMassDelete || head.options.allowMassDelete;
  return settingsOf({
    ...options,
    source: source.path,
    dataset: { id: datasetId, writerId, host: source.host, encryption, allowMassDelete: isAllowed },
    layout: { lock, ...defined({ storageClass: storage['storageClass'] }) },
  });
}

interface CommitRun extends CommitInput, Pick<Settings, 'warn'> {
  readonly settled: SettledDataset;
}

interface CommitParts {
  readonly plan: ReadPlan;
  readonly settings: Settings;
  readonly store: ObjectStore;
}

/** What the commit of an upload wants to know. @throws conflict where the dataset is encrypted otherwise than it was planned */
async function commitInput(opened: OpenedStore, { plan, settings, store }: CommitParts): Promise<CommitRun> {
  const { uploadId, head } = plan;
  const remembered = rememberedOf(settings, opened);
  const settled = await resolveDataset({ ...settings, remembered, store });
  const { kmsKeyId, encryptManifest } = settled.encryption;
  if (encryptManifest || kmsKeyId !== head.storage['kmsKeyId'])
    throw new ArchiverError('conflict', `dataset ${head.datasetId} is encrypted otherwise since it was planned`, {
      hint: 'plan it again',
    });
  const createdAt = new Date(head.createdAt);
  return {
    ...settings,
    store,
    uploadId,
    remembered,
    createdAt,
    settled,
    datasetId: head.datasetId,
    // It sends nothing that could be taken back.
    sender: { keep: () => undefined, sendSegments: putSegments },
    encryption: encryptionFor(settled.encryption, store, uploadId, settings.signal),
    retention: retentionOf(settings.layout.lock, { createdAt, now: settings.now() }),
  };
}

/**
 * Puts manifest and record. A rival that commits the same plan wins for both: the head at the plan's key is the one that is committed
 * (rules.md#one-commit). Returns the folders that it names, too. @throws conflict, integrity
 */
async function commit(
  run: CommitRun,
  plan: ReadPlan,
  chosen: Commitment,
): Promise<MadeVersion & { readonly named: ReadonlySet<string> }> {
  const { store, datasetId, uploadId, signal, emit } = run;
  emit({ type: 'step', step: 'commit', uploadId });
  let commitment = chosen;
  for (;;) {
    // In this order: a record of this plan that comes after the ordinal was looked up has that ordinal, or is found.
    const highest = await highestVersion(store, datasetId, { signal });
    const before = await versionOf(store, plan, signal);
    if (before !== undefined) return { ...before, named: await assertWhole(store, plan, before, signal) };
    const version = (highest?.version ?? 0) + 1;
    const committed = await commitUpload(run, commitment, { version, isExact: true });
    if (committed === 'taken') continue;
    if (!('why' in committed)) {
      await rememberHead(run, commitment, committed);
      const made = { version: committed.version, ...defined({ fork: committed.fork }), totals: commitment.totals };
      return { ...made, isAlready: false, named: foldersOf(plan, referred(commitment)) };
    }
    const { why, version: broken } = committed;
    if (broken !== undefined) throw notWhole(run, broken, why);
    const there = await committedHead(store, plan, signal);
    if (there === undefined || there.encoded.sha256 === commitment.encoded.sha256)
      throw integrityError(`${why}: nothing of the plan ${uploadId} can be committed`, {
        hint: 'a prune has taken it for abandoned, or what it stored was removed: plan the folder again',
      });
    commitment = there;
  }
}

/** What is left out by the plan and by those attempts that count. */
const leftOutOf = (
  { head }: ReadPlan,
  results: Awaited<ReturnType<typeof readResults>>,
  named: ReadonlySet<string>,
): LeftOutPaths => {
  const counting = Array.from(results.values(), (ofPart) => {
    return ofPart.find(({ uploadId }) => named.has(uploadFolder(uploadId))) ?? ofPart[0] ?? [];
  }).flat();
  return sumOfLeftOut([head.leftOut, ...counting.map(({ leftOut }) => leftOut), leftOutOfShares(counting)]);
};

const described = (
  store: ObjectStore,
  { uploadId, head }: ReadPlan,
  made: Pick<CommittedPlan, 'version' | 'totals' | 'leftOut'>,
) => ({
  uploadId,
  datasetId: head.datasetId,
  location: uploadUrlOf(store.url, uploadId),
  manifestKey: manifestKeyOf(uploadId),
  ...made,
  partial: isPartialWith(made.leftOut),
});

/** The version as the guard against a folder that is suddenly empty sees it. */
const shownOf = ({ datasetId }: CommitRun, settings: Settings, { files, bytes, skipped }: Totals) => ({
  ...settings,
  datasetId,
  scanned: { files, bytes, leftOut: 0, skipped: { length: skipped } },
});
