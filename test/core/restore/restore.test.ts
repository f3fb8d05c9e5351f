import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { FrameCache } from '../../../src/core/restore/frame-cache.js';
import { makeArchive, md5, type FileSpec, type MadeArchive } from '../../support/make-archive.js';
import { memoryReader } from '../../support/memory-reader.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';

const random = (size: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, index) => (index * 31 + seed * 7 + (index >> 8) * seed) & 255));
const BIG = random(200_000, 3);
const TREE: FileSpec[] = [
  { path: 'a.txt', content: 'alpha' },
  { path: 'big.bin', content: BIG },
  { path: 'dir', type: 'directory', mode: '0500', mtime: '2001-02-03T04:05:06.000000007Z' },
  { path: 'dir/empty', content: '' },
  { path: 'dir/é.txt', content: 'beta', mode: '0400' },
  { path: 'first', content: 'shared', linkGroup: 1 },
  { path: 'link', type: 'symlink', target: 'dir/../a.txt' },
  { path: 'second', type: 'hardlink', linkTo: 'first', linkGroup: 1 },
  {
    path: 'sparse',
    content: Buffer.concat([Buffer.alloc(4096, 1), Buffer.alloc(10, 2)]),
    size: 1_000_010,
    holes: [[4096, 995_904]],
  },
];
const names = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const chunkOf = (archive: MadeArchive, chunk = 0): string =>
  [...archive.objects.keys()].filter((key) => key.includes('chunk-'))[chunk] ?? '';

describe('a whole archive', () => {
  test('comes back with content, links, holes, modes and nanosecond times', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }));

    const { out } = result;
    expect(result).toMatchObject({ files: 8, directories: 1, failed: [], warnings: [] });
    expect(readFileSync(join(out, 'big.bin')).equals(BIG)).toBe(true);
    expect(readFileSync(join(out, 'dir/é.txt'), 'utf8')).toBe('beta');
    expect(readlinkSync(join(out, 'link'))).toBe('dir/../a.txt');
    expect(statSync(join(out, 'first')).ino).toBe(statSync(join(out, 'second')).ino);
    const sparse = statSync(join(out, 'sparse'));
    expect([sparse.size, sparse.blocks * 512 < 100_000]).toEqual([1_000_010, true]);
    expect(md5(readFileSync(join(out, 'sparse')))).toBe(
      makeArchive({ files: TREE }).manifest.files.find(({ path }) => path === 'sparse')?.['md5'],
    );
    expect(statSync(join(out, 'dir')).mode & 0o777).toBe(0o500);
    expect(statSync(join(out, 'dir'), { bigint: true }).mtimeNs).toBe(981173106000000007n);
    expect(statSync(join(out, 'dir/é.txt')).mode & 0o777).toBe(0o400);
    expect(lstatSync(join(out, 'link'), { bigint: true }).mtimeNs).toBe(1763112612123456789n);
    expect(statSync(out).mode & 0o777).toBe(0o750);
    expect(statSync(out, { bigint: true }).mtimeNs).toBe(1763112612123456789n);
    expect(names(out).filter((name) => name.includes('.archiver'))).toEqual([]);
  });

  test('cut files come back from their parts, whatever else lies in the chunks', async () => {
    const files: FileSpec[] = [
      { path: 'cut', content: BIG, pieces: 60_000, chunk: 1 },
      { path: 'other', content: 'x', chunk: 2 },
    ];

    const result = await restoreMade(makeArchive({ files }));

    expect(result.failed).toEqual([]);
    expect(readFileSync(join(result.out, 'cut')).equals(BIG)).toBe(true);
  });

  test('parts that come in another order than the chunks are read back and compared', async () => {
    const archive = makeArchive({
      files: [
        { path: 'cut', content: BIG, pieces: 60_000 },
        { path: 'zcut', content: BIG, pieces: 60_000, isBackwards: true },
      ],
    });

    const result = await restoreMade(archive);

    expect(result.failed).toEqual([]);
    expect(readFileSync(join(result.out, 'zcut')).equals(BIG)).toBe(true);
  });

  test('without libc the content is the same, times keep microseconds, and a note says so', async () => {
    const { execFileSync } = await import('node:child_process');
    const { fileURLToPath } = await import('node:url');
    const out = join(await tempFolder(), 'out');
    const script = fileURLToPath(new URL('../../support/restore-without-libc.ts', import.meta.url));

    const result = JSON.parse(
      execFileSync(process.execPath, ['--import', 'tsx', script, out], {
        env: { ...process.env, ARCHIVER_NO_LIBC: '1' },
        encoding: 'utf8',
      }),
    ) as { failed: unknown; notes: string[] };

    expect(result.failed).toEqual([]);
    expect(result.notes.join()).toContain('to the microsecond');
    expect(statSync(join(out, 'a.txt'), { bigint: true }).mtimeNs / 1000n).toBe(1763112612123456n);
    expect(readlinkSync(join(out, 'link'))).toBe('a.txt');
  });
});

