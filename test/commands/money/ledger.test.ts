// What commands write to the ledger: run for real, in this process.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { readLedger } from '../../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../../src/core/money/ledger/record.js';
import { makeTar } from '../../core/mend/migrate/make-tar.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { startSilentServer } from '../../support/silent-server.js';
import { tempFolder } from '../../support/temp-folder.js';

let folder = '';
let base = '';

beforeEach(async () => {
  folder = await tempFolder();
  base = `file://${join(folder, 'store')}`;
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a.txt'), 'alpha '.repeat(1000));
  writeFileSync(join(folder, 'data', 'b.txt'), 'beta');
});

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: program(), folder, env: { ARCHIVER_HOME: join(folder, 'home') } }, argv);

const recorded = async (): Promise<readonly LedgerRecord[]> =>
  (await readLedger(join(folder, 'home', 'ledger'))).records;

function bytesBelow(path: string): number {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.reduce(
    (sum, name) => sum + (statSync(join(path, name)).isFile() ? statSync(join(path, name)).size : 0),
    0,
  );
}

const uploaded = async (...flags: readonly string[]): Promise<Record<string, unknown>> =>
  json((await run('upload', 'data', base, '--quiet', '--json', ...flags)).stdout);

test('an upload is recorded with its project, dataset, files and what it stored; a folder costs nothing', async () => {
  const { uploadId, datasetId, files, bytes, requests } = await uploaded('--project', 'genome');

  const [record, ...more] = await recorded();
  expect(more).toEqual([]);
  expect(record).toMatchObject({
    operation: 'upload',
    outcome: 'done',
    project: 'genome',
    uploadId,
    datasetId,
    files,
    bytes,
    store: base,
    provider: 'folder',
    region: null,
    costMicros: 0,
    monthlyMicros: 0,
  });
  expect(record?.stored).toEqual([
    { storageClass: 'STANDARD', objects: 3, bytes: bytesBelow(join(folder, 'store')), billedBytes: expect.any(Number) },
  ]);
  const counted = requests as Record<string, number>;
  for (const kind of ['put', 'list', 'copy'])
    expect(record?.used.find((one) => one.kind === kind)?.quantity ?? 0).toBe(counted[kind] ?? 0);
});

test('what get of the shell fetches is recorded, and what it lists is not', async () => {
  const { uploadId } = await uploaded();
  const location = `${base}/uploads/${String(uploadId)}`;
  await run('shell', location, '-c', 'ls');
  await run('list', location);
  expect(await recorded()).toHaveLength(1);

  await run('shell', location, '-c', 'get / out; get / again');

  const [, record, ...more] = await recorded();
  const [once] = await recorded();
  expect(more).toEqual([]);
  expect(record).toMatchObject({ operation: 'restore', uploadId, files: 2 * (once?.files ?? 0) });
});

test('without --project an upload is its own project, and what is restored of it counts there', async () => {
  const { uploadId } = await uploaded();
  await run('restore', `${base}/uploads/${String(uploadId)}`, 'out', '--all', '--quiet');
  await uploaded('--project', 'genome');
  const second = (await recorded()).at(-1)?.uploadId ?? '';
  await run('download', `${base}/uploads/${second}`, 'out2', '--quiet');

  expect((await recorded()).map(({ operation, project, files }) => [operation, project, files])).toEqual([
    ['upload', uploadId, 2],
    ['restore', uploadId, 2],
    ['upload', 'genome', 2],
    ['download', 'genome', 2],
  ]);
});

test('sync, create upload and migrate take --project too', async () => {
  writeFileSync(join(folder, 'a.tar'), makeTar({ path: 'a', content: 'hello' }));
  await run('sync', 'data', base, '--project', 'a', '--quiet');
  const created = await run('create', 'upload', 'data', '--bucket', base, '--project', 'b', '--quiet', '--json');
  await run('migrate', 'a.tar', base, '--project', 'c', '--quiet');

  expect((await recorded()).map(({ operation, project, files }) => [operation, project, files])).toEqual([
    ['sync', 'a', 2],
    ['upload', 'b', 2],
    ['migrate', 'c', 1],
  ]);
  expect((await run('info', String(json(created.stdout)['location']))).stdout).toMatch(/project +b/);
});

