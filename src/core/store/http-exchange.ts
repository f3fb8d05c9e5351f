// Leads what the transport knows of an exchange (method, server, status) to whoever observes the request that it was made for, past the SDK
// between them. Costs nothing where nobody observes.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { HttpExchange } from '../events/observer.js';

/** Returns ms since 1970, by a clock that never goes back. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

interface Kept {
  last?: HttpExchange;
}

const observed = new AsyncLocalStorage<Kept>();

/** Runs `work`, and returns what it returns. The exchanges within it are kept in `kept`, the last one alone. */
export const keepExchange = <T>(kept: Kept, work: () => T): T => observed.run(kept, work);

/** Notes an exchange that begins; returns a function that notes the status of its answer. */
export function noteExchange(begun: HttpExchange): (status: number) => void {
  const kept = observed.getStore();
  if (kept === undefined) return () => undefined;
  kept.last = begun;
  return (status) => void (kept.last = { ...begun, status });
}
