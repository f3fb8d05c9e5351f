// Evens out the shards of an upload: chunks are copied inside the store to new keys, a manifest that names these takes the
// place of the old one, and then the old objects go (commit protocol, rules 5 and 6). Broken off anywhere, the upload reads
// as before or as after; the next run removes what is left over, or goes on.
import { hash } from 'node:crypto';
import { settleRecords } from '../dataset/settle-records.js';
import { digestsOf } from '../dataset/version-view.js';
import { openView } from '../dataset/view.js';
import { ArchiverError, integrityError } from '../errors.js';
import { chunkKey, relativeChunkKey } from '../manifest/manifest-check.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { DeleteFailure, ObjectStore } from '../object-store/object-store.js';
import { readAll } from '../object-store/read-content.js';
import { throwIfCancelled } from '../object-store/store-error.js';
import { printable } from '../raw-path.js';
import { listAllVersions } from '../dataset/versions.js';
const ordinalName = (id: string, version: number): string => `${id}/${version}`;
import { movedManifest } from './moved-manifest.js';
import { NeighbourReader, type Neighbours } from './neighbours.js';
import { analyze, type AnalyzeOptions, type BalancePlan, type Move, planBalance } from './plan-balance.js';
import { backupKeyOf, besideKeyOf, swapMoved } from './swap-moved.js';

export interface BalanceOptions extends AnalyzeOptions {
  readonly requestsAtOnce: number;
  /** Told what is done, a sentence a step. */
  readonly onStep: (text: string) => void;
}

export interface BalanceOutcome {
  readonly plan: BalancePlan;
  readonly deletedObjects: number;
  /** Objects that should have gone and are still there. */
  readonly failed: readonly DeleteFailure[];
  /** Old chunks that have to stay after all: an upload that began before the move refers to them. */
  readonly kept: readonly string[];
}

/** Reads what a balance would do. @throws as `balance` does */
export async function previewBalance(store: ObjectStore, options: AnalyzeOptions): Promise<BalancePlan> {
  const { uploadId, signal } = options;
  const analysis = await analyze(store, options);
  return planBalance(analysis, await new NeighbourReader(store, uploadId, signal).read());
}

/** Balances the upload. @throws conflict when something else works on it, integrity, unsupported, what the store throws */
export async function balance(store: ObjectStore, options: BalanceOptions): Promise<BalanceOutcome> {
  return await new Balance(store, options).run();
}

class Balance {
  private readonly neighbours: NeighbourReader;
  private readonly failed: DeleteFailure[] = [];
  private deletedObjects = 0;
  /** That the chunks of the upload are encrypted with. */
  private kmsKeyId: string | undefined;

  constructor(
    private readonly store: ObjectStore,
    private readonly options: BalanceOptions,
  ) {
    this.neighbours = new NeighbourReader(store, options.uploadId, options.signal);
  }

  async run(): Promise<BalanceOutcome> {
    const { store, options } = this;
    const { uploadId, signal, onStep } = options;
    const before = await this.settled();
    const plan = planBalance(await analyze(store, options), before);
    if (plan.leftovers.length > 0) {
      onStep(`removing ${plan.leftovers.length} objects that an interrupted balance left`);
      await this.deleteLeftovers(plan, before);
    }
    // What cannot be deleted would stand in the way of a new manifest.
    if (plan.moves.length === 0 || this.failed.length > 0) return this.outcome(plan, []);
    const [record] = before.records;
    const sha256 = record === undefined ? [] : digestsOf(record.record);
    const view = await openView(store, { uploadId, sha256, signal });
    const [newest] = view.chain;
    if (newest === undefined) throw new RangeError('a view has at least one manifest');
    if (newest.sealedBy !== undefined) throw encrypted(newest.key);
    this.kmsKeyId = newest.head.storage['kmsKeyId'];
    onStep(`copying ${plan.moves.length} chunks`);
    await this.copy(plan.moves);
    await this.confirm(plan.moves, 'the manifest was not replaced');
    onStep('replacing the manifest');
    const places = new Map(plan.moves.map((move) => [move.from, move]));
    const moved = placed(view.chunks, uploadId, places);
    const next = await movedManifest(newest, placed(newest.head.chunks, uploadId, places));
    await swapMoved(store, { uploadId, view, moved, next, records: before.records, signal });
    await this.restoreLost(plan.moves);
    const kept = await this.removeOld(plan.moves);
    await this.delete([besideKeyOf(uploadId)], false);
    if (this.failed.length === 0) await this.delete([backupKeyOf(uploadId)], false);
    return this.outcome(plan, kept);
  }

  private outcome(plan: BalancePlan, kept: readonly string[]): BalanceOutcome {
    const { deletedObjects, failed } = this;
    return { plan, deletedObjects, failed, kept };
  }

  /** The surroundings, after each record of the upload names the manifest that is there, and no other. */
  private async settled(): Promise<Neighbours> {
    const found = await this.neighbours.read();
    if (found.records.every(({ record }) => record.replacementSha256 === undefined)) return found;
    await settleRecords(this.store, found.records, this.options.signal);
    return await this.neighbours.read();
  }

