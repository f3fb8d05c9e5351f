// One look at a fleet and what it means: the front door for those who watch.
import type { EventSink } from '../../events/events.js';
import { reasonText } from '../../platform/failures/errno.js';
import type { ObjectStore } from '../../store/object-store.js';
import { ignoreEvents } from '../../events/progress-meter.js';
import { type Condition, CONDITIONS, isTroubled, judge, type WriterStatus } from './judge.js';
import { lookAtFleet, type LookOptions } from './look.js';
import { isClonedIn, memoryPath, NO_MEMORY, readMemory, remembered, saveMemory, versionIn } from './memory.js';
import type { FleetObservation } from './observation.js';

export type ConditionCounts = Readonly<Record<Condition, number>>;

export interface FleetStatus {
  /** The base. */
  readonly location: string;
  /** By the store's clock. */
  readonly lookedAt: Date;
  /** Those somebody has to look at first, then by id. */
  readonly writers: readonly WriterStatus[];
  readonly counts: ConditionCounts;
  /** How many somebody has to look at. */
  readonly troubledCount: number;
  /** Below `writers/` without heartbeat or config. */
  readonly others: readonly string[];
  /** What could not be found out or kept, in sentences. */
  readonly notes: readonly string[];
}

export interface WatchOptions extends Pick<LookOptions, 'now' | 'signal'> {
  readonly thresholdMs: number;
  /** The folder of local state. */
  readonly home: string;
  readonly emit?: EventSink;
}

/** Looks once. @throws as lookAtFleet; what cannot be remembered is a note */
export async function watchFleet(store: ObjectStore, options: WatchOptions): Promise<FleetStatus> {
  const { home, now, emit = ignoreEvents } = options;
  const notes: string[] = [];
  const path = memoryPath(home, store.url);
  const before = await readMemory(path).catch((error: unknown) => {
    notes.push(`what was seen of the fleet before is not known: ${reasonText(error)}`);
    return NO_MEMORY;
  });
  const knownVersion = (id: string, etag: string): number | undefined => versionIn(before, id, etag);
  const observed = await lookAtFleet(store, { ...options, emit, knownVersion });
  const after = remembered(observed, before, now());
  await saveMemory(path, store.url, after).catch((error: unknown) => {
    notes.push(`what was seen of the fleet is not remembered, so clones go unnoticed: ${reasonText(error)}`);
  });
  if (observed.configsUnknown !== undefined)
    notes.push(`which writers have a config is not known, so none is missing: ${observed.configsUnknown}`);
  const isCloned = (id: string): boolean => isClonedIn(after, id, now());
  return { ...statusOf(observed, options.thresholdMs, isCloned), location: store.url, notes };
}

function statusOf(observed: FleetObservation, thresholdMs: number, isCloned: (writerId: string) => boolean) {
  const writers = observed.writers.map((one) =>
    judge(one, { now: observed.storeTime, thresholdMs, isCloned: isCloned(one.writerId) }),
  );
  const counts = Object.fromEntries(
    CONDITIONS.map((word) => [word, writers.filter(({ condition }) => condition === word).length]),
  ) as ConditionCounts;
  return {
    lookedAt: observed.storeTime,
    writers: writers.toSorted((one, other) => rankOf(one) - rankOf(other)),
    counts,
    troubledCount: writers.filter(isTroubled).length,
    others: observed.others,
  };
}

const RANK: readonly Condition[] = ['missing', 'stale', 'unknown', 'failing', 'starting', 'healthy'];

const rankOf = (writer: WriterStatus): number =>
  (isTroubled(writer) ? 0 : RANK.length) + RANK.indexOf(writer.condition);
