// The connections over which ranged GETs are received directly, kept for one another.
import { connect as connectTcp, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  type DirectAnswer,
  DirectConnection,
  type DirectTimeouts,
  type Exchange,
  requestHead,
} from './s3-direct-connection.js';
import { type Network, tlsPlace } from './s3-network.js';

export interface DirectOptions {
  readonly maxSockets: number;
  /** Connections kept open without a request (as many as there may be when not given), and for how many milliseconds. */
  readonly idle?: { readonly sockets: number; readonly ms: number } | undefined;
  readonly timeouts: DirectTimeouts;
  readonly network?: Network | undefined;
}

export class DirectGets {
  /** Where ranges are answered in another way (in chunks, mostly): there Node's client keeps connections, which handing it one each would not. */
  private readonly unfit = new Set<string>();
  private readonly free = new Map<string, DirectConnection[]>();
  private readonly all = new Set<DirectConnection>();

  constructor(private readonly options: DirectOptions) {}

  /** Sends a GET; undefined if it has to be sent in another way. */
  ask(exchange: Exchange, host: string, port: number): Promise<DirectAnswer> | undefined {
    const head = requestHead(exchange.request);
    if (head === undefined || exchange.abortSignal?.aborted === true) return undefined;
    const isTls = exchange.request.protocol === 'https:';
    const place = `${isTls} ${host} ${port}`;
    if (this.unfit.has(place)) return undefined;
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
      const how = { onread, noDelay: true, keepAlive: true };
      if (!isTls) return connectTcp({ host, port, ...how });
      return connectTls({ ...tlsPlace(host, port, network?.ca), ...how });
    };
    const free = this.free.get(place) ?? [];
    this.free.set(place, free);
    const onFree = (one: DirectConnection, keptMs: number): void => {
      if (keptMs <= 0 || free.length >= (idle?.sockets ?? maxSockets)) return one.close();
      free.push(one);
      one.rest(Math.min(keptMs, idle?.ms ?? Infinity));
    };
    const onGone = (one: DirectConnection): void => {
      this.all.delete(one);
      const at = free.indexOf(one);
      if (at >= 0) free.splice(at, 1);
    };
    const onUnfit = (): void => void this.unfit.add(place);
    const connection = new DirectConnection(connect, timeouts, onFree, onGone, onUnfit);
    this.all.add(connection);
    return connection;
  }
}
