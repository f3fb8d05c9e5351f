import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../../src/commands/money/analyze.js';
import { beginMultipart } from '../../support/begin-multipart.js';
import {
  ALL_COLUMNS,
  editManifest,
  INVENTORY,
  type InventoryColumn,
  type InventoryOptions,
  makeInventory,
  MANIFEST,
  rowsOf,
  versionsOf,
} from '../../support/make-inventory.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([command], [], 'analyze alone');
const GiB = 2 ** 30;
const NOW = new Date('2026-06-01T00:00:00Z');
const DAY = 86_400_000;
const CURRENT: readonly InventoryColumn[] = ['bucket', 'key', 'size', 'last_modified_date', 'storage_class'];
let s3: MemoryS3;
let folder = '';

beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('lab', 'logs');
});
afterAll(() => s3.close());
beforeEach(async () => {
  folder = await tempFolder();
  s3.buckets.set('lab', new Map());
  s3.buckets.set('logs', new Map());
  s3.requests.length = 0;
});

const env = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', NO_COLOR: '1' };
const PRICES = ['--provider', 'aws', '--region', 'us-east-1'];
const analyze = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env, now: () => NOW }, ['analyze', ...argv, '--endpoint-url', s3.endpoint, ...PRICES]);
const analyzed = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const { status, stdout, stderr } = await analyze(...argv, '--json');
  expect(stderr).not.toContain('✗');
  expect(status).toBe(0);
  return json(stdout);
};
const refused = async (...argv: string[]): Promise<string> => {
  const { status, stderr } = await analyze(...argv, '--no-progress');
  expect(status).not.toBe(0);
  return stderr;
};

/** An object that is listed with this size, and has no content. */
function put(key: string, length: number, days: number, storageClass = 'STANDARD'): void {
  s3.buckets.get('lab')?.set(key, {
    body: { length } as Buffer,
    etag: 'e',
    modified: new Date(NOW.getTime() - days * DAY),
    headers: { 'x-amz-storage-class': storageClass },
  });
}

/** What lies in the bucket now, as an inventory in memory. */
async function inventoryOf(options: InventoryOptions): Promise<Map<string, Buffer>> {
  const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: '' });
  return await makeInventory(rowsOf(await versionsOf(store)), options);
}

/** Puts it in the bucket that it was delivered to, and says where its manifest is. */
async function delivered(made: Map<string, Buffer>): Promise<string> {
  const { store } = await openTestS3(s3.endpoint, 'logs', { prefix: '' });
  for (const [key, bytes] of made) await store.put(key, bytes);
  return `s3://logs/${MANIFEST}`;
}

