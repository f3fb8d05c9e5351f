// What verify finds, a sync of the same computer does not overlook for the rest of the day (rules.md#whole-view).
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

test.each([
  ['a chunk', ['--dataset', 'd'], /\/chunk-/],
  ['a chunk', [], /\/chunk-/],
  ['the manifest', ['--dataset', 'd'], /\/manifest\.json\.gz$/],
  ['the manifest', [], /\/manifest\.json\.gz$/],
])('%s that is gone is sent again by the sync after verify %j', async (_, which, key) => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const folder = await tempFolder();
  const env = { AWS_ENDPOINT_URL: s3.endpoint, AWS_REGION: 'us-east-1' };
  const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder, env }, [...argv, '--quiet']);
  const synced = async () => json((await run('sync', 'data', STORE, '--dataset-id', 'd', '--json')).stdout);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'file'), 'content');
  await synced();
  const bucket = s3.buckets.get('bucket');
  for (const name of bucket?.keys() ?? []) if (key.test(name)) bucket?.delete(name);

  const before = await synced();
  const { status } = await run('verify', STORE, ...which);
  const after = await synced();

  // That it was whole is remembered for a day.
  expect(before).toMatchObject({ version: 1, noChanges: true });
  expect(status).toBe(1);
  expect(after).toMatchObject({ version: 2, noChanges: false });
  expect((await run('verify', STORE, '--dataset', 'd', '--deep')).status).toBe(0);
});
