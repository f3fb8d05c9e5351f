import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome, TransferEvent } from '../../../src/core/events/events.js';
import { startJsonReporter } from '../../../src/screens/progress/json-reporter.js';
import { startTextReporter } from '../../../src/screens/progress/text-reporter.js';
import type { Reporter } from '../../../src/stores/reporter.js';
import { createTransferStore, type TransferStore } from '../../../src/stores/transfer-store.js';
import { endLine, planLine, statusLine } from '../../../src/screens/progress/text-lines.js';
import { Recorder } from './recorder.js';
import { sampleSnapshot } from './sample-snapshot.js';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const start: TransferEvent = {
  type: 'start',
  operation: 'upload',
  source: '/data/run-0412',
  target: 's3://acme-archive/lab',
};
const plan: TransferEvent = {
  type: 'plan',
  items: 13_290,
  bytes: 116 * GIB,
  chunks: 594,
  shardBytes: Array.from({ length: 16 }, () => 7.25 * GIB),
  compression: 'zstd content-aware (default 3)',
};
const look = { unicode: true, color: true };
const now = (): Date => new Date();

let store: TransferStore;
let stream: Recorder;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2025, 10, 14, 12, 4, 21) });
  store = createTransferStore({ now: () => Date.now() });
  stream = new Recorder();
});

afterEach(() => {
  vi.useRealTimers();
});

function feed(...events: TransferEvent[]): void {
  for (const event of events) store.getState().apply(event);
  vi.advanceTimersByTime(100);
}

/** Ends the operation as whoever runs it does. */
async function stop(reporter: Reporter, outcome: Outcome): Promise<void> {
  store.getState().apply({ type: 'end', outcome });
  store.getState().close();
  await reporter.stop();
}

const thaw = (readable: number, nextLookAtMs: number): TransferEvent => ({
  type: 'thaw',
  files: 3,
  bytes: 30,
  storageClasses: ['GLACIER'],
  tier: 'bulk',
  wait: '5-12 h',
  costUsd: null,
  chunks: Array.from({ length: 3 }, (_, index) => (index < readable ? 'readable' : 'thawing')),
  nextLookAtMs,
  jobId: 'rj-7f3a1b2c',
});

/** Ten seconds at 118 MiB/s, up to 71.2 GiB. */
function transferTenSeconds(): void {
  for (let second = 1; second <= 10; second += 1) {
    const bytes = 71.2 * GIB - (10 - second) * 118 * MIB;
    store.getState().apply({ type: 'progress', items: 9001, bytes: bytes + GIB });
    store.getState().apply({ type: 'sent', items: 8112, bytes, storedBytes: bytes / 2 });
    vi.advanceTimersByTime(1000);
  }
}

describe('the text reporter', () => {
  it('starts with what it does and with which settings, then says every ten seconds how far it is', () => {
    const reporter = startTextReporter({ store, stream, look, now });

    feed(start, plan, { type: 'phase', phase: 'transferring' });
    expect(stream.lines()).toEqual([
      '2025-11-14 12:04:21+00:00 upload /data/run-0412 to s3://acme-archive/lab',
      '2025-11-14 12:04:21+00:00 upload plan: 13290 files, 116GiB, 594 chunks, 16 shards, zstd content-aware (default 3)',
    ]);
    transferTenSeconds();
    transferTenSeconds();

    const [status] = stream.lines().slice(2);
    expect(status).toMatch(
      /^2025-11-14 12:04:31\+00:00 upload 61% 71\.\d\/116GiB 8112\/13290 files read [\d.]+[KMGT]iB\/s sent [\d.]+[KMGT]?i?B\/s eta=\w+$/,
    );
    expect(stream.lines()).toHaveLength(4);
    void stop(reporter, { status: 'done' });
  });

  it('says once for each look how cold chunks stand, and nothing in between', () => {
    const reporter = startTextReporter({ store, stream, look, now });

    feed({ ...start, operation: 'restore' }, thaw(1, Date.UTC(2025, 10, 14, 12, 9)));
    vi.advanceTimersByTime(300_000);
    feed(thaw(2, Date.UTC(2025, 10, 14, 12, 24)));

    expect(stream.lines().slice(1)).toEqual([
      '2025-11-14 12:04:21+00:00 restore thawing 1/3 chunks readable, 2 thawing, next look 2025-11-14 12:09:00+00:00',
      '2025-11-14 12:09:21+00:00 restore thawing 2/3 chunks readable, 1 thawing, next look 2025-11-14 12:24:00+00:00',
    ]);
    void stop(reporter, { status: 'done' });
  });

  it('does not call a file skipped that changed while it was read and is stored', () => {
    const reporter = startTextReporter({ store, stream, look, now });

    feed(start, { type: 'skip', path: 'a', reason: 'changed while it was being read' });
    void stop(reporter, { status: 'done' });

    const text = stream.lines().join('\n');
    expect(text).toMatch(/upload stored a, which changed while it was being read\n/);
    expect(text).toMatch(/done after .*, 1 changed while read$/);
    expect(text).not.toContain('skipped');
  });

  it('writes notes and skipped files as lines, and stops naming files after ten', () => {
    const reporter = startTextReporter({ store, stream, look, now });
    const skips = Array.from({ length: 12 }, (_, index): TransferEvent => ({
      type: 'skip',
      path: `a\u001b${index}`,
      reason: 'EACCES',
    }));

    feed(start, { type: 'note', text: 'owners are not kept' }, ...skips);
    feed({ type: 'skip', path: 'z', reason: 'EACCES' });

    const lines = stream.lines().map((line) => line.slice('2025-11-14 12:04:21+00:00 upload '.length));
    expect(lines[1]).toBe('note: owners are not kept');
    expect(lines[2]).toBe('skipped a\\x1b0: EACCES');
    expect(lines.slice(12)).toEqual(['skipped more than 10 paths; the result names them all']);
    void stop(reporter, { status: 'done' });
  });

  it('ends with one line that tells how it went, and leaves no timer', async () => {
    const reporter = startTextReporter({ store, stream, look, now });
    feed(start, plan, { type: 'sent', items: 13_290, bytes: 116 * GIB, storedBytes: 1 });
    vi.advanceTimersByTime(3000);
    await stop(reporter, { status: 'done' });
    vi.advanceTimersByTime(60_000);

    expect(stream.lines().at(-1)).toBe(
      '2025-11-14 12:04:24+00:00 upload done after 3s: 13290/13290 files, 116GiB, 0B stored',
    );
    expect(vi.getTimerCount()).toBe(0);
    expect(stream.text).not.toContain('\u001b');
  });

  it('says what is kept when it was interrupted', async () => {
    const reporter = startTextReporter({ store, stream, look, now });
    feed(start, plan);
    store.getState().requestStop();

    await stop(reporter, { status: 'interrupted' });

    expect(stream.lines().at(-4)).toMatch(/ stopping$| starting$/);
    expect(stream.lines().slice(-2)).toEqual([
      '▲ Upload stopped after 0.1s: 0 of 594 chunks sent',
      '  kept  committed uploads are untouched; this one was not committed',
    ]);
    expect(stream.text).not.toContain('\u001b');
  });

  it('writes nothing when the operation never began', async () => {
    const reporter = startTextReporter({ store, stream, look, now });

    await stop(reporter, { status: 'failed', code: 'io', message: 'm', hint: undefined });

    expect(stream.text).toBe('');
  });
});

