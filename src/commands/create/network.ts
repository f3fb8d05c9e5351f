// Converts the network flags of `create upload` to settings of connections and requests.
import type { OpenStoreOptions } from '../../core/store/open-store.js';

export interface NetworkValues {
  readonly networkProfile: 'default' | 'aggressive' | 'conservative';
  readonly workers: number;
  readonly maxIdleConns: number;
  readonly idleConnTimeout: number;
  readonly http2: boolean;
  readonly http2MaxStreams: number;
}

export interface NetworkSettings extends Pick<OpenStoreOptions, 'maxSockets' | 'idle' | 'http2' | 'timeouts'> {
  /** Number of chunks that are sent at once. */
  readonly requests: number;
}

/** Sockets for listings and the like, in addition to the chunks. */
const OTHER_SOCKETS = 4;

const PROFILES = {
  default: { share: 1, timeouts: {} },
  aggressive: { share: 2, timeouts: { connectMs: 3000, idleMs: 20_000, answerMs: 60_000 } },
  conservative: { share: 0.5, timeouts: { connectMs: 30_000, idleMs: 180_000, answerMs: 300_000 } },
} as const;

/** Returns the settings for these flags. */
export function networkSettings(values: NetworkValues): NetworkSettings {
  const { share, timeouts } = PROFILES[values.networkProfile];
  const requests = Math.max(1, Math.ceil(values.workers * share));
  return {
    requests,
    maxSockets: requests + OTHER_SOCKETS,
    idle: { sockets: values.maxIdleConns, ms: values.idleConnTimeout },
    ...(values.http2 ? { http2: { maxStreams: values.http2MaxStreams } } : {}),
    timeouts,
  };
}
