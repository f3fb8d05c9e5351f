// `archiver upload s3://raw STORE`: objects of a bucket as files of a version, read from a server in this process.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import type { Entry } from '../../../src/core/format/manifest/manifest-types.js';
import { openVersion } from '../../../src/core/dataset/chain/version-view.js';
import { listVersions, readVersion } from '../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { errorAnswer, type MemoryObject, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
let folder = '';
let s3: MemoryS3;
let bucket: Map<string, MemoryObject>;

beforeEach(async () => {
  useTestCredentials();
  folder = await tempFolder();
  mkdirSync(join(folder, 'temp'));
  s3 = await startMemoryS3('raw', 'archive');
  onTestFinished(() => s3.close());
  bucket = s3.buckets.get('raw') ?? new Map();
});

const run = async (...argv: readonly string[]): Promise<CommandRun> =>
  await runCommand(
    { root, folder, env: { NO_COLOR: '1', AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: s3.endpoint } },
    argv,
  );

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');
const TIME = new Date('2025-03-04T05:06:07Z');

function put(key: string, body: Buffer | string, more: Partial<MemoryObject> = {}): Buffer {
  const bytes = Buffer.from(body);
  bucket.set(key, { body: bytes, etag: md5(bytes), modified: TIME, headers: {}, ...more });
  return bytes;
}

