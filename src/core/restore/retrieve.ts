// Restores where some of the content may be in cold storage. If everything is readable it is restored at once, without more requests than
// `restoreUpload`. Otherwise the cost is checked, each cold chunk that is needed is requested once, and the result says so, or this waits.
// The manifest's storage class is a hint: a lifecycle rule may have moved chunks, so a dry run and a run with a cap check all of them
// first, and a GET that is refused as cold leads here too. In one run no chunk is requested twice, whatever happens. A store without
// RestoreObject is read as it is.
import { refuseCost } from '../cost/cost-cap.js';
import {
  estimateRetrieval,
  mustThaw,
  type RetrievalChunk,
  type RetrievalEstimate,
  type RetrievalOptions,
} from '../cost/retrieval-cost.js';
import { isArchiverError } from '../platform/failures/errors.js';
import type { TransferEvent } from '../events/events.js';
import type { ObjectStore, ThawTier } from '../store/object-store.js';
import { isRetriable } from '../store/store-error.js';
import { type ChunkState, type ChunkStateName, chunkStates } from './thaw/chunk-states.js';
import { isColdClass } from '../store/cold-class.js';
import { thawChunks } from './thaw/thaw.js';
import { longestWait, refuseTier, type TierPlan, tierPlans } from './thaw/tier-plans.js';
import { waitForChunks } from './thaw/wait.js';
import { coldForGoodError, coldAgainError, hiddenColdError } from './cold-errors.js';
import { ClassReader } from './fetch/class-reader.js';
import type { RetrievalGate } from './retrieval-gate.js';
import type { NeededChunk } from './plan/needed-chunk.js';
import { restoreUpload, type RestoreOptions, type RestoreResult } from './restore.js';

export interface ColdOptions {
  readonly tier: ThawTier;
  /** Wait until everything is readable, then restore. */
  readonly wait: boolean;
  /** Days for which the readable copy is kept. */
  readonly days: number;
  readonly maxCostUsd: number | undefined;
  /** Time between two checks, in ms. */
  readonly pollMs: number;
  readonly region: string | undefined;
  readonly isAws: boolean;
  /** The provider whose prices apply if the store is not AWS, and all prices; the price lists if not given. */
  readonly provider?: RetrievalOptions['provider'];
  readonly book?: RetrievalOptions['book'];
}

export interface RetrieveOptions extends Omit<RestoreOptions, 'reader' | 'mayFetch'> {
  readonly store: ObjectStore;
  readonly cold: ColdOptions;
  readonly now: () => Date;
  readonly job?: JobKeeper;
  readonly retrievalGate?: RetrievalGate | undefined;
}

/** Saves what is requested and paid for, so that it cannot be forgotten. */
export interface JobKeeper {
  /** Called before the first request: saves a job with what will be requested, and returns its id. */
  save(planned: Requested): Promise<string>;
  /** Called with what was requested. */
  update(requested: Requested): Promise<void>;
  /** Called when it is certain that nothing was requested. */
  drop(): Promise<void>;
}

/** A chunk that is needed, with its class and state as the store has them. */
export interface ThawedChunk extends NeededChunk {
  readonly state: ChunkStateName;
  readonly expiresAt?: Date;
  /** Why it is denied, missing or was not requested. */
  readonly reason?: string;
}

interface Common {
  /** For `requested` and `planned` the selection; nothing was written. */
  readonly result: RestoreResult;
  /** Every chunk that is needed. */
  readonly chunks: readonly ThawedChunk[];
  readonly estimate: RetrievalEstimate;
  /** Of the upload; null where its manifest names none. */
  readonly project: string | null;
}

export interface Requested extends Common {
  readonly kind: 'requested';
  /** When everything is readable at the latest; null if nothing had to be requested, because it was requested before. */
  readonly readyBy: Date | null;
}

export type Retrieval =
  | (Common & { readonly kind: 'restored' })
  | Requested
  | (Common & { readonly kind: 'planned'; readonly tiers: readonly TierPlan[] });

/** Restores, or requests cold chunks. @throws usage for a tier that is not offered, budget-exceeded, and what `restoreUpload` throws */
export async function retrieve(options: RetrieveOptions): Promise<Retrieval> {
  return await new Retriever(options).run();
}

