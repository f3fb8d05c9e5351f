// Evens out the shards of an upload: chunks are copied inside the store to keys that were never used, and a manifest that
// names these replaces the old one. Nothing is deleted: readers and writers that use the old manifest find the old objects
// until a prune has marked them and a later one has swept them. Interrupted at any point, the upload reads as before or as
// after, and the next run continues with the copies that exist.
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, metered, progressMeter } from '../../events/progress-meter.js';
import { hash } from 'node:crypto';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { checkFolder } from '../../dataset/check-references.js';
import { lostChunks } from '../../dataset/chain/lost-chunks.js';
import { lockVisibility } from '../../dataset/prune/locked-objects.js';
import { assertShows } from '../../dataset/prune/same-view.js';
import { replaceManifest } from '../../dataset/replace-manifest.js';
import { settleRecords } from '../../dataset/prune/settle-records.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import { openView } from '../../dataset/chain/view.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import { effectiveLock } from '../../format/manifest/object-lock.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { BucketLock } from '../../store/bucket-lock.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { movedManifest } from './moved-manifest.js';
import { readNeighbours, type Neighbours } from './neighbours.js';
import { analyze, type AnalyzeOptions, type BalancePlan, type Move, planBalance } from './plan-balance.js';
import { uploadUrlOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { refuseShared } from '../../store/plain-store.js';

export interface PlanOptions extends AnalyzeOptions {
  /** Source of random bytes for the names of new keys. */
  readonly randomBytes: (size: number) => Uint8Array;
}

export interface BalanceOptions extends PlanOptions {
  readonly requestsAtOnce: number;
  /** Object Lock settings of the bucket; undefined when nothing can be locked there. */
  readonly lock: BucketLock | undefined;
  readonly emit?: EventSink | undefined;
}

/** Returns what a balance would do, without writing. @throws as `balance` does */
export async function previewBalance(store: ObjectStore, options: PlanOptions): Promise<BalancePlan> {
  return await planFor(store, options, await readNeighbours(store, options.uploadId, options.signal));
}

async function planFor(store: ObjectStore, options: PlanOptions, around: Neighbours): Promise<BalancePlan> {
  const suffix = Buffer.from(options.randomBytes(4)).toString('hex');
  return planBalance(await analyze(store, options), around, suffix);
}

/**
 * Balances the upload and returns the plan that was carried out. @throws conflict when something else works on it, integrity, unsupported,
 * what the store throws
 */
export async function balance(store: ObjectStore, options: BalanceOptions): Promise<BalancePlan> {
  const { uploadId, signal, emit = ignoreEvents } = options;
  emit({ type: 'phase', phase: 'reading' });
  const around = await settled(store, options);
  const plan = await planFor(store, options, around);
  const { moves } = plan;
  if (moves.length === 0) return plan;
  refuseShared(store, 'replacing a manifest'); // before anything is copied
  const [record] = around.records;
  const sha256 = record === undefined ? [] : digestsOf(record.record);
  const view = await openView(store, { uploadId, sha256, signal });
  const [newest] = view.chain;
  if (newest === undefined) throw new RangeError('a view has at least one manifest');
  if (newest.sealedBy !== undefined) throw encrypted(newest.key);
  if (record === undefined && around.builtOnBy !== undefined) throw unprovable(uploadId, around.builtOnBy);
  if (around.marked === 'all') throw unreadableMark(uploadId);
  const kmsKeyId = newest.head.storage['kmsKeyId'];
  emit({ type: 'phase', phase: 'copying' });
  emit({ type: 'plan', items: moves.length, bytes: moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) });
  const mayBeLocked = (await lockVisibility(options.lock, signal)) !== 'none';
  await copyAll(store, { ...options, moves, kmsKeyId, mayBeLocked });
  emit({ type: 'phase', phase: 'committing' });
  const places = new Map(moves.map((move) => [move.from, move]));
  const next = await movedManifest(newest, moved(newest.head.chunks, uploadId, places));
  const chunks = moved(view.chunks, uploadId, places);
  const expected = { ...view, uploadId, sha256: next.sha256, chunks };
  await replaceManifest(store, {
    uploadId,
    label: 'balance',
    replaced: newest,
    next,
    records: around.records,
    verify: async (asItWillBe) => {
      await assertShows(asItWillBe, expected, signal);
      await refuseUnsound(store, uploadId, moves, signal);
    },
    signal,
  });
  await restoreLost(store, { ...options, moves, kmsKeyId, mayBeLocked, chunks });
  return plan;
}

/** Reads the neighbours, after finishing an interrupted replacement so that each record of the upload names the existing manifest only. */
async function settled(store: ObjectStore, { uploadId, signal }: BalanceOptions): Promise<Neighbours> {
  const found = await readNeighbours(store, uploadId, signal);
  if (found.records.every(({ record }) => record.replacementSha256 === undefined)) return found;
  await settleRecords(store, found.records, signal);
  return await readNeighbours(store, uploadId, signal);
}

