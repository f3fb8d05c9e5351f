// Judges what a heartbeat says by what the store has: records of versions, and the schedule of the config. Pure.
import { printable } from '../../platform/paths/raw-path.js';
import { versionName } from '../../dataset/records/version-name.js';
import type { Heartbeat, HeartbeatSource } from '../heartbeat.js';
import type { SeenConfig, SeenStore, StoredDataset, WriterObservation } from './observation.js';
import { spanText } from './span.js';

/** A heartbeat's own word counts for so long at most; who runs more seldom says so in a config. */
const LONGEST_TOLD_MS = 14 * 86_400_000;
/** Of the cadence, what a cycle may be late. */
const GRACE = 0.25;
const LEAST_GRACE_MS = 10 * 60_000;
const MOST_GRACE_MS = 6 * 3_600_000;

/** How often a writer has to be heard of. */
export interface Cadence {
  /** Null when nothing tells. */
  readonly cadenceMs: number | null;
  /** Who says so: the config in use, else the heartbeat; the times of records where there is no heartbeat to read. */
  readonly cadenceFrom: 'config' | 'heartbeat' | 'records' | null;
  readonly staleAfterMs: number;
}

/** A source as its heartbeat has it, beside what the store has of it. */
export interface SourceStatus {
  readonly source: HeartbeatSource;
  /** The newest version in the store; null where there is none, or the store was not looked at. */
  readonly storedVersion: number | null;
  readonly storedAt: Date | null;
  readonly storedEveryMs: number | null;
  /** By the store's clock. */
  readonly lastSuccessAt: Date | null;
  /** True when its last success is longer ago than its writer may be silent. */
  readonly isStale: boolean;
}

/** Returns the cadence of a writer, and the age from which it is stale: the cadence and a quarter of it, six hours at most. */
export function cadenceOf({ seen, config, stored }: WriterObservation, thresholdMs: number): Cadence {
  const { cadenceMs, cadenceFrom } = toldCadence(seen.kind === 'read' ? seen.heartbeat : undefined, config, stored);
  if (cadenceMs === null) return { cadenceMs, cadenceFrom, staleAfterMs: thresholdMs };
  const graceMs = Math.min(Math.max(cadenceMs * GRACE, LEAST_GRACE_MS), MOST_GRACE_MS);
  return { cadenceMs, cadenceFrom, staleAfterMs: Math.max(thresholdMs, cadenceMs + graceMs) };
}

function toldCadence(
  heartbeat: Heartbeat | undefined,
  config: SeenConfig | undefined,
  stored: SeenStore | undefined,
): Pick<Cadence, 'cadenceMs' | 'cadenceFrom'> {
  if (heartbeat === undefined) {
    const often = datasetsIn(stored).flatMap(({ storedEveryMs }) => storedEveryMs ?? []);
    return often.length === 0
      ? { cadenceMs: null, cadenceFrom: null }
      : { cadenceMs: Math.min(...often), cadenceFrom: 'records' };
  }
  const { configVersion, intervalSeconds } = heartbeat;
  if (config?.intervalMs !== undefined && config.version === configVersion)
    return { cadenceMs: config.intervalMs, cadenceFrom: 'config' };
  return { cadenceMs: Math.min(1000 * intervalSeconds, LONGEST_TOLD_MS), cadenceFrom: 'heartbeat' };
}

const datasetsIn = (stored: SeenStore | undefined): readonly StoredDataset[] =>
  stored?.kind === 'seen' ? stored.datasets : [];

/** When the newest of all its versions came; null when none was seen. */
export function newestStored(stored: SeenStore | undefined): Date | null {
  const times = datasetsIn(stored).flatMap(({ storedAt }) => storedAt?.getTime() ?? []);
  return times.length === 0 ? null : new Date(Math.max(...times));
}

interface Clocks {
  /** By the store's clock. */
  readonly nowMs: number;
  /** How far the writer's clock is ahead. */
  readonly skewMs: number;
  readonly staleAfterMs: number;
}

