import { beforeEach, describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import { RunMetrics } from '../../../../src/core/diagnostics/observe/run-metrics.js';
import { type Family, parseExposition, sumOf } from '../../../support/parse-exposition.js';

let nowMs = 0;
let metrics: RunMetrics;

beforeEach(() => {
  nowMs = 0;
  metrics = new RunMetrics('1.2.3', () => nowMs);
});

const START: TransferEvent = { type: 'start', operation: 'sync', source: '/data', target: 's3://bucket' };
const PLAN: TransferEvent = { type: 'plan', items: 4, bytes: 400, chunks: 2 };
const progress = (items: number): TransferEvent => ({ type: 'progress', items, bytes: items * 100 });
const tell = (...events: readonly TransferEvent[]): void => events.forEach((event) => metrics.take(event));
const read = async (): Promise<ReadonlyMap<string, Family>> => parseExposition(await metrics.text());

describe('the metrics of a run', () => {
  test('are totals that only grow, over plans and operations', async () => {
    tell(START, PLAN, progress(2), progress(4), PLAN, progress(1), START, progress(3));

    const families = await read();

    expect(sumOf(families, 'archiver_processed_items_total')).toBe(8);
    expect(sumOf(families, 'archiver_processed_bytes_total')).toBe(800);
    expect(sumOf(families, 'archiver_planned_chunks')).toBe(2);
  });

  test('say how long each phase takes, also the present one', async () => {
    tell(START, { type: 'phase', phase: 'scanning' });
    nowMs = 2000;
    tell({ type: 'phase', phase: 'transferring' });
    nowMs = 5000;

    const families = await read();

    expect(sumOf(families, 'archiver_phase_seconds_total', 'phase="scanning"')).toBe(2);
    expect(sumOf(families, 'archiver_phase_seconds_total', 'phase="transferring"')).toBe(3);
    expect([...(families.get('archiver_phase')?.samples ?? [])]).toEqual([
      ['archiver_phase{operation="sync",phase="transferring"}', 1],
    ]);
  });

  test('count retries, what is left out, and chunks from cold storage', async () => {
    const retry = { request: 'put x', attempt: 1, maxAttempts: 5, reason: 'busy' };
    tell(
      START,
      { ...retry, type: 'retry', service: 'store', waitMs: 1500, trouble: 'busy' },
      { type: 'skip', path: 'a', reason: 'EACCES' },
      {
        type: 'thaw',
        files: 1,
        bytes: 1,
        storageClasses: ['GLACIER'],
        tier: 'bulk',
        wait: undefined,
        costUsd: null,
        chunks: ['cold', 'thawing', 'cold'],
        nextLookAtMs: 0,
        jobId: undefined,
      },
    );

    const families = await read();

    expect(sumOf(families, 'archiver_retries_total', 'service="store",trouble="busy"')).toBe(1);
    expect(sumOf(families, 'archiver_retry_wait_seconds_total')).toBe(1.5);
    expect(sumOf(families, 'archiver_skipped_items_total')).toBe(1);
    expect(sumOf(families, 'archiver_cold_chunks', 'state="cold"')).toBe(2);
  });

  test('name failed requests by their kind, and count bytes of those that succeeded', async () => {
    const put = { kind: 'put', storageClass: 'GLACIER', bytes: 100, startedMs: 0, durationMs: 250 } as const;
    metrics.onRequest({ ...put, code: 'store' });
    metrics.onRequest(put);

    const families = await read();

    expect(sumOf(families, 'archiver_requests_total', 'code="store"')).toBe(1);
    expect(sumOf(families, 'archiver_written_bytes_total', 'storage_class="GLACIER"')).toBe(100);
    expect(sumOf(families, 'archiver_request_duration_seconds', '_sum')).toBe(0.5);
  });

  test('have no chunk in flight once the operation is over', async () => {
    const chunk = { type: 'chunk', chunk: 0, shard: 0, rawBytes: 10, storedBytes: 0 } as const;
    tell(START, { ...chunk, state: 'started' });
    expect(sumOf(await read(), 'archiver_chunks_in_flight')).toBe(1);

    tell({ type: 'end', outcome: { status: 'failed', code: 'no-space', message: 'full', hint: undefined } });

    const families = await read();
    expect(sumOf(families, 'archiver_chunks_in_flight')).toBe(0);
    expect(sumOf(families, 'archiver_errors_total', 'operation="sync",code="no-space"')).toBe(1);
  });
});
