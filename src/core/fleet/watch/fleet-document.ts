// The JSON form of a fleet.
import { findingDocument, type Heartbeat, sourceDocument } from '../heartbeat.js';
import type { SourceStatus } from './judge-stored.js';
import { CONDITIONS, type WriterStatus } from './judge.js';
import { rolloutOf } from './rollout.js';
import type { ConditionCounts, FleetStatus } from './watch-fleet.js';

/** Returns one writer for JSON output. */
export function writerDocument({ heartbeat, config, sources, ...status }: WriterStatus) {
  const { checkedInAt, lastSuccessAt, storedAt } = status;
  return {
    ...status,
    checkedInAt: checkedInAt?.toISOString() ?? null,
    lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
    storedAt: storedAt?.toISOString() ?? null,
    storedConfigVersion: config?.version ?? null,
    configPutAt: config?.putAt.toISOString() ?? null,
    ...(heartbeat === undefined ? NO_HEARTBEAT : fromHeartbeat(heartbeat)),
    sourceCycles: sources.map(sourceStatusDocument),
  };
}

const fromHeartbeat = ({
  configVersion,
  host,
  instanceId,
  archiverVersion,
  phase,
  intervalSeconds,
  findings = [],
}: Heartbeat) => ({
  configVersion,
  host,
  instanceId,
  archiverVersion,
  agentPhase: phase,
  intervalMs: intervalSeconds * 1000,
  writerFindings: findings.map(findingDocument),
});

const sourceStatusDocument = ({ source, storedVersion, storedAt, storedEveryMs, isStale }: SourceStatus) => ({
  ...sourceDocument(source),
  storedVersion,
  storedAt: storedAt?.toISOString() ?? null,
  storedEveryMs,
  isStale,
});

const NO_HEARTBEAT = {
  configVersion: null,
  host: null,
  instanceId: null,
  archiverVersion: null,
  agentPhase: null,
  intervalMs: null,
  writerFindings: [],
};

/** Returns the number of writers in each condition for JSON output. */
export const conditionList = (counts: ConditionCounts) =>
  CONDITIONS.map((condition) => ({ condition, writerCount: counts[condition] }));

/** Returns who runs which config for JSON output. */
export function rolloutDocument(writers: readonly WriterStatus[]) {
  const { configured, current, versions } = rolloutOf(writers);
  return { configuredCount: configured, currentCount: current, configVersions: versions };
}

/** Returns the fleet for JSON output, with the writers of `status`. */
export const fleetDocument = ({ location, lookedAt, writers, counts, troubledCount, others, notes }: FleetStatus) => ({
  location,
  lookedAt: lookedAt.toISOString(),
  writerCount: writers.length,
  writerConditions: conditionList(counts),
  troubledCount,
  rollout: rolloutDocument(writers),
  writers: writers.map(writerDocument),
  leftOutWriters: others,
  notes,
});
