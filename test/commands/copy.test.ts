// `archiver copy` as people call it: places, access of both stores, costs, and what it refuses.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { allKeys } from '../support/make-dataset.js';
import { type MemoryObject, type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';
let env: Record<string, string> = {};

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  env = { NO_COLOR: '1', AWS_REGION: 'us-east-1' };
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'photos', 'a'), randomBytes(9000));
});

const run = async (...argv: readonly string[]): Promise<CommandRun> => await runCommand({ root, folder, env }, argv);

/** Makes versions of the dataset `photos`. */
async function archive(store = './from', versions = 1): Promise<Record<string, unknown>> {
  let document = {};
  for (let version = 1; version <= versions; version++) {
    writeFileSync(join(folder, 'photos', `b${version}`), randomBytes(500));
    document = json((await run('sync', 'photos', store, '--dataset-id', 'photos', '--json')).stdout);
  }
  return document;
}

async function server(bucket = 'bucket'): Promise<MemoryS3> {
  const s3 = await startMemoryS3(bucket);
  onTestFinished(() => s3.close());
  return s3;
}

const keysIn = (name: string): Promise<string[]> => allKeys(fileStore(join(folder, name)));
const objectsOf = (s3: MemoryS3) => s3.buckets.get('bucket') ?? new Map<string, MemoryObject>();

describe('places', () => {
  test.each([
    ['itself', ['./from', './from'], 'are one store'],
    ['itself by another name', ['./from', './link'], 'are one store'],
    ['an upload', ['./from', './to/uploads/20251114-093012-1a2b3c4d'], 'name the place above uploads/'],
    ['no place', ['from', './to'], 'FROM wants a store URL'],
    ['a version of an upload', ['./from/uploads/20251114-093012-1a2b3c4d', './to', '--version', '1'], 'leave out'],
  ])('a copy to %s is refused', async (_what, places, text) => {
    mkdirSync(join(folder, 'from'));
    symlinkSync('from', join(folder, 'link'));

    const ran = await run('copy', ...places);

    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toContain(text);
  });

  test('a place without datasets is no store that was copied', async () => {
    mkdirSync(join(folder, 'from'));

    const ran = await run('copy', './from', './to');

    expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining('there is no dataset under')]);
  });

  test('a folder that is not there is no empty store', async () => {
    const ran = await run('copy', './nowhere', './to');

    expect([ran.status, ran.stderr]).toEqual([1, expect.stringContaining('there is no folder')]);
  });

  test('the URL of an upload copies its version, with tags and what it builds on', async () => {
    const { location } = await archive('./from', 2);
    await run('dataset', 'tag', './from', 'gold', 'v2', '--dataset-id', 'photos');

    const ran = await run('copy', String(location), './to', '--json');

    expect(json(ran.stdout)).toMatchObject({
      copiedVersions: [{ datasetId: 'photos', version: 2, copyState: 'made' }],
      addedTags: 1,
    });
    expect((await run('verify', './to', '--deep')).status).toBe(0);
  });

  test('a store that this computer has copied to, and that is empty now, is not filled again', async () => {
    await archive();
    await run('copy', './from', './to');
    const { rmSync } = await import('node:fs');
    rmSync(join(folder, 'to'), { recursive: true });

    const refused = await run('copy', './from', './to');
    const anew = await run('copy', './from', './to', '--new-store');

    expect([refused.status, anew.status]).toEqual([4, 0]);
    expect(refused.stderr).toContain('not mounted, emptied or another bucket?');
  });

  test('writers below are named', async () => {
    await archive();
    await run('sync', 'photos', './from', '--writer-id', 'nas');

    const ran = await run('copy', './from', './to');

    expect(ran.stderr).toContain('writers/nas TO/writers/nas');
  });
});

test('--version takes several, and versions that are there are only looked at', async () => {
  await archive('./from', 3);
  const first = await run('copy', './from', './to', '--dataset', 'photos', '--version', '1', '--version', 'latest');

  const second = json((await run('copy', './from', './to', '--json')).stdout);

  expect(first.stdout).toMatch(
    /^Copied 2 versions \(\d+ objects, .*\) from file:\S+ to file:\S+\n {2}version +v1 of photos\n/,
  );
  expect(second['copiedVersions']).toMatchObject([
    { copyState: 'there' },
    { copyState: 'made' },
    { copyState: 'there' },
  ]);
  expect(await keysIn('to')).toEqual(await keysIn('from'));
});

