// Sends alerts to all channels concurrently. Each has a time limit, and a slow or broken one does not delay the others; each result is
// reported without secrets.
import { setMaxListeners } from 'node:events';
import { isArchiverError, errorText } from '../../platform/failures/errors.js';
import { HIDDEN, withoutSecrets } from '../../platform/failures/hide-secrets.js';
import { untilCancelled } from '../../store/until-cancelled.js';
import type { Alert } from './alert.js';
import type { Channel, ChannelName } from './channel.js';

/** Time limit for one channel, including repeated requests. */
const CHANNEL_MS = 30_000;
/** Shorter values are not hidden, because they would hide every other word. */
const SHORTEST_SECRET = 4;

export interface Outcome {
  readonly channel: ChannelName;
  /** `partial`: some recipients did not get it. */
  readonly delivery: 'sent' | 'partial' | 'failed';
  /** Why it failed, or was only partly delivered. */
  readonly reason: string | null;
  readonly hint: string | null;
}

export interface DeliverOptions {
  readonly signal: AbortSignal;
  /** Returns a signal that fires at a channel's time limit. */
  readonly deadline?: () => AbortSignal;
}

/** Returns the result for each channel, in the order of the channels. Never throws. */
export const deliver = (
  alerts: readonly Alert[],
  channels: readonly Channel[],
  { signal, deadline = () => AbortSignal.timeout(CHANNEL_MS) }: DeliverOptions,
): Promise<readonly Outcome[]> =>
  Promise.all(
    channels.map(async (channel) => {
      const until = deadline();
      const both = AbortSignal.any([signal, until]);
      setMaxListeners(0, both); // each attempt listens
      const outcome = { channel: channel.name, hint: null };
      try {
        const partly = await untilCancelled(channel.send(alerts, both), both);
        if (partly === undefined) return { ...outcome, delivery: 'sent', reason: null };
        return { ...outcome, delivery: 'partial', reason: withoutValues(partly, channel.secrets) };
      } catch (error) {
        const told = withoutValues(errorText(error), channel.secrets);
        const reason = signal.aborted ? 'interrupted' : until.aborted ? 'it took too long and was given up' : told;
        const hint = isArchiverError(error) && !both.aborted ? (error.hint ?? null) : null;
        return { ...outcome, delivery: 'failed', reason, hint };
      }
    }),
  );

/** Removes these values, which a server may repeat, and anything that looks like a secret. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  return withoutSecrets(longestFirst.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text));
}
