// Chooses the address where instruments listen. They have no password, so they are reachable only from this computer unless the user says
// otherwise. A name counts as the address that it resolves to, and that address is used for listening, so that it cannot change in between.
import { lookup as lookupName } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { errorText, usageError } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';

export interface ListenAddress {
  /** An IP address; empty for every address of this computer. */
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** What it was called, where that is no IP address: `archive.local`. */
  readonly name?: string;
}

interface ListenOptions {
  /** The value of `--allow-public-observability`. */
  readonly allowPublic: boolean;
  /** The flag that gave the address, for messages: `--pprof-addr`. */
  readonly flag: string;
  readonly lookup?: (name: string) => Promise<readonly { readonly address: string }[]>;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** True for an IP address that only programs on this computer can reach. */
export function isLoopback(address: string): boolean {
  const bare = address.replace(/%.*$/, '');
  const family = isIP(bare);
  return family !== 0 && loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4');
}

const SHAPE = /^(?:\[(?<v6>[^\]]*)\]|(?<name>[^:[\]/@\s]*)):(?<port>\d{1,5})$/;

function partsOf(text: string, flag: string): ListenAddress {
  const { v6, name, port } = SHAPE.exec(text)?.groups ?? {};
  const host = v6 ?? name ?? '';
  if (port !== undefined && Number(port) <= 65_535 && (v6 === undefined || isIP(v6) === 6))
    return { host, port: Number(port) };
  throw usageError(
    `${flag} wants host:port, got "${printable(text)}"`,
    `for example ${flag} localhost:6060, or [::1]:6060`,
  );
}

/**
 * Resolves `host:port` for `server.listen`. A name with addresses of both families becomes the IPv4 one, which every client tries. @throws
 * usage for an invalid address, one that does not resolve, and one that others could reach unless `allowPublic`
 */
export async function listenAddress(text: string, options: ListenOptions): Promise<ListenAddress> {
  const { allowPublic, flag, lookup = async (name) => await lookupName(name, { all: true }) } = options;
  const { host, port } = partsOf(text, flag);
  const found =
    host === '' || isIP(host) !== 0 ? [{ address: host }] : await lookup(host).catch(unresolved(text, flag));
  const addresses = found.map(({ address }) => address);
  const open = addresses.find((address) => address === '' || !isLoopback(address));
  if (open !== undefined && !allowPublic)
    throw usageError(
      `${flag} ${printable(text)} would be open to ${open === '' ? 'every network of this computer' : open === host ? 'others' : `others: it is ${open}`}, and what it serves asks for no password`,
      `use localhost:${port}, or add --allow-public-observability`,
    );
  const name = isIP(host) === 0 && host !== '' ? { name: host } : {};
  return { host: addresses.find((address) => isIP(address) === 4) ?? addresses[0] ?? '', port, ...name };
}

const unresolved = (text: string, flag: string) => (error: unknown) => {
  throw usageError(
    `${flag} ${printable(text)} does not resolve: ${errorText(error)}`,
    `use localhost or an IP address`,
  );
};