test('damage leaves the status 3 where other versions are whole, and names its version', async () => {
  const { uploadId } = await archive('./from', 2);
  const isOfNewest = (key: string): boolean => key.startsWith(`uploads/${String(uploadId)}/`) && key.endsWith('.zst');
  const [chunk = ''] = (await keysIn('from')).filter(isOfNewest);
  const path = join(folder, 'from', chunk);
  const { readFileSync } = await import('node:fs');
  const bytes = readFileSync(path);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(path, bytes);

  const ran = await run('copy', './from', './to');
  const alone = await run('copy', './from', './other', '--dataset', 'photos', '--version', '2');

  expect([ran.status, alone.status]).toEqual([3, 1]);
  expect(ran.stderr).toContain('v2 of photos was not copied');
  expect((await keysIn('to')).filter((key) => key.startsWith('datasets/'))).toEqual(['datasets/photos/v00000001.json']);
  expect((await keysIn('other')).filter((key) => key.startsWith('datasets/'))).toEqual([]);
});

describe('buckets', () => {
  test('a dry run puts nothing and says what it costs', async () => {
    const s3 = await server();
    await archive();

    const ran = await run('copy', './from', 's3://bucket/lab', '--endpoint-url', s3.endpoint, '--dry-run');
    const document = json(
      (await run('copy', './from', 's3://bucket/lab', '--endpoint-url', s3.endpoint, '--dry-run', '--json')).stdout,
    );

    expect([ran.status, objectsOf(s3).size]).toEqual([0, 0]);
    expect(ran.stdout).toMatch(/^Would copy 1 version .*\n(?:.*\n)* {2}cost +storage/);
    expect(document).toMatchObject({ dryRun: true, readUsd: 0, copiedVersions: [{ copyState: 'planned' }] });
  });

  test('each store has its own server; class, key and lock are those of the copy, and of chunks where they are for chunks', async () => {
    const [one, two] = [await server(), await server()];
    two.lockable.add('bucket');
    const [from, to] = ['s3://bucket/lab', 's3://bucket/copy'];
    await run('sync', 'photos', from, '--dataset-id', 'photos', '--endpoint-url', one.endpoint);
    const lock = ['--object-lock', 'governance', '--retain', '30d'];

    const ran = await run(
      'copy',
      from,
      to,
      '--endpoint-url',
      one.endpoint,
      '--to-endpoint-url',
      two.endpoint,
      '--storage-class',
      'GLACIER_IR',
      '--kms-key-id',
      'alias/copy',
      ...lock,
    );

    expect([ran.status, ran.stderr]).toEqual([0, expect.any(String)]);
    const copied = new Set([...objectsOf(two).keys()].map((key) => key.replace('copy/', 'lab/')));
    expect(copied).toEqual(new Set(objectsOf(one).keys()));
    for (const [key, { headers }] of objectsOf(two)) {
      const isChunk = key.endsWith('.zst');
      expect([key, headers['x-amz-storage-class']]).toEqual([key, isChunk ? 'GLACIER_IR' : undefined]);
      expect([key, headers['x-amz-server-side-encryption-aws-kms-key-id']]).toEqual([
        key,
        isChunk ? 'alias/copy' : undefined,
      ]);
      expect([key, headers['x-amz-object-lock-mode']]).toEqual([key, 'GOVERNANCE']);
    }
  });

  test('cold chunks are refused, with the price and the command that asks for them', async () => {
    const s3 = await server();
    const access = ['--endpoint-url', s3.endpoint];
    const upload = ['upload', 'photos', 's3://bucket', '--dataset-id', 'photos', ...access];
    expect(await run(...upload, '--storage-class', 'DEEP_ARCHIVE', '--yes')).toMatchObject({ status: 0 });

    const ran = await run('copy', 's3://bucket', './to', ...access);

    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/nothing was copied: 1 chunk \(.*\) in cold storage; requesting them costs /);
    expect(ran.stderr).toMatch(/archiver restore s3:\/\/bucket\/uploads\/\S+ \.\/out --all --tier bulk/);
    expect(await keysIn('to')).toEqual([]);
  });

  test('a budget that is used up keeps it from beginning', async () => {
    const s3 = await server();
    await archive();
    await run('budget', 'set', 'lab', '--volume', '0.000001');
    const to = ['s3://bucket/lab', '--endpoint-url', s3.endpoint, '--project', 'lab'];

    const refused = await run('copy', './from', ...to);
    const planned = json((await run('copy', './from', ...to, '--dry-run', '--json')).stdout);
    const ignored = await run('copy', './from', ...to, '--ignore-budget');

    expect([refused.status, ignored.status]).toEqual([4, 0]);
    expect(planned['wouldRefuse']).toBe(true);
  });

  test('the ledger has what it used, for its project', async () => {
    const s3 = await server();
    await archive();
    await run('copy', './from', 's3://bucket/lab', '--endpoint-url', s3.endpoint, '--project', 'lab');

    const report = json((await run('cost', 'project', 'lab', '--json')).stdout);

    expect(report).toMatchObject({ costByStore: [{ url: 's3://bucket/lab' }] });
  });
});
