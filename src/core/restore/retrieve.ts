// Restoring where some of the content may lie in cold storage. What is readable is restored at once, and costs no request
// more than `restoreUpload`. Else the cost is checked, each cold chunk that is needed is asked for once, and the caller is
// told, or waits here. The manifest's storage class is a hint: a lifecycle rule may have moved chunks, so a GET that is
// refused as cold leads here too. In one run no chunk is asked for twice, whatever happens.
import { refuseCost } from '../cost/cost-cap.js';
import { estimateRetrieval, type RetrievalChunk, type RetrievalEstimate } from '../cost/retrieval-cost.js';
import { ArchiverError, isArchiverError } from '../failures/errors.js';
import type { TransferEvent } from '../events.js';
import type { ObjectStore, ThawTier } from '../object-store/object-store.js';
import { type ChunkState, type ChunkStateName, chunkStates } from '../thaw/chunk-states.js';
import { isColdClass } from '../cost/cold-class.js';
import { thawChunks } from '../thaw/thaw.js';
import { longestWait, mustThaw, refuseTier, type TierPlan, tierPlans } from '../thaw/tier-plans.js';
import { waitForChunks } from '../thaw/wait.js';
import type { NeededChunk } from './plan/needed-chunk.js';
import { restoreUpload, type RestoreOptions, type RestoreResult } from './restore.js';

export interface ColdOptions {
  readonly tier: ThawTier;
  /** Stay until everything is readable, then restore. */
  readonly wait: boolean;
  /** Days that the readable copy is kept. */
  readonly days: number;
  readonly maxCostUsd: number | undefined;
  /** Between two looks. */
  readonly pollMs: number;
  readonly region: string | undefined;
  readonly isAws: boolean;
}

export interface RetrieveOptions extends Omit<RestoreOptions, 'reader' | 'mayFetch'> {
  readonly store: ObjectStore;
  readonly cold: ColdOptions;
  readonly now: () => Date;
  /** Called once chunks were asked back and before any waiting: saves a job and gives its id. */
  readonly onRequested?: (requested: Requested) => Promise<string | undefined>;
}

/** A chunk that is needed, with its class and state as the store has them. */
export interface ThawedChunk extends NeededChunk {
  readonly state: ChunkStateName;
  readonly expiresAt?: Date;
  /** Why it is denied, missing or was not asked for. */
  readonly reason?: string;
}

interface Common {
  /** Of `requested` and `planned`: what is selected, and nothing is written. */
  readonly result: RestoreResult;
  /** Every chunk that is needed. */
  readonly chunks: readonly ThawedChunk[];
  readonly estimate: RetrievalEstimate;
}

export interface Requested extends Common {
  readonly kind: 'requested';
  /** When all is readable at the latest; null where nothing was to be asked for, as all is on its way already. */
  readonly readyBy: Date | null;
}

export type Retrieval =
  | (Common & { readonly kind: 'restored' })
  | Requested
  | (Common & { readonly kind: 'planned'; readonly tiers: readonly TierPlan[] });

/** Restores, or asks back what is cold. @throws usage for a tier that is not offered, budget-exceeded, and what `restoreUpload` throws */
export async function retrieve(options: RetrieveOptions): Promise<Retrieval> {
  return await new Retriever(options).run();
}

class Retriever {
  private chunks: readonly ThawedChunk[] = [];
  private estimate: RetrievalEstimate;
  private readonly asked = new Set<string>();
  private mayFetch = false;
  /** A GET was refused as cold, so no class in the manifest is believed. */
  private isDistrustful = false;
  private isAnnounced = false;
  private held: TransferEvent[] = [];

  constructor(private readonly options: RetrieveOptions) {
    this.estimate = this.estimated([]);
  }

  async run(): Promise<Retrieval> {
    const { dryRun, cold, now } = this.options;
    for (;;) {
      const result = await this.pass();
      if (result === undefined) continue;
      const { chunks, estimate } = this;
      if (dryRun) return { kind: 'planned', result, chunks, estimate, tiers: this.tiers(now()) };
      if (this.mayFetch) return { kind: 'restored', result, chunks, estimate };
      const requested = await this.request(result);
      const jobId = await this.options.onRequested?.(requested);
      const isHopeless = this.chunks.some(({ state }) => state === 'denied' || state === 'cold');
      if (!cold.wait || isHopeless) return requested;
      await this.wait(requested, jobId);
    }
  }

  /** Undefined when the store refused a chunk as cold that was taken for readable: the next pass looks at all of them. */
  private async pass(): Promise<RestoreResult | undefined> {
    this.held = [];
    this.mayFetch = false;
    const { store, ...options } = this.options;
    const mayFetch = (needed: readonly NeededChunk[]): Promise<boolean> => this.look(needed);
    try {
      return await restoreUpload({ ...options, reader: store, mayFetch, emit: (event) => this.forward(event) });
    } catch (error) {
      if (!isArchiverError(error, 'cold-storage') || !this.mayFetch) throw error;
      if (this.isDistrustful) throw hiddenArchive(error);
      this.isDistrustful = true;
      return undefined;
    }
  }

