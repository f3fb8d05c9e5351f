// Makes a version of the results of a plan's parts: all of them must be there and whole. Whoever commits twice, or at the same time as
// somebody else, finds the version that names the plan.
import { listVersions, readVersions } from '../../dataset/records/versions.js';
import { highestVersion } from '../../dataset/records/version-record.js';
import { headOfSegments } from '../../format/manifest/segmented.js';
import type { ManifestHead, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import { shardPrefix } from '../../format/manifest/chunk-key.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import type { OpenedStore } from '../../store/open-store.js';
import type { ObjectStore, RequestCounts } from '../../store/object-store.js';
import { asWritable } from '../../store/create-once/create-once.js';
import { manifestKeyOf, uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import { checkShrunken } from '../changes/doubtful-source.js';
import { resolveDataset, type SettledDataset } from '../changes/resolve-dataset.js';
import { commitUpload, type CommitInput, rememberHead } from '../commit/commit-upload.js';
import type { Commitment } from '../commit/commitment.js';
import { type ArchiveOptions, type Settings, settingsOf } from '../run/settings.js';
import { encryptionFor } from '../run/upload-encryption.js';
import { retentionOf } from '../run/upload-lock.js';
import { rememberedOf } from '../with-run.js';
import { flagCommit } from './commit-flag.js';
import { firstWhole, type WholePart } from './check-attempt.js';
import { isPartialWith, sumOfLeftOut } from './left-out-paths.js';
import { markOtherAttempts } from './mark-attempt.js';
import type { LeftOutPaths } from './part-documents.js';
import { resultsPrefix } from './part-keys.js';
import { listResults, type ReadPlan, readResults } from './read-plan.js';

export interface CommitOptions extends Pick<
  ArchiveOptions,
  'emit' | 'signal' | 'home' | 'now' | 'randomBytes' | 'warn'
> {
  readonly allowMassDelete: boolean;
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

/** Commits a plan, or says which parts are missing. @throws what a commit throws */
export async function commitPlan(
  opened: OpenedStore,
  plan: ReadPlan,
  options: CommitOptions,
): Promise<CommittedPlan | MissingParts> {
  const startedMs = performance.now();
  const settings = settingsFor(plan, options);
  const { signal, warn, emit, now } = settings;
  const probing = { ...settings, now: now(), folder: uploadFolder(plan.uploadId), dryRun: false };
  const { store } = await asWritable(opened, { ...probing, host: settings.dataset.host });
  const ended = (): Pick<CommittedPlan, 'requests' | 'durationMs'> => ({
    requests: { ...opened.requests },
    durationMs: Math.round(performance.now() - startedMs),
  });
  emit({ type: 'phase', phase: 'listing' });
  const before = await versionOf(store, plan, signal);
  const listed = await listResults(store, resultsPrefix(plan.uploadId), signal);
  const results = await readResults(store, plan, listed, { signal, warn });
  if (before !== undefined) {
    const leftOut = leftOutOf(plan, Array.from(results.values(), ([first]) => first?.leftOut ?? []).flat());
    return { ...described(store, plan, { ...before, leftOut }), isAlready: true, ...ended() };
  }
  const parts: WholePart[] = [];
  const missing: number[] = [];
  for (const { part } of plan.head.parts) {
    const whole = await firstWhole(store, results.get(part) ?? [], signal, warn);
    if (whole === undefined) missing.push(part);
    else parts.push(whole);
  }
  if (missing.length > 0) return { missing, requests: ended().requests };
  const run = await commitInput(opened, { plan, settings, store });
  emit({ type: 'phase', phase: 'committing' });
  emit({ type: 'step', step: 'manifest', uploadId: plan.uploadId });
  const commitment = await compose(plan, parts);
  const { totals } = commitment;
  checkShrunken(shownOf(run, settings, totals), { version: run.settled.highest, totals: run.settled.totals });
  await flagCommit(store, plan.uploadId, settings.randomBytes(4), signal);
  const made = await commit(run, plan, commitment);
  await markOtherAttempts(run, plan.uploadId, new Set(parts.map(({ result }) => result.uploadId)));
  const leftOut = leftOutOf(
    plan,
    parts.map(({ result }) => result.leftOut),
  );
  return { ...described(store, plan, { ...made, totals, leftOut }), isAlready: false, ...ended() };
}

function settingsFor({ head }: ReadPlan, { allowMassDelete, ...options }: CommitOptions): Settings {
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
    layout: { lock },
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
    sender: { keep: () => undefined, sendSegments: () => Promise.resolve() },
    encryption: encryptionFor(settled.encryption, store, uploadId, settings.signal),
    retention: retentionOf(settings.layout.lock, { createdAt, now: settings.now() }),
  };
}

/** Puts manifest and record. A rival that commits the same plan wins for both. @throws conflict, integrity */
async function commit(
  run: CommitRun,
  plan: ReadPlan,
  commitment: Commitment,
): Promise<{ readonly version: number; readonly fork?: string }> {
  const { store, datasetId, uploadId, signal, emit } = run;
  emit({ type: 'step', step: 'commit', uploadId });
  for (;;) {
    // In this order: a record of this plan that comes after the ordinal was looked up has that ordinal, or is found.
    const highest = await highestVersion(store, datasetId, { signal });
    const before = await versionOf(store, plan, signal);
    if (before !== undefined) return before;
    const version = (highest?.version ?? 0) + 1;
    const committed = await commitUpload(run, commitment, { version, isExact: true });
    if (committed === 'taken') continue;
    if ('why' in committed)
      throw integrityError(`${committed.why}: nothing of the plan ${uploadId} can be committed`, {
        hint: 'a prune has taken it for abandoned, or what it stored was removed: plan the folder again',
      });
    await rememberHead(run, commitment, committed);
    return { version: committed.version, ...defined({ fork: committed.fork }) };
  }
}

/** The version that names the plan's upload; undefined for none. */
async function versionOf(
  store: ObjectStore,
  { uploadId, head: { datasetId, options } }: ReadPlan,
  signal: AbortSignal,
): Promise<{ readonly version: number; readonly totals: Totals } | undefined> {
  const listed = (await listVersions(store, datasetId, signal)).filter(({ version }) => version > options.after);
  for (const one of (await readVersions(store, listed, signal)).toReversed())
    if ('record' in one && one.record.uploadId === uploadId)
      return { version: one.record.version, totals: one.record.totals };
  return undefined;
}

const leftOutOf = ({ head }: ReadPlan, ofParts: readonly LeftOutPaths[]): LeftOutPaths =>
  sumOfLeftOut([head.leftOut, ...ofParts]);

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

/** The manifest of the version: it names the segments of all parts, in the order of the parts. */
async function compose({ uploadId, head: planned }: ReadPlan, parts: readonly WholePart[]): Promise<Commitment> {
  const { parts: _parts, options: _options, spanning: _spanning, leftOut, ...head } = planned;
  const named = <P extends { readonly key: string }>({ result }: WholePart, place: P): P => ({
    ...place,
    key: relativeChunkKey(uploadId, chunkKey(result.uploadId, place.key) ?? ''),
  });
  const chunks = parts.flatMap((part) => part.chunks.map((record) => named(part, record)));
  const places = parts.flatMap((part) => part.result.segments.map((place) => named(part, place)));
  const totals = totalsOf(parts, leftOut.count);
  const listed = { totals, shards: shardsOf(parts), chunks: [] };
  const manifest: ManifestHead = { ...head, ...listed, type: 'archiver-manifest', listing: 'full' };
  const encoded = await headOfSegments(manifest, places, []);
  return { encoded, totals, listing: 'full', chunks, lookedAtMs: Date.now() };
}

function totalsOf(parts: readonly WholePart[], skipped: number): Totals {
  const sum = (of: keyof Totals): number => parts.reduce((total, { result }) => total + result.totals[of], 0);
  return {
    entries: sum('entries'),
    files: sum('files'),
    directories: sum('directories'),
    symlinks: sum('symlinks'),
    hardlinks: sum('hardlinks'),
    bytes: sum('bytes'),
    storedBytes: sum('storedBytes'),
    chunks: sum('chunks'),
    skipped: sum('skipped') + skipped,
  };
}

/** Shards of all parts; those of one number count together. */
function shardsOf(parts: readonly WholePart[]): readonly ShardRecord[] {
  const sums = new Map<number, ShardRecord>();
  for (const { result } of parts) {
    for (const one of result.shards) {
      const { shard, chunks = 0, files = 0, bytes = 0, storedBytes = 0 } = sums.get(one.shard) ?? { shard: one.shard };
      sums.set(shard, {
        shard,
        prefix: shardPrefix(shard),
        chunks: chunks + one.chunks,
        files: files + one.files,
        bytes: bytes + one.bytes,
        storedBytes: storedBytes + one.storedBytes,
      });
    }
  }
  return [...sums.values()].sort((a, b) => a.shard - b.shard);
}
