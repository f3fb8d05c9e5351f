import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storeOutageText } from '../../src/screens/outage-words.js';
import { type Trouble, watchOutage } from '../../src/stores/outage.js';

const retry = (request: string, attempt: number) =>
  ({
    type: 'retry',
    request,
    service: 'store',
    attempt,
    maxAttempts: 10,
    waitMs: 100,
    trouble: 'unreachable',
    reason: 'ECONNREFUSED',
  }) as const;

let shown: (string | undefined)[] = [];
const textOf = (trouble: Trouble | undefined): string | undefined => trouble && storeOutageText(trouble);
const watch = () =>
  watchOutage(
    () => new Date(),
    (trouble) => void shown.push(textOf(trouble)),
  );

beforeEach(() => {
  shown = [];
  vi.useFakeTimers({ now: new Date(2025, 10, 14, 11, 34, 10) });
});
afterEach(() => void vi.useRealTimers());

test('says since when and which try, until every request that failed has its answer', () => {
  const { take } = watch();

  take(retry('get a', 1));
  vi.advanceTimersByTime(90_000);
  take(retry('get b', 2));
  take({ type: 'settled', request: 'get a' });
  take({ type: 'settled', request: 'get b' });

  expect(shown).toEqual([
    'the store: unreachable since 11:34, try 2 of 10',
    'the store: unreachable since 11:34, try 3 of 10',
    undefined,
  ]);
});

test('says of work of which nothing is heard that there is no answer, and nothing of other work', async () => {
  const { take, during } = watch();

  const working = during(() => new Promise((done) => void setTimeout(done, 7000)));
  await vi.advanceTimersByTimeAsync(4000);
  expect(shown).toEqual([]);
  await vi.advanceTimersByTimeAsync(3000);
  await working;

  expect([shown[0], shown.at(-1)]).toEqual(['the store: no answer since 11:34', undefined]);
  shown = [];
  const heard = during(() => new Promise((done) => void setTimeout(done, 9000)));
  await vi.advanceTimersByTimeAsync(4500);
  take({ type: 'progress', items: 1, bytes: 1 });
  await vi.advanceTimersByTimeAsync(4500);
  await heard;
  expect(shown).toEqual([]);
});
