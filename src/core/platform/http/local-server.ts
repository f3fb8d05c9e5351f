// An HTTP server of this computer: for an instrument, which never keeps the process alive and never fails a run, or as the work of a
// command. An error of a connection ends only that connection.
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ArchiverError, errorText, systemCode, usageError } from '../failures/errors.js';
import { isLoopback, type ListenAddress } from './listen-address.js';

export interface LocalServer {
  /** Such as `127.0.0.1:6060`, with the actual port. */
  readonly at: string;
  /** Also closes open connections. */
  readonly close: () => Promise<void>;
}

export interface ServerUse {
  /** Connections at a time; further ones are refused. */
  readonly connections: number;
  /** How long a connection may lie idle between two requests. */
  readonly keepAliveMs: number;
  /** Ends a connection on which nothing has moved for so long in the middle of a request; 0 for never. */
  readonly stallMs: number;
  /** True where the server is the work: the process lives as long as it listens. */
  readonly keepsProcess: boolean;
  /** True where each request brings what only its user knows, so that whatever name it came by tells nothing. */
  readonly asksForToken: boolean;
}

const INSTRUMENT: ServerUse = {
  connections: 50,
  keepAliveMs: 5_000,
  stallMs: 0,
  keepsProcess: false,
  asksForToken: false,
};

/** Checks the Host header: a page of another site may let its own name resolve to this computer, but it cannot choose the header. */
function isMeantForUs({ headers: { host = '' } }: IncomingMessage, own: string | undefined): boolean {
  const name = host
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return name === 'localhost' || name === own?.toLowerCase() || isLoopback(name);
}

/**
 * Resolves once it listens. `flag` is named in errors.
 * @throws usage for a port in use, `io` for other refusals of the system; the run has not begun then
 */
export async function openServer(
  { host, port, name }: ListenAddress,
  flag: string,
  listener: RequestListener,
  { connections, keepAliveMs, stallMs, keepsProcess, asksForToken }: ServerUse = INSTRUMENT,
): Promise<LocalServer> {
  const isOurs = host !== '' && isLoopback(host) && !asksForToken;
  const server = createServer({ requestTimeout: 10_000, keepAliveTimeout: keepAliveMs }, (request, response) => {
    if (!isOurs || isMeantForUs(request, name)) listener(request, response);
    else response.writeHead(403).end('this server is for this computer: ask for localhost\n');
  });
  server.maxConnections = connections;
  server.setTimeout(stallMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(refused(error, `${host}:${port}`, flag)));
    server.listen({ ...(host !== '' && { host }), port }, resolve);
  });
  server.on('error', () => undefined); // one connection could not be accepted
  if (!keepsProcess) {
    server.unref();
    server.on('connection', (socket) => socket.unref());
  }
  const at = server.address() as AddressInfo;
  return {
    at: at.family === 'IPv6' ? `[${at.address}]:${at.port}` : `${at.address}:${at.port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function refused(error: unknown, place: string, flag: string): ArchiverError {
  if (systemCode(error) === 'EADDRINUSE')
    return usageError(
      `${flag}: ${place} is in use by another program`,
      `choose another port: ${flag} localhost:0 takes a free one`,
    );
  return new ArchiverError('io', `${flag}: nothing can listen at ${place}: ${errorText(error)}`, { cause: error });
}
