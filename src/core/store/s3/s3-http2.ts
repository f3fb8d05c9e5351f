// HTTP/2 for servers that offer it when a TLS connection is made (ALPN); S3 itself does not. One connection per server, with many requests
// on it. Waits are bounded as in s3-http-handler.ts, and every failure of the connection looks like a reset, which is tried again.
import http2 from 'node:http2';
import tls from 'node:tls';
import { noConnection, timeoutError } from './s3-http-message.js';
import { tlsPlace } from './s3-network.js';

export interface Http2Options {
  /** Most requests at once on a connection, as far as the server allows so many. */
  readonly maxStreams: number;
  /** A connection without requests is closed after this time. */
  readonly idleMs: number;
  readonly connectMs: number;
  /** Authorities (PEM) instead of Node's own. */
  readonly ca?: string;
}

/** A connection on which requests are made, at most so many at once. */
export interface Http2Connection {
  /** Resolves when there is room for one more request. @throws ECONNRESET when the connection ends before */
  open(headers: http2.OutgoingHttpHeaders, hasBody: boolean): Promise<http2.ClientHttp2Stream>;
}

const resetError = (cause?: unknown): Error =>
  Object.assign(new Error('the HTTP/2 connection was closed', { cause }), { code: 'ECONNRESET' });

export class Http2Connections {
  /** Connections by host and port; undefined for a server that speaks HTTP/1.1 only, which it will not change. */
  private readonly known = new Map<string, Promise<Connection | undefined>>();

  constructor(private readonly options: Http2Options) {}

  /** Returns the connection to a server, opened if needed; undefined when it speaks HTTP/1.1 only. @throws system errors, ETIMEDOUT */
  async to(host: string, port: number): Promise<Http2Connection | undefined> {
    const name = `${host}:${port}`;
    const known = await this.known.get(name);
    if (known !== undefined && !known.isUsable) this.known.delete(name);
    let connecting = this.known.get(name);
    if (connecting === undefined) {
      connecting = this.connect(host, port);
      this.known.set(name, connecting);
      connecting.catch(() => this.known.delete(name));
    }
    return await connecting;
  }

  private async connect(host: string, port: number): Promise<Connection | undefined> {
    const socket = await connectTls(host, port, this.options);
    if (socket.alpnProtocol === 'h2') return new Connection(host, port, socket, this.options);
    socket.destroy();
    return undefined;
  }

  destroy(): void {
    for (const connecting of this.known.values()) {
      void connecting.then(
        (connection) => connection?.destroy(),
        () => undefined, // the caller gets the error
      );
    }
    this.known.clear();
  }
}

/** Opens a TLS connection and negotiates its protocol. */
function connectTls(host: string, port: number, { connectMs, ca }: Http2Options): Promise<tls.TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ ...tlsPlace(host, port, ca), ALPNProtocols: ['h2', 'http/1.1'] });
    const timer = setTimeout(() => socket.destroy(timeoutError(noConnection(host, connectMs))), connectMs);
    socket.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    socket.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}

class Connection implements Http2Connection {
  private readonly session: http2.ClientHttp2Session;
  private readonly waiting: (() => void)[] = [];
  private active = 0;

  constructor(
    host: string,
    port: number,
    socket: tls.TLSSocket,
    private readonly options: Http2Options,
  ) {
    const authority = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.session = http2.connect(authority, { createConnection: () => socket, settings: { enablePush: false } });
    this.session.on('error', () => undefined); // every open request gets its own error
    this.session.setTimeout(options.idleMs, () => {
      if (this.active === 0) this.session.close();
    });
    this.session.once('close', () => this.wake());
    this.session.unref();
  }

  get isUsable(): boolean {
    return !this.session.closed && !this.session.destroyed;
  }

  private get limit(): number {
    const { maxConcurrentStreams = this.options.maxStreams } = this.session.remoteSettings ?? {};
    return Math.min(this.options.maxStreams, maxConcurrentStreams);
  }

  async open(headers: http2.OutgoingHttpHeaders, hasBody: boolean): Promise<http2.ClientHttp2Stream> {
    while (this.isUsable && this.active >= this.limit) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (!this.isUsable) throw resetError();
    const stream = this.session.request(headers, { endStream: !hasBody });
    this.active++;
    this.session.ref();
    stream.once('close', () => {
      this.active--;
      if (this.active === 0) this.session.unref();
      this.waiting.shift()?.();
    });
    return stream;
  }

  private wake(): void {
    for (const each of this.waiting.splice(0)) each();
  }

  destroy(): void {
    this.session.destroy();
  }
}

/** Returns the error of a failed request: failures of the connection look like a reset. */
export function http2Error(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_HTTP2') ? resetError(error) : error;
}

/** Returns headers in the form of HTTP/2, without those that control an HTTP/1.1 connection. */
export function http2Headers(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): http2.OutgoingHttpHeaders {
  const found: http2.OutgoingHttpHeaders = { ':method': method, ':path': path };
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    if (lower === 'host') found[':authority'] = value;
    else if (!['connection', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'].includes(lower))
      found[lower] = value;
  }
  return found;
}
