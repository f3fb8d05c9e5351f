// The common part of the commands that watch a fleet.
import { arg } from '../../cli/arg.js';
import type { Clock, Places } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { EventSink } from '../../core/events/events.js';
import type { FleetStatus } from '../../core/fleet/watch/watch-fleet.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import { detectedStoreFlags, DEFAULT_REGION } from '../kit/flags.js';
import { refuseMissingFolder, type StoreContext, type StoreValues, withStore } from '../kit/store.js';

/** The base of a fleet. */
export const fleetArg = arg.url('S3_URL', {
  describe: 'base of the fleet, which has writers/ and fleet/ right below it',
});

export const watchFlags = {
  threshold: flag.duration({
    default: '2h',
    describe:
      'a writer is stale when it checked in longer ago; its cadence and a quarter of it, six hours at most, are allowed where that is longer',
  }),
  textfile: flag.file({
    describe: 'also write metrics for the textfile collector of node_exporter, which reads files that end in .prom',
  }),
  ...detectedStoreFlags,
};

export type WatchContext = StoreContext & Clock & Pick<Places, 'home' | 'cwd'>;

export interface WatchValues extends Omit<StoreValues, 'region'> {
  readonly region: string | undefined;
  readonly threshold: number;
}

/** Reads the state of the fleet at a base once. @throws not-found where there is none; access-denied, store */
export async function readFleetAt(
  baseUrl: string,
  values: WatchValues,
  context: WatchContext,
  emit?: EventSink,
): Promise<FleetStatus & { readonly requests: RequestCounts }> {
  const { REQUESTS_AT_ONCE } = await import('../../core/fleet/watch/read-fleet.js');
  const { watchFleet } = await import('../../core/fleet/watch/watch-fleet.js');
  await refuseMissingFolder(baseUrl);
  const access = { ...values, region: values.region ?? DEFAULT_REGION };
  const call = { baseUrl, values: access, context, requestsAtOnce: REQUESTS_AT_ONCE };
  return await withStore({ ...call, ...(emit === undefined ? {} : { onEvent: emit }) }, async ({ store, requests }) => {
    const { now, home, signal } = context;
    const options = { now, home, signal, thresholdMs: values.threshold };
    return { ...(await watchFleet(store, { ...options, ...(emit === undefined ? {} : { emit }) })), requests };
  });
}
