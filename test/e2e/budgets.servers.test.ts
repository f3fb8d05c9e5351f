// Writers on several machines share one book of budgets in a bucket of Ceph's gateway: together they never pass a quota.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { RESERVED_MS } from '../../src/core/money/budget/reserved.js';
import { program } from '../../src/commands/index.js';
import { noise } from '../core/archive/trees.js';
import { useTestCredentials } from '../support/open-s3.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, environment, makeFolder, type Ran } from './upload-cli.js';

const TIMEOUT_MS = 540_000;
const BUCKET = 'quota';
const upstream = process.env['ARCHIVER_TEST_RGW'] ?? '';
const env = {
  AWS_ENDPOINT_URL: upstream,
  AWS_ACCESS_KEY_ID: 'archiver',
  AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  AWS_REGION: 'us-east-1',
};
const BYTES = 200_000;
let folder = '';
let place = '';
let round = 0;

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  client.destroy();
});

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'data'));
  place = `s3://${BUCKET}/${round++}`;
});

const argvOf = (machine: number): readonly string[] => {
  const to = [join(folder, 'data'), `${place}/machine-${machine}`, '--budget-store', `${place}/budgets`];
  return ['upload', ...to, '--project', 'genomes', '--quiet'];
};
/** Each machine has a home of its own, and no ledger in common. */
const on = (machine: number, ...argv: readonly string[]): Promise<Ran> =>
  archiver(makeFolder(folder, `home-${machine}`), argv, { env, timeoutMs: TIMEOUT_MS });
const statusOf = async (): Promise<Record<string, unknown>> =>
  json((await on(0, 'budget', 'status', 'genomes', '--store', `${place}/budgets`, '--json')).stdout);

test(
  'of twenty that begin at once those pass that fit together, and no more',
  async () => {
    writeFileSync(join(folder, 'data', 'a.bin'), noise(BYTES));
    await on(0, 'budget', 'set', 'genomes', '--volume', '0.0013', '--store', `${place}/budgets`); // six of them

    const ran = await Promise.all(Array.from({ length: 20 }, (_, machine) => on(machine, ...argvOf(machine))));

    const statuses = ran.map(({ status }) => status);
    expect(statuses.filter((status) => status !== 0 && status !== 4)).toEqual([]);
    const { volumeUsage, reservedRuns } = await statusOf();
    const { used } = volumeUsage as { used: number };
    const passed = statuses.filter((status) => status === 0).length;
    expect([passed > 0, used > passed * BYTES, used <= 1_300_000, reservedRuns]).toEqual([true, true, true, 0]);
    // Reservations are of what is sent at most: what they kept from others is left afterwards.
    const later: Ran[] = [];
    for (let machine = 20; machine < 27; machine++) later.push(await on(machine, ...argvOf(machine)));
    expect(passed + later.filter(({ status }) => status === 0).length).toBe(6);
  },
  TIMEOUT_MS,
);

test(
  'what a killed one has reserved keeps others away until it expires',
  async () => {
    writeFileSync(join(folder, 'data', 'a.bin'), noise(4 * BYTES));
    await on(0, 'budget', 'set', 'genomes', '--volume', '0.0013', '--store', `${place}/budgets`);
    const home = makeFolder(folder, 'home-1');
    const slow = [...argvOf(1), '--limit-upload', '10KB'];
    const dying = spawn(process.execPath, [CLI, ...slow], { env: environment(home, env), cwd: home, stdio: 'ignore' });
    await expect.poll(async () => (await statusOf())['reservedRuns'], { timeout: 60_000, interval: 500 }).toBe(1);
    dying.kill('SIGKILL');

    const [second, held] = [await on(2, ...argvOf(2)), await statusOf()];
    const now = (): Date => new Date(Date.now() + RESERVED_MS);
    const root = program();
    const later = await runCommand({ root, folder, now, env: { ...env, ARCHIVER_HOME: join(folder, 'later') } }, [
      ...argvOf(3),
    ]);

    expect([second.status, held['reservedRuns'], held['volumeUsage']]).toEqual([
      4,
      1,
      expect.objectContaining({ used: 0 }),
    ]);
    expect(second.stderr).toContain('is reserved for runs that go on');
    expect([later.status, later.stderr]).toEqual([0, '']);
    expect(await statusOf()).toMatchObject({ reservedRuns: 0 });
  },
  TIMEOUT_MS,
);
