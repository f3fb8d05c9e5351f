// How servers are reached: through which proxy, and which authorities are trusted (docs/decisions/024).
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { reasonText } from '../../platform/failures/errno.js';
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { type AwsSources, awsProfile } from './s3-profile.js';

type Environment = AwsSources['env'];

export interface NetworkSources extends AwsSources {
  /** A file of certificates, named by a flag. */
  readonly caBundle?: string | undefined;
}

export interface Network {
  readonly env: Environment;
  /** Certificate authorities (PEM) that are trusted instead of Node's own. */
  readonly ca: string | undefined;
}

/** Returns the network settings from flag, variables and profile. @throws usage for a bundle that cannot be used */
export async function networkOf(sources: NetworkSources): Promise<Network> {
  const { env, caBundle } = sources;
  const file = caBundle || env['AWS_CA_BUNDLE'] || (await awsProfile(sources)).section['ca_bundle'];
  return { env, ca: file ? readBundle(file) : undefined };
}

/** Returns what `tls.connect` is to be told of a server: an address has no name that a certificate could be asked for. */
export const tlsPlace = (host: string, port: number, ca: string | undefined) => ({
  host,
  port,
  ...(isIP(host) === 0 ? { servername: host } : {}),
  ...(ca === undefined ? {} : { ca }),
});

function readBundle(file: string): string {
  const refuse = (why: string): Error =>
    usageError(
      `the CA bundle ${printable(file)} cannot be used: ${why}`,
      'give a file of certificates in PEM with --ca-bundle, AWS_CA_BUNDLE or ca_bundle of the profile',
    );
  let text: string;
  try {
    text = readFileSync(file, 'latin1');
  } catch (error) {
    throw refuse(reasonText(error));
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw refuse('it holds no certificate in PEM');
  return text;
}

export interface Target {
  /** `http:` or `https:`. */
  readonly protocol: string;
  /** An IPv6 address may be in brackets. */
  readonly hostname: string;
  readonly port: number;
}

/**
 * Returns the proxy for requests to a server; undefined if there is none. Variables are read as by curl: the lower-case spelling wins, a
 * name in NO_PROXY covers what is below it too, an address without a scheme means http. @throws usage for an invalid address
 */
export function proxyFor({ protocol, hostname, port }: Target, env: Environment): URL | undefined {
  const variable = [`${protocol.slice(0, -1)}_proxy`, 'all_proxy']
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => env[name]);
  const text = variable === undefined ? undefined : env[variable];
  if (text === undefined) return undefined;
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const exceptions = env['no_proxy'] || env['NO_PROXY'] || '';
  if (exceptions.split(/[\s,]+/).some((exception) => isExcepted(host, port, exception.toLowerCase()))) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  if (/^https?:/i.test(address) && URL.canParse(address)) return new URL(address);
  throw usageError(
    `${variable} is not the address of an HTTP proxy`,
    'write http://HOST:PORT, or name in NO_PROXY what is reached without it',
  );
}

function isExcepted(host: string, port: number, exception: string): boolean {
  if (exception === '*') return true;
  const [, name = exception, wanted] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(exception) ?? [];
  if (wanted !== undefined && Number(wanted) !== port) return false;
  const bare = name.replace(/^\*?\./, '');
  return bare !== '' && (host === bare || host.endsWith(`.${bare}`));
}
