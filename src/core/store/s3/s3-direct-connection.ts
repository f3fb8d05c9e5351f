// Receives the bytes of ranged GETs straight into the memory of whoever asked for them. Node's HTTP client reads 64 KiB at a time, copies them,
// and passes each through its streams, which was a sixth of the CPU of a large restore. Here the kernel writes to where the bytes are wanted, as
// many at a time as have arrived. Only one kind of answer is taken (206, with its length in the header); any other is given to Node's client
// byte by byte, as if it had sent the request.
import type { OnReadOpts, Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import type { GetOptions } from '../object-store.js';
import {
  abortedError,
  type AbortLike,
  closedError,
  type HandlerRequest,
  type HandlerResponse,
  noAnswer,
  noConnection,
  queryString,
  timeoutError,
} from './s3-http-message.js';

/** As those of HttpTimeouts; whoever reads a body limits how long it may stall. */
export interface DirectTimeouts {
  readonly connectMs: number;
  readonly answerMs: number;
}

export interface Exchange {
  readonly request: HandlerRequest;
  readonly into: NonNullable<GetOptions['into']>;
  readonly abortSignal?: AbortLike | undefined;
}

/** The answer, or a connection that gives it to Node's client. */
export type DirectAnswer = HandlerResponse | Duplex;

// A header of a GET is below 2 KiB; what does not fit goes to Node's client.
const HEAD_BYTES = 16 * 1024;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const GOOD = /^HTTP\/1\.\d 2/;
// As Node's client refuses them: they would end a line of the header, or not be what was signed.
const UNWRITABLE = /[^\t\x20-\x7e]/;

/** The header of the request; undefined if it has a letter that must not be sent as it is. */
export function requestHead({ method, path, query, headers }: HandlerRequest): string | undefined {
  const lines = [
    `${method} ${path}${queryString(query)} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return lines.some((line) => UNWRITABLE.test(line)) ? undefined : `${lines.join('\r\n')}\r\n\r\n`;
}

interface AnswerHead {
  readonly headers: Record<string, string>;
  readonly sizeBytes: number;
}

/** Reads a header; undefined if the answer is not one that can be received directly. */
function answerHead(text: string): AnswerHead | undefined {
  const [status = '', ...lines] = text.split('\r\n');
  if (!/^HTTP\/1\.1 206(?: |$)/.test(status)) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~\w-]+):[\t ]*(.*?)[\t ]*$/.exec(line);
    const name = field?.[1]?.toLowerCase() ?? '';
    // A continued line, or one that is there twice: rare, and for somebody who knows what it means.
    if (field === null || headers[name] !== undefined) return undefined;
    headers[name] = field[2] ?? '';
  }
  const length = headers['content-length'] ?? '';
  if (headers['transfer-encoding'] !== undefined || !/^\d{1,15}$/.test(length) || Number(length) === 0)
    return undefined;
  return { headers, sizeBytes: Number(length) };
}

/** For how long the connection may be kept after this answer: a second less than the server says, so that no request meets its end. */
function keptMs({ connection = '', 'keep-alive': hint = '' }: Record<string, string>): number {
  if (/\bclose\b/i.test(connection)) return 0;
  const seconds = /\btimeout=(\d{1,6})\b/i.exec(hint)?.[1];
  return seconds === undefined ? Infinity : (Number(seconds) - 1) * 1000;
}

/** What the memory holds so far, in pieces that are views of it. */
class DirectBody extends Readable {
  constructor(
    private readonly onWanted: () => void,
    private readonly onDestroyed: () => void,
  ) {
    super({ highWaterMark: 256 * 1024 });
  }

  override _read(): void {
    this.onWanted();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.onDestroyed();
    callback(error);
  }
}

/** A connection on which an answer has begun, as Node's client wants it: the request counts as sent. */
class BegunConnection extends Duplex {
  /** The client looks here whether an answer makes progress. */
  bytesRead = 0;

  constructor(private readonly socket: Socket) {
    super();
  }

  /** Adds bytes that have arrived; returns false when there are enough for now. */
  arrived(bytes: Uint8Array): boolean {
    this.bytesRead += bytes.byteLength;
    return this.push(Buffer.from(bytes));
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }

  /** The client has the whole answer. */
  override _final(done: () => void): void {
    this.socket.destroy();
    done();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.socket.destroy();
    callback(error);
  }
}

interface Answering extends Exchange {
  readonly settle: (answer: DirectAnswer) => void;
  readonly fail: (error: Error) => void;
}

/** A connection with one exchange at a time. */
export class DirectConnection {
  private readonly socket: Socket;
  private readonly scratch = Buffer.allocUnsafeSlow(HEAD_BYTES);
  private headBytes = 0;
  private exchange: Answering | undefined;
  private body: DirectBody | undefined;
  private begun: BegunConnection | undefined;
  private target: Uint8Array = new Uint8Array(0);
  private filled = 0;
  private keptMs = Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    connect: (onread: OnReadOpts) => Socket,
    private readonly timeouts: DirectTimeouts,
    private readonly onFree: (connection: DirectConnection, keptMs: number) => void,
    private readonly onGone: (connection: DirectConnection) => void,
    /** Told when a good answer was not one that can be received directly. */
    private readonly onUnfit: () => void,
  ) {
    this.socket = connect({ buffer: () => this.room(), callback: (bytes) => this.received(bytes) });
    this.socket.on('error', (error) => this.close(error));
    this.socket.on('end', () => this.ended());
    this.socket.on('close', () => this.close());
  }

  /** Sends a request. `head` is its header. */
  ask(exchange: Exchange, head: string, connected: 'connect' | 'secureConnect'): Promise<DirectAnswer> {
    const { hostname } = exchange.request;
    const { connectMs, answerMs } = this.timeouts;
    this.headBytes = 0;
    this.socket.ref();
    const answered = new Promise<DirectAnswer>((resolve, reject) => {
      this.exchange = { ...exchange, settle: resolve, fail: reject };
    });
    const within = (ms: number, message: string): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.close(timeoutError(message)), ms);
    };
    const send = (): void => {
      this.socket.write(head, 'latin1');
      within(answerMs, noAnswer(hostname, answerMs));
    };
    if (!this.socket.connecting) send();
    else {
      within(connectMs, noConnection(hostname, connectMs));
      this.socket.once(connected, send);
    }
    exchange.abortSignal?.addEventListener?.('abort', this.onAbort, { once: true });
    return answered;
  }

  /** Ends the connection: nothing is written to anybody's memory from here on. */
  close(error?: Error): void {
    this.socket.destroy();
    this.onGone(this);
    clearTimeout(this.timer);
    const { exchange, body, begun } = this;
    this.over();
    exchange?.fail(error ?? closedError());
    body?.destroy(error);
    begun?.destroy(error);
  }

  /** Keeps it for the next request, for at most this long. */
  rest(ms: number): void {
    this.socket.unref();
    if (ms < Infinity) this.timer = setTimeout(() => this.close(), ms).unref();
  }

  private readonly onAbort = (): void => this.close(abortedError());

  private over(): void {
    this.exchange?.abortSignal?.removeEventListener?.('abort', this.onAbort);
    [this.exchange, this.body, this.begun] = [undefined, undefined, undefined];
  }

  /** Where the next bytes go. */
  private room(): Uint8Array {
    return this.body === undefined
      ? this.scratch.subarray(this.begun === undefined ? this.headBytes : 0)
      : this.target.subarray(this.filled);
  }

  /** Takes bytes that were written there; returns false to read no more for now. */
  private received(bytes: number): boolean {
    if (this.body !== undefined) return this.gotBody(this.body, bytes);
    if (this.begun !== undefined) return this.begun.arrived(this.scratch.subarray(0, bytes));
    const from = this.headBytes;
    this.headBytes += bytes;
    // Nobody has asked for anything.
    if (this.exchange === undefined) this.close();
    else return this.gotHead(from, this.exchange);
    return false;
  }

  private gotHead(from: number, { into, settle }: Answering): boolean {
    const bytes = this.scratch.subarray(0, this.headBytes);
    const end = bytes.indexOf(END_OF_HEAD, Math.max(0, from - END_OF_HEAD.byteLength));
    if (end < 0 && this.headBytes < HEAD_BYTES) return true;
    clearTimeout(this.timer);
    const head = end < 0 ? undefined : answerHead(bytes.toString('latin1', 0, end));
    const target = head && into(head.sizeBytes);
    const rest = bytes.subarray(end + END_OF_HEAD.byteLength);
    if (head === undefined || target === undefined || rest.byteLength > head.sizeBytes) {
      if (GOOD.test(bytes.toString('latin1', 0, 16))) this.onUnfit();
      this.begun = new BegunConnection(this.socket);
      settle(this.begun);
      return this.begun.arrived(bytes);
    }
    this.keptMs = keptMs(head.headers);
    this.target = target;
    this.target.set(rest);
    this.filled = 0;
    // A body that has all its bytes is read and destroyed later, when the connection may have another one.
    const ifCurrent = (act: () => void) => () => {
      if (this.body === body) act();
    };
    const body: DirectBody = new DirectBody(
      ifCurrent(() => this.socket.resume()),
      ifCurrent(() => this.close()),
    );
    this.body = body;
    settle({ statusCode: 206, reason: undefined, headers: head.headers, body });
    return rest.byteLength === 0 || this.gotBody(body, rest.byteLength);
  }

  private gotBody(body: DirectBody, bytes: number): boolean {
    const { target, filled } = this;
    this.filled += bytes;
    const wantsMore = body.push(Buffer.from(target.buffer, target.byteOffset + filled, bytes));
    if (this.filled < target.byteLength) return wantsMore;
    this.target = new Uint8Array(0);
    body.push(null);
    this.over();
    this.headBytes = 0;
    this.onFree(this, this.keptMs);
    return true;
  }

  /** The server has closed it. */
  private ended(): void {
    if (this.begun === undefined) return this.close();
    this.begun.push(null);
    this.begun = undefined;
  }
}
