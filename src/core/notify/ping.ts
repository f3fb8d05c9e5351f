// Pings a job monitor (healthchecks.io and compatible ones): `URL/start` when a run begins, `URL` when it succeeded, `URL/<exit status>`
// when it did not. The address is a secret: messages name only its server. A ping never fails a run, and has a time limit.
import { postJson } from './alerts/post-json.js';
import { secretParts } from './alerts/channels/webhook.js';
import { withoutValues } from './alerts/deliver.js';
import { errorText } from '../platform/failures/errors.js';
import type { RetryOptions } from '../store/retry/retrier.js';
import type { Network } from '../store/s3/s3-network.js';
import { untilCancelled } from '../store/until-cancelled.js';
import type { EndedRun, NotedRun } from '../events/run-facts.js';

/** Time limit of one ping in ms, including repeated requests. */
const PING_MS = 10_000;
const RETRY = { maxAttempts: 3, maxTotalMs: PING_MS, firstContactMs: PING_MS };

export interface PingWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly network: Network;
  readonly now: () => Date;
  readonly retry?: Partial<RetryOptions> | undefined;
  /** Returns a signal that fires at a ping's time limit. */
  readonly deadline?: (() => AbortSignal) | undefined;
}

function below(url: URL, part: string): URL {
  const at = new URL(url);
  if (part !== '') at.pathname = `${at.pathname.replace(/\/$/, '')}/${part}`;
  return at;
}

/** Sends a ping; returns undefined when it arrived, otherwise why not. Never throws. */
async function ping(url: URL, body: object, world: PingWorld): Promise<string | undefined> {
  const signal = world.deadline?.() ?? AbortSignal.timeout(PING_MS);
  try {
    const post = { url, body: JSON.stringify(body), signal };
    await untilCancelled(postJson(post, { ...world, retry: { ...RETRY, ...world.retry } }), signal);
    return undefined;
  } catch (error) {
    const why = signal.aborted
      ? 'it took too long and was given up'
      : withoutValues(errorText(error), [...secretParts(url.href), ...url.pathname.split('/')]);
    return `the ping of ${url.host} did not arrive: ${why}`;
  }
}

/** Reports that the run begins; returns undefined when it arrived, otherwise why not. Never throws. */
export const pingStart = (url: URL, run: NotedRun, world: PingWorld): Promise<string | undefined> =>
  ping(below(url, 'start'), { schemaVersion: 1, ...run, status: 'started' }, world);

/** Reports how the run ended; returns undefined when it arrived, otherwise why not. Never throws. */
export const pingEnd = (url: URL, run: NotedRun, ended: EndedRun, world: PingWorld): Promise<string | undefined> =>
  ping(
    below(url, ended.exitStatus === 0 ? '' : String(ended.exitStatus)),
    { schemaVersion: 1, ...run, ...ended },
    world,
  );