describe('a selection', () => {
  test('one file is one GET of the manifest and one of its frames', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }), { selectors: { files: ['big.bin'] } });

    expect(result.reader.requests).toEqual({ get: 2, head: 0, list: 0 });
    expect(names(result.out)).toEqual(['big.bin']);
  });

  test('for paths and hashes only the lines that can match are parsed', async () => {
    const archive = makeArchive({
      files: TREE,
      bend: ({ files }) =>
        files.forEach((file) => file['path'] === 'big.bin' && Object.assign(file, { mode: 'broken' })),
    });

    expect((await restoreMade(archive, { selectors: { files: ['a.txt', 'dir'] } })).files).toBe(3);
    expect((await restoreMade(archive, { selectors: { md5s: [md5('alpha')] } })).files).toBe(1);
    await expect(restoreMade(archive)).rejects.toThrow(/'mode' is not four octal digits/);
  });

  test('a folder stands for what is below it, a hash for every path with that content', async () => {
    const archive = makeArchive({ files: TREE });

    const below = await restoreMade(archive, { selectors: { files: ['./dir/'] } });
    const hashed = await restoreMade(archive, { selectors: { files: [], md5s: [md5('shared')] } });

    expect(names(below.out)).toEqual(['dir', 'dir/empty', 'dir/é.txt']);
    expect(names(hashed.out)).toEqual(['first', 'second']);
  });

  test('a folder brings files whose names are not UTF-8, which its lines have in base64', async () => {
    const archive = makeArchive({
      files: [
        { path: 'dir', type: 'directory' },
        { path: 'dir/name', content: 'text' },
      ],
      bend: ({ files }) => {
        const { path, ...rest } = files[1] ?? {};
        files[1] = { pathBase64: Buffer.from(`${String(path)}\xff`, 'latin1').toString('base64'), ...rest };
      },
    });

    expect(await restoreMade(archive, { selectors: { files: ['dir'] } })).toMatchObject({ files: 1, failed: [] });
  });

  test('a hard link without its first member brings its own content', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }), { selectors: { files: ['second'] } });

    expect(readFileSync(join(result.out, 'second'), 'utf8')).toBe('shared');
  });

  test('a path that is not there is named, the others come', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }), { selectors: { files: ['nope', 'a.txt'] } });

    expect(result.failed).toEqual([{ path: 'nope', reason: 'not in this upload' }]);
    expect(names(result.out)).toEqual(['a.txt']);
  });

  test('shards narrow the rest down, and an unknown one names those there are', async () => {
    const archive = makeArchive({
      files: [
        { path: 'zero', content: '0' },
        { path: 'one', content: '1', chunk: 1 },
      ],
    });

    expect(names((await restoreMade(archive, { selectors: { shards: [1] } })).out)).toEqual(['one']);
    expect(names((await restoreMade(archive, { selectors: { shards: [0, 1], patterns: ['z*'] } })).out)).toEqual([
      'zero',
    ]);
    await expect(restoreMade(archive, { selectors: { shards: [7] } })).rejects.toMatchObject({
      code: 'usage',
      hint: 'its shards are 0, 1',
    });
  });

  test('a dry run writes nothing and says what would be fetched', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }), { dryRun: true });

    expect(existsSync(result.out)).toBe(false);
    expect(result).toMatchObject({ files: 8, dryRun: true, failed: [] });
    expect(result.bytesFetched).toBeGreaterThan(1000);
    expect(result.reader.requests.get).toBe(1);
  });
});

