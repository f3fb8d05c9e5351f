// An HTTP proxy in this process that breaks chosen requests on their way to an S3 server. Without an upstream every
// request needs a rule that answers. The Host header passes unchanged, so signatures stay valid.
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationOf } from '../support/s3-operation.js';
import type { Fault, FaultRule } from './fault.js';

interface Exchange {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly body: Buffer;
}

interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** Requests that came in, by operation. */
  readonly counts: Map<string, number>;
  /** Adds a rule; the first rule that matches a request and is not used up hits it. */
  inject(rule: FaultRule): void;
  /** Forgets all rules and counts. */
  clear(): void;
  /** Ends when the upstream has done what came whole until now, also of processes that were killed since. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface ActiveRule extends FaultRule {
  seen: number;
}

const errorXml = (code: string, message: string): Buffer =>
  Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);

const flip = (body: Buffer, byte: number): Buffer => {
  const copy = Buffer.from(body);
  if (byte < copy.length) copy.writeUInt8((copy[byte] ?? 0) ^ 1, byte);
  return copy;
};

const reset = (socket: Socket): void => {
  socket.resetAndDestroy();
};

async function gather(message: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function forward(
  upstream: URL,
  request: http.IncomingMessage,
  body: Buffer,
  without: readonly string[] = [],
): Promise<Reply> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name !== 'expect' && !without.includes(name)),
  );
  return new Promise((resolve, reject) => {
    const onward = http.request(
      {
        host: upstream.hostname,
        port: upstream.port,
        method: request.method,
        path: request.url,
        headers,
        agent: false,
      },
      (message) => {
        gather(message).then(
          (bytes) => resolve({ status: message.statusCode ?? 502, headers: message.headers, body: bytes }),
          reject,
        );
      },
    );
    onward.on('error', reject);
    onward.end(body);
  });
}

/** Faults that never reach the upstream. True when the fault was one of them. */
function answerAlone(fault: Fault, { request, response }: Exchange): boolean {
  if (fault.kind === 'status') {
    const document = fault.body ?? errorXml(fault.code ?? 'InternalError', fault.message ?? 'injected');
    response.writeHead(fault.status, { 'content-type': 'application/xml', ...fault.headers });
    response.end(request.method === 'HEAD' ? undefined : document);
    return true;
  }
  if (fault.kind === 'ack') {
    response.writeHead(200, { etag: '"00000000000000000000000000000000"', 'content-length': '0' });
    response.end();
    return true;
  }
  if (fault.kind === 'reset') reset(request.socket);
  return fault.kind === 'reset' || fault.kind === 'no-answer';
}

const shift = (contentRange: string, by: number): string =>
  contentRange.replace(/\d+(?=[-/])/g, (number) => String(Number(number) + by));

function changed(fault: Fault | undefined, reply: Reply): Reply {
  const { headers, body } = reply;
  if (fault?.kind === 'corrupt-response') return { ...reply, body: flip(body, fault.byte) };
  if (fault?.kind === 'shorten-response') {
    return {
      ...reply,
      headers: { ...headers, 'content-length': String(fault.bytes) },
      body: body.subarray(0, fault.bytes),
    };
  }
  if (fault?.kind === 'range-ignored') {
    const { 'content-range': _range, ...others } = headers;
    return { ...reply, status: 200, headers: others };
  }
  if (fault?.kind === 'range-shifted') {
    return { ...reply, headers: { ...headers, 'content-range': shift(headers['content-range'] ?? '', fault.by) } };
  }
  return fault?.kind === 'etag' ? { ...reply, headers: { ...headers, etag: `"${fault.etag}"` } } : reply;
}

async function drip(response: http.ServerResponse, body: Buffer, bytesPerSecond: number): Promise<void> {
  const piece = Math.max(1, Math.floor(bytesPerSecond / 20));
  for (let start = 0; start < body.length && !response.destroyed; start += piece) {
    response.write(body.subarray(start, start + piece));
    await sleep((piece / bytesPerSecond) * 1000);
  }
  response.end();
}

async function sendBody(fault: Fault | undefined, { request, response }: Exchange, body: Buffer): Promise<void> {
  if (fault?.kind === 'cut-response') {
    // What was written must have left before the connection is cut.
    response.write(body.subarray(0, fault.afterBytes), () => setTimeout(() => reset(request.socket), 20));
  } else if (fault?.kind === 'stall-response') {
    response.write(body.subarray(0, fault.afterBytes));
  } else if (fault?.kind === 'slow-response') {
    await drip(response, body, fault.bytesPerSecond);
  } else {
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

async function pass(fault: Fault | undefined, exchange: Exchange, upstream: URL): Promise<void> {
  const { request, response } = exchange;
  if (fault?.kind === 'delay') await sleep(fault.ms);
  const body = fault?.kind === 'corrupt-request' ? flip(exchange.body, fault.byte) : exchange.body;
  if (fault?.kind === 'duplicate') await forward(upstream, request, body);
  const without = fault?.kind === 'without-headers' ? fault.names : [];
  const reply = changed(fault, await forward(upstream, request, body, without));
  if (fault?.kind === 'lost-answer') return reset(request.socket);
  const { connection: _connection, 'transfer-encoding': _encoding, ...headers } = reply.headers;
  response.writeHead(
    reply.status,
    request.method === 'HEAD'
      ? headers
      : { ...headers, 'content-length': headers['content-length'] ?? String(reply.body.length) },
  );
  await sendBody(fault, exchange, reply.body);
}

function cutRequest(request: http.IncomingMessage, afterBytes: number): void {
  let received = 0;
  request.on('data', (piece: Buffer) => {
    received += piece.length;
    if (received >= afterBytes) reset(request.socket);
  });
}

/**
 * Starts a proxy in front of `upstream` (an endpoint URL), or one that only gives canned answers. `onPass` is waited for
 * before a request that came whole is passed on.
 */
export async function startFaultProxy(
  upstream?: string,
  onPass: (operation: string, path: string) => Promise<void> | void = () => undefined,
): Promise<FaultProxy> {
  const rules: ActiveRule[] = [];
  const counts = new Map<string, number>();
  const passing = new Set<Promise<void>>();
  const target = upstream === undefined ? undefined : new URL(upstream);

  const pick = (operation: string, request: http.IncomingMessage): Fault | undefined => {
    const { url: path = '/' } = request;
    for (const rule of rules) {
      if (rule.operation !== undefined && rule.operation !== operation) continue;
      if (rule.path && !rule.path.test(path)) continue;
      if (rule.when && !rule.when(operation, request)) continue;
      rule.seen += 1;
      const index = rule.seen - (rule.skip ?? 0);
      if (index >= 1 && index <= (rule.times ?? Infinity)) return rule.fault;
    }
    return undefined;
  };
  const handle = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/', headers } = request;
    const operation = operationOf(method, url, headers);
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    const fault = pick(operation, request);
    if (fault?.kind === 'cut-request') return cutRequest(request, fault.afterBytes);
    const exchange = { request, response, body: await gather(request) };
    if (fault && answerAlone(fault, exchange)) return;
    await onPass(operation, url);
    if (!target) throw new Error(`no rule answers ${operation} ${url}`);
    const passed = pass(fault, exchange, target);
    const ended = passed.catch(() => undefined).then(() => void passing.delete(ended));
    passing.add(ended);
    await passed;
  };
  const server = http.createServer(
    (request, response) => void handle(request, response).catch(() => reset(request.socket)),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    counts,
    inject: (rule) => void rules.push({ ...rule, seen: 0 }),
    clear: () => {
      rules.length = 0;
      counts.clear();
    },
    idle: async () => void (await Promise.all(passing)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
