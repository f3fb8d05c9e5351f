// An attempt at one part of a plan: an upload run whose scan comes from the part's list, whose manifest is segments, and whose commit is the
// part's result. Any part may be begun twice, killed and begun again: each attempt has an upload id of its own, and the first result counts.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { displayPath, printable } from '../../platform/paths/raw-path.js';
import { counted } from '../../platform/text/counted.js';
import type { OpenedStore } from '../../store/open-store.js';
import type { ObjectStore } from '../../store/object-store.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import { type Attempt, attemptBytes, attemptKey } from '../../dataset/attempts.js';
import { LEAST_DELETED, MOST_LOST } from '../changes/doubtful-source.js';
import type { SettledDataset } from '../changes/resolve-dataset.js';
import { checkSent } from '../commit/commit-checks.js';
import { packVersion } from '../make-version.js';
import type { UploadGate } from '../run/upload-gate.js';
import { type ArchiveOptions, type PackingOptions, type Settings, settingsOf } from '../run/settings.js';
import { SHARD_STRATEGIES } from '../run/shard-strategy.js';
import type { UploadRun } from '../run/upload-run.js';
import { putOnce } from '../transfer/put-once.js';
import { type Failed, withRun } from '../with-run.js';
import { firstWhole, FolderLooks, type Looking } from './check-attempt.js';
import { isPartialWith, leftOutOfShares, leftOutPaths, sumOfLeftOut } from './left-out-paths.js';
import { markAttempt } from './mark-attempt.js';
import { skipsOf } from './part-shares.js';
import {
  type LeftOutPaths,
  type PartResult,
  type PlannedPart,
  resultBytes,
} from '../../format/parts/part-documents.js';
import type { Share } from '../../format/parts/share-documents.js';
import { resultKey } from '../../format/parts/part-keys.js';
import { listResults, partOf, type ReadPlan, readPartList, readResults, resultsOfPart } from './read-plan.js';
import { listAsSegments, type MadePart } from './segments.js';

/** What belongs to this machine, and to this attempt. */
export interface WorkOptions
  extends
    Pick<ArchiveOptions, 'emit' | 'signal' | 'home' | 'now' | 'randomBytes' | 'warn' | 'transfer' | 'uploadGate'>,
    Pick<Attempt, 'host' | 'pid' | 'job'> {
  readonly packing: Partial<Pick<PackingOptions, 'workers' | 'memoryLimitBytes'>>;
  /** Makes a result also where most of the part's paths are gone. */
  readonly allowMassDelete: boolean;
}

/** `stored`: by this attempt. `before`: there was a result already. `beaten`: another attempt was first. */
export interface WorkedPart {
  readonly part: number;
  readonly outcome: 'stored' | 'before' | 'beaten';
  /** The upload whose folder has the content that counts. */
  readonly attempt: UploadId;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly leftOut: LeftOutPaths;
  /** True if something is missing or torn. */
  readonly partial: boolean;
}

/** Does one part of a plan. @throws what an upload throws; nothing counts then */
export async function workPart(
  opened: OpenedStore,
  plan: ReadPlan,
  number: number,
  options: WorkOptions,
): Promise<WorkedPart> {
  const { store } = opened;
  const { signal, warn = () => undefined } = options;
  const part = partOf(plan, number);
  const listed = await listResults(store, resultsOfPart(plan.uploadId, number), signal);
  const results = (await readResults(store, plan, listed, { signal, warn })).get(number) ?? [];
  const whole = await firstWhole(lookingAt(store, signal), results, warn);
  if (whole !== undefined) return workedPart('before', whole.result);
  await refuseFenced(store, plan, signal);
  const list = await readPartList(store, plan, part, signal);
  const settings = settingsFor(plan, options);
  const run = { plan, part, options, isAgain: listed.length > 0 };
  return await withRun(settings, Promise.resolve(opened), {
    packsAtOnce: part.entries > 0 || part.shares !== undefined,
    createdAt: new Date(plan.head.createdAt),
    listed: { ...list, spanningGroups: plan.head.spanning.groups, shares: part.shares },
    settle: () => Promise.resolve(settled(plan)),
    toEnd: async (begun, _settled, threads) => {
      refuseVanished(begun, run);
      const uploadGate: UploadGate = async (planned) => {
        await begun.uploadGate?.(planned);
        await putAttempt(begun, run);
      };
      const of = { entries: plan.head.totals.entries, shares: part.shares ?? [] };
      const packed = await packVersion({ ...begun, uploadGate }, listAsSegments(begun, of), threads);
      if (packed.state !== 'packed') throw new ArchiverError('internal', 'an attempt has nothing to list');
      return await putResult(begun, run, packed.made);
    },
    failed: (error, left) => Promise.resolve(tellLeft(error, left, settings)),
  });
}

