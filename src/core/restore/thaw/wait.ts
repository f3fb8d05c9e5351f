// Waits until requested chunks are readable. It checks chunks that are not readable yet, sleeps, and checks again; it never requests
// anything. A store that cannot be reached for a while is no reason to stop a wait of hours.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorText } from '../../platform/failures/errors.js';
import type { ObjectReader } from '../../store/object-store.js';
import { isRetriable, throwIfCancelled } from '../../store/store-error.js';
import type { ThawTier } from '../../store/object-store.js';
import { chunkStates, type ChunkState } from './chunk-states.js';

const MINUTE_MS = 60_000;

/** Returns how often to check, by tier, in ms. */
export const defaultPollMs = (tier: ThawTier): number => (tier === 'expedited' ? MINUTE_MS : 15 * MINUTE_MS);

export interface WaitOptions {
  readonly pollMs: number;
  readonly now: () => Date;
  /** Called before each sleep with what is known and the time of the next check. */
  readonly onLook: (states: readonly ChunkState[], nextLookAt: Date) => void;
  readonly onTrouble: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Resolves to the states when none is `thawing` any more. @throws cancelled, and errors of the store that will not pass */
export async function waitForChunks(
  reader: ObjectReader,
  known: readonly ChunkState[],
  options: WaitOptions,
): Promise<readonly ChunkState[]> {
  const { pollMs, now, onLook, onTrouble, signal } = options;
  let states = known;
  while (states.some(({ state }) => state === 'thawing')) {
    onLook(states, new Date(now().getTime() + pollMs));
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    throwIfCancelled(signal);
    try {
      states = await checkThawing(reader, states, { now: now(), signal });
    } catch (error) {
      if (!isRetriable(error)) throw error;
      onTrouble(`the chunks could not be looked at, the next look may tell: ${errorText(error)}`);
    }
  }
  return states;
}

async function checkThawing(
  reader: ObjectReader,
  states: readonly ChunkState[],
  options: { readonly now: Date; readonly signal: AbortSignal },
): Promise<readonly ChunkState[]> {
  const thawing = states.filter(({ state }) => state === 'thawing').map(({ key }) => key);
  const seen = new Map((await chunkStates(reader, thawing, options)).map((state) => [state.key, state]));
  return states.map((state) => seen.get(state.key) ?? state);
}
