// Where the programs keep what they are given: one S3 server for all of them, or folders.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const BUCKET = 'archiver-bench';
/** More than the lines of a million objects. */
const LISTING_BYTES = 2 ** 29;

/**
 * The server that AWS_ENDPOINT_URL names, or else the Ceph gateway of test/servers, which is started; with `kind` folder, no server.
 * `env` is what clients need, `describe` a phrase for the page.
 */
export async function openStore(kind, work) {
  const base = { env: {}, stop: async () => undefined, work };
  if (kind === 'folder') return { ...base, describe: 'folders in memory' };
  const region = process.env.AWS_REGION ?? 'us-east-1';
  const described = process.env.AWS_ENDPOINT_URL;
  let store = { ...base, endpoint: described, describe: 'the server of AWS_ENDPOINT_URL', region };
  if (described === undefined) {
    const { startServers } = await import('../test/servers/start-servers.mjs');
    const { env, stop } = await startServers();
    const endpoint = env.ARCHIVER_TEST_RGW;
    // Not those of the tests: a command that finds an ARCHIVER_ variable takes as much CPU again to see what it is.
    const keys = Object.entries(env).filter(([name]) => name.startsWith('AWS_'));
    const all = { ...Object.fromEntries(keys), AWS_ENDPOINT_URL: endpoint, AWS_REGION: region };
    store = { ...store, endpoint, env: all, stop, describe: 'the Ceph RADOS Gateway in memory on the same cores' };
  }
  shell(store, `aws s3api head-bucket --bucket ${BUCKET} 2>/dev/null || aws s3 mb s3://${BUCKET}`);
  return store;
}

const shell = ({ env }, command) =>
  execFileSync('bash', ['-o', 'pipefail', '-c', command], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: LISTING_BYTES,
  }).trim();

/** A place of its own for one program. `s3` is missing where it is a folder. */
export function placeIn({ endpoint, region, work }, name, isFolderOnly) {
  const folder = join(work, 'places', name);
  if (endpoint === undefined || isFolderOnly) return { name, folder };
  return { name, folder, s3: `s3://${BUCKET}/${name}`, bucket: BUCKET, endpoint, region };
}

/** A line for each object or file in a place: when, how many bytes, which. */
export function linesIn(store, { s3, folder }) {
  const list = s3 === undefined ? `find ${folder} -type f -printf '%T@ %T@ %s %p\\n'` : `aws s3 ls --recursive ${s3}/`;
  return shell(store, list).split('\n');
}

/** Bytes of such lines. */
export const bytesOf = (lines) => lines.reduce((sum, line) => sum + Number(line.split(/ +/)[2] ?? 0), 0);

export function removePlace(store, { s3, folder }) {
  if (s3 !== undefined) shell(store, `aws s3 rm --quiet --recursive ${s3}/`);
  rmSync(folder, { recursive: true, force: true });
}