interface AttemptRun {
  readonly plan: ReadPlan;
  readonly part: PlannedPart;
  readonly options: WorkOptions;
  /** True if there is a result that is not whole: the key of the first one is taken. */
  readonly isAgain: boolean;
}

/** The settings of the plan, on this machine. @throws unsupported for those of another archiver */
function settingsFor(
  { head }: ReadPlan,
  { packing, host: _host, pid: _pid, job: _job, ...options }: WorkOptions,
): Settings {
  const { settings, storage, objectLock, project, tags = {}, source, writerId, createdAt } = head;
  const { shardCount, frameSize, compression, fileChecksums, dedup } = settings;
  const shardStrategy = SHARD_STRATEGIES.find((one) => one === settings.shardStrategy);
  if (shardStrategy === undefined)
    throw new ArchiverError('unsupported', `the plan has shards by '${printable(settings.shardStrategy)}'`, {
      hint: 'update archiver',
    });
  const { storageClass = 'STANDARD' } = storage;
  const { tiers } = head.options;
  const lock = objectLock && {
    mode: objectLock.mode,
    retainMs: Date.parse(objectLock.until) - Date.parse(createdAt),
  };
  return settingsOf({
    ...options,
    source: source.path,
    failFast: head.options.failFast === true,
    dataset: { id: head.datasetId, writerId, host: source.host },
    packing: {
      ...packing,
      frameBytes: frameSize,
      compressionLevel: compression.level ?? undefined,
      fileChecksums,
      dedup: dedup === true,
    },
    layout: {
      shardStrategy,
      shardCount,
      storageClass: tiers === undefined ? storageClass : 'STANDARD',
      tiers: tiers && { ...tiers, max: tiers.max },
      lock,
    },
    labels: { tool: head.tool, tags, project },
    filter: { dvc: head.options.dvc, skipTrees: [] },
  });
}

/** The plan has settled what an upload asks the store for. */
function settled({ head }: ReadPlan): SettledDataset {
  const encryption = { kmsKeyId: head.storage['kmsKeyId'], encryptManifest: false };
  const { datasetId } = head;
  const nothing = { baseline: undefined, totals: undefined, storageClass: undefined, isRewritten: false };
  return { datasetId, highest: head.options.after, isListed: true, encryption, ...nothing };
}

/** Refuses a part of which most paths are gone: its disk may not be mounted on this machine. @throws mass-delete */
function refuseVanished({ scanned, source }: UploadRun, { part, plan, options }: AttemptRun): void {
  const { part: number, shares = [] } = part;
  const { shares: found = [] } = scanned;
  // Each file of which it has pieces counts as one here, and one that has changed is there.
  const isCounted = ({ last, of }: Share): boolean => last === of;
  const files = part.files + shares.filter((share) => !isCounted(share)).length;
  const there = scanned.files + found.filter(({ share, row }) => row === undefined || !isCounted(share)).length;
  const lost = files - there;
  const isMost = there === 0 || (lost >= LEAST_DELETED && there < files * (1 - MOST_LOST));
  if (lost <= 0 || !isMost || options.allowMassDelete || plan.head.options.allowMassDelete) return;
  throw new ArchiverError(
    'mass-delete',
    `${lost} of ${counted(files, 'file')} of part ${number} are gone from ${displayPath(source)}; nothing was sent`,
    { hint: 'check that its disk is mounted on this machine; --allow-mass-delete does the part without them' },
  );
}

/** Puts what tells others whose folder this is, before anything else lies there. */
async function putAttempt(
  { store, uploadId, now, signal }: UploadRun,
  { plan, part, options }: AttemptRun,
): Promise<void> {
  const { host, pid, job } = options;
  const attempt = { plan: plan.uploadId, part: part.part, uploadId, host, pid, createdAt: now().toISOString(), job };
  const writing = { contentType: 'application/json', exclusive: true, signal };
  await putOnce(store, attemptKey(uploadId), attemptBytes(attempt), writing);
}

