import { expect, test } from 'vitest';
import { cycleLine, troublesOf } from '../../../../src/commands/fleet/fleetagent/agent-report.js';
import { CHANGED } from '../../../../src/core/archive/scan/skip.js';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import { heartbeat, heartbeatSource } from '../../../support/heartbeat.js';

test('the line of a cycle says what was left out, and apart from it what changed while it was read', () => {
  const skipped = [
    { path: 'a', reason: 'permission denied' },
    { path: 'b', reason: CHANGED },
    { path: 'c', reason: CHANGED },
  ];
  const told = heartbeatSource({ skipped: skipped.length });
  const result: Partial<UploadResult> = { skipped };
  const outcomes = [{ source: { path: told.path }, result }] as unknown as Parameters<typeof cycleLine>[0]['outcomes'];
  const ended = { heartbeat: heartbeat('nas', { sources: [told] }), outcomes, plan: undefined, nextMs: undefined };

  expect(cycleLine(ended, { manifestCache: true })).toMatch(/, 1 \w+ left out, 2 files changed while they were read$/);
});

test('troubles are told once: what made a source fail by its failure, a refused config by itself', () => {
  const findings = [
    { kind: 'source-empty', source: '/srv/data', detail: '/srv/data: it is empty' },
    { kind: 'config-refused', source: null, detail: 'it does not take the config: it is older' },
    { kind: 'sent-again', source: '/srv/more', detail: '/srv/more: all of it was sent' },
  ];
  const problem = '/srv/data: it is empty (is its disk mounted?)';
  const told = troublesOf(heartbeat('nas', { problem, configError: 'it is older', findings }));
  expect(told).toEqual(['it is older', problem, '/srv/more: all of it was sent']);
});