/** Returns the sources of a heartbeat with what the store has of each. */
export function sourcesOf(
  { sources }: Heartbeat,
  stored: SeenStore | undefined,
  { nowMs, skewMs, staleAfterMs }: Clocks,
): readonly SourceStatus[] {
  const datasets = new Map(datasetsIn(stored).map((dataset) => [dataset.datasetId, dataset]));
  return sources.map((source) => {
    const dataset = datasets.get(source.datasetId ?? '');
    const successMs = source.lastSuccessAt === null ? null : Date.parse(source.lastSuccessAt) - skewMs;
    return {
      source,
      storedVersion: dataset?.version ?? null,
      storedAt: dataset?.storedAt ?? null,
      storedEveryMs: dataset?.storedEveryMs ?? null,
      lastSuccessAt: successMs === null ? null : new Date(successMs),
      isStale: successMs !== null && nowMs - successMs > staleAfterMs,
    };
  });
}

/** Returns what a heartbeat says and the store does not show, as a sentence; undefined when the store shows all of it. */
export function unbackedOf(
  sources: readonly SourceStatus[],
  stored: SeenStore | undefined,
  clocks: Clocks,
): string | undefined {
  if (stored === undefined || stored.kind === 'elsewhere') return undefined;
  if (stored.kind === 'unseen') return `what it has stored cannot be seen: ${stored.reason}`;
  const found = sources.flatMap((one) => unbackedSource(one, stored.datasets, clocks) ?? []);
  const [first, ...others] = found;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return first === undefined ? undefined : `its heartbeat says more than the store shows: ${first}${more}`;
}

function unbackedSource(
  { source, storedVersion, storedAt, lastSuccessAt }: SourceStatus,
  datasets: readonly StoredDataset[],
  { nowMs, staleAfterMs }: Clocks,
): string | undefined {
  const { path, datasetId, version, isHealthy, noChanges } = source;
  if (datasetId === null || version === null)
    return isHealthy === true ? `source ${path} succeeded, and it names no version` : undefined;
  const claim = `source ${path} is ${versionName({ version })} of ${datasetId}`;
  const recordedAt = datasets.find((one) => one.datasetId === datasetId)?.recordTimes.get(version);
  if (recordedAt === undefined) {
    const newest =
      storedVersion === null || storedAt === null
        ? 'there is no version of that'
        : `the newest there is ${versionName({ version: storedVersion })}, of ${spanText(nowMs - storedAt.getTime())} ago`;
    return `${claim}, and ${newest}`;
  }
  // A cycle with nothing to archive makes no version. One that made one has put its record right before.
  const isLater = lastSuccessAt !== null && lastSuccessAt.getTime() - recordedAt.getTime() > staleAfterMs;
  return isLater && isHealthy === true && !noChanges
    ? `${claim}, made ${spanText(nowMs - lastSuccessAt.getTime())} ago, and its record is of ${spanText(nowMs - recordedAt.getTime())} ago`
    : undefined;
}

/** Describes the sources whose last success is too long ago, without those that failed; undefined when there are none. */
export function staleSources(sources: readonly SourceStatus[], { nowMs, staleAfterMs }: Clocks): string | undefined {
  const [first, ...others] = sources
    .filter(({ isStale, source }) => isStale && source.isHealthy !== false)
    .toSorted((a, b) => (a.lastSuccessAt?.getTime() ?? 0) - (b.lastSuccessAt?.getTime() ?? 0));
  if (first?.lastSuccessAt === undefined || first.lastSuccessAt === null) return undefined;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const agoText = spanText(nowMs - first.lastSuccessAt.getTime());
  return `source ${printable(first.source.path)} last succeeded ${agoText} ago${more}, and ${spanText(staleAfterMs)} are allowed`;
}

/** Describes a writer that runs more seldom than its config says, which a flag of its machine may make it do. */
export function slowerThanConfig(
  { intervalSeconds }: Heartbeat,
  { cadenceMs, cadenceFrom }: Cadence,
): string | undefined {
  if (cadenceFrom !== 'config' || cadenceMs === null || 1000 * intervalSeconds <= cadenceMs) return undefined;
  return `it runs every ${spanText(1000 * intervalSeconds)}, and its config says every ${spanText(cadenceMs)}: --interval on its machine`;
}