/** Puts the segments, looks at everything that was put, and puts the result that makes it count. */
async function putResult(run: UploadRun, attempt: AttemptRun, made: MadePart): Promise<WorkedPart> {
  const { store, uploadId, signal, now } = run;
  const { plan, part, isAgain } = attempt;
  await run.sender.sendSegments(run, made.segments);
  const unsound = await checkSent(run, {
    chunks: made.chunks,
    encoded: { segments: { places: made.segments.map(({ place }) => place), own: made.segments } },
  });
  if (unsound !== undefined)
    throw new ArchiverError('stalled', `${unsound}: the part has no result`, { hint: 'run the same command again' });
  const result: PartResult = {
    plan: plan.uploadId,
    planSha256: plan.sha256,
    part: part.part,
    uploadId,
    createdAt: now().toISOString(),
    segments: made.places,
    shards: made.shards,
    totals: made.totals,
    leftOut: leftOutPaths(skipsOf(run, part.shares ?? []).others),
    ...(part.shares === undefined ? {} : { shares: made.shares }),
  };
  // From here on the result may be there, whatever this attempt hears of it: it deletes and marks nothing of what it names.
  run.sender.keep();
  const put = async (isOwnKey: boolean): Promise<WorkedPart> => {
    const key = resultKey(plan.uploadId, part.part, isOwnKey ? uploadId : undefined);
    await putOnce(store, key, resultBytes(result), { contentType: 'application/json', exclusive: isOwnKey, signal });
    return workedPart('stored', result);
  };
  if (isAgain || store.plain !== undefined) return await put(true);
  try {
    return await put(false);
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    return (await beatenBy(run, attempt)) ?? (await put(true));
  }
}

/** Where another attempt was first, and its result is whole, this one has put none, and what it has sent is not needed. */
async function beatenBy(run: UploadRun, { plan, part }: AttemptRun): Promise<WorkedPart | undefined> {
  const { store, signal, warn, uploadId } = run;
  const listed = await listResults(store, resultsOfPart(plan.uploadId, part.part), signal);
  const results = (await readResults(store, plan, listed, { signal, warn })).get(part.part) ?? [];
  const first = await firstWhole(lookingAt(store, signal), results, warn);
  if (first === undefined) return undefined;
  if (first.result.uploadId === uploadId) return workedPart('stored', first.result);
  await markAttempt(run, uploadId);
  return workedPart('beaten', first.result);
}

const lookingAt = (store: ObjectStore, signal: AbortSignal): Looking => ({
  reader: store,
  looks: new FolderLooks(store, signal),
  signal,
});

/** Refuses a plan that a sweep has taken for abandoned: no commit can name what is stored for it. @throws conflict */
async function refuseFenced(store: ObjectStore, { uploadId }: ReadPlan, signal: AbortSignal): Promise<void> {
  const found = await store.head(manifestKeyOf(uploadId), signal);
  if (found === undefined || !isFenceObject(found)) return;
  throw new ArchiverError('conflict', `a prune has taken the plan ${uploadId} for abandoned; nothing was sent`, {
    hint: 'plan the folder again',
  });
}

function workedPart(outcome: WorkedPart['outcome'], result: PartResult): WorkedPart {
  const { part, uploadId, totals, shares = [] } = result;
  const sum = (of: 'bytes' | 'storedBytes' | 'chunks'): number =>
    shares.reduce((total, share) => total + share[of], totals[of]);
  const files = totals.files + shares.filter(({ last, of, segment }) => last === of && segment !== undefined).length;
  const sums = { files, bytes: sum('bytes'), storedBytes: sum('storedBytes'), chunks: sum('chunks') };
  const leftOut = sumOfLeftOut([result.leftOut, leftOutOfShares([result])]);
  return { part, outcome, attempt: uploadId, ...sums, leftOut, partial: isPartialWith(leftOut) };
}

/** Says what a failed attempt has sent, which stays: only a sweep deletes it. */
function tellLeft(error: unknown, { sender, uploadId }: Failed, { emit }: Settings): unknown {
  const count = sender.stored().length;
  const text = `attempt ${uploadId} ended without a result; ${counted(count, 'object')} that it has sent stay until a prune`;
  if (count > 0) emit({ type: 'note', text });
  return error;
}
