// Opens the base of a fleet for its config and heartbeats. This is not a run of its own: the ledger records those of the sources.
import type { Context } from '../../../cli/context.js';
import type { StoreRefusals } from '../../../core/store/abilities.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { openForWriting, type StoreValues } from '../../kit/store.js';

interface Opening {
  /** Replaces the signal of the call, which is already aborted when the last heartbeat is put. */
  readonly signal?: AbortSignal;
  readonly refusals?: StoreRefusals;
}

/** Opens the base; the caller closes it. */
export async function openFleet(
  baseUrl: string,
  values: StoreValues,
  context: Context,
  { signal = context.signal, refusals }: Opening = {},
): Promise<OpenedStore> {
  const own = { ...context, signal, account: { ...context.account, isRecorded: false } };
  // Retries are not worth a report of the cycle.
  return await openForWriting(baseUrl, values, own, { refusals })(() => undefined);
}