test('what only looks is not recorded', async () => {
  await uploaded('--dry-run');
  await uploaded();
  const before = await recorded();
  expect(before).toHaveLength(1);
  const place = `${base}/uploads/${before[0]?.uploadId ?? ''}`;
  await run('list', place);
  await run('info', place);
  await run('verify', place);
  await run('restore', place, 'out', '--all', '--dry-run');
  await run('balance', place);
  await run('dataset', 'prune', base, '--all-datasets', '--keep-last', '1', '--dry-run');

  expect(await recorded()).toEqual(before);
});

test('a prune that finds nothing to do, or gives up, has read all the same', async () => {
  const { uploadId, datasetId } = await uploaded();
  const place = ['dataset', 'prune', base, '--dataset-id', String(datasetId), '--keep-last', '1', '--yes'];
  await run(...place);
  writeFileSync(join(folder, 'store', 'uploads', String(uploadId), 'manifest.json.gz'), 'damaged');
  await run(...place);

  const pruned = (await recorded()).slice(1);
  expect(pruned.map(({ operation, outcome, stored }) => [operation, outcome, stored.length])).toEqual([
    ['prune', 'done', 0],
    ['prune', 'failed', 0],
  ]);
  expect(pruned[0]?.used.find(({ kind }) => kind === 'get')?.quantity).toBeGreaterThan(0);
});

test('what a prune deletes is not stored any more for the project that it was uploaded for', async () => {
  await uploaded('--project', 'genome');
  writeFileSync(join(folder, 'data', 'a.txt'), 'other');
  const { datasetId } = await uploaded('--project', 'climate');
  const [first] = await recorded();

  const prune = ['dataset', 'prune', base, '--dataset-id', String(datasetId), '--keep-last', '1', '--instant'];
  await run(...prune, '--allow-mass-delete', '--yes');

  const pruned = (await recorded()).filter(({ operation }) => operation === 'prune');
  const own = pruned.find(({ project }) => project === 'genome');
  const chunk = own?.stored[0]?.bytes ?? 0;
  expect(pruned.map(({ uploadId }) => uploadId)).toContain(null);
  expect(own).toMatchObject({ uploadId: first?.uploadId, datasetId, used: [], lines: [] });
  expect(chunk).toBeLessThan(0);
  const all = (await recorded()).flatMap(({ stored }) => stored);
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(bytesBelow(join(folder, 'store')));
});

test('a run that fails after its requests is recorded as failed', async () => {
  const { uploadId } = await uploaded();
  const place = join(folder, 'store', 'uploads', String(uploadId));
  for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.zst')) rmSync(join(place, name));

  expect((await run('restore', `${base}/uploads/${String(uploadId)}`, 'out', '--all')).status).toBe(1);
  expect((await recorded()).at(-1)).toMatchObject({ operation: 'restore', outcome: 'failed', uploadId });
});

test('a ledger that cannot be written is a warning, and the upload is done', async () => {
  mkdirSync(join(folder, 'home'));
  writeFileSync(join(folder, 'home', 'ledger'), 'in the way');

  const { status, stderr } = await run('upload', 'data', base, '--quiet');

  expect([status, stderr]).toEqual([0, expect.stringContaining('! the cost of this run is not recorded: cannot')]);
});

test('why a run failed is told before its record is made', async () => {
  await uploaded();
  rmSync(join(folder, 'home', 'ledger'), { recursive: true });
  writeFileSync(join(folder, 'home', 'ledger'), 'in the way');

  const { status, stderr } = await run(
    'restore',
    `${base}/uploads/20200101-000000-00000000`,
    'out',
    '--all',
    '--quiet',
  );

  expect(status).toBe(1);
  expect(stderr).toMatch(/^✗ [^!]*\n! the cost of this run is not recorded: [^\n]*\n$/);
});

