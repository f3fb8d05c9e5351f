// Compares the store's clock with this computer's. A store gives its time in whole seconds, at some moment during a request.
import { type Answer, answerOf, isAnswered } from '../answer.js';
import type { ObjectStore } from '../../store/object-store.js';
import { no, notAnswered, type Seen, yes } from './capability.js';

/** How far the store's clock is ahead of this one, in ms, as lower and upper bound. */
export interface ClockOffset {
  readonly leastMs: number;
  readonly mostMs: number;
}

const FAR_MS = 60_000;
const RESOLUTION_MS = 1000;
const MINUTE_MS = 60_000;

/** Measures the offset with one request. @throws what `answerOf` throws */
export async function clockOffset(
  store: Pick<ObjectStore, 'time'>,
  now: () => Date,
  signal: AbortSignal,
): Promise<Answer<ClockOffset>> {
  return await answerOf('s3:ListBucket', async () => {
    const before = now().getTime();
    const storeTime = (await store.time(signal)).getTime();
    const after = now().getTime();
    return { leastMs: storeTime - after, mostMs: storeTime + RESOLUTION_MS - before };
  });
}

/** Judges the offset. Pure. */
export function clockSeen(answer: Answer<ClockOffset>): Seen {
  if (!isAnswered(answer)) return notAnswered(answer.unanswered);
  const { leastMs, mostMs } = answer.value;
  if (leastMs <= FAR_MS && mostMs >= -FAR_MS) return yes('within a minute of that of this computer');
  const offMs = leastMs > FAR_MS ? leastMs : -mostMs;
  const minutes = Math.round(offMs / MINUTE_MS);
  const off = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  return no(`that of the store is ${off} ${leastMs > FAR_MS ? 'ahead of' : 'behind'} this computer's`);
}
