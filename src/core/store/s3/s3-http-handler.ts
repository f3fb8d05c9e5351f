// Replaces the SDK's transport: its own handler waits six seconds where a server does not know `Expect: 100-continue`, has one time limit
// for "the body is still being sent" and "the server never answers", and cannot pace a body (docs/decisions/019). Guarantees: connecting,
// sending, the wait for an answer and reading a small answer are each bounded; redirects are never followed.
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pace } from '../../platform/limits/pace.js';
import { defined } from '../../platform/defined.js';
import { noteExchange } from '../http-exchange.js';
import type { GetOptions } from '../object-store.js';
import { ProxyAgents, proxyError } from './s3-proxy.js';
import { proxyFor, type Network } from './s3-network.js';
import { DirectGets } from './s3-direct-gets.js';
import type { Http2Connections } from './s3-http2.js';
import {
  abortedError,
  type AbortLike,
  bodyBytes,
  closedError,
  type HandlerRequest,
  type HandlerResponse,
  isStreamed,
  noAnswer,
  noConnection,
  queryString,
  sendBody,
  type SendHooks,
  timeoutError,
} from './s3-http-message.js';

export interface HttpTimeouts {
  /** Time to get a connection, TLS included. */
  readonly connectMs: number;
  /** How long a body that is sent, or an answer that is read, may stall. */
  readonly idleMs: number;
  /** From the last byte sent to the first byte of the answer. */
  readonly answerMs: number;
}

export interface HttpHandlerOptions {
  /** Connections at a time; those that receive into memory are counted by themselves. */
  readonly maxSockets: number;
  /** Connections kept open without a request (as many as there may be when not given), and for how many milliseconds. */
  readonly idle?: { readonly sockets: number; readonly ms: number } | undefined;
  readonly timeouts: HttpTimeouts;
  /** Use HTTP/2 with servers that offer it, with at most this many requests at a time on a connection. */
  readonly http2?: { readonly maxStreams: number } | undefined;
  readonly paceUpload?: Pace | undefined;
  /** Proxy and authorities; by default no proxy and Node's own authorities. */
  readonly network?: Network | undefined;
}

/** Options that the SDK passes on from its `send`. */
export interface RequestOptions {
  readonly abortSignal?: AbortLike;
  /** Called with the bytes of the body that were sent so far. */
  readonly onSent?: (bytes: number) => void;
  /** Used instead of `paceUpload`. */
  readonly pace?: Pace;
  /** Where a ranged GET may put its bytes. */
  readonly into?: GetOptions['into'];
}

// Smallest body that is announced first: a smaller one costs less than the round trip that asks whether it is wanted.
const EXPECT_FROM_BYTES = 2 * 1024 * 1024;
const EXPECT_WAIT_MS = 1000;

function responseHeaders(message: http.IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return headers;
}

/** True when the server wants the body (or does not say); false when it has answered already. */
async function isWelcome(request: http.ClientRequest): Promise<boolean> {
  const stop = new AbortController();
  try {
    return await Promise.race([
      new Promise<boolean>((resolve) => {
        request.once('continue', () => resolve(true));
        request.once('response', () => resolve(false));
        request.once('close', () => resolve(false));
      }),
      sleep(EXPECT_WAIT_MS, true, { signal: stop.signal }).catch(() => true),
    ]);
  } finally {
    stop.abort();
  }
}

/** Ends an answer that stalls. Socket timeouts would pile up listeners on a connection that is used again. */
function boundSilence(message: http.IncomingMessage, idleMs: number): void {
  let seen = message.socket.bytesRead;
  const timer = setInterval(() => {
    if (message.socket.bytesRead === seen)
      message.destroy(timeoutError(`the answer stood still for ${idleMs / 1000} s`));
    seen = message.socket.bytesRead;
  }, idleMs);
  message.once('close', () => clearInterval(timer));
}