  /** A pass that fetches nothing says nothing but that it has begun. */
  private forward(event: TransferEvent): void {
    const isRepeated = event.type === 'start' && this.isAnnounced;
    if (event.type === 'start') this.isAnnounced = true;
    else if (!this.mayFetch) this.held.push(event);
    if (!isRepeated && (event.type === 'start' || this.mayFetch)) this.options.emit(event);
  }

  /** Whether everything can be fetched now. @throws usage, budget-exceeded, cold-storage for a copy that is gone again */
  private async look(needed: readonly NeededChunk[]): Promise<boolean> {
    const { store, cold, dryRun, now, signal } = this.options;
    refuseTier(
      needed.map((chunk) => ({ ...chunk, isReadable: false })),
      cold.tier,
    );
    const doubtful = needed.filter(({ storageClass }) => this.isDistrustful || isColdClass(storageClass));
    const keys = doubtful.map(({ key }) => key);
    const states = new Map((await chunkStates(store, keys, { now: now(), signal })).map((state) => [state.key, state]));
    this.chunks = needed.map((chunk) => seen(chunk, states.get(chunk.key)));
    this.estimate = this.estimated(this.chunks);
    if (dryRun) return false;
    const priced = this.priced();
    refuseTier(priced, cold.tier);
    refuseCost(this.estimate, cold.maxCostUsd, priced.some(mustThaw));
    const again = this.chunks.find(({ key, state }) => state === 'cold' && this.asked.has(key));
    if (again !== undefined) throw goneAgain(again.key);
    this.mayFetch = this.chunks.every(({ state }) => state !== 'cold' && state !== 'thawing');
    for (const event of this.mayFetch ? this.held : []) this.options.emit(event);
    return this.mayFetch;
  }

  // What this run asked for is part of its cost also when it is readable by now.
  private priced(chunks = this.chunks): readonly RetrievalChunk[] {
    return chunks.map((chunk) => ({ ...chunk, isReadable: chunk.state !== 'cold' && !this.asked.has(chunk.key) }));
  }

  private get pricing() {
    const { cold, store } = this.options;
    return { region: cold.region, isAws: cold.isAws, isFolder: store.url.startsWith('file:'), days: cold.days };
  }

  private estimated(chunks: readonly ThawedChunk[]): RetrievalEstimate {
    return estimateRetrieval({ ...this.pricing, chunks: this.priced(chunks), tier: this.options.cold.tier });
  }

  private tiers(now: Date): readonly TierPlan[] {
    return tierPlans(this.priced(), { ...this.pricing, now });
  }

  private async request(result: RestoreResult): Promise<Requested> {
    const { store, cold, now, signal } = this.options;
    const isCold = ({ state }: ThawedChunk): boolean => state === 'cold';
    const readyBy = this.tiers(now()).find(({ tier }) => tier === cold.tier)?.readyBy ?? null;
    const states = await thawChunks(store, this.chunks.filter(isCold), { days: cold.days, tier: cold.tier, signal });
    for (const { key } of states) this.asked.add(key);
    this.take(states);
    return { kind: 'requested', result, chunks: this.chunks, estimate: this.estimate, readyBy };
  }

  private take(states: readonly ChunkState[]): void {
    const byKey = new Map(states.map((state) => [state.key, state]));
    this.chunks = this.chunks.map((chunk) => seen(chunk, byKey.get(chunk.key)));
  }

  private async wait({ result, estimate }: Requested, jobId: string | undefined): Promise<void> {
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
          storageClasses: classes.join(', '),
          tier: `${cold.tier} tier${wait ? ` ${wait.text}` : ''}`,
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

/** The chunk as the store sees it; readable where nobody had to look. */
const seen = (chunk: NeededChunk & Partial<ThawedChunk>, state: ChunkState | undefined): ThawedChunk => ({
  ...chunk,
  state: chunk.state ?? 'readable',
  ...state,
  storageClass: state?.storageClass ?? chunk.storageClass,
});

// INTELLIGENT_TIERING moves objects into archive tiers, and the class that the store names stays the same.
function hiddenArchive(error: ArchiverError): ArchiverError {
  return new ArchiverError('cold-storage', `${error.message}; its storage class does not tell that it is archived`, {
    cause: error,
    hint: 'archive tiers of INTELLIGENT_TIERING: aws s3api restore-object --bucket BUCKET --key KEY --restore-request {}',
  });
}

function goneAgain(key: string): ArchiverError {
  return new ArchiverError(
    'cold-storage',
    `${key} was asked back and is not readable: its copy has expired or the store dropped the request`,
    {
      hint: 'it was not asked for again, as that is paid again; run the same restore once more to do so, with more --restore-days',
    },
  );
}