describe('what is there already', () => {
  const archive = makeArchive({ files: TREE });
  const again = async (policy: 'always' | 'if-newer' | 'if-changed' | 'never', change: (out: string) => void) => {
    const { out } = await restoreMade(archive);
    change(out);
    return await restoreMade(archive, { outputDir: out, overwrite: policy });
  };
  const newer = (out: string): void => writeFileSync(join(out, 'a.txt'), 'newer');

  test('if-changed, the default, leaves what has size and time of the archive and fetches nothing for it', async () => {
    const result = await again('if-changed', () => undefined);

    expect(result).toMatchObject({ files: 0, unchanged: 8, failed: [], bytesFetched: 0 });
  });

  test.each([
    ['if-changed', 'alpha', { files: 1, unchanged: 7, skipped: 0 }],
    ['always', 'alpha', { files: 8, unchanged: 0, skipped: 0 }],
    ['if-newer', 'newer', { files: 0, unchanged: 7, skipped: 1 }],
    ['never', 'newer', { files: 0, unchanged: 0, skipped: 8 }],
  ] as const)('%s, where one file is newer', async (policy, content, counts) => {
    const result = await again(policy, newer);

    expect(result).toMatchObject({ ...counts, failed: [] });
    expect(readFileSync(join(result.out, 'a.txt'), 'utf8')).toBe(content);
  });

  test('if-newer replaces what is older', async () => {
    const result = await again('if-newer', (out) => {
      newer(out);
      utimesSync(join(out, 'a.txt'), 1000, 1000);
    });

    expect(readFileSync(join(result.out, 'a.txt'), 'utf8')).toBe('alpha');
  });

  test('a folder never gives way to a file, nor a file to a folder', async () => {
    const out = await tempFolder();
    mkdirSync(join(out, 'a.txt'));
    writeFileSync(join(out, 'dir'), 'a file');

    const result = await restoreMade(archive, { outputDir: out, overwrite: 'always' });

    expect(result.failed.map(({ path }) => path).sort()).toEqual(['a.txt', 'dir/', 'dir/empty', 'dir/é.txt']);
    expect(lstatSync(join(out, 'a.txt')).isDirectory()).toBe(true);
    expect(readFileSync(join(out, 'dir'), 'utf8')).toBe('a file');
    expect(existsSync(join(out, 'big.bin'))).toBe(true);
  });
});

describe('--flatten', () => {
  test('writes by base name', async () => {
    const result = await restoreMade(makeArchive({ files: TREE }), { flatten: true });

    expect(names(result.out)).toEqual(['a.txt', 'big.bin', 'empty', 'first', 'link', 'second', 'sparse', 'é.txt']);
  });

  test('two files of one name are refused before anything is written', async () => {
    const out = await tempFolder();
    const archive = makeArchive({
      files: [
        { path: 'a/x', content: '1' },
        { path: 'b/x', content: '2' },
      ],
    });

    await expect(restoreMade(archive, { flatten: true, outputDir: out })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('a/x and b/x'),
    });
    expect(names(out)).toEqual([]);
  });
});

describe('permissions', () => {
  const files: FileSpec[] = [
    { path: 'locked', type: 'directory', mode: '0000' },
    { path: 'locked/suid', content: 'x', mode: '6755' },
    { path: 'locked/sticky', content: 'x', mode: '1644' },
    { path: 'tmp', type: 'directory', mode: '3777' },
  ];
  const mode = (path: string): string => (statSync(path).mode & 0o7777).toString(8);

  test('setuid, setgid and sticky are stripped, except sticky on folders; a folder without permissions is filled first', async () => {
    const { out, failed } = await restoreMade(makeArchive({ files }));

    expect(failed).toEqual([]);
    expect(mode(join(out, 'locked'))).toBe('0');
    chmodSync(join(out, 'locked'), 0o700);
    expect([mode(join(out, 'locked/suid')), mode(join(out, 'locked/sticky')), mode(join(out, 'tmp'))]).toEqual([
      '755',
      '644',
      '1777',
    ]);
  });

  test('they are kept when asked for', async () => {
    const { out } = await restoreMade(makeArchive({ files }), { keepSpecialBits: true });

    chmodSync(join(out, 'locked'), 0o700);
    expect([mode(join(out, 'locked/suid')), mode(join(out, 'locked/sticky')), mode(join(out, 'tmp'))]).toEqual([
      '6755',
      '1644',
      '3777',
    ]);
  });
});

