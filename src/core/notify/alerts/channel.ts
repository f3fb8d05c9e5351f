// Where alerts go. A channel gets all alerts of one occasion at once, so that a storm of them is one message.
import type { Network } from '../../store/s3/s3-network.js';
import type { RetryOptions } from '../../store/retry/retrier.js';
import type { Alert } from './alert.js';

export const CHANNEL_NAMES = ['email', 'slack', 'webhook', 'cloudwatch'] as const;
export type ChannelName = (typeof CHANNEL_NAMES)[number];

export interface Channel {
  readonly name: ChannelName;
  /** Never shown, whatever a server says. */
  readonly secrets: readonly string[];
  /**
   * Delivers the alerts, in full or not at all. Gives up when the signal fires.
   * @returns what did not go quite well: some recipients were refused
   * @throws why nothing was delivered
   */
  send(alerts: readonly Alert[], signal: AbortSignal): Promise<string | undefined>;
}

/** What channels use of the world. */
export interface ChannelWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly network: Network;
  readonly now: () => Date;
  /** Of requests that failed and may be repeated. */
  readonly retry?: Partial<RetryOptions> | undefined;
}
