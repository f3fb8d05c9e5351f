// Sends alerts to channels side by side. Each has its time, and one that is slow or broken keeps no other waiting; what
// became of each is told, without secrets.
import { setMaxListeners } from 'node:events';
import { isArchiverError, errorText } from '../../platform/failures/errors.js';
import { HIDDEN, withoutSecrets } from '../../platform/failures/hide-secrets.js';
import { untilCancelled } from '../../store/until-cancelled.js';
import type { Alert } from './alert.js';
import type { Channel, ChannelName } from './channel.js';

/** For one channel, its repeated requests included. */
const CHANNEL_MS = 30_000;
/** Shorter texts are not hidden where they stand in others: every other word would be. */
const SHORTEST_SECRET = 4;

export interface Outcome {
  readonly channel: ChannelName;
  /** `partial`: some recipients did not get it. */
  readonly delivery: 'sent' | 'partial' | 'failed';
  /** Why not, or not quite. */
  readonly reason: string | null;
  readonly hint: string | null;
}

export interface DeliverOptions {
  readonly signal: AbortSignal;
  /** Fires when a channel has had its time. */
  readonly deadline?: () => AbortSignal;
}

/** What became of the alerts on each channel, in the order of the channels. Never throws. */
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

/** The text without these values, which a server may repeat, and without anything that looks like a secret. */
export function withoutValues(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .toSorted((a, b) => b.length - a.length);
  return withoutSecrets(longestFirst.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text));
}
