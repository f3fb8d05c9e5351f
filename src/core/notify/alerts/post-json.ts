// Sends one POST of a JSON text, repeated where that may help: after 5xx, 429 (not before Retry-After) and network failures. The address
// may be a secret: messages name only the server.
import { unescape } from 'node:querystring';
import { finished } from 'node:stream/promises';
import { errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { DEFAULT_RETRY, Retrier } from '../../store/retry/retrier.js';
import { S3HttpHandler } from '../../store/s3/s3-http-handler.js';
import { StoreError } from '../../store/store-error.js';
import { tlsTrouble } from '../../store/tls-trouble.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { ChannelWorld } from './channel.js';

export interface Post {
  readonly url: URL;
  readonly body: string;
  /** Called for each attempt. */
  readonly headers?: () => Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const TIMEOUTS = { connectMs: 5_000, idleMs: 10_000, answerMs: 10_000 };
const RETRY = { ...DEFAULT_RETRY, maxAttempts: 4, maxTotalMs: 25_000, baseDelayMs: 500, service: 'webhook' };
/** Limit of bytes read from an answer, enough to explain a failure. */
const READ_BYTES = 4096;
const SHOWN = 200;

/** Returns the beginning of the text of a 2xx answer. @throws store, stalled for any other outcome */
export async function postJson(
  { url, body, headers = () => ({}), signal }: Post,
  { network, retry }: ChannelWorld,
): Promise<string> {
  const handler = new S3HttpHandler({ maxSockets: 1, timeouts: TIMEOUTS, network, idle: { sockets: 0, ms: 1 } });
  const { protocol, hostname, port, pathname, search, username, password } = url;
  const login = username === '' && password === '' ? {} : { authorization: `Basic ${loginIn(url)}` };
  try {
    return await new Retrier({ ...RETRY, ...retry }).run({ request: `post ${url.host}`, signal }, async () => {
      const request = {
        protocol,
        hostname,
        ...(port === '' ? {} : { port: Number(port) }),
        method: 'POST',
        path: `${pathname}${search}`,
        headers: {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'archiver',
          host: url.host,
          ...login,
          ...headers(),
        },
        body,
      };
      const { response } = await handler.handle(request, { abortSignal: signal }).catch((error: unknown) => {
        throw noAnswer(error, url.host);
      });
      const text = await beginningOf(response.body);
      if (response.statusCode >= 200 && response.statusCode < 300) return text;
      throw refused(response.statusCode, { text, host: url.host, retryAfter: response.headers['retry-after'] });
    });
  } finally {
    handler.destroy();
  }
}

/** Returns user and password of an address as Basic credentials. */
export const loginIn = ({ username, password }: URL): string =>
  Buffer.from(`${unescape(username)}:${unescape(password)}`).toString('base64');

async function beginningOf(body: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  body.on('data', (part: Buffer) => {
    if (bytes < READ_BYTES) parts.push(part);
    bytes += part.byteLength;
    if (bytes >= READ_BYTES && 'destroy' in body && typeof body.destroy === 'function') body.destroy();
  });
  await finished(body).catch(() => undefined); // the status is known, and this is only its explanation
  return Buffer.concat(parts).toString().slice(0, READ_BYTES);
}

interface Refusal {
  readonly text: string;
  readonly host: string;
  readonly retryAfter: string | undefined;
}

function refused(status: number, { text, host, retryAfter }: Refusal): StoreError {
  const said = printable(text.trim().slice(0, SHOWN));
  const seconds = Number(retryAfter);
  return new StoreError('store', `${host} answered ${status}${said === '' ? '' : `: ${said}`}`, {
    retriable: status >= 500 || status === 429,
    ...(Number.isFinite(seconds) && seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
    ...(status >= 300 && status < 400 ? { hint: 'give the address that it leads to: redirects are not followed' } : {}),
  });
}

function noAnswer(error: unknown, host: string): Error {
  if (isArchiverError(error)) return error;
  const code = systemCode(error) ?? '';
  const trouble = tlsTrouble(code, host, errorText(error));
  if (trouble !== undefined) return new StoreError('store', trouble.text, { hint: trouble.hint, cause: error });
  return new StoreError('store', `${host} could not be reached: ${errorText(error)}`, {
    retriable: code !== '',
    cause: error,
  });
}
