// What verify or a restore finds, a sync of the same computer does not overlook for the rest of the day (rules.md#whole-view).
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
const STORE = 's3://bucket/lab';

const DATASET = ['--dataset', 'd'];
const CHUNK = /\/chunk-/;
const MANIFEST = /\/manifest\.json\.gz$/;

test.each([
  ['a chunk', ['verify', STORE, ...DATASET], CHUNK],
  ['a chunk', ['verify', STORE], CHUNK],
  ['a chunk', ['restore', STORE, 'out', '--all', ...DATASET], CHUNK],
  ['a chunk', ['restore', 'UPLOAD', 'out', '--file', 'file'], CHUNK],
  ['a chunk', ['download', STORE, 'out', ...DATASET], CHUNK],
  ['a chunk', ['shell', 'UPLOAD', '-c', 'get file out'], CHUNK],
  ['the manifest', ['verify', STORE, ...DATASET], MANIFEST],
  ['the manifest', ['verify', STORE], MANIFEST],
  ['the manifest', ['restore', STORE, 'out', '--all', ...DATASET], MANIFEST],
])('%s that is gone is sent again by the sync after %j', async (_, reading, key) => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const folder = await tempFolder();
  const env = { AWS_ENDPOINT_URL: s3.endpoint, AWS_REGION: 'us-east-1' };
  const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder, env }, [...argv, '--quiet']);
  const synced = async () => json((await run('sync', 'data', STORE, '--dataset-id', 'd', '--json')).stdout);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'file'), 'content');
  const { location } = await synced();
  const bucket = s3.buckets.get('bucket');
  for (const name of bucket?.keys() ?? []) if (key.test(name)) bucket?.delete(name);

  const before = await synced();
  const { status } = await run(...reading.map((word) => (word === 'UPLOAD' ? String(location) : word)));
  const after = await synced();

  // That it was whole is remembered for a day.
  expect(before).toMatchObject({ version: 1, noChanges: true });
  expect(status).toBe(1);
  expect(after).toMatchObject({ version: 2, noChanges: false });
  expect((await run('verify', STORE, '--dataset', 'd', '--deep')).status).toBe(0);
});
