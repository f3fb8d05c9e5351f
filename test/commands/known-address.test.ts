// A service that is known by its address: every amount is made of its prices, and nobody has to say whose they are.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { useBrokenS3 } from '../support/broken-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { tunnelTo } from '../support/tunnel-to.js';

const root = program();
const broken = useBrokenS3();
const AT_WASABI = ['--endpoint-url', 'http://s3.eu-central-1.wasabisys.com'];
let folder = '';
let proxy = '';

beforeEach(async () => {
  folder = await tempFolder();
  ({ proxy } = await tunnelTo(broken.server.endpoint));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/file'), 'content');
});

const run = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { http_proxy: proxy } }, [...argv, ...AT_WASABI]);
const documentOf = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await run(...argv, '--json');
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('✗')]);
  return json(stdout);
};
const ofWasabi = expect.objectContaining({ provider: 'wasabi' }) as unknown;

test('uploads, what is stored, and restores cost what Wasabi says', async () => {
  expect(await documentOf('upload', 'data', 's3://bucket', '--dry-run')).toMatchObject({ estimate: ofWasabi });
  const { stdout } = await run('upload', 'data', 's3://bucket');

  expect(stdout).toContain('Wasabi list prices of');
  expect(await documentOf('info', 's3://bucket', '--cost')).toMatchObject({ cost: ofWasabi });
  expect(await documentOf('restore', 's3://bucket', 'out', '--all', '--dry-run')).toEqual(ofWasabi);
});

test('a prune says what deleting before the 90 days costs there', async () => {
  await run('upload', 'data', 's3://bucket', '--dataset-id', 'd');
  writeFileSync(join(folder, 'data/file'), 'other content');
  await run('upload', 'data', 's3://bucket', '--dataset-id', 'd');

  const prune = ['dataset', 'prune', 's3://bucket', '--dataset-id', 'd', '--keep-last', '1', '--dry-run'];
  const { earlyDeletion } = await documentOf(...prune);

  expect(earlyDeletion).toMatchObject({ provider: 'wasabi', byClass: [{ storageClass: 'STANDARD', minimumDays: 90 }] });
});

test('what the user says of the provider is believed before the address', async () => {
  writeFileSync(join(folder, '.archiver.yaml'), 'costControl:\n  provider: minio\n');

  const { stdout } = await run('upload', 'data', 's3://bucket', '--dry-run');

  expect(stdout).toContain('no list of MinIO is here');
});

test('a limit of costs holds by the prices of the service', async () => {
  const budget = ['budget', 'set', 'p', '--cost', '0.001'];
  expect((await runCommand({ root, folder }, budget)).status).toBe(0);
  writeFileSync(join(folder, 'data/file'), Buffer.alloc(3_000_000, 7));

  const { status, stderr } = await run('upload', 'data', 's3://bucket', '--project', 'p');

  // A whole TB is billed.
  expect([status, stderr]).toEqual([4, expect.stringContaining('it uses up to $7.99')]);
});