test('a history of uploads is kept where it is asked for, and names nothing', async () => {
  const env = { ARCHIVER_UPLOAD_HISTORY: 'true' };
  const asked = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root: program(), folder, env }, argv);
  await uploaded();
  await asked('upload', 'data', base, '--quiet', '--dry-run');
  const { files, bytes, storedBytes } = json(
    (await asked('upload', 'data', base, '--json', '--project', 'genome')).stdout,
  );
  await asked('sync', 'data', base, '--quiet', '--force');

  const text = readFileSync(join(folder, 'home', 'upload-history.jsonl'), 'utf8');
  expect(text).not.toMatch(/alpha|data-|genome|a\.txt|archiver-test/);
  const { history, uploadCount } = json((await asked('cost', 'history', '--json')).stdout);
  expect(uploadCount).toBe(2);
  expect(history).toMatchObject([
    {
      operation: 'upload',
      files,
      bytes,
      storedBytes,
      costUsd: 0,
      compressionRatio: Number(bytes) / Number(storedBytes),
      parameters: { changesOnly: false },
    },
    {
      operation: 'sync',
      compressionRatio: null,
      bytesPerSecond: null,
      parameters: { changesOnly: true, shards: expect.any(Number) },
    },
  ]);
  const last = json((await asked('cost', 'history', '--json', '--limit', '1')).stdout)['history'];
  expect(last).toMatchObject([{ operation: 'sync' }]);
  expect((await asked('cost', 'history')).stdout).toMatch(/upload +2 +5\.9 KiB/);
  const counted = async (...days: readonly string[]) =>
    json((await asked('cost', 'history', '--json', ...days)).stdout)['uploadCount'];
  expect([await counted('--to', '2000-01-01'), await counted('--from', '2000-01-01')]).toEqual([0, uploadCount]);
  expect((await run('cost', 'history', '--upload-history', 'elsewhere')).stdout).toContain(
    'no history of uploads is kept',
  );
});