interface Copying extends Pick<BalanceOptions, 'uploadId' | 'requestsAtOnce' | 'emit' | 'signal'> {
  readonly moves: readonly Move[];
  /** The KMS key that the upload's chunks are encrypted with. */
  readonly kmsKeyId: string | undefined;
  readonly mayBeLocked: boolean;
}

/** Makes the missing copies. Correct copies of an interrupted balance are reused. */
async function copyAll(store: ObjectStore, copying: Copying): Promise<void> {
  const { moves, kmsKeyId, mayBeLocked, requestsAtOnce, emit = ignoreEvents, signal } = copying;
  const meter = progressMeter(emit);
  const copied = forEachLimit(moves, requestsAtOnce, async (move) => {
    throwIfCancelled(signal);
    const isDone = move.isThere && (await isCopy(store, move, signal));
    // Only chunks in STANDARD move, and they stay there, encrypted and locked as they were.
    if (!isDone) {
      const source = mayBeLocked ? await store.head(move.from, signal) : undefined;
      const retention = effectiveLock(source?.retention, undefined, new Date());
      await store.copy(move.from, move.to, { storageClass: 'STANDARD', kmsKeyId, retention, signal });
    }
    meter.add(1, move.sizeBytes);
  });
  await metered(meter, copied);
}

async function isCopy(store: ObjectReader, { to, sizeBytes, sha256 }: Move, signal: AbortSignal): Promise<boolean> {
  return hash('sha256', await readAll(await store.get(to, { signal }), sizeBytes), 'hex') === sha256;
}

/** Checks, right before a manifest refers to them, that every copy exists with its size and is not marked. @throws integrity */
async function refuseUnsound(
  store: ObjectReader,
  uploadId: UploadId,
  moves: readonly Move[],
  signal: AbortSignal,
): Promise<void> {
  const { sound } = await checkFolder(store, uploadFolder(uploadId), signal);
  const wrong = moves.find(({ to, sizeBytes }) => sound.get(to)?.sizeBytes !== sizeBytes);
  if (wrong === undefined) return;
  const what = `the copy ${wrong.to} is not there with ${wrong.sizeBytes} bytes, or a prune has marked it`;
  throw integrityError(`${what}: the manifest was not replaced`, {
    hint: 'the upload reads as before; run the same command again when nothing else works on it',
  });
}

/** Copies again any chunk that was swept while this process was suspended right before the swap; the old objects still exist. */
async function restoreLost(
  store: ObjectStore,
  { chunks, ...copying }: Copying & { readonly chunks: readonly ChunkRecord[] },
): Promise<void> {
  const { uploadId, moves, signal } = copying;
  const placed = { uploadId, chunks, fresh: new Set(moves.map(({ to }) => to)) };
  const lost = new Set(await lostChunks(store, placed, signal));
  if (lost.size === 0) return;
  const again = moves.flatMap((move) => (lost.has(move.to) ? [{ ...move, isThere: false }] : []));
  await copyAll(store, { ...copying, moves: again });
  const [missing] = await lostChunks(store, placed, signal);
  if (missing === undefined) return;
  throw integrityError(`upload ${uploadId} is not whole: its manifest names ${missing}, which is missing or marked`, {
    hint: `archiver repair ${uploadUrlOf(store.url, uploadId)}`,
  });
}

const unreadableMark = (uploadId: UploadId): ArchiverError =>
  new ArchiverError('conflict', `no chunk was moved: uploads/${uploadId} holds a mark of a prune that cannot be read`, {
    hint: 'what it names is not known; a prune that can read it removes it a day after it was put',
  });

const unprovable = (uploadId: UploadId, by: UploadId): ArchiverError =>
  new ArchiverError(
    'unsupported',
    `no chunk was moved: ${by} builds on ${uploadId}, which no version record names, so that nothing could prove a new manifest of it`,
    { hint: 'a prune makes versions independent of those that were retired' },
  );

const encrypted = (key: string): ArchiverError =>
  new ArchiverError(
    'unsupported',
    `no chunk was moved: the manifest ${key} is encrypted, and balance cannot rewrite it`,
    {
      hint: 'upload the folder again with more shards to spread it',
    },
  );

/** Returns the chunks with the keys and shards of their new places. */
function moved(
  chunks: readonly ChunkRecord[],
  uploadId: UploadId,
  places: ReadonlyMap<string, Move>,
): readonly ChunkRecord[] {
  return chunks.map((chunk) => {
    const move = places.get(chunkKey(uploadId, chunk.key) ?? '');
    return move === undefined ? chunk : { ...chunk, key: relativeChunkKey(uploadId, move.to), shard: move.toShard };
  });
}
