import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { command as info } from '../../src/commands/info.js';
import { command as sync } from '../../src/commands/sync.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([info, sync], [], 'test');
const KMS_METHOD = 'x-amz-server-side-encryption';
const KMS_KEY = 'x-amz-server-side-encryption-aws-kms-key-id';
const K1 = 'arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-000000000001';
const K2 = 'arn:aws:kms:us-east-1:111122223333:key/00000000-0000-0000-0000-000000000002';

let s3: MemoryS3;
let folder = '';
let source = '';

beforeEach(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  folder = await tempFolder();
  source = join(folder, 'source');
  mkdirSync(source);
});

const run = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { NO_COLOR: '1', AWS_ENDPOINT_URL: s3.endpoint } }, [
    ...argv,
    '--region',
    'us-east-1',
  ]);
const write = (name: string): void => writeFileSync(join(source, name), `content of ${name}`);
const synced = async (...flags: string[]): Promise<CommandRun> =>
  await run('sync', source, 's3://bucket/lab', '--dataset-id', 'd', ...flags);
const chunks = () => [...(s3.buckets.get('bucket') ?? [])].filter(([key]) => key.endsWith('.zst'));
const about = (...flags: string[]) => run('info', 's3://bucket/lab', '--dataset-id', 'd', ...flags);

async function mixed(): Promise<void> {
  write('a');
  await synced();
  write('b');
  await synced('--kms-key-id', K1);
  write('c');
  await synced('--kms-key-id', K1);
  write('d');
  await synced('--kms-key-id', K2);
}

test('info says of the objects which keys they lie under, and what lies in the clear', async () => {
  await mixed();

  const { stdout } = await about();
  const document = json((await about('--json')).stdout);

  expect(stdout).toMatch(/chunks +1 chunk, .*: not encrypted by the store\n/);
  expect(stdout).toMatch(new RegExp(`2 chunks, .*: encrypted with ${K1} \\(SSE-KMS\\)\n`));
  expect(stdout).toMatch(new RegExp(`1 chunk, .*: encrypted with ${K2} \\(SSE-KMS\\)\n`));
  expect(document['encryption']).toMatchObject({
    manifestKeyId: null,
    chunksAsked: 4,
    byKey: [
      { method: null, kmsKeyId: null, chunks: 1 },
      { method: 'aws:kms', kmsKeyId: K1, chunks: 2 },
      { method: 'aws:kms', kmsKeyId: K2, chunks: 1 },
    ],
  });
});

test('settings count for nothing where the objects say something else', async () => {
  write('a');
  await synced('--kms-key-id', K1);
  const [, object] = chunks()[0] ?? [];
  delete object?.headers[KMS_METHOD];
  delete object?.headers[KMS_KEY];

  const { stdout } = await about();

  expect(stdout).toMatch(/chunks +1 chunk, .*: not encrypted by the store\n/);
  expect(stdout).not.toContain('SSE-KMS');
});

test('a chunk that is gone, or of which nothing is told, is counted as such', async () => {
  await mixed();
  const [[gone = ''] = []] = chunks();
  s3.buckets.get('bucket')?.delete(gone);

  const { status, stdout } = await about();

  expect([status, stdout]).toEqual([0, expect.stringMatching(/1 chunk: not in the store\n/)]);
});

test('of many chunks a hundred are asked about, spread over all, unless every one is wanted', async () => {
  const { archive, s3: server, store } = await makeColdArchive(Array.from({ length: 130 }, () => 'STANDARD'));
  s3 = server;
  const url = `${store.url}/uploads/${archive.uploadId}`;

  const some = await run('info', url);
  const heads = server.requests.filter(({ operation }) => operation === 'HeadObject').map(({ path }) => path);
  const all = await run('info', url, '--every-chunk');

  expect([heads.length, new Set(heads).size]).toEqual([100, 100]);
  expect(some.stdout).toMatch(/of 100 of 130 chunks; --every-chunk asks about all/);
  expect(all.stdout).toMatch(/chunks +130 chunks, .*: not encrypted by the store\n/);
  expect(all.stdout).not.toContain('--every-chunk');
});

test('a sync with another key says what stays under the old one, also where nothing changed', async () => {
  for (let index = 0; index < 9; index++) write(`a${index}`); // so that what follows is a delta
  await synced('--kms-key-id', K1);
  const same = await synced('--kms-key-id', K1);

  const nothing = await synced('--kms-key-id', K2);
  const inJson = json((await synced('--kms-key-id', K2, '--json', '--quiet')).stdout);
  write('b');
  const something = await synced('--kms-key-id', K2);
  const later = await synced('--kms-key-id', K2);
  const forced = await synced('--kms-key-id', K2, '--force');

  const words = new RegExp(`stored before stays as it is, encrypted with ${K1}; --force sends all of it again`);
  expect(same.stdout).not.toContain('stays as it is');
  expect(nothing.stdout).toMatch(/no changes/);
  for (const { stdout } of [nothing, something, later]) expect(stdout).toMatch(words);
  expect(inJson['earlierKeyIds']).toEqual([K1]);
  expect(forced.stdout).not.toContain('stays as it is');
});

test('a sync that begins to encrypt says that what is there is not', async () => {
  write('a');
  await synced();

  expect((await synced('--kms-key-id', K1)).stdout).toMatch(/stored before stays as it is, without a key; --force/);
});

test('of chunks that lie in folders of uploads before the chain it claims no key', async () => {
  await mixed();

  const { stdout } = await synced('--kms-key-id', K1);
  const unasked = await synced();
  write('e');
  const inJson = json((await synced('--kms-key-id', K1, '--json', '--quiet')).stdout);

  // The newest listing is full, and says only of its own folder how that was encrypted.
  expect(stdout).toContain(`as it is, encrypted with ${K2}, or as \`archiver info\` says of 3 chunks; --force`);
  expect(unasked.stdout).not.toContain('stays as it is');
  expect(inJson).toMatchObject({ earlierKeyIds: [K2], untoldKeyChunks: 3 });
});