describe('a store that answers strangely', () => {
  const archive = makeArchive({ files: TREE });
  const isChunk = (key: string): boolean => key.includes('chunk-');

  test.each([
    [
      'another range',
      (content: { start: number }) => ({ ...content, start: content.start + 1 }),
      /gave the wrong ones/,
    ],
    [
      'more than asked for',
      (content: { sizeBytes: number }) => ({ ...content, sizeBytes: content.sizeBytes + 1 }),
      /gave the wrong ones/,
    ],
    [
      'a shorter object',
      (content: { sizeBytes: number }) => ({ ...content, totalBytes: 5, sizeBytes: 5 }),
      /has 5 bytes, and \d+ are expected/,
    ],
  ])('%s: the files of that chunk fail, nothing half is left', async (_name, bend, reason) => {
    const reader = memoryReader(archive.objects, {
      get: (key, _options, normal) => (isChunk(key) ? { ...normal(), ...bend(normal()) } : normal()),
    });

    const result = await restoreMade(archive, { reader });

    expect(result.failed.find(({ path }) => path === 'a.txt')?.reason).toMatch(reason);
    // What needs no content comes all the same.
    expect(names(result.out)).toEqual(['dir', 'dir/empty', 'link']);
  });

  test('a body that ends early fails its files', async () => {
    const { Readable } = await import('node:stream');
    const reader = memoryReader(archive.objects, {
      get: (key, _options, normal) =>
        isChunk(key) ? { ...normal(), body: Readable.from([Buffer.from('short')]) } : normal(),
    });

    const result = await restoreMade(archive, { reader });

    expect(result.failed.map(({ path }) => path)).toContain('a.txt');
    expect(result.failed[0]?.reason).toMatch(/ended after 5 of \d+ bytes/);
  });

  test.each(['access-denied', 'cold-storage', 'store'] as const)(
    '%s ends everything with one sentence',
    async (code) => {
      const { ArchiverError } = await import('../../../src/core/platform/failures/errors.js');
      const reader = memoryReader(archive.objects, {
        get: (key, _options, normal) => {
          if (isChunk(key)) throw new ArchiverError(code, `cannot get ${key}`);
          return normal();
        },
      });

      await expect(restoreMade(archive, { reader })).rejects.toMatchObject({ code });
    },
  );
});

test('an interruption stops cleanly, leaves no temporary file and says what was restored', async () => {
  const archive = makeArchive({
    files: Array.from({ length: 40 }, (_, index) => ({
      path: `f${index}`,
      content: random(100_000, index),
      chunk: index,
    })),
  });
  const { cancelledError } = await import('../../../src/core/platform/failures/errors.js');
  const controller = new AbortController();
  const out = await tempFolder();
  let gets = 0;
  const reader = memoryReader(archive.objects, {
    get: (_key, _options, normal) => {
      if (++gets === 10) controller.abort(cancelledError());
      return normal();
    },
  });

  await expect(restoreMade(archive, { reader, outputDir: out, signal: controller.signal })).rejects.toMatchObject({
    code: 'cancelled',
    message: expect.stringMatching(/^stopped: \d+ of 40 entries were restored/),
  });
  for (const name of names(out)) expect(statSync(join(out, name)).size).toBe(100_000);
});

test('progress comes at most ten times a second and ends with the totals', async () => {
  const events: TransferEvent[] = [];

  await restoreMade(makeArchive({ files: TREE }), { emit: (event) => events.push(event) });

  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['plan', 'chunk', 'phase']));
  expect(events.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({ items: 8 });
  expect(events.at(0)).toMatchObject({ type: 'start', operation: 'restore' });
  expect(events.slice(-2)).toMatchObject([
    { type: 'phase', phase: 'finishing' },
    { type: 'progress', items: 8 },
  ]);
});