class Retriever {
  private chunks: readonly ThawedChunk[] = [];
  private estimate: RetrievalEstimate;
  private project: string | null = null;
  /** Chunks that were requested, each with its storage class at that time: an object in INTELLIGENT_TIERING moves. */
  private readonly asked = new Map<string, string>();
  private mayFetch = false;
  /** True if a GET was refused as cold, so that the classes in the manifest are not relied on. */
  private isDistrustful = false;
  private isAnnounced = false;
  /** True if the store has no RestoreObject: it may still return objects of cold classes. */
  private isDirect = false;
  private held: TransferEvent[] = [];
  private jobId: string | undefined;
  private readonly reader: ClassReader;

  constructor(private readonly options: RetrieveOptions) {
    this.estimate = this.estimated([]);
    this.reader = new ClassReader(options.store);
  }

  async run(): Promise<Retrieval> {
    const { dryRun, cold, now } = this.options;
    for (;;) {
      const result = await this.pass();
      if (result === undefined) continue;
      const { chunks, estimate, project } = this;
      if (dryRun) return { kind: 'planned', result, chunks, estimate, project, tiers: this.tiers(now()) };
      if (this.mayFetch) return { kind: 'restored', result, ...this.asRead() };
      const requested = await this.request(result);
      if (requested === undefined) continue;
      const isHopeless = this.chunks.some(({ state }) => state === 'denied' || state === 'cold');
      if (!cold.wait || isHopeless) return requested;
      await this.wait(requested);
    }
  }

  /** Runs one pass; undefined when the store refused a chunk as cold that seemed readable, so that the next pass checks all of them. */
  private async pass(): Promise<RestoreResult | undefined> {
    this.held = [];
    this.mayFetch = false;
    const mayFetch: RestoreOptions['mayFetch'] = (needed, project) => {
      this.project = project;
      return this.checkNeeded(needed);
    };
    const { reader } = this.reader;
    try {
      return await restoreUpload({ ...this.options, reader, mayFetch, emit: (event) => this.forward(event) });
    } catch (error) {
      if (!isArchiverError(error, 'cold-storage') || !this.mayFetch) throw error;
      if (this.isDirect) throw coldForGoodError(error);
      if (this.isDistrustful) throw hiddenColdError(error, this.options.store.url, this.reader.refusedKey);
      this.isDistrustful = true;
      return undefined;
    }
  }

  /** Emits events; of a pass that fetches nothing only its start. */
  private forward(event: TransferEvent): void {
    const isRepeated = event.type === 'start' && this.isAnnounced;
    if (event.type === 'start') this.isAnnounced = true;
    else if (!this.mayFetch) this.held.push(event);
    if (!isRepeated && (event.type === 'start' || this.mayFetch)) this.options.emit(event);
  }

  /** Checks whether everything can be fetched now. @throws usage, budget-exceeded, cold-storage for a copy that is gone again */
  private async checkNeeded(needed: readonly NeededChunk[]): Promise<boolean> {
    const { store, cold, dryRun, now, signal } = this.options;
    refuseTier(
      needed.map((chunk) => ({ ...chunk, isReadable: false })),
      cold.tier,
    );
    const looksAtAll = this.isDistrustful || dryRun || cold.maxCostUsd !== undefined;
    const doubtful = needed.filter(({ storageClass }) => looksAtAll || isColdClass(storageClass));
    const keys = doubtful.map(({ key }) => key);
    const states = new Map((await chunkStates(store, keys, { now: now(), signal })).map((state) => [state.key, state]));
    this.chunks = needed.map((chunk) => seen(chunk, states.get(chunk.key)));
    this.estimate = this.estimated(this.chunks);
    if (dryRun) return false;
    const priced = this.priced();
    refuseTier(priced, cold.tier);
    refuseCost(this.estimate, cold.maxCostUsd, priced.some(mustThaw));
    await this.options.retrievalGate?.({ ...this.estimate, project: this.project });
    const again = this.chunks.find(({ key, state }) => state === 'cold' && this.asked.has(key));
    if (again !== undefined) throw coldAgainError(again.key, this.jobId);
    this.mayFetch = this.isDirect || this.chunks.every(({ state }) => state !== 'cold' && state !== 'thawing');
    for (const event of this.mayFetch ? this.held : []) this.options.emit(event);
    return this.mayFetch;
  }

