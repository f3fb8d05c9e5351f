// The connections over which ranged GETs are received directly, kept for one another.
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type DirectAnswer,
  DirectConnection,
  type DirectTimeouts,
  type Exchange,
  requestHead,
} from './s3-direct-connection.js';
import type { Network } from './s3-network.js';

export interface DirectOptions {
  readonly maxSockets: number;
  /** Connections kept open without a request (as many as there may be when not given), and for how many milliseconds. */
  readonly idle?: { readonly sockets: number; readonly ms: number } | undefined;
  readonly timeouts: DirectTimeouts;
  readonly network?: Network | undefined;
}

export class DirectGets {
  private readonly free = new Map<string, DirectConnection[]>();
  private readonly all = new Set<DirectConnection>();

  constructor(private readonly options: DirectOptions) {}

  /** Sends a GET; undefined if it has to be sent in another way. */
  ask(exchange: Exchange, host: string, port: number): Promise<DirectAnswer> | undefined {
    const head = requestHead(exchange.request);
    if (head === undefined || exchange.abortSignal?.aborted === true) return undefined;
    const isTls = exchange.request.protocol === 'https:';
    const place = `${isTls} ${host} ${port}`;
    const connection = this.free.get(place)?.pop() ?? this.connected(place, isTls, host, port);
    return connection?.ask(exchange, head, isTls ? 'secureConnect' : 'connect');
  }

  destroy(): void {
    for (const connection of this.all) connection.close();
  }

  private connected(place: string, isTls: boolean, host: string, port: number): DirectConnection | undefined {
    const { maxSockets, timeouts, idle, network } = this.options;
    if (this.all.size >= maxSockets) return undefined;
    const connect = (onread: OnReadOpts): Socket => {
      const to = { host, port, onread, noDelay: true, keepAlive: true };
      if (!isTls) return connectTcp(to);
      const { ca } = network ?? {};
      const servername = isIP(host) === 0 ? { servername: host } : {};
      return connectTls({ ...to, ...servername, ...(ca === undefined ? {} : { ca }) });
    };
    const free = this.free.get(place) ?? [];
    this.free.set(place, free);
    const onFree = (one: DirectConnection, keptMs: number): void => {
      if (keptMs <= 0 || free.length >= (idle?.sockets ?? maxSockets)) return one.close();
      free.push(one);
      one.rest(Math.min(keptMs, idle?.ms ?? Infinity));
    };
    const connection = new DirectConnection(connect, timeouts, onFree, (one) => {
      this.all.delete(one);
      const at = free.indexOf(one);
      if (at >= 0) free.splice(at, 1);
    });
    this.all.add(connection);
    return connection;
  }
}
