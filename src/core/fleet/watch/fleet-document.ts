// The JSON form of a fleet.
import { findingDocument, type Heartbeat, sourceDocument } from '../heartbeat.js';
import { CONDITIONS, type WriterStatus } from './judge.js';
import type { ConditionCounts, FleetStatus } from './watch-fleet.js';

/** Returns one writer for JSON output. */
export function writerDocument({ heartbeat, config, ...status }: WriterStatus) {
  const { checkedInAt, lastSuccessAt } = status;
  return {
    ...status,
    checkedInAt: checkedInAt?.toISOString() ?? null,
    lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
    storedConfigVersion: config?.version ?? null,
    configPutAt: config?.putAt.toISOString() ?? null,
    ...(heartbeat === undefined ? NO_HEARTBEAT : fromHeartbeat(heartbeat)),
  };
}

const fromHeartbeat = ({
  configVersion,
  host,
  instanceId,
  archiverVersion,
  phase,
  intervalSeconds,
  sources,
  findings = [],
}: Heartbeat) => ({
  configVersion,
  host,
  instanceId,
  archiverVersion,
  agentPhase: phase,
  intervalMs: intervalSeconds * 1000,
  sourceCycles: sources.map(sourceDocument),
  writerFindings: findings.map(findingDocument),
});

const NO_HEARTBEAT = {
  configVersion: null,
  host: null,
  instanceId: null,
  archiverVersion: null,
  agentPhase: null,
  intervalMs: null,
  sourceCycles: [],
  writerFindings: [],
};

/** Returns the number of writers in each condition for JSON output. */
export const conditionList = (counts: ConditionCounts) =>
  CONDITIONS.map((condition) => ({ condition, writerCount: counts[condition] }));

/** Returns the fleet for JSON output, with the writers of `status`. */
export const fleetDocument = ({ location, lookedAt, writers, counts, troubledCount, others, notes }: FleetStatus) => ({
  location,
  lookedAt: lookedAt.toISOString(),
  writerCount: writers.length,
  writerConditions: conditionList(counts),
  troubledCount,
  writers: writers.map(writerDocument),
  leftOutWriters: others,
  notes,
});