describe('on S3', () => {
  let s3: MemoryS3;
  const KEYS = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret' };

  const runS3 = (argv: readonly string[], endpoint = s3.endpoint, signal?: AbortSignal): Promise<CommandRun> =>
    runCommand({ root: program(), folder, env: KEYS, ...(signal && { signal }) }, [
      ...argv,
      '--endpoint-url',
      endpoint,
    ]);

  beforeEach(async () => {
    useTestCredentials();
    s3 = await startMemoryS3('bucket');
    return () => s3.close();
  });

  const seen = (...operations: readonly string[]): number =>
    s3.requests.filter(({ operation }) => operations.includes(operation)).length;

  const usedOf = ({ used }: Pick<LedgerRecord, 'used'>, kind: string, storageClass?: string): number =>
    used
      .filter((one) => one.kind === kind && (storageClass === undefined || one.storageClass === storageClass))
      .reduce((sum, { quantity }) => sum + quantity, 0);

  test('every request counts by its rate and class, and every object by its class; without a price list the cost is unknown', async () => {
    const { status } = await runS3(['upload', 'data', 's3://bucket/lab', '--storage-class', 'GLACIER_IR', '--quiet']);

    expect(status).toBe(0);
    const [record] = await recorded();
    expect(record).toMatchObject({
      provider: 'other',
      store: 's3://bucket/lab',
      costMicros: null,
      monthlyMicros: null,
    });
    const objects = [...(s3.buckets.get('bucket')?.values() ?? [])];
    const classOf = ({ headers }: (typeof objects)[number]): string => headers['x-amz-storage-class'] ?? 'STANDARD';
    for (const storageClass of ['GLACIER_IR', 'STANDARD']) {
      const own = objects.filter((object) => classOf(object) === storageClass);
      expect(record?.stored.find((one) => one.storageClass === storageClass)).toMatchObject({
        objects: own.length,
        bytes: own.reduce((sum, { body }) => sum + body.length, 0),
      });
    }
    // The chunk, and the object by which the store was asked whether it keeps the class.
    expect(usedOf(record!, 'put', 'GLACIER_IR')).toBe(2);
    expect(usedOf(record!, 'put')).toBe(seen('PutObject'));
    expect(usedOf(record!, 'list')).toBe(seen('ListObjectsV2', 'ListMultipartUploads', 'ListObjectVersions'));
    expect(usedOf(record!, 'get')).toBe(seen('GetObject'));
    expect(usedOf(record!, 'head')).toBe(seen('HeadObject'));
  });

  test('prices of the config file hold for a server without a list', async () => {
    const own = 'STANDARD.put=5,STANDARD.get=0,list=0,transferOut=0,STANDARD.storage=1024';
    const argv = ['upload', 'data', 's3://bucket/lab', '--quiet', '--endpoint-url', s3.endpoint];
    const host = { root: program(), folder, env: { ...KEYS, ARCHIVER_OWN_PRICES: own } };

    expect((await runCommand(host, argv)).status).toBe(0);
    const [record] = await recorded();
    const bytes = record?.stored.reduce((sum, one) => sum + one.bytes, 0) ?? 0;

    // $5 for a thousand PUTs, $1024 for a GiB a month.
    expect(record?.costMicros).toBe(seen('PutObject') * 5000);
    expect(record?.monthlyMicros).toBe(Math.round((bytes / 2 ** 20) * 1e6));
  });

  test('AWS at an address of its own is billed, and recorded, as AWS where the config file says so', async () => {
    const argv = ['upload', 'data', 's3://bucket/lab', '--quiet', '--endpoint-url', s3.endpoint];
    for (const provider of [undefined, 'aws']) {
      const env = { ...KEYS, ...(provider && { ARCHIVER_PROVIDER: provider }) };
      expect((await runCommand({ root: program(), folder, env }, argv)).status).toBe(0);
    }

    const [unknown, known] = await recorded();

    expect(unknown).toMatchObject({ provider: 'other', costMicros: null });
    // Each PUT and each listing is $0.005 for a thousand.
    expect(known).toMatchObject({ provider: 'aws', costMicros: 5 * (usedOf(known!, 'put') + usedOf(known!, 'list')) });
  });

  test('KMS is asked for the key of each encrypted object; without its price the cost is unknown', async () => {
    const own = 'STANDARD.put=5,STANDARD.get=0,list=0,transferOut=0,STANDARD.storage=1024';
    const argv = ['upload', 'data', 's3://bucket/lab', '--quiet', '--kms-key-id', 'alias/lab'];
    const host = { root: program(), folder, env: { ...KEYS, ARCHIVER_OWN_PRICES: own } };
    const priced = { ...host, env: { ...KEYS, ARCHIVER_OWN_PRICES: `${own},kms=3` } };

    const { stderr } = await runCommand(host, [...argv, '--endpoint-url', s3.endpoint]);
    const puts = seen('PutObject');
    await runCommand(priced, [...argv, '--endpoint-url', s3.endpoint]);

    expect(stderr).toBe('');
    const [first, second] = await recorded();
    const encrypted = [...(s3.buckets.get('bucket')?.values() ?? [])].filter(
      ({ headers }) => headers['x-amz-server-side-encryption'] === 'aws:kms',
    );
    expect(encrypted.length).toBeGreaterThan(0);
    expect(usedOf(first!, 'kms') + usedOf(second!, 'kms')).toBe(encrypted.length);
    expect(first?.lines.find(({ item }) => item === 'kms')?.costMicros).toBe(null);
    expect([first?.costMicros, first?.monthlyMicros]).toEqual([null, expect.any(Number)]);
    expect(second?.costMicros).toBe((seen('PutObject') - puts) * 5000 + usedOf(second!, 'kms') * 3000);
  });

  test('in a bucket that keeps versions, what is deleted or written again goes on being stored', async () => {
    const pruned = async (place: string): Promise<readonly LedgerRecord[]> => {
      const first = json((await runS3(['upload', 'data', place, '--quiet', '--json'])).stdout);
      writeFileSync(join(folder, 'data', 'a.txt'), place.repeat(500));
      await runS3(['upload', 'data', place, '--quiet']);
      const which = ['--dataset-id', String(first['datasetId']), '--keep-last', '1', '--instant', '--yes', '--quiet'];
      expect((await runS3(['dataset', 'prune', place, ...which])).status).toBe(0);
      return (await recorded()).filter(({ operation, store }) => operation === 'prune' && store === place);
    };
    const isLess = ({ stored }: LedgerRecord): boolean => stored.some(({ bytes }) => bytes < 0);

    const without = await pruned('s3://bucket/lab');
    s3.keepVersions('bucket');
    const kept = await pruned('s3://bucket/other');

    expect(without.some(isLess)).toBe(true);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.some(isLess)).toBe(false);
  });

  test('what is read of a class with a retrieval fee counts as retrieval, and all of it as transfer', async () => {
    const up = await runS3(['upload', 'data', 's3://bucket/lab', '--storage-class', 'GLACIER_IR', '--quiet', '--json']);
    const { location } = json(up.stdout);
    const before = seen('GetObject', 'HeadObject');

    const restored = await runS3(['restore', String(location), 'out', '--all', '--quiet', '--json']);

    const record = (await recorded()).at(-1);
    expect(record?.operation).toBe('restore');
    expect(usedOf(record!, 'get')).toBe(seen('GetObject', 'HeadObject') - before);
    expect(usedOf(record!, 'retrieval', 'GLACIER_IR')).toBe(json(restored.stdout)['bytesFetched']);
    expect(usedOf(record!, 'transferOut')).toBeGreaterThan(usedOf(record!, 'retrieval'));
    expect(readFileSync(join(folder, 'out', 'b.txt'), 'utf8')).toBe('beta');
  });

  test('content that is asked back counts by tier, with the copy that is kept for some days', async () => {
    const up = await runS3([
      'upload',
      'data',
      's3://bucket/lab',
      '--storage-class',
      'DEEP_ARCHIVE',
      '--quiet',
      '--json',
    ]);
    const { location, storedBytes } = json(up.stdout);

    const { status } = await runS3([
      'restore',
      String(location),
      'out',
      '--all',
      '--tier',
      'bulk',
      '--restore-days',
      '3',
      '--quiet',
    ]);

    expect(status).toBe(5);
    const record = (await recorded()).at(-1);
    expect(record).toMatchObject({ operation: 'restore', outcome: 'done', files: 0, bytes: 0 });
    expect(record?.used).toContainEqual({ kind: 'restore', storageClass: 'DEEP_ARCHIVE', way: 'bulk', quantity: 1 });
    expect(usedOf(record!, 'retrieval', 'DEEP_ARCHIVE')).toBe(storedBytes);
    expect(usedOf(record!, 'storage')).toBe(Math.round((Number(storedBytes) * 3) / 30));
  });

  test('scuttle takes what it deletes out of what is stored', async () => {
    await runS3(['upload', 'data', 's3://bucket/lab', '--storage-class', 'STANDARD_IA', '--quiet']);
    await runS3(['scuttle', 's3://bucket/lab', '--force', '--quiet']);

    const all = (await recorded()).flatMap(({ stored }) => stored);
    const sums = ['STANDARD', 'STANDARD_IA'].map((name) =>
      all.filter(({ storageClass }) => storageClass === name).reduce((sum, { objects }) => sum + objects, 0),
    );
    expect(s3.buckets.get('bucket')?.size).toBe(0);
    expect(sums).toEqual([0, 0]);
  });

  test('an interrupted run is recorded as interrupted, with the requests that it sent', async () => {
    const silent = await startSilentServer();
    const ending = new AbortController();
    const running = runS3(['upload', 'data', 's3://bucket/lab', '--quiet'], silent.endpoint, ending.signal);
    await vi.waitUntil(() => silent.connections() > 0, { timeout: 30_000, interval: 5 });
    ending.abort();

    expect((await running).status).not.toBe(0);
    await silent.close();
    const [record] = await recorded();
    expect(record).toMatchObject({ operation: 'upload', outcome: 'interrupted', stored: [] });
    expect(record?.used.length).toBeGreaterThan(0);
  });
});
