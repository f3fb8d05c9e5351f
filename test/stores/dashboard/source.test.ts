import { expect, test, vi } from 'vitest';
import type { EventSink } from '../../../src/core/events/events.js';
import { createSource } from '../../../src/stores/dashboard/source.js';

const now = (): Date => new Date('2025-11-14T12:00:00Z');

/** A source whose reads end when the test says so. */
function slowSource() {
  const reads: {
    readonly signal: AbortSignal;
    readonly before: string | undefined;
    readonly end: (value: string) => void;
    readonly fail: (text: string) => void;
  }[] = [];
  const source = createSource<string>({
    now,
    read: (signal, before) =>
      new Promise(
        (resolve, reject) => void reads.push({ signal, before, end: resolve, fail: (text) => reject(new Error(text)) }),
      ),
  });
  return { source, reads };
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('a read gives its value and time, and the next one is told what was read before', async () => {
  const { source, reads } = slowSource();

  const done = source.getState().refresh();
  await turn();
  expect(source.getState()).toMatchObject({ value: undefined, isReading: true });
  reads[0]?.end('one');
  await done;
  expect(source.getState()).toMatchObject({ value: 'one', readAt: now(), problem: undefined, isReading: false });
  void source.getState().refresh();
  await turn();

  expect(reads[1]?.before).toBe('one');
});

test('a read that fails keeps what was read before and says why, without control characters; one that succeeds forgets that', async () => {
  const { source, reads } = slowSource();
  for (const [at, end] of [() => reads[0]?.end('one'), () => reads[1]?.fail('denied\u001b[2J')].entries()) {
    const done = source.getState().refresh();
    await turn();
    end();
    await done;
    expect(reads).toHaveLength(at + 1);
  }

  expect(source.getState()).toMatchObject({ value: 'one', problem: 'denied\\x1b[2J', isReading: false });
  const done = source.getState().refresh();
  await turn();
  reads[2]?.end('two');
  await done;
  expect(source.getState()).toMatchObject({ value: 'two', problem: undefined });
});

test('what is tried again, and what is not answered, is said with the time since when, until a read succeeds', async () => {
  let ms = Date.parse('2025-11-14T11:33:00Z');
  let end: (value: string | Error) => void = () => undefined;
  let hear: EventSink = () => undefined;
  const source = createSource<string>({
    now: () => new Date(ms),
    read: (_signal, _before, _show, onEvent) => {
      hear = onEvent;
      return new Promise((resolve, reject) => {
        end = (value) => (value instanceof Error ? reject(value) : resolve(value));
      });
    },
    restMs: () => 60_000,
  });
  const { refresh } = source.getState();
  const first = refresh();
  await turn();
  end('one');
  await first;
  expect(source.getState().restMs()).toBe(60_000);

  ms += 60_000;
  const since = new Date(ms);
  const second = refresh();
  await turn();
  void refresh();
  expect(source.getState()).toMatchObject({ outage: undefined });
  ms += 5000;
  void refresh();
  expect(source.getState()).toMatchObject({ outage: { since, kind: 'unanswered' }, problem: undefined });
  hear({
    type: 'retry',
    request: 'list',
    service: 'store',
    attempt: 2,
    maxAttempts: 10,
    waitMs: 1,
    trouble: 'unreachable',
    reason: 'the connection was refused',
  });
  expect(source.getState()).toMatchObject({
    value: 'one',
    problem: 'the connection was refused',
    outage: { since, kind: 'unreachable', attempt: { next: 3, most: 10 } },
  });
  end(new Error('the connection was refused (tried 10 times)'));
  await second;
  expect(source.getState()).toMatchObject({ outage: { since, kind: 'unreachable', attempt: undefined } });
  expect(source.getState().restMs()).toBe(0);

  const third = refresh();
  await turn();
  end('two');
  await third;
  expect(source.getState()).toMatchObject({ value: 'two', problem: undefined, outage: undefined });
});

test('reads never overlap: a second call waits for the first read', async () => {
  const { source, reads } = slowSource();
  const first = source.getState().refresh();
  const second = source.getState().refresh();
  await turn();

  expect(reads).toHaveLength(1);
  reads[0]?.end('one');
  await Promise.all([first, second]);
  expect(reads).toHaveLength(1);
});

test('what is stopped is told to end, and neither its value nor its failure counts any more', async () => {
  const { source, reads } = slowSource();
  for (const late of [() => reads[0]?.end('late'), () => reads[1]?.fail('late')]) {
    const done = source.getState().refresh();
    await turn();
    source.getState().stop();
    expect(source.getState().isReading).toBe(false);
    late();
    await done;
  }

  expect(reads.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect(source.getState()).toMatchObject({ value: undefined, problem: undefined, isReading: false });
});

test('what is read anew after a stop is not disturbed by the read before', async () => {
  const { source, reads } = slowSource();
  const first = source.getState().refresh();
  await turn();
  source.getState().stop();
  const second = source.getState().refresh();
  await turn();
  reads[0]?.end('late');
  await first;
  expect(source.getState()).toMatchObject({ value: undefined, isReading: true });
  reads[1]?.end('two');
  await second;

  expect(source.getState()).toMatchObject({ value: 'two', isReading: false });
});

test('what has come so far is shown, until the read is stopped', async () => {
  const source = createSource<number>({
    now,
    async read(signal, _, show) {
      show(1);
      await vi.waitUntil(() => signal.aborted);
      show(2);
      return 3;
    },
  });
  const done = source.getState().refresh();
  await turn();
  expect(source.getState()).toMatchObject({ value: 1, readAt: undefined, isReading: true });
  source.getState().stop();
  await done;

  expect(source.getState().value).toBe(1);
});

test('a probe says that a source is gone, with the figures and the time of the last read, and a read says that it is back', async () => {
  let ms = Date.parse('2025-11-14T11:33:00Z');
  let answer: Error | undefined;
  let reads = 0;
  const source = createSource<number>({
    now: () => new Date(ms),
    read: () => Promise.resolve(++reads),
    probe: () => (answer === undefined ? Promise.resolve() : Promise.reject(answer)),
    restMs: () => 60_000,
  });
  await source.getState().probe();
  expect(source.getState().readAt).toBeUndefined(); // nothing was read yet that could be good
  await source.getState().refresh();
  const readAt = new Date(ms);
  ms += 5000;
  await source.getState().probe();
  expect(source.getState()).toMatchObject({ value: 1, readAt, outage: undefined, isReading: false });
  expect(source.getState().restMs()).toBe(60_000);

  answer = new Error('connection refused');
  ms += 5000;
  await source.getState().probe();

  const outage = { kind: 'failed', since: new Date(ms), seenAt: new Date(ms) };
  expect(source.getState()).toMatchObject({ value: 1, readAt, problem: 'connection refused', outage });
  expect(source.getState().restMs()).toBe(0);
  await source.getState().refresh();
  expect(source.getState()).toMatchObject({ value: 2, readAt: new Date(ms), problem: undefined, outage: undefined });
});

test('who asks for a read during a probe gets one; a silent probe is said', async () => {
  let ms = 0;
  let reads = 0;
  let endProbe: () => void = () => undefined;
  const source = createSource<number>({
    now: () => new Date(ms),
    read: () => Promise.resolve(++reads),
    probe: () => new Promise((resolve) => (endProbe = resolve)),
  });
  await source.getState().refresh();
  const probed = source.getState().probe();
  await turn();
  ms += 5000;
  void source.getState().probe();
  expect(source.getState().outage).toMatchObject({ kind: 'unanswered', since: new Date(0) });
  const read = source.getState().refresh();
  endProbe();
  await Promise.all([probed, read]);

  expect(source.getState()).toMatchObject({ value: 2, readAt: new Date(ms), outage: undefined });
});