describe('the JSON reporter', () => {
  const objects = (): Record<string, unknown>[] => stream.lines().map((line) => JSON.parse(line));

  it('writes a status when a phase begins and every second', () => {
    const reporter = startJsonReporter({ store, stream, now });
    feed(start, plan, { type: 'phase', phase: 'transferring' });
    transferTenSeconds();

    const all = objects();
    expect(all[0]).toMatchObject({
      type: 'status',
      operation: 'upload',
      phase: 'transferring',
      filesTotal: 13_290,
      chunksTotal: 594,
    });
    expect(all).toHaveLength(11);
    expect(all.at(-1)).toMatchObject({
      percent: 61,
      files: 8112,
      bytesTotal: 116 * GIB,
      time: '2025-11-14T12:04:31.000Z',
    });
    expect(all.every(({ type }) => type === 'status')).toBe(true);
    void stop(reporter, { status: 'done' });
  });

  it('carries notes on a status and skipped files as errors', () => {
    const reporter = startJsonReporter({ store, stream, now });

    feed(start, { type: 'note', text: 'n' }, { type: 'skip', path: 'a\u001b', reason: 'EACCES' });

    expect(objects().map(({ type, note, path, message }) => ({ type, note, path, message }))).toEqual([
      { type: 'status', note: undefined, path: undefined, message: undefined },
      { type: 'status', note: 'n', path: undefined, message: undefined },
      { type: 'error', note: undefined, path: 'a\u001b', message: 'EACCES' },
    ]);
    expect(stream.text).not.toContain('\u001b');
    void stop(reporter, { status: 'done' });
  });

  it('ends with a summary, after the error if it failed', async () => {
    const reporter = startJsonReporter({ store, stream, now });
    feed(start, plan);

    await stop(reporter, { status: 'failed', code: 'access-denied', message: 'no', hint: 'archiver doctor' });

    expect(objects().slice(-2)).toMatchObject([
      { type: 'error', code: 'access-denied', message: 'no', hint: 'archiver doctor' },
      { type: 'summary', outcome: 'failed', files: 0, durationMs: 100 },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('the JSON reporter tells each look at cold chunks, and nothing in between', () => {
  const reporter = startJsonReporter({ store, stream, now });

  feed({ ...start, operation: 'restore' }, thaw(1, Date.UTC(2025, 10, 14, 12, 9)));
  vi.advanceTimersByTime(300_000);
  feed(thaw(3, Date.UTC(2025, 10, 14, 12, 24)));

  const looks = stream.lines().map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(looks).toMatchObject([
    {
      type: 'status',
      phase: 'thawing',
      thaw: {
        chunksByState: { readable: 1, thawing: 2 },
        chunkStates: ['readable', 'thawing', 'thawing'],
        costUsd: null,
        jobId: 'rj-7f3a1b2c',
        nextLookAt: '2025-11-14T12:09:00.000Z',
      },
    },
    { thaw: { chunksByState: { readable: 3 }, chunkStates: ['readable', 'readable', 'readable'] } },
  ]);
  void stop(reporter, { status: 'done' });
});

it('counts one of a thing as one', () => {
  const one = sampleSnapshot({
    itemsTotal: 1,
    itemsDone: 1,
    itemsFound: 1,
    chunksTotal: 1,
    shards: sampleSnapshot().shards.slice(0, 1),
  });
  const text = [planLine(one, now()), statusLine(one, now()), endLine(one, now(), { status: 'done' })].join('\n');

  expect(text).toMatch(/plan: 1 file, [^,]*, 1 chunk, 1 shard,/);
  expect(text.match(/1\/1 file\b/g)).toHaveLength(2);
  expect(text).not.toMatch(/\b1 \w+s\b/);
});
