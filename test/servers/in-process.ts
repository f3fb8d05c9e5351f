// Servers in this process that deal with conditions in ways of their own: a proxy in front of the S3 server of the test tree. It checks no
// signatures, so headers may be left out on the way to it.
import type { IncomingMessage } from 'node:http';
import type { Fault } from '../faults/fault.js';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { Rng } from '../soak/prng.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { TEST_KEYS, TEST_REGION, type S3Server } from './s3-server.js';

const CONDITIONS = ['if-none-match', 'if-match'] as const;
const WRITES = new Set(['PutObject', 'CopyObject', 'CompleteMultipartUpload']);
/** Of those who ask for a condition, so many are told that another request is under way. */
const BUSY = 0.15;

type Headers = Pick<IncomingMessage, 'headers'>;
const isConditional = ({ headers }: Headers): boolean => CONDITIONS.some((name) => headers[name] !== undefined);

async function start(fault: Fault, when: (operation: string, request: Headers) => boolean): Promise<S3Server> {
  const server = await startMemoryS3();
  const proxy = await startFaultProxy(server.endpoint);
  proxy.inject({ fault, when });
  const stop = async (): Promise<void> => {
    await proxy.close();
    await server.close();
  };
  return { endpoint: proxy.endpoint, region: TEST_REGION, ...TEST_KEYS, env: {}, stop };
}

/** Says 501 to whoever asks for a condition, as Backblaze B2 does. */
export const startNotImplemented = (): Promise<S3Server> =>
  start(
    {
      kind: 'status',
      status: 501,
      code: 'NotImplemented',
      message: 'A header you provided implies functionality that is not implemented',
    },
    (operation, request) => WRITES.has(operation) && isConditional(request),
  );

/** Never hears of conditions, as behind a proxy that drops headers which it does not know. */
export const startDropping = (): Promise<S3Server> =>
  start({ kind: 'without-headers', names: CONDITIONS }, (_operation, request) => isConditional(request));

/** Keeps conditions, and now and then says 409 to them, as AWS does while another request for the key is under way. */
export function startConflicting(): Promise<S3Server> {
  const rng = new Rng('conflicts');
  return start(
    { kind: 'status', status: 409, code: 'ConditionalRequestConflict', message: 'A conflicting operation occurred' },
    (operation, request) => WRITES.has(operation) && isConditional(request) && rng.chance(BUSY),
  );
}
