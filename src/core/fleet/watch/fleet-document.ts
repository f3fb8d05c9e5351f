// A fleet as JSON.
import { type Heartbeat, sourceDocument } from '../heartbeat.js';
import { CONDITIONS, type WriterStatus } from './judge.js';
import type { ConditionCounts, FleetStatus } from './watch-fleet.js';

/** One writer as JSON. */
export function writerDocument({ heartbeat, config, ...status }: WriterStatus) {
  const { checkedInAt, lastSuccessAt } = status;
  return {
    ...status,
    checkedInAt: checkedInAt?.toISOString() ?? null,
    lastSuccessAt: lastSuccessAt?.toISOString() ?? null,
    storedConfigVersion: config?.version ?? null,
    configPutAt: config?.putAt.toISOString() ?? null,
    ...(heartbeat === undefined ? UNTOLD : toldBy(heartbeat)),
  };
}

const toldBy = ({ configVersion, host, instanceId, archiverVersion, phase, intervalSeconds, sources }: Heartbeat) => ({
  configVersion,
  host,
  instanceId,
  archiverVersion,
  agentPhase: phase,
  intervalMs: intervalSeconds * 1000,
  sourceCycles: sources.map(sourceDocument),
});

const UNTOLD = {
  configVersion: null,
  host: null,
  instanceId: null,
  archiverVersion: null,
  agentPhase: null,
  intervalMs: null,
  sourceCycles: [],
};

/** How many writers are how, as JSON. */
export const conditionList = (counts: ConditionCounts) =>
  CONDITIONS.map((condition) => ({ condition, writerCount: counts[condition] }));

/** The fleet as JSON, with all writers or those with troubles. */
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
