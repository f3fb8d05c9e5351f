// A heartbeat of a writer that is well, with what a test changes in it.
import type { Heartbeat, HeartbeatSource } from '../../src/core/fleet/heartbeat.js';

export const heartbeatSource = (change: Partial<HeartbeatSource> = {}): HeartbeatSource => ({
  path: '/srv/data',
  isHealthy: true,
  error: null,
  lastSuccessAt: '2026-03-04T05:00:00.000Z',
  uploadId: '20260304-050000-1a2b3c4d',
  datasetId: 'data-1a2b3c4d',
  version: 7,
  files: 100,
  bytes: 1_000_000,
  storedBytes: 400_000,
  added: 1,
  modified: 2,
  deleted: 0,
  skipped: 0,
  noChanges: false,
  comparedWith: 'cache',
  ...change,
});

/** It checked in at 05:00 on 4 March 2026, between two cycles of an hour. Its source succeeded when it did. */
export const heartbeat = (writerId: string, change: Partial<Heartbeat> = {}): Heartbeat => ({
  formatVersion: 1,
  writerId,
  host: writerId,
  instanceId: '5f0c3c0e-0000-4000-8000-000000000001',
  archiverVersion: '0.1.0',
  configVersion: 3,
  configError: null,
  checkedInAt: '2026-03-04T05:00:00.000Z',
  phase: 'waiting',
  lastSuccessAt: '2026-03-04T05:00:00.000Z',
  intervalSeconds: 3600,
  cycle: { startedAt: '2026-03-04T04:59:00.000Z', endedAt: '2026-03-04T05:00:00.000Z', isHealthy: true },
  problem: null,
  sources: [heartbeatSource(change.lastSuccessAt === undefined ? {} : { lastSuccessAt: change.lastSuccessAt })],
  ...change,
});