  // Chunks that this run requested are part of its cost even when they are readable by now.
  private priced(chunks = this.chunks): readonly RetrievalChunk[] {
    return chunks.map((chunk) => {
      const { key, state, storageClass } = chunk;
      const asked = this.asked.get(key);
      return { ...chunk, storageClass: asked ?? storageClass, isReadable: state !== 'cold' && asked === undefined };
    });
  }

  private get pricing() {
    const { cold, store } = this.options;
    const { region, isAws, provider, book, days } = cold;
    return { region, isAws, provider, book, isFolder: store.url.startsWith('file:'), days };
  }

  private estimated(chunks: readonly ThawedChunk[]): RetrievalEstimate {
    return estimateRetrieval({ ...this.pricing, chunks: this.priced(chunks), tier: this.options.cold.tier });
  }

  private tiers(now: Date): readonly TierPlan[] {
    return tierPlans(this.priced(), { ...this.pricing, now });
  }

  /** Returns the chunks and their price with the classes that the answers to their GETs named. */
  private asRead(): Omit<Common, 'result'> {
    const { classes } = this.reader;
    const { project } = this;
    if (this.isDirect || classes.size === 0) return { chunks: this.chunks, estimate: this.estimate, project };
    const chunks = this.chunks.map((chunk) => ({
      ...chunk,
      storageClass: classes.get(chunk.key) ?? chunk.storageClass,
    }));
    return { chunks, estimate: this.estimated(chunks), project };
  }

  /** Requests cold chunks; undefined if the store does not support that. @throws what `thawChunks` throws */
  private async request(result: RestoreResult): Promise<Requested | undefined> {
    const { store, cold, now, signal, job } = this.options;
    const isCold = ({ state }: ThawedChunk): boolean => state === 'cold';
    const readyBy = this.tiers(now()).find(({ tier }) => tier === cold.tier)?.readyBy ?? null;
    const requested = (): Requested => ({
      kind: 'requested',
      result,
      chunks: this.chunks,
      estimate: this.estimate,
      project: this.project,
      readyBy,
    });
    this.jobId ??= await job?.save(requested());
    try {
      const states = await thawChunks(store, this.chunks.filter(isCold), { days: cold.days, tier: cold.tier, signal });
      for (const { key, storageClass = '' } of states) this.asked.set(key, storageClass);
      this.take(states);
    } catch (error) {
      // A lost answer, or one that was not waited for, may have been that the chunk is on its way.
      const isCertain = !isRetriable(error) && !isArchiverError(error, 'cancelled');
      if (isCertain && this.asked.size === 0) await this.drop();
      if (!isArchiverError(error, 'unsupported')) throw error;
      this.isDirect = true;
      return undefined;
    }
    await job?.update(requested());
    return requested();
  }

  private async drop(): Promise<void> {
    await this.options.job?.drop();
    this.jobId = undefined;
  }

  private take(states: readonly ChunkState[]): void {
    const byKey = new Map(states.map((state) => [state.key, state]));
    this.chunks = this.chunks.map((chunk) => seen(chunk, byKey.get(chunk.key)));
  }

  private async wait({ result, estimate }: Requested): Promise<void> {
    const { jobId } = this;
    const { store, cold, now, emit, signal } = this.options;
    const thawing = this.chunks.filter(({ state }) => state === 'thawing');
    const classes = [...new Set(thawing.map(({ storageClass }) => storageClass))].sort();
    const wait = longestWait(
      thawing.map((chunk) => ({ ...chunk, isReadable: false })),
      cold.tier,
    );
    const states = await waitForChunks(store, this.chunks, {
      pollMs: cold.pollMs,
      now,
      onLook: (chunks, nextLookAt) =>
        emit({
          type: 'thaw',
          files: result.files,
          bytes: result.bytes,
          storageClasses: classes,
          tier: cold.tier,
          wait: wait?.text,
          costUsd: estimate.costUsd,
          chunks: chunks.map(({ state }) => state),
          nextLookAtMs: nextLookAt.getTime(),
          jobId,
        }),
      onTrouble: (text) => emit({ type: 'note', text }),
      signal,
    });
    this.take(states);
  }
}

/** Returns the chunk as the store has it; readable if no check was needed. */
const seen = (chunk: NeededChunk & Partial<ThawedChunk>, state: ChunkState | undefined): ThawedChunk => ({
  ...chunk,
  state: chunk.state ?? 'readable',
  ...state,
  storageClass: state?.storageClass ?? chunk.storageClass,
});
