// A proxy between one command and its S3 server: passes requests on, and does to them what the command's fault says.
// It knows two more things: what a write-only machine may not do, and how much older the store has been made to look.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { operationOf } from '../support/s3-operation.js';
import type { Fault, RequestTrouble } from './fault-plan.js';

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface LaneOptions {
  readonly upstream: string;
  readonly gates: Gates;
  readonly machine: string;
  readonly fault: Fault;
  /** Operations that are refused. */
  readonly denied?: RegExp;
  /** When the store says that something was written. */
  readonly shownTime: (time: Date) => Date;
  readonly kill: () => void;
  /** Stops the client; settles when it goes on. */
  readonly stop: () => Promise<void>;
  /** Takes a request that arrives later, perhaps. */
  readonly hold: (request: Request) => void;
}

export interface Lane {
  readonly endpoint: string;
  /** Whether the fault hit a request. */
  readonly hasHit: () => boolean;
  close(): Promise<void>;
}

const DELAY_MS = 1500;
const CLOSING_MS = 10_000;

async function gather(message: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Sends a request to the server and waits for its answer. */
export function forward(upstream: string, { method, path, headers, body }: Request): Promise<Answer> {
  const { hostname, port } = new URL(upstream);
  const { expect: _expect, connection: _connection, ...onwardHeaders } = headers;
  return new Promise((resolve, reject) => {
    const onward = http.request({ hostname, port, method, path, headers: onwardHeaders, agent: false }, (message) => {
      gather(message).then(
        (bytes) => resolve({ status: message.statusCode ?? 502, headers: message.headers, body: bytes }),
        reject,
      );
    });
    onward.on('error', reject);
    onward.end(body);
  });
}

function errorAnswer(status: number, code: string): Answer {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>soak</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) };
}

const LIE: Answer = { status: 200, headers: { etag: '"00000000000000000000000000000000"' }, body: Buffer.alloc(0) };

function aged(answer: Answer, operation: string, shownTime: LaneOptions['shownTime']): Answer {
  if (operation.startsWith('List')) {
    const text = answer.body
      .toString('latin1')
      .replace(
        /<LastModified>([^<]+)</g,
        (_all, time: string) => `<LastModified>${shownTime(new Date(time)).toISOString()}<`,
      );
    return { ...answer, body: Buffer.from(text, 'latin1') };
  }
  const time = answer.headers['last-modified'];
  if (time === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'last-modified': shownTime(new Date(time)).toUTCString() } };
}

type Handler = (incoming: http.IncomingMessage, response: http.ServerResponse) => void;

/** A port that serves one command at a time. */
class Gate {
  handler: Handler | undefined;
  private constructor(private readonly server: http.Server) {}