describe('the cache of frames', () => {
  test('a second restore of the same chunk fetches the manifest alone; a damaged frame is fetched again', async () => {
    const archive = makeArchive({ files: TREE });
    const folder = await tempFolder();
    const open = (): FrameCache => new FrameCache({ folder, limitBytes: 1e9 });
    const selectors = { files: ['a.txt'] };

    await restoreMade(archive, { cache: open(), fillsCache: true, selectors });
    const second = await restoreMade(archive, { cache: open(), fillsCache: true, selectors });
    for (const name of names(folder)) if (/[0-9a-f]{64}$/.test(name)) writeFileSync(join(folder, name), 'damage');
    const third = await restoreMade(archive, { cache: open(), fillsCache: true, selectors });

    expect(second.reader.requests.get).toBe(1);
    expect(third.reader.requests.get).toBe(2);
    expect(third.failed).toEqual([]);
  });

  test('an unusable cache folder never fails a restore', async () => {
    const folder = join(await tempFolder(), 'file');
    writeFileSync(folder, 'in the way');

    const result = await restoreMade(makeArchive({ files: TREE }), {
      cache: new FrameCache({ folder, limitBytes: 1e9 }),
      fillsCache: true,
    });

    expect(result.failed).toEqual([]);
  });
});

describe('chunks that are not what they should be', () => {
  const files: FileSpec[] = [
    { path: 'a', content: random(5000, 1) },
    { path: 'b', content: random(5000, 2), chunk: 1 },
    { path: 'c', content: random(5000, 3), chunk: 2 },
  ];
  test.each([
    ['deleted', (made: MadeArchive, key: string) => made.objects.delete(key)],
    ['emptied', (made: MadeArchive, key: string) => made.objects.set(key, Buffer.alloc(0))],
    [
      'replaced by another chunk',
      (made: MadeArchive, key: string) => made.objects.set(key, made.objects.get(chunkOf(made, 2)) ?? Buffer.alloc(0)),
    ],
  ])('%s: its files fail, the rest comes', async (_name, harm) => {
    const archive = makeArchive({ files });
    harm(archive, chunkOf(archive, 1));

    const result = await restoreMade(archive);

    expect(result.failed.map(({ path }) => path)).toEqual(['b']);
    expect(names(result.out)).toEqual(['a', 'c']);
  });

  test('a flipped bit in one frame fails the files of that frame alone', async () => {
    const archive = makeArchive({
      files: [
        { path: 'a', content: random(100_000, 1) },
        { path: 'b', content: random(10, 2) },
        { path: 'c', content: random(100_000, 3) },
      ],
      frameSize: 20_000,
    });
    const object = archive.objects.get(chunkOf(archive)) ?? Buffer.alloc(0);
    object[20] = (object[20] ?? 0) ^ 1;

    const result = await restoreMade(archive);

    expect(result.failed).toEqual([
      { path: 'a', reason: expect.stringMatching(/frame 0 of .* is damaged: its bytes do not match their SHA-256/) },
    ]);
    expect(names(result.out)).toEqual(['b', 'c']);
  });

  test('content that does not match its MD5 never gets its name, unless asked not to look', async () => {
    const archive = makeArchive({
      files,
      bend: ({ files: [first] }) => Object.assign(first ?? {}, { md5: md5('other') }),
    });

    const checked = await restoreMade(archive);
    const unchecked = await restoreMade(archive, { verifyFiles: false });

    expect(checked.failed).toEqual([{ path: 'a', reason: 'its content does not match its MD5 in the manifest' }]);
    expect(names(checked.out)).toEqual(['b', 'c']);
    expect(unchecked.failed).toEqual([]);
  });
});

test('nothing is written through a symbolic link that lies in the output folder', async () => {
  const outside = await tempFolder();
  const out = await tempFolder();
  symlinkSync(outside, join(out, 'dir'));
  writeFileSync(join(outside, 'victim'), 'mine');
  symlinkSync(join(outside, 'victim'), join(out, 'a.txt'));

  const result = await restoreMade(makeArchive({ files: TREE }), { outputDir: out });

  expect(result.failed.map(({ path }) => path).sort()).toEqual(['dir/', 'dir/empty', 'dir/é.txt']);
  expect(names(outside)).toEqual(['victim']);
  expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('mine');
  expect(lstatSync(join(out, 'a.txt')).isFile()).toBe(true);
});
