// The base of a fleet, opened for its config and heartbeats. That is not a run of its own: the ledger has those of the sources.
import type { Context } from '../../../cli/context.js';
import type { StoreRefusals } from '../../../core/store/abilities.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { openForWriting, type StoreValues } from '../../kit/store.js';

interface Opening {
  /** Instead of that of the call, which is aborted when the last heartbeat is put. */
  readonly signal?: AbortSignal;
  readonly refusals?: StoreRefusals;
}

/** The caller closes it. */
export async function openFleet(
  baseUrl: string,
  values: StoreValues,
  context: Context,
  { signal = context.signal, refusals }: Opening = {},
): Promise<OpenedStore> {
  const own = { ...context, signal, account: { ...context.account, isRecorded: false } };
  // Why something is sent again is no news of a cycle.
  return await openForWriting(baseUrl, values, own, { refusals })(() => undefined);
}