  /** The manifest that was put aside goes last: it says that there is something to finish. */
  private async deleteLeftovers({ leftovers }: BalancePlan, before: Neighbours): Promise<void> {
    await this.refuseNewVersions(before);
    const keys = leftovers.map(({ key }) => key);
    await this.delete(
      keys.filter((key) => !key.endsWith('.bak')),
      true,
    );
    if (this.failed.length === 0)
      await this.delete(
        keys.filter((key) => key.endsWith('.bak')),
        true,
      );
  }

  /** Makes the copies that are not there yet. What an interrupted balance copied is used when it is what it should be. */
  private async copy(moves: readonly Move[]): Promise<void> {
    const present = await this.sizes();
    const queue = [...moves];
    const failures: unknown[] = [];
    const worker = async (): Promise<void> => {
      for (let move = queue.shift(); move !== undefined; move = queue.shift()) {
        try {
          throwIfCancelled(this.options.signal);
          if (present.get(move.to) !== move.sizeBytes || !(await this.isCopy(move))) await this.copyOne(move);
        } catch (error) {
          failures.push(error);
          queue.length = 0;
        }
      }
    };
    await Promise.all(Array.from({ length: this.options.requestsAtOnce }, worker));
    const [first] = failures;
    if (first !== undefined) throw first;
  }

  /** Only chunks in STANDARD move, and they stay there, encrypted as they were. */
  private async copyOne({ from, to }: Move): Promise<void> {
    const encryption = this.kmsKeyId === undefined ? {} : { kmsKeyId: this.kmsKeyId };
    await this.store.copy(from, to, { storageClass: 'STANDARD', ...encryption, signal: this.options.signal });
  }

  private async isCopy({ to, sizeBytes, sha256 }: Move): Promise<boolean> {
    const content = await this.store.get(to, { signal: this.options.signal });
    return hash('sha256', await readAll(content, sizeBytes), 'hex') === sha256;
  }

  private async sizes(): Promise<ReadonlyMap<string, number>> {
    const { uploadId, signal } = this.options;
    const sizes = new Map<string, number>();
    for await (const page of this.store.list({ prefix: `uploads/${uploadId}/shard-`, signal }))
      for (const { key, sizeBytes } of page.objects) sizes.set(key, sizeBytes);
    return sizes;
  }

  /** Every copy is there with its size; `state` says how the upload is if not. */
  private async confirm(moves: readonly Move[], state: string): Promise<void> {
    const sizes = await this.sizes();
    const wrong = moves.find(({ to, sizeBytes }) => sizes.get(to) !== sizeBytes);
    if (wrong === undefined) return;
    const what = `the store acknowledged the copy ${wrong.to} and does not have it with ${wrong.sizeBytes} bytes`;
    throw integrityError(`${what}: ${state}`, {
      hint: 'run the same command again when nothing else works on the upload',
    });
  }

  /** Copies again what somebody took for left over before the manifest named it. */
  private async restoreLost(moves: readonly Move[]): Promise<void> {
    const sizes = await this.sizes();
    for (const move of moves) if (sizes.get(move.to) !== move.sizeBytes) await this.copyOne(move);
    await this.confirm(moves, 'the old objects are all still there');
  }

  /** Deletes what nothing needs any more, by a fresh look; returns what is needed after all. */
  private async removeOld(moves: readonly Move[]): Promise<readonly string[]> {
    const now = await this.neighbours.read();
    const old = moves.map(({ from }) => from);
    if (now.building.length > 0) return old;
    const kept = old.filter((key) => now.referred.has(key));
    await this.refuseNewVersions(now);
    this.options.onStep(`removing ${old.length - kept.length} old objects`);
    await this.delete(
      old.filter((key) => !now.referred.has(key)),
      true,
    );
    return kept;
  }

  private async refuseNewVersions({ versions }: Neighbours): Promise<void> {
    const { uploadId, signal } = this.options;
    for (const [datasetId, listed] of await listAllVersions(this.store, signal)) {
      const appeared = listed.find(({ version }) => !versions.has(ordinalName(datasetId, version)));
      if (appeared === undefined) continue;
      const name = `version ${appeared.version} of dataset ${printable(datasetId)}`;
      throw new ArchiverError('conflict', `${name} appeared meanwhile: old objects of ${uploadId} were left in place`, {
        hint: 'every version is whole; run the same command again to remove what nothing needs',
      });
    }
  }

  private async delete(keys: readonly string[], isCounted: boolean): Promise<void> {
    if (keys.length === 0) return;
    throwIfCancelled(this.options.signal);
    const failures = await this.store.delete(keys, this.options.signal);
    this.failed.push(...failures);
    if (isCounted) this.deletedObjects += keys.length - failures.length;
  }
}

const encrypted = (key: string): ArchiverError =>
  new ArchiverError(
    'unsupported',
    `no chunk was moved: the manifest ${key} is encrypted, and balance cannot rewrite it`,
    {
      hint: 'upload the folder again with more shards to spread it',
    },
  );

/** The chunks with the keys and shards of their new places. */
function placed(
  chunks: readonly ChunkRecord[],
  uploadId: string,
  places: ReadonlyMap<string, Move>,
): readonly ChunkRecord[] {
  return chunks.map((chunk) => {
    const move = places.get(chunkKey(uploadId, chunk.key) ?? '');
    return move === undefined ? chunk : { ...chunk, key: relativeChunkKey(uploadId, move.to), shard: move.toShard };
  });
}
