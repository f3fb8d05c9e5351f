// Sends one request over HTTP/2, with the same time limits as over HTTP/1.1.
import type http2 from 'node:http2';
import { type Http2Connection, http2Error, http2Headers } from './s3-http2.js';
import {
  abortedError,
  type AbortLike,
  bodyBytes,
  type HandlerRequest,
  type HandlerResponse,
  isStreamed,
  noAnswer,
  queryString,
  sendBody,
  type SendHooks,
  timeoutError,
} from './s3-http-message.js';

export interface SendOptions extends SendHooks {
  readonly timeouts: { readonly idleMs: number; readonly answerMs: number };
  readonly abortSignal?: AbortLike | undefined;
}

/** Sends a request; resolves at the answer's header. @throws ETIMEDOUT, ECONNRESET, AbortError */
export async function sendOverHttp2(
  connection: Http2Connection,
  request: HandlerRequest,
  { timeouts, abortSignal, ...hooks }: SendOptions,
): Promise<HandlerResponse> {
  const aborted = abortedError();
  if (abortSignal?.aborted === true) throw aborted;
  const bytes = bodyBytes(request.body);
  const hasBody = bytes !== undefined && bytes.byteLength > 0;
  const path = request.path + queryString(request.query);
  const stream = await connection.open(http2Headers(request.method, path, request.headers), hasBody);
  const onAbort = (): void => void stream.destroy(aborted);
  abortSignal?.addEventListener?.('abort', onAbort, { once: true });
  stream.once('close', () => abortSignal?.removeEventListener?.('abort', onAbort));
  const { hostname } = request;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const within = (ms: number, message: string): void => {
    clearTimeout(timer);
    if (!isOver) timer = setTimeout(() => stream.destroy(timeoutError(message)), ms);
  };
  const answer = headersOf(stream);
  try {
    if (hasBody) {
      within(timeouts.idleMs, `${hostname} took no more data for ${timeouts.idleMs / 1000} s`);
      const alive = (): void => void timer?.refresh();
      sendBody(stream, bytes, alive, hooks).catch((error: unknown) => stream.destroy(error as Error));
      stream.once('finish', () => within(timeouts.answerMs, noAnswer(hostname, timeouts.answerMs)));
    } else within(timeouts.answerMs, noAnswer(hostname, timeouts.answerMs));
    const headers = await answer;
    const statusCode = headers[':status'] ?? 0;
    if (!isStreamed(request, statusCode)) {
      const silence = timeoutError(`the answer stood still for ${timeouts.idleMs / 1000} s`);
      stream.setTimeout(timeouts.idleMs, () => void stream.destroy(silence));
    }
    return { statusCode, reason: undefined, headers: plainHeaders(headers), body: stream };
  } catch (error) {
    throw http2Error(error);
  } finally {
    isOver = true; // the answer may come before the last of the body was sent
    clearTimeout(timer);
  }
}

function headersOf(
  stream: http2.ClientHttp2Stream,
): Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader> {
  return new Promise((resolve, reject) => {
    stream.once('response', resolve);
    stream.on('error', reject);
    stream.once('close', () =>
      reject(Object.assign(new Error('the request was closed before the answer'), { code: 'ECONNRESET' })),
    );
  });
}

function plainHeaders(headers: http2.IncomingHttpHeaders): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (!name.startsWith(':') && value !== undefined) found[name] = Array.isArray(value) ? value.join(',') : value;
  return found;
}
