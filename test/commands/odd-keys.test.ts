// What others put into a fleet's bucket under keys that no archiver makes: every command goes on beside it, names it once and deletes
// none of it.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { isWellFormedKey } from '../../src/core/store/ids/key-form.js';
import { filesBelow } from '../e2e/upload-cli.js';
import { heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { putAt } from '../support/fleet.js';
import { heartbeat } from '../support/heartbeat.js';
import { writeObjects } from '../support/make-dataset.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { ODD_KEYS, ODD_TEXT } from '../support/odd-keys.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';

useTestCredentials();
const root = program();
const folder = mkdtempSync(join(tmpdir(), 'archiver-odd-'));
let server: MemoryS3;

/** Puts an object below `lab/` of a bucket. */
function put(bucket: string, key: string, body: Buffer): void {
  const objects = server.buckets.get(bucket) ?? new Map();
  server.buckets.set(bucket, objects);
  const etag = createHash('md5').update(body).digest('hex');
  objects.set(`lab/${key}`, { body, etag, modified: new Date(), headers: {} });
}

beforeAll(async () => {
  server = await startMemoryS3('clean');
  const [source, base] = [join(folder, 'source'), join(folder, 'store')];
  mkdirSync(source);
  for (const name of ['one', 'two']) {
    writeFileSync(join(source, name), name);
    for (const writer of [[], ['--writer-id', 'web-01']]) {
      const sync = ['sync', source, `file://${base}`, '--dataset-id', 'd-1', '--quiet', ...writer];
      const { status, stderr } = await runCommand({ root, folder }, sync);
      if (status !== 0) throw new Error(stderr);
    }
  }
  await putAt(base, heartbeatKey('web-01'), heartbeatBytes(heartbeat('web-01')), '2026-03-04T05:00:00Z');
  for (const name of filesBelow(base))
    for (const bucket of ['clean', 'odd']) put(bucket, name, readFileSync(join(base, name)));
  for (const key of ODD_KEYS) put('odd', key, Buffer.from('{}'));
  for (const bucket of ['clean', 'odd']) server.lockable.add(bucket);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

let runs = 0;
const run = (bucket: string, call: string, ...flags: readonly string[]): Promise<CommandRun> => {
  const own = join(folder, `run-${++runs}`);
  mkdirSync(own);
  const argv = call.split(' ').map((word) => word.replace('BASE', `s3://${bucket}/lab`));
  return runCommand({ root, folder: own }, [...argv, '--endpoint-url', server.endpoint, ...flags]);
};

describe.each([
  [
    'names them',
    1,
    ['list', 'verify --quick', 'verify', 'verify --deep', 'find one', 'dataset list', 'dataset versions'],
  ],
  ['names them', 1, ['info', 'restore OUT --all', 'download OUT', 'balance --dry-run', 'repair', 'cost upload']],
  ['names them', 1, ['dataset prune --all-datasets --keep-last 1 --dry-run', 'dataset diff --from 1 --to 2']],
  ['names them', 1, ['fleet status', 'fleet monitor --once', 'fleet lock-extend --until 2099-01-01 --dry-run']],
  ['names them', 1, ['dvc stages', 'dashboard --once --view inventory', 'dashboard --once --view overview']],
  ['does not see them', 0, ['list --dataset d-1', 'find one --dataset d-1', 'access-check', 'analyze', 'lifecycle']],
  ['does not see them', 0, ['lifecycle --template archive-optimization --dry-run']],
])('%s', (_title, least, calls) => {
  test.each(calls)('%s', async (words) => {
    const [, command = '', place = '', flags = ''] = /^((?:[a-z-]+ ?)+?)(?: (one|OUT))?((?: -.*)?)$/.exec(words) ?? [];
    const call = `${command}${place === 'one' ? ' one' : ''} BASE${place === 'OUT' ? ' OUT' : ''}${flags}`;
    const [clean, odd, document] = [await run('clean', call), await run('odd', call), await run('odd', call, '--json')];

    const { status } = clean;
    expect([odd, document]).toMatchObject([{ status }, { status }]);
    // Datasets, folders and uploads are listed apart, and each has a sentence.
    const told = (odd.stdout + odd.stderr).split('\n').filter((line) => line.includes(ODD_TEXT));
    expect(new Set(told).size).toBe(told.length);
    expect(told.length > 0).toBe(least > 0);
    expect(told.join('\n')).not.toContain('\u001b');
  });
});

test.each(['verify', 'find one', 'dataset prune --all-datasets --keep-last 1 --dry-run'])(
  '%s has them in the warnings of its document',
  async (call) => {
    const [words = '', flags] = call.split(' --');
    const asked = await run('odd', `${words} BASE${flags === undefined ? '' : call.slice(words.length)}`, '--json');

    const { warnings } = json(asked.stdout) as { warnings: { message: string }[] };
    expect(warnings.some(({ message }) => message.startsWith(`${ODD_TEXT}datasets/`))).toBe(true);
  },
);

test.each(['list', 'verify', 'dataset list', 'fleet status'])(
  '%s in a folder, with what a folder can hold',
  async (call) => {
    const base = join(folder, `in-folder-${++runs}`);
    cpSync(join(folder, 'store'), base, { recursive: true });
    for (const odd of ['a\u0001b', 'a\nb', '\u001b[2J', '%2e%2e', 'a\\b', '-x'])
      await writeObjects(
        base,
        new Map([`writers/${odd}/x`, `datasets/${odd}/v00000001.json`].map((key) => [key, Buffer.from('{}')])),
      );

    const ran = await runCommand({ root, folder }, [...call.split(' '), `file://${base}`]);

    expect(ran).toMatchObject({ status: 0 });
    expect(ran.stdout + ran.stderr).toContain(`${ODD_TEXT}${call === 'dataset list' ? 'datasets' : 'writers'}/`);
  },
);

const oddThere = (): number => ODD_KEYS.filter((key) => server.buckets.get('odd')?.has(`lab/${key}`) === true).length;

test('what deletes leaves every one of them', async () => {
  const prune = 'dataset prune BASE --all-datasets --keep-last 1 --yes --allow-mass-delete';
  expect(await run('odd', prune)).toMatchObject({ status: 0 });
  expect(oddThere()).toBe(new Set(ODD_KEYS).size);

  const wiped = await run('odd', 'scuttle BASE --force');

  expect(wiped).toMatchObject({ status: 0 });
  const left = [...(server.buckets.get('odd')?.keys() ?? [])];
  expect(left.every((key) => ODD_KEYS.includes(key.slice('lab/'.length)))).toBe(true);
  expect(ODD_KEYS.filter((key) => !isWellFormedKey(key)).every((key) => left.includes(`lab/${key}`))).toBe(true);
});
