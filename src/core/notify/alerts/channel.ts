// A channel delivers alerts. It gets all alerts of one occasion at once, so that many of them become one message.
import type { Network } from '../../store/s3/s3-network.js';
import type { RetryOptions } from '../../store/retry/retrier.js';
import type { Alert } from './alert.js';

export const CHANNEL_NAMES = ['email', 'slack', 'webhook', 'cloudwatch'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

export interface Channel {
  readonly name: ChannelName;
  /** Values that are never shown, even when a server repeats them. */
  readonly secrets: readonly string[];
  /**
   * Delivers the alerts, in full or not at all. Gives up when the signal fires.
   * @returns a problem that did not prevent delivery: some recipients were refused
   * @throws why nothing was delivered
   */
  send(alerts: readonly Alert[], signal: AbortSignal): Promise<string | undefined>;
}

/** The environment of channels. */
export interface ChannelWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly network: Network;
  readonly now: () => Date;
  /** Options for repeating failed requests. */
  readonly retry?: Partial<RetryOptions> | undefined;
}