const store = (): string => `file://${join(folder, 'store')}`;
const upload = async (command: string, source: string, ...more: readonly string[]) => {
  const ran = await run(command, source, store(), '--temp-dir', join(folder, 'temp'), '--json', ...more);
  return { ...ran, document: ran.stdout === '' ? {} : json(ran.stdout) };
};
const restored = async (): Promise<Map<string, Buffer>> => {
  const to = join(folder, `out-${randomBytes(4).toString('hex')}`);
  const ran = await run('restore', store(), to, '--all');
  expect(ran.stderr).not.toContain('failed');
  const files = readdirSync(to, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return new Map(
    files.map((one) => {
      const path = join(one.parentPath, one.name);
      return [path.slice(to.length + 1), readFileSync(path)];
    }),
  );
};
const gets = (): string[] =>
  s3.requests.filter(({ operation }) => operation === 'GetObject').map(({ path }) => path.replace(/\?.*/, ''));

/** Entries of the newest version. */
async function entriesOf(): Promise<readonly Entry[]> {
  const reader = fileStore(join(folder, 'store'));
  const [datasetId = ''] = readdirSync(join(folder, 'store', 'datasets'));
  const version = (await listVersions(reader, datasetId)).at(-1)?.version ?? 0;
  const view = await openVersion(reader, await readVersion(reader, { datasetId, version }));
  const found: Entry[] = [];
  for await (const batch of view.entries()) found.push(...batch);
  return found;
}

const attributesOf = (entry: Entry | undefined): Record<string, string> =>
  Object.fromEntries([...(entry?.xattrs ?? [])].map(([name, value]) => [name, Buffer.from(value).toString()]));

const sentChunks = (): number => {
  const store = join(folder, 'store');
  return existsSync(store)
    ? readdirSync(store, { recursive: true }).filter((path) => String(path).includes('chunk')).length
    : 0;
};

describe('an upload of a bucket', () => {
  test('hundreds of objects come back as files, and nothing is left in the temporary folder', async () => {
    const want = new Map(
      Array.from({ length: 400 }, (_, at) => {
        const key = `d${at % 7}/s${at % 3}/f${at}`;
        return [key, put(`lab/${key}`, `content of ${at}`)] as const;
      }),
    );
    put('labor/other', 'not below lab/');

    const { status, document } = await upload('upload', 's3://raw/lab/');

    expect([status, document['files']]).toEqual([0, 400]);
    expect(await restored()).toEqual(want);
    expect(gets()).toHaveLength(400);
    expect(readdirSync(join(folder, 'temp'))).toEqual([]);
  });

  test('an object larger than a chunk is read in ranges and comes back', async () => {
    const large = put('lab/large', randomBytes(70 * 2 ** 20));

    const { status } = await upload('upload', 's3://raw/lab');

    expect(status).toBe(0);
    expect((await restored()).get('large')?.equals(large)).toBe(true);
    expect(gets().length).toBeGreaterThan(1);
  });

  test('a large object that changes between its ranges is left out and named', async () => {
    put('lab/a', 'small');
    put('lab/large', Buffer.alloc(70 * 2 ** 20));
    let asked = 0;
    s3.rules.answer = (operation, { key }) => {
      if (operation === 'GetObject' && key === 'lab/large' && ++asked === 2)
        put('lab/large', Buffer.alloc(70 * 2 ** 20, 1));
      return undefined;
    };

    const { status, document } = await upload('upload', 's3://raw/lab');

    expect([status, document['files']]).toEqual([3, 1]);
    expect(document['skipped']).toMatchObject([{ path: 'large', reason: 'changed after it was listed' }]);
    expect([...(await restored()).keys()]).toEqual(['a']);
    expect((await run('verify', store(), '--deep')).status).toBe(0);
  });

  test('times, ETag, content type, class and metadata are kept', async () => {
    put('lab/a', 'content', {
      headers: { 'content-type': 'text/x-a', 'x-amz-meta-owner': 'ada', 'x-amz-storage-class': 'STANDARD_IA' },
    });
    put('lab/empty', '', { headers: { 'x-amz-meta-n': '1' } });

    await upload('upload', 's3://raw/lab');
    const entries = await entriesOf();

    const [a, empty] = entries.filter(({ type }) => type === 'file');
    expect(a?.mtime).toEqual({ seconds: TIME.getTime() / 1000, nanos: 0 });
    expect(attributesOf(a)).toEqual({
      'user.s3.etag': bucket.get('lab/a')?.etag,
      'user.s3.content-type': 'text/x-a',
      'user.s3.storage-class': 'STANDARD_IA',
      'user.s3.meta.owner': 'ada',
    });
    expect(attributesOf(empty)).toMatchObject({ 'user.s3.meta.n': '1' });
  });

  test('keys that cannot be paths are named and left out, and all others are there', async () => {
    for (const key of ['lab//x', 'lab/../y', 'lab/./z', 'lab/full/', 'lab/both', 'lab/both/in', 'lab/ä \u0001 b'])
      put(key, key);
    put('lab/empty/', '');

    const { status, document } = await upload('upload', 's3://raw/lab');

    const skipped = document['skipped'] as { path: string; reason: string }[];
    expect(status).toBe(3);
    expect(skipped.map(({ path }) => path).sort()).toEqual(['../y', './z', '/x', 'both', 'full/']);
    expect([...(await restored()).keys()].sort()).toEqual(['both/in', 'ä \u0001 b']);
    expect((await entriesOf()).map(({ path }) => path)).toContain('empty');
  });

  test.each([
    ['changes', 'changed after it was listed', () => void put('lab/b', 'other content')],
    ['vanishes', 'was deleted after it was listed', () => void bucket.delete('lab/b')],
    ['may not be read', 'may not be read', () => errorAnswer(403, 'AccessDenied')],
  ])('an object that %s meanwhile is left out and named', async (_what, reason, happens) => {
    for (const name of 'abc') put(`lab/${name}`, name);
    s3.rules.answer = (operation, { key }) =>
      operation === 'GetObject' && key === 'lab/b' ? (happens() ?? undefined) : undefined;

    const { status, document } = await upload('upload', 's3://raw/lab');

    expect([status, document['files']]).toEqual([3, 2]);
    expect(document['skipped']).toMatchObject([{ path: 'b', reason: expect.stringContaining(reason) as string }]);
    expect([...(await restored()).keys()].sort()).toEqual(['a', 'c']);
  });

  test('bytes that are not those of the ETag are never stored', async () => {
    put('lab/a', 'right');
    put('lab/b', 'wrong', { etag: '0'.repeat(32) });
    put('lab/c', 'of parts', { etag: `${'0'.repeat(32)}-2` });

    const { status, document } = await upload('upload', 's3://raw/lab');

    expect([status, document['files']]).toEqual([3, 2]);
    expect(document['skipped']).toMatchObject([{ path: 'b', reason: expect.stringContaining('ETag') as string }]);
    expect(gets().filter((path) => path.endsWith('/b'))).toHaveLength(2);
  });

  test('objects in cold storage are named without a request for them', async () => {
    put('lab/a', 'warm');
    put('lab/b', 'cold', { headers: { 'x-amz-storage-class': 'DEEP_ARCHIVE' } });

    const { status, document } = await upload('upload', 's3://raw/lab');

    expect(status).toBe(3);
    expect(document['skipped']).toMatchObject([
      { path: 'b', reason: expect.stringMatching(/DEEP_ARCHIVE.*restore-object/) as string },
    ]);
    expect(gets()).toEqual(['/raw/lab/a']);
  });

  test('what was sent before a failure is not read again', async () => {
    for (let at = 0; at < 24; at++) put(`lab/${String(at).padStart(2, '0')}`, randomBytes(2 ** 20));
    const want = new Map([...bucket].map(([key, { etag }]) => [key.slice(4), etag]));
    s3.rules.answer = (operation, { key }) =>
      operation === 'GetObject' && key === 'lab/23' && sentChunks() > 0
        ? errorAnswer(400, 'InvalidArgument')
        : undefined;
    const small = ['--shard-count', '16'];
    const failed = await upload('upload', 's3://raw/lab', ...small);
    const before = gets().length;
    s3.rules.answer = () => undefined;

    const { status } = await upload('upload', 's3://raw/lab', '--resume', ...small);

    expect([failed.status, status]).toEqual([1, 0]);
    expect(before).toBeGreaterThanOrEqual(24);
    expect(gets().length - before).toBeLessThan(12);
    const back = [...(await restored())].map(([path, body]) => [path, md5(body)] as const);
    expect(new Map(back)).toEqual(want);
  });
});

describe('a sync of a bucket', () => {
  test('reads what has another ETag, though size and time are the same, and nothing else', async () => {
    for (const name of 'abc') put(`lab/${name}`, `${name}1`);
    await upload('sync', 's3://raw/lab');
    const before = gets().length;
    put('lab/b', 'b2');
    bucket.delete('lab/c');

    const { status, document } = await upload('sync', 's3://raw/lab', '--track-deletes');

    expect([status, document]).toMatchObject([0, { added: 0, modified: 1, deleted: 1, unchanged: 1 }]);
    expect(gets().slice(before)).toEqual(['/raw/lab/b']);
    expect(await restored()).toEqual(
      new Map([
        ['a', Buffer.from('a1')],
        ['b', Buffer.from('b2')],
      ]),
    );
  });

  test('an empty object with new metadata is read again', async () => {
    put('lab/e', '', { headers: { 'x-amz-meta-n': '1' } });
    await upload('sync', 's3://raw/lab');
    put('lab/e', '', { headers: { 'x-amz-meta-n': '2' }, modified: new Date(TIME.getTime() + 60_000) });

    await upload('sync', 's3://raw/lab');

    const entry = (await entriesOf()).find(({ path }) => path === 'e');
    expect(attributesOf(entry)).toMatchObject({ 'user.s3.meta.n': '2' });
  });

  test('finds nothing to do where nothing changed, and reads nothing', async () => {
    put('lab/a', 'a');
    await upload('sync', 's3://raw/lab');
    const before = gets().length;

    const { document } = await upload('sync', 's3://raw/lab/');

    expect([document, gets().length]).toMatchObject([{ noChanges: true }, before]);
  });

  test('a source that was emptied is refused', async () => {
    for (let at = 0; at < 20; at++) put(`lab/${at}`, 'a');
    await upload('sync', 's3://raw/lab');
    bucket.clear();

    const { status, stdout } = await upload('sync', 's3://raw/lab', '--track-deletes');

    expect([status, stdout]).toEqual([1, expect.stringContaining('there is no object below s3://raw/lab')]);
  });
});

describe('what is refused', () => {
  test.each([
    ['a destination in the source', ['s3://raw/lab', 's3://raw/lab/archive'], 'lies in s3://raw/lab'],
    ['other sources beside it', ['s3://raw/lab', './temp', 'file:///none'], 'archived by itself'],
    ['git metadata', ['s3://raw/lab', 's3://archive', '--git-metadata'], 'can do nothing for an s3:// SOURCE'],
    ['direct objects', ['s3://raw/lab', 's3://archive', '--direct-upload'], 'can do nothing for an s3:// SOURCE'],
    ['its flags for a folder', ['./temp', 's3://archive', '--source-profile', 'x'], 'that is no s3:// URL'],
  ])('%s', async (_what, argv, text) => {
    put('lab/a', 'a');

    const ran = await run('upload', ...argv);

    expect([ran.status, ran.stderr]).toEqual([2, expect.stringContaining(text)]);
    expect([gets(), s3.buckets.get('archive')?.size]).toEqual([[], 0]);
  });

  test('a dry run says what reading costs, and reads nothing', async () => {
    put('lab/a', 'content');

    const { stderr } = await upload('upload', 's3://raw/lab', '--dry-run');

    expect(stderr).toContain('reading the source: 1 GET of 7 B');
    expect(gets()).toEqual([]);
  });
});
