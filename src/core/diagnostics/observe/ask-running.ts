// Gets data from a running archiver that serves profiles.
import { get } from 'node:http';
import { ArchiverError, errorText, integrityError, systemCode, usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

import type { Collected } from './collect.js';
import type { Kind } from './kinds.js';
import type { RuntimeStats } from './runtime-stats.js';

/** Larger than any profile. */
const MOST_BYTES = 512 * 1024 * 1024;

/** Returns its runtime statistics. @throws as `askRunning` */
export const runningStats = async (address: string, signal: AbortSignal): Promise<RuntimeStats> =>
  (await askRunning(address, '/debug/archiver/stats', signal)) as RuntimeStats;

/** Returns profiles of it. @throws as `askRunning`; integrity when it names files with folders */
export async function collectRunning(
  address: string,
  kinds: readonly Kind[],
  seconds: number,
  signal: AbortSignal,
): Promise<Collected> {
  const path = `/debug/archiver/collect?kinds=${kinds.join(',')}&seconds=${seconds}`;
  const { files, troubles } = (await askRunning(address, path, signal)) as {
    readonly files: Readonly<Record<string, string>>;
    readonly troubles: readonly string[];
  };
  return {
    files: Object.entries(files).map(([name, text]) => {
      if (!/^[a-z][\w.-]*$/.test(name)) throw integrityError(`${printable(address)} names a file ${printable(name)}`);
      return { name, content: Buffer.from(text, 'base64') };
    }),
    troubles,
  };
}

/** Returns the JSON answer from `host:port`. @throws usage for an invalid address, not-found where nothing listens, and its refusal */
async function askRunning(address: string, path: string, signal: AbortSignal): Promise<unknown> {
  const url = `http://${address}${path}`;
  if (!URL.canParse(url)) throw usageError(`--pprof-addr wants host:port, got "${printable(address)}"`);
  const body = await new Promise<Buffer>((resolve, reject) => {
    const request = get(url, { signal }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('error', reject);
      response.on('data', (part: Buffer) => {
        bytes += part.length;
        if (bytes > MOST_BYTES) request.destroy(new Error('it answers with too much'));
        else parts.push(part);
      });
      response.on('end', () => {
        const whole = Buffer.concat(parts);
        if (response.statusCode === 200) resolve(whole);
        else reject(new ArchiverError('conflict', `${address} refuses: ${printable(whole.toString().trim())}`));
      });
    });
    request.on('error', reject);
  }).catch((error: unknown) => {
    if (signal.aborted || systemCode(error) === undefined) throw error;
    throw new ArchiverError('not-found', `no archiver serves profiles at ${printable(address)}: ${errorText(error)}`, {
      hint: 'start it with --pprof, or name the call to profile: archiver profile collect -- upload ./folder s3://bucket',
      cause: error,
    });
  });
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch (error) {
    throw new ArchiverError('not-found', `what listens at ${printable(address)} is no archiver`, { cause: error });
  }
}