/** An HTTP handler for the SDK: bounded sockets, kept alive, every wait limited. */
export class S3HttpHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #options: HttpHandlerOptions;
  readonly #http: http.Agent;
  readonly #https: https.Agent;
  #http2: Promise<Http2Connections> | undefined;
  readonly #direct: DirectGets;
  readonly #proxies: ProxyAgents;

  constructor(options: HttpHandlerOptions) {
    this.#options = options;
    const { maxSockets, idle } = options;
    const kept = idle === undefined ? {} : { maxFreeSockets: idle.sockets, timeout: idle.ms };
    // Keep-alive is off if no idle connection may be kept: the agent takes a 0 for "as many as you like".
    const agent = { keepAlive: idle?.sockets !== 0, maxSockets, scheduling: 'lifo', ...kept } as const;
    const { ca } = options.network ?? {};
    const trust = ca === undefined ? {} : { ca };
    this.#http = new http.Agent(agent);
    this.#https = new https.Agent({ ...agent, ...trust });
    this.#direct = new DirectGets(options);
    this.#proxies = new ProxyAgents({ ...agent, ...trust }, options.timeouts.connectMs);
  }

  /** Node's HTTP/2 takes longer to load than a small answer. */
  async #loadHttp2(maxStreams: number): Promise<Http2Connections> {
    const { timeouts, idle, network } = this.#options;
    const { Http2Connections: Connections } = await import('./s3-http2.js');
    const idleMs = idle?.ms ?? timeouts.idleMs;
    return new Connections({ maxStreams, connectMs: timeouts.connectMs, idleMs, ...defined({ ca: network?.ca }) });
  }

  /** Sends one request; resolves at the answer's header. */
  async handle(request: HandlerRequest, options: RequestOptions = {}): Promise<{ response: HandlerResponse }> {
    const { protocol, method } = request;
    const host = request.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = request.port ?? (protocol === 'https:' ? 443 : 80);
    const answered = noteExchange({ method, host, port });
    const response = await this.#exchange(request, host, port, options);
    answered(response.statusCode);
    return { response };
  }

  async #exchange(
    request: HandlerRequest,
    host: string,
    port: number,
    options: RequestOptions,
  ): Promise<HandlerResponse> {
    const { protocol, hostname } = request;
    const { network, http2 } = this.#options;
    const proxy = network && proxyFor({ protocol, hostname, port }, network.env);
    // Without TLS there is no ALPN, and a tunnel is made for one connection of HTTP/1.1.
    if (http2 === undefined || protocol !== 'https:' || proxy !== undefined) {
      const { into, abortSignal } = options;
      const direct =
        into && proxy === undefined ? this.#direct.ask({ request, into, abortSignal }, host, port) : undefined;
      const answer = await direct;
      if (answer !== undefined && 'statusCode' in answer) return answer;
      return await this.#overHttp1(request, options, proxy, answer);
    }
    this.#http2 ??= this.#loadHttp2(http2.maxStreams);
    const connection = await (await this.#http2).to(host, port);
    if (connection === undefined) return await this.#overHttp1(request, options);
    const { pace = this.#options.paceUpload } = options;
    const { sendOverHttp2 } = await import('./s3-http2-send.js');
    return await sendOverHttp2(connection, request, { ...this.#options, ...options, pace });
  }

  #overHttp1(
    request: HandlerRequest,
    { abortSignal, onSent, pace = this.#options.paceUpload }: RequestOptions,
    proxy?: URL,
    begun?: Duplex,
  ): Promise<HandlerResponse> {
    return new Promise((resolve, reject) => {
      const bytes = bodyBytes(request.body);
      const sent = this.#open(request, bytes, proxy, begun);
      const onAbort = (): void => void sent.destroy(abortedError());
      if (abortSignal?.aborted === true) onAbort();
      abortSignal?.addEventListener?.('abort', onAbort, { once: true });
      const watch = this.#watch(sent, request);
      sent.once('close', () => {
        abortSignal?.removeEventListener?.('abort', onAbort);
        watch.stop();
        reject(closedError());
      });
      let isConnected = false;
      sent.once('socket', () => (isConnected = true));
      sent.on('error', (error) => reject(proxy === undefined || isConnected ? error : proxyError(error, proxy)));
      sent.once('response', (message) => {
        watch.stop();
        const statusCode = message.statusCode ?? 0;
        if (!isStreamed(request, statusCode)) boundSilence(message, this.#options.timeouts.idleMs);
        // After an early answer to a body that was never sent, the connection cannot be used again.
        message.once('end', () => {
          if (!sent.writableEnded) sent.destroy();
        });
        resolve({ statusCode, reason: message.statusMessage, headers: responseHeaders(message), body: message });
      });
      this.#send(sent, bytes, { watch, onSent, pace }).catch((error: unknown) => sent.destroy(error as Error));
    });
  }

  /** The SDK calls this to share its configuration; this handler has its own. */
  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }

  destroy(): void {
    this.#http.destroy();
    this.#https.destroy();
    void this.#http2?.then((connections) => connections.destroy());
    this.#direct.destroy();
    this.#proxies.destroy();
  }

  #open(
    request: HandlerRequest,
    bytes: Uint8Array | undefined,
    proxy: URL | undefined,
    begun: Duplex | undefined,
  ): http.ClientRequest {
    const isTls = request.protocol === 'https:' && begun === undefined;
    const headers = { ...request.headers };
    if (bytes && bytes.byteLength >= EXPECT_FROM_BYTES) headers['Expect'] = '100-continue';
    return (isTls ? https : http).request({
      ...(begun === undefined
        ? { agent: proxy === undefined ? (isTls ? this.#https : this.#http) : this.#proxies.agent(proxy, isTls) }
        : { createConnection: () => begun }),
      host: request.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: request.port,
      method: request.method,
      path: request.path + queryString(request.query),
      headers,
    });
  }

  async #send(
    sent: http.ClientRequest,
    bytes: Uint8Array | undefined,
    { watch, ...hooks }: SendHooks & { readonly watch: Watch },
  ): Promise<void> {
    if (!bytes || bytes.byteLength === 0) return void sent.end();
    if (sent.getHeader('expect') !== undefined) {
      sent.flushHeaders();
      if (!(await isWelcome(sent))) return;
    }
    await sendBody(sent, bytes, watch.alive, hooks);
  }

  /** Ends the request when it stalls: while connecting, while sending, while waiting for the answer. */
  #watch(sent: http.ClientRequest, { hostname }: HandlerRequest): Watch {
    const { connectMs, idleMs, answerMs } = this.#options.timeouts;
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    const within = (ms: number, message: string): void => {
      clearTimeout(timer);
      if (!isStopped) timer = setTimeout(() => sent.destroy(timeoutError(message)), ms);
    };
    const connected = (): void => {
      if (sent.writableFinished) within(answerMs, noAnswer(hostname, answerMs));
      else within(idleMs, `${hostname} took no more data for ${idleMs / 1000} s`);
    };
    sent.once('finish', connected);
    sent.once('socket', (socket) => {
      if (!socket.connecting) return connected();
      within(connectMs, noConnection(hostname, connectMs));
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', connected);
    });
    return {
      alive: () => {
        timer?.refresh();
      },
      stop: () => {
        isStopped = true;
        clearTimeout(timer);
      },
    };
  }
}

interface Watch {
  readonly alive: () => void;
  readonly stop: () => void;
}
