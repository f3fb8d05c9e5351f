// Looks at a fleet and judges its writers: the entry point for monitoring.
import type { EventSink } from '../../events/events.js';
import { reasonText } from '../../platform/failures/errno.js';
import { oddTexts } from '../../store/ids/key-form.js';
import type { ObjectStore } from '../../store/object-store.js';
import { ignoreEvents } from '../../events/progress-meter.js';
import type { ConfigFacts } from './config-facts.js';
import { type Condition, CONDITIONS, needsAttention, judgeWriter, type WriterStatus } from './judge.js';
import { readFleet, type ReadFleetOptions } from './read-fleet.js';
import { isClonedIn, memoryPath, NO_MEMORY, readMemory, remembered, saveMemory, factsIn } from './memory.js';
import type { FleetObservation } from './observation.js';

export type ConditionCounts = Readonly<Record<Condition, number>>;

export interface FleetStatus {
  /** URL of the fleet's base. */
  readonly location: string;
  /** By the store's clock. */
  readonly lookedAt: Date;
  /** Writers with troubles first, then by condition. */
  readonly writers: readonly WriterStatus[];
  readonly counts: ConditionCounts;
  /** Number of writers with troubles. */
  readonly troubledCount: number;
  /** Names below `writers/` without heartbeat or config. */
  readonly others: readonly string[];
  /** Things that could not be found out or saved, as sentences. */
  readonly notes: readonly string[];
}

export interface WatchOptions extends Pick<ReadFleetOptions, 'now' | 'signal'> {
  readonly thresholdMs: number;
  /** The folder of local state. */
  readonly home: string;
  readonly emit?: EventSink;
}

const MOST_NAMED = 5;

/** Looks once. @throws as readFleet; failures to remember are only notes */
export async function watchFleet(store: ObjectStore, options: WatchOptions): Promise<FleetStatus> {
  const { home, now, emit = ignoreEvents } = options;
  const notes: string[] = [];
  const path = memoryPath(home, store.url);
  const before = await readMemory(path).catch((error: unknown) => {
    notes.push(`what was seen of the fleet before is not known: ${reasonText(error)}`);
    return NO_MEMORY;
  });
  const knownFacts = (id: string, etag: string): ConfigFacts | undefined => factsIn(before, id, etag);
  const observed = await readFleet(store, { ...options, emit, knownFacts });
  const after = remembered(observed, before, now());
  await saveMemory(path, store.url, after).catch((error: unknown) => {
    notes.push(`what was seen of the fleet is not remembered, so clones go unnoticed: ${reasonText(error)}`);
  });
  if (observed.configsUnknown !== undefined)
    notes.push(`which writers have a config is not known, so none is missing: ${observed.configsUnknown}`);
  const elsewhere = observed.writers.filter(({ stored }) => stored?.kind === 'elsewhere');
  if (elsewhere.length > 0)
    notes.push(
      `what ${elsewhere
        .map(({ writerId }) => writerId)
        .slice(0, MOST_NAMED)
        .join(', ')} stored is not looked at: another store than that of the fleet is in the config`,
    );
  notes.push(...oddTexts(observed.odd));
  const isCloned = (id: string): boolean => isClonedIn(after, id, now());
  return { ...statusOf(observed, options.thresholdMs, isCloned), location: store.url, notes };
}

function statusOf(observed: FleetObservation, thresholdMs: number, isCloned: (writerId: string) => boolean) {
  const writers = observed.writers.map((one) =>
    judgeWriter(one, { now: observed.storeTime, thresholdMs, isCloned: isCloned(one.writerId) }),
  );
  const counts = Object.fromEntries(
    CONDITIONS.map((word) => [word, writers.filter(({ condition }) => condition === word).length]),
  ) as ConditionCounts;
  return {
    lookedAt: observed.storeTime,
    writers: writers.toSorted((one, other) => rankOf(one) - rankOf(other)),
    counts,
    troubledCount: writers.filter(needsAttention).length,
    others: observed.others,
  };
}

const RANK: readonly Condition[] = ['missing', 'stale', 'unknown', 'failing', 'starting', 'healthy'];

const rankOf = (writer: WriterStatus): number =>
  (needsAttention(writer) ? 0 : RANK.length) + RANK.indexOf(writer.condition);