  static async open(): Promise<Gate> {
    const server = http.createServer();
    const gate = new Gate(server);
    server.on('request', (incoming: http.IncomingMessage, response: http.ServerResponse) => {
      if (gate.handler) gate.handler(incoming, response);
      else incoming.socket.destroy();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return gate;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  disconnect(): void {
    this.server.closeAllConnections();
  }

  release(): void {
    this.disconnect();
    this.handler = undefined;
  }

  close(): void {
    this.server.close();
    this.disconnect();
  }
}

/** A machine finds its store at the same address each time: what it has saved of an upload says where that goes. */
export class Gates {
  private readonly ofMachine = new Map<string, Gate[]>();

  /** The machine's first gate that is free. */
  async take(machine: string, handler: Handler): Promise<Gate> {
    const gates = this.ofMachine.get(machine) ?? [];
    this.ofMachine.set(machine, gates);
    const free = gates.find((gate) => gate.handler === undefined);
    if (free) {
      free.handler = handler;
      return free;
    }
    const gate = await Gate.open();
    gate.handler = handler;
    gates.push(gate);
    return gate;
  }

  close(): void {
    for (const gate of [...this.ofMachine.values()].flat()) gate.close();
  }
}

const CREATE_ONCE = /create-once/;

const keyOf = (path: string): string => decodeURIComponent(new URL(path, 'http://store').pathname);

class Trouble {
  private seen = 0;
  hits = 0;
  constructor(private readonly fault: Fault) {}

  /** Whether the client is stopped beside this request. */
  isStop(operation: string, path: string): boolean {
    const { fault } = this;
    if (fault.kind !== 'stop-at' || operation !== 'PutObject' || !fault.path.test(keyOf(path))) return false;
    this.seen += 1;
    return this.seen === fault.nth;
  }

  /** What happens to this request. */
  next(operation: string, path: string): RequestTrouble | undefined {
    const { fault } = this;
    if (fault.kind !== 'request' || !fault.operation.test(operation) || !fault.path.test(path)) return undefined;
    this.seen += 1;
    const isPast = this.seen >= fault.nth + fault.times && fault.trouble !== 'outage';
    if (this.seen < fault.nth || isPast) return undefined;
    // A server that answers the question of create-once wrongly is another server: a plain store, for 30 days.
    if ((fault.trouble === 'lie' || fault.trouble === 'duplicate') && CREATE_ONCE.test(path)) return undefined;
    this.hits += 1;
    return fault.trouble;
  }
}

/** Opens it at a gate of the machine. */
export async function openLane(options: LaneOptions): Promise<Lane> {
  const { upstream, kill, hold, stop, fault } = options;
  const trouble = new Trouble(fault);
  let running = 0;

  /** Without an answer the connection breaks. */
  const answer = async (what: RequestTrouble | undefined, request: Request): Promise<Answer | undefined> => {
    switch (what) {
      case 'kill-before':
      case 'kill-and-hold':
        kill();
        if (what === 'kill-and-hold') hold(request);
        return undefined;
      case 'kill-after':
        await forward(upstream, request);
        kill();
        return undefined;
      case 'reset-and-hold':
        hold(request);
        return undefined;
      case 'reset':
      case 'outage':
        return undefined;
      case 'lost-answer':
        await forward(upstream, request);
        return undefined;
      case 'duplicate':
        await forward(upstream, request);
        return await forward(upstream, request);
      case 'unavailable':
        return errorAnswer(503, 'SlowDown');
      case 'lie':
        return LIE;
      case 'delay':
        await sleep(DELAY_MS);
        return await forward(upstream, request);
      case undefined:
        return await forward(upstream, request);
      default:
        return what satisfies never;
    }
  };
  const handle = async (incoming: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const operation = operationOf(method, path, headers);
    const request = { method, path, headers, body: await gather(incoming) };
    const isDenied = options.denied?.test(operation) === true;
    const isStop = trouble.isStop(operation, path) && fault.kind === 'stop-at';
    if (isStop && !fault.isAfter) await stop();
    const given = isDenied ? errorAnswer(403, 'AccessDenied') : await answer(trouble.next(operation, path), request);
    if (isStop && fault.isAfter) await stop();
    if (given === undefined) return void incoming.socket.resetAndDestroy();
    const reply = aged(given, operation, options.shownTime);
    const { connection: _connection, 'transfer-encoding': _encoding, ...kept } = reply.headers;
    const length = method === 'HEAD' ? kept['content-length'] : String(reply.body.length);
    response.writeHead(reply.status, length === undefined ? kept : { ...kept, 'content-length': length });
    response.end(method === 'HEAD' ? undefined : reply.body);
  };
  const gate = await options.gates.take(options.machine, (incoming, response) => {
    running += 1;
    handle(incoming, response)
      .catch(() => incoming.socket.destroy())
      .finally(() => {
        running -= 1;
      });
  });
  return {
    endpoint: gate.endpoint,
    hasHit: () => trouble.hits > 0,
    close: async () => {
      gate.disconnect();
      // What the server has got it finishes, with or without a client.
      for (const until = Date.now() + CLOSING_MS; running > 0 && Date.now() < until;) await sleep(10);
      gate.release();
    },
  };
}