/** Puts a copy into a folder of this computer, without the folders above the configuration. */
function copied(made: Map<string, Buffer>): string {
  for (const [key, bytes] of made) {
    const path = join(folder, 'copy', key.slice(INVENTORY.length + 1));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  return `file://${join(folder, 'copy', MANIFEST.slice(INVENTORY.length + 1))}`;
}

/** Objects of all sizes, ages and classes, with versions, delete markers and odd keys. */
async function fillBucket(): Promise<void> {
  const classes = ['STANDARD', 'GLACIER', 'DEEP_ARCHIVE', 'STANDARD_IA'];
  for (let n = 0; n < 300; n++) put(`scans/${n % 7}/img ${n}+ü.dcm`, n ** 4 + (n % 2), (n * 3) % 400, classes[n % 4]);
  put('scans 2/edge-1', 2 ** 17 - 1, 30);
  put('scans 2/edge-2', 2 ** 17, 29.99);
  put('large', 40 * GiB, 200);
  put('empty', 0, 0);
  s3.keepVersions('lab');
  const { store } = await openTestS3(s3.endpoint, 'lab', { prefix: '' });
  await store.put('large', Buffer.from('new'));
  await store.put('scans/1/gone', Buffer.from('gone'));
  await store.delete(['scans/1/gone', 'empty']);
  await beginMultipart(s3.endpoint, 's3://lab/scans', 'big', ['12345']);
}

/** What does not depend on how it was found out. */
function report(found: Readonly<Record<string, unknown>>): object {
  const { requests: _requests, durationMs: _durationMs, inventory: _inventory, ...rest } = found;
  return rest;
}

describe('the report of an inventory is that of a listing', () => {
  const kinds: readonly InventoryOptions[] = [
    { format: 'CSV' },
    { format: 'Parquet' },
    { format: 'Parquet', codec: 'gzip', rowsAFile: 10_000 },
  ];
  test.each(kinds)('%j', async (options) => {
    await fillBucket();
    const manifest = await delivered(await inventoryOf(options));
    const [whole, below] = [await analyzed('s3://lab'), await analyzed('s3://lab/scans 2')];
    expect(below).toMatchObject({ objects: 2 });
    expect(whole).toMatchObject({ objects: 303, older: { objects: 3, deleteMarkers: 2 } });

    const found = await analyzed('s3://lab', '--inventory', manifest);

    expect(report(found)).toEqual(report(whole));
    expect(report(await analyzed('s3://lab/scans 2', '--inventory', manifest))).toEqual(report(below));
    expect(found['inventory']).toMatchObject({
      createdAt: '2026-05-31T01:00:00.000Z',
      inventoryFormat: options.format,
      inventoryFiles: options.rowsAFile === undefined ? 2 : 1,
      hasVersions: true,
    });
    // Objects are not listed.
    expect(found['requests']).toMatchObject({ get: options.rowsAFile === undefined ? 4 : 3 });
  });
});

test('Parquet of several row groups is read to its end', async () => {
  const rows = rowsOf(
    Array.from({ length: 5000 }, (_, n) => ({
      key: `k${n}`,
      versionId: 'null',
      isCurrent: true,
      isDeleteMarker: false,
      sizeBytes: n,
      lastModified: NOW,
    })),
  );
  const made = await makeInventory(rows, { format: 'Parquet', rowsAFile: 5000 });
  expect(await analyzed('--inventory', copied(made))).toMatchObject({ objects: 5000, bytes: (5000 * 4999) / 2 });
});

test('a copy in a folder is read without asking the bucket', async () => {
  await fillBucket();
  const listed = await analyzed('s3://lab');
  const made = await inventoryOf({ format: 'CSV' });
  s3.requests.length = 0;

  const { stdout } = await analyze('--inventory', copied(made));

  expect(s3.requests).toEqual([]);
  expect(stdout).toContain('s3://lab: 303 objects');
  expect(stdout).toMatch(/inventory begun 2026-05-31 .*, CSV, 2 files, .*; what changed since is not in it/);
  expect(stdout).toContain('not known: no inventory has unfinished uploads; with s3://lab as URL');
  const found = await analyzed('--inventory', copied(made));
  expect(report(found)).toEqual(report({ ...listed, unfinished: null, unfinishedHidden: 'not-asked' }));
});

describe('what the inventory does not have', () => {
  const without = async (...gone: InventoryColumn[]): Promise<string> => {
    put('a', GiB, 400);
    put('b', GiB, 10, 'GLACIER');
    return copied(await inventoryOf({ format: 'CSV', columns: ALL_COLUMNS.filter((name) => !gone.includes(name)) }));
  };

  test('versions: only current ones are counted', async () => {
    put('a', GiB, 400);
    const manifest = copied(await inventoryOf({ format: 'Parquet', columns: CURRENT }));
    const { stdout } = await analyze('--inventory', manifest);
    expect(stdout).toContain('not known: this inventory is of current versions only');
    expect(await analyzed('--inventory', manifest)).toMatchObject({ objects: 1, versionsHidden: true, older: null });
  });

  test('classes: nothing has a price', async () => {
    const manifest = await without('storage_class');
    expect(await analyzed('--inventory', manifest)).toMatchObject({
      objects: 2,
      bytes: 2 * GiB,
      monthlyUsd: null,
      storedClasses: [{ storageClass: 'UNKNOWN', objects: 2, monthlyUsd: null }],
      classSavings: [],
    });
    expect((await analyze('--inventory', manifest)).stdout).toContain('it has no column StorageClass');
  });

  test('dates: no ages, and nothing that depends on them', async () => {
    const manifest = await without('last_modified_date');
    const found = await analyzed('--inventory', manifest);
    expect(found).toMatchObject({ objects: 2, ageBands: null, classSavings: [] });
    expect(found['monthlyUsd']).toBeGreaterThan(0.02);
    const { stdout } = await analyze('--inventory', manifest);
    expect(stdout).toContain('it has no column LastModifiedDate');
    expect(stdout).not.toContain('AGE');
  });

  test.each([
    ['size', 'no column Size'],
    ['is_latest', 'no column IsLatest'],
    ['is_delete_marker', 'no column IsDeleteMarker'],
  ] as const)('%s: it is refused', async (column, sentence) => {
    expect(await refused('--inventory', await without(column))).toContain(sentence);
  });
});

describe('a damaged inventory is refused', () => {
  const damaged = async (format: 'CSV' | 'Parquet', change: (made: Map<string, Buffer>) => void): Promise<string> => {
    for (let n = 0; n < 10; n++) put(`a${n}`, GiB, 400);
    const made = await inventoryOf({ format });
    change(made);
    return await refused('--inventory', copied(made));
  };
  const data = (made: Map<string, Buffer>): string => [...made.keys()].find((key) => key.includes('/data/')) ?? '';
  const flip = (made: Map<string, Buffer>): void => {
    const bytes = Buffer.from(made.get(data(made)) ?? '');
    bytes[9]! ^= 1; // the system that made it, which gunzip does not look at
    made.set(data(made), bytes);
  };

  test.each(['CSV', 'Parquet'] as const)('%s of another MD5', async (format) => {
    const stderr = await damaged(format, flip);
    expect(stderr).toMatch(/part-0\.\S+ of the inventory is damaged.*: its MD5 is \w+, and the manifest says/);
  });

  test('with files of another size', async () => {
    const cut = (made: Map<string, Buffer>): unknown => made.set(data(made), Buffer.alloc(7));
    expect(await damaged('CSV', cut)).toContain('it has 7 bytes, and the manifest says');
  });

  test.each(['CSV', 'Parquet'] as const)('of files that are not %s', async (format) => {
    const other = Buffer.from('12345678 and so on: this is neither');
    const stderr = await damaged(format, (made) => {
      made.set(data(made), other);
      editManifest(made, {
        files: [{ key: data(made), size: other.length, MD5checksum: 'd98e0b3b4ee9d1e2c6d7a1f86a4e7a8a' }],
      });
    });
    expect(stderr).toContain('of the inventory is damaged');
  });

  test('whose manifest is not that of its checksum', async () => {
    const stderr = await damaged('CSV', (made) =>
      made.set(MANIFEST.replace('.json', '.checksum'), Buffer.from('0'.repeat(32))),
    );
    expect(stderr).toContain('is not the manifest that manifest.checksum is of');
  });

  test('whose rows are not what the columns say', async () => {
    const stderr = await damaged('CSV', (made) =>
      editManifest(made, { fileSchema: 'Bucket, Key, Size, IsLatest, IsDeleteMarker' }),
    );
    expect(stderr).toMatch(/\(row 1\): '.*' is not (a size|true or false)/);
  });

  test('whose Parquet lacks a column that the manifest names', async () => {
    put('a', GiB, 400);
    const made = await inventoryOf({ format: 'Parquet', columns: CURRENT });
    editManifest(made, {
      fileSchema: `message s3.inventory { ${ALL_COLUMNS.map((name) => `optional binary ${name};`).join(' ')} }`,
    });
    expect(await refused('--inventory', copied(made))).toContain('it has no column is_latest');
  });
});

describe('refused in one sentence', () => {
  test('ORC', async () => {
    const made = await inventoryOf({ format: 'CSV' });
    const columns = 'bucket:string,key:string,size:bigint,last_modified_date:timestamp,storage_class:string';
    editManifest(made, { fileFormat: 'ORC', fileSchema: `struct<${columns}>` });
    expect(await refused('--inventory', copied(made))).toContain(
      'this inventory is in ORC, which archiver does not read',
    );
  });

  test('an inventory of another bucket', async () => {
    const manifest = copied(await inventoryOf({ format: 'CSV' }));
    const stderr = await refused('s3://logs', '--inventory', manifest);
    expect(stderr).toContain('this inventory is of s3://lab, and not of s3://logs');
  });

  test('what is no manifest, or not there, or comes with --sampling', async () => {
    expect(await refused('--inventory', 's3://logs/inv/lab/daily')).toContain('is not the manifest of an inventory');
    expect(await refused('--inventory', 's3://logs/inv/lab/daily/t/manifest.json')).toContain('manifest.json');
    expect(await refused('--inventory', `s3://logs/${MANIFEST}`, '--sampling')).toContain('--sampling');
  });
});

describe('--engine athena', () => {
  const athena = ['--engine', 'athena', '--athena-table', 'daily'];

  test('reads no more than it may', async () => {
    put('a', GiB, 1);
    const manifest = await delivered(await inventoryOf({ format: 'CSV' }));
    const { status, stderr } = await analyze('--inventory', manifest, ...athena, '--athena-max-scan', '10');
    expect([status, stderr]).toEqual([
      4,
      expect.stringMatching(/Athena may read \d+ B, and --athena-max-scan allows 10 B/),
    ]);
  });

  test('needs an inventory and a table, and its flags need it', async () => {
    expect(await refused('s3://lab', ...athena)).toContain('--engine athena needs --inventory and --athena-table');
    expect(await refused('--inventory', `s3://logs/${MANIFEST}`, '--athena-table', 'daily')).toContain(
      '--athena-table needs --engine athena',
    );
  });

  test('needs to know the partition', async () => {
    const made = await inventoryOf({ format: 'CSV' });
    const { store } = await openTestS3(s3.endpoint, 'logs', { prefix: '' });
    await store.put('inv/lab/daily/latest/manifest.json', made.get(MANIFEST) ?? Buffer.of());
    expect(await refused('--inventory', 's3://logs/inv/lab/daily/latest/manifest.json', ...athena)).toContain(
      'its partition in Athena is not known',
    );
  });
});
