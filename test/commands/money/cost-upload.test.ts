import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { makeArchive } from '../../support/make-archive.js';
import { writeObjects } from '../../support/make-dataset.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const archive = makeArchive({
  files: [
    { path: 'a', content: 'alpha' },
    { path: 'b', content: 'beta', chunk: 1 },
  ],
  bend: ({ chunks }) => (chunks[1]!['storageClass'] = 'GLACIER_IR'),
});
const { uploadId } = archive;

test('a folder costs nothing, and a manifest that is not there is said', async () => {
  const folder = await tempFolder();
  await writeObjects(join(folder, 'archiver'), archive.objects);
  const run = (...argv: readonly string[]) =>
    runCommand({ root: program(), folder }, ['cost', 'upload', '--bucket', `file://${folder}`, '--upload-id', ...argv]);

  expect(json((await run(uploadId, '--json')).stdout)).toMatchObject({
    uploadId,
    files: 2,
    monthlyUsd: 0,
    requestsUsd: 0,
    savings: { monthlySavingUsd: 0, requestsSavingUsd: 0 },
  });
  const { stdout } = await run(uploadId, '--no-show-savings');
  expect(stdout).toContain('$0.00 a month');
  expect(stdout).not.toContain('savings');
  expect((await run('20200101-000000-00000000')).status).toBe(1);
  expect((await runCommand({ root: program(), folder }, ['cost', 'upload', '--bucket', 'b'])).status).toBe(2);
});

test('what the upload has stored is priced by class; on a server without a list the price is unknown', async () => {
  useTestCredentials();
  const s3: MemoryS3 = await startMemoryS3('bucket');
  const folder = await tempFolder();
  for (const [key, body] of archive.objects)
    s3.buckets.get('bucket')?.set(`lab/${key}`, { body, etag: 'e', modified: new Date(), headers: {} });
  const flags = ['--bucket', 'bucket', '--prefix', 'lab', '--upload-id', uploadId, '--endpoint-url', s3.endpoint];

  const { stdout } = await runCommand({ root: program(), folder }, ['cost', 'upload', ...flags, '--json']);
  await s3.close();

  expect(json(stdout)).toMatchObject({
    isAws: false,
    monthlyUsd: null,
    costByStoredClass: [
      { storageClass: 'STANDARD', objects: 1 },
      { storageClass: 'GLACIER_IR', objects: 1, monthlyUsd: null },
    ],
    savings: { monthlySavingUsd: null },
  });
});

test('a server whose provider the config file tells has the prices of it, in whole micro-dollars', async () => {
  useTestCredentials();
  const s3: MemoryS3 = await startMemoryS3('bucket');
  const folder = await tempFolder();
  const settings = 'provider: aws\n  ownPrices: { STANDARD.storage: 2000000.123 }\n';
  writeFileSync(join(folder, '.archiver.yaml'), `costControl:\n  ${settings}`);
  for (const [key, body] of archive.objects)
    s3.buckets.get('bucket')?.set(`lab/${key}`, { body, etag: 'e', modified: new Date(), headers: {} });
  const flags = ['--bucket', 'bucket', '--prefix', 'lab', '--upload-id', uploadId, '--endpoint-url', s3.endpoint];
  const run = (...argv: readonly string[]) =>
    runCommand({ root: program(), folder }, ['cost', 'upload', ...flags, '--region', 'eu-west-1', ...argv]);

  const document = json((await run('--json')).stdout);
  const { stdout } = await run();
  await s3.close();

  expect(document).toMatchObject({ isAws: false, provider: 'aws', region: 'eu-west-1' });
  expect(document['terms']).toEqual(['own prices of STANDARD.storage (costControl.ownPrices)']);
  // PUTs in eu-west-1: the chunks (STANDARD 0.005, GLACIER_IR 0.02 for 1000), the manifest and the version record.
  expect(document['requestsUsd']).toBe(0.000035);
  const { monthlyUsd, savings } = document as { monthlyUsd: number; savings: Record<string, number> };
  for (const usd of [monthlyUsd, savings['plainUsd'], savings['monthlySavingUsd']])
    expect(Number((usd ?? NaN).toFixed(6))).toBe(usd);
  expect(stdout).toMatch(/prices +AWS list prices of \S+ for eu-west-1; own prices of STANDARD\.storage/);
});

test('requests to KMS are among those of an upload that it encrypted', async () => {
  useTestCredentials();
  const s3: MemoryS3 = await startMemoryS3('bucket');
  const sealed = makeArchive({
    files: [{ path: 'a', content: 'alpha' }],
    bend: (manifest) => (manifest['storage'] = { url: 'memory:', kmsKeyId: 'alias/lab' }),
  });
  for (const [key, body] of sealed.objects)
    s3.buckets.get('bucket')?.set(`lab/${key}`, { body, etag: 'e', modified: new Date(), headers: {} });
  const flags = [
    '--bucket',
    'bucket',
    '--prefix',
    'lab',
    '--upload-id',
    sealed.uploadId,
    '--endpoint-url',
    s3.endpoint,
  ];
  const env = { ARCHIVER_OWN_PRICES: 'STANDARD.storage=0,STANDARD.put=0,kms=1000' };
  const host = { root: program(), folder: await tempFolder(), env };

  const { stdout } = await runCommand(host, ['cost', 'upload', ...flags, '--json']);
  await s3.close();

  // One for the chunk and one for the manifest.
  expect(json(stdout)['requestsUsd']).toBe(2);
});
