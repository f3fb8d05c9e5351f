import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  readManifest,
  type ReadManifest,
  type ReadManifestOptions,
} from '../../../../src/core/format/manifest/manifest-reader.js';
import { ManifestLines } from '../../../../src/core/format/manifest/manifest-lines.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import {
  makeArchive,
  manifestText,
  UPLOAD_ID,
  type ArchiveSpec,
  type MadeArchive,
} from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';

const FILES = [
  { path: 'a.txt', content: 'alpha' },
  { path: 'dir', type: 'directory' as const },
  { path: 'dir/b é "q".txt', content: 'beta' },
  { path: 'link', type: 'symlink' as const, target: 'a.txt' },
];

async function read(archive: MadeArchive, options: Partial<ReadManifestOptions> = {}): Promise<Entry[]> {
  const entries: Entry[] = [];
  await readManifest(memoryReader(archive.objects), {
    uploadId: UPLOAD_ID,
    onEntry: (entry) => entries.push(entry),
    ...options,
  });
  return entries;
}

const withText = (archive: MadeArchive, text: string | Buffer): MadeArchive => {
  archive.objects.set(archive.manifestKey, gzipSync(text));
  return archive;
};
const made = (spec: Partial<ArchiveSpec> = {}): MadeArchive => makeArchive({ files: FILES, ...spec });
const bent = (change: (manifest: MadeArchive['manifest']) => void): MadeArchive => made({ bend: change });

test('gives head and entries, with paths as bytes and the digest of what is stored', async () => {
  const archive = made();
  const entries: Entry[] = [];

  const manifest = await readManifest(memoryReader(archive.objects), {
    uploadId: UPLOAD_ID,
    onEntry: (entry) => entries.push(entry),
  });

  expect(entries.map(({ path }) => Buffer.from(path, 'latin1').toString())).toEqual([
    'a.txt',
    'dir',
    'dir/b é "q".txt',
    'link',
  ]);
  expect(entries[0]).toMatchObject({
    type: 'file',
    size: 5,
    mode: 0o644,
    mtime: { seconds: 1763112612, nanos: 123456789 },
  });
  expect(entries[3]).toMatchObject({ type: 'symlink', target: 'a.txt', size: 0 });
  expect(manifest.head.chunks).toHaveLength(1);
  const stored = archive.objects.get(archive.manifestKey) ?? Buffer.alloc(0);
  expect(manifest.sha256).toBe(createHash('sha256').update(stored).digest('hex'));
});

test('reads names that are not UTF-8, and escapes, as the bytes they stand for', async () => {
  const archive = bent(({ files }) => {
    delete files[0]?.['path'];
    Object.assign(files[0] ?? {}, { pathBase64: Buffer.from([0x61, 0xff]).toString('base64') });
  });
  const escaped = made();
  withText(
    escaped,
    manifestText({
      ...escaped.manifest,
      files: escaped.manifest.files.map((file, index) =>
        index === 0 ? JSON.stringify(file).replace('a.txt', String.raw`\u00e9\ud83d\ude00\/`) : file,
      ),
    }),
  );

  expect((await read(archive))[0]?.path).toBe('a\xff');
  expect(Buffer.from((await read(escaped))[0]?.path ?? '', 'latin1').toString()).toBe('é😀/');
});

test('the head alone ends the reading early', async () => {
  const archive = makeArchive({
    files: Array.from({ length: 20_000 }, (_, index) => ({
      path: `f${String(index).padStart(6, '0')}`,
      content: String(index),
    })),
  });

  const options = { uploadId: UPLOAD_ID, headOnly: true };
  const manifest = (await readManifest(memoryReader(archive.objects), options)) as ReadManifest;

  expect(manifest.head.totals.entries).toBe(20_000);
  expect(manifest.entries).toBe(0);
});

test('with needles only the lines that can match are parsed', async () => {
  const archive = bent(({ files }) =>
    files.forEach((file) => file['path'] === 'a.txt' && Object.assign(file, { size: 'wrong' })),
  );

  expect((await read(archive, { needles: [raw('"link"')] })).map(({ path }) => path)).toEqual([
    expect.stringContaining('dir/b'),
    'link',
  ]);
  await expect(read(archive)).rejects.toThrow(/entry 1: a number is not a whole number/);
});

test('a missing manifest says so and what to type', async () => {
  await expect(readManifest(memoryReader(new Map()), { uploadId: UPLOAD_ID })).rejects.toMatchObject({
    code: 'not-found',
    message: expect.stringContaining(`has no uploads/${UPLOAD_ID}/manifest.json.gz`),
    hint: expect.stringContaining('archiver list memory:'),
  });
});

describe('a hostile manifest is one sentence with the key in it', () => {
  const deep = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  const sound = manifestText(made().manifest);
  const cases: [string, string | Buffer, RegExp][] = [
    ['empty', '', /is empty/],
    ['foreign JSON', '{"a":1}', /is not a manifest of archiver/],
    ['not JSON', 'hello\n"files":[\n]}', /not valid JSON/],
    ['BOM', `\ufeff${sound}`, /byte order mark/],
    ['deep head', sound.replace('"tool":"a test"', `"tool":${deep}`), /more than 16 levels/],
    ['deep entry', sound.replace('"path":"a.txt"', `"x":${deep},"path":"a.txt"`), /more than 16 levels/],
    ['key twice in the head', sound.replace('"tool":', '"tool":"x","tool":'), /the key "tool" twice/],
    ['key twice in an entry', sound.replace('"path":"a.txt"', '"path":"a.txt","path":"b.txt"'), /the key 'path' twice/],
    ['1e400', sound.replace('"size":5', '"size":1e400'), /whole number/],
    ['1e400 in the head', sound.replace('"skipped":0', '"skipped":1e400'), /'skipped' of 'totals'.*whole number/],
    ['negative', sound.replace('"size":5', '"size":-5'), /whole number/],
    ['2^60', sound.replace('"size":5', '"size":1152921504606846976'), /whole number/],
    ['cut off', sound.slice(0, -20), /cut off|announces/],
    ['goes on', `${sound}more`, /has data after its end/],
    [
      'a line of 65 MB',
      sound.replace('"path":"a.txt"', `"path":"${'a'.repeat(65 * 1024 * 1024)}"`),
      /expands to more|line of more than/,
    ],
    ['too few entries', sound.replace('"entries":4', '"entries":5'), /announces 5 entries and has 4/],
    ['another upload', sound.replace(UPLOAD_ID, '20200101-000000-00000000'), /to another upload/],
    ['no type', sound.replace('"type":"file",', ''), /entry 1: it has no 'type'/],
    ['lone surrogate', sound.replace('"a.txt"', String.raw`"\ud800"`), /half of a surrogate pair/],
    ['all on one line', sound.replaceAll('\n', ''), /one on a line/],
  ];
  test.each(cases)('%s', async (_name, text, message) => {
    const failure = read(withText(made(), text));

    await expect(failure).rejects.toMatchObject({ code: 'integrity', message: expect.stringMatching(message) });
    await expect(failure).rejects.toThrow(/manifest\.json\.gz/);
  });

  test('a newer format is unsupported, not damaged', async () => {
    await expect(read(withText(made(), sound.replace('"format":1', '"format":2')))).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('has format 2'),
      hint: 'update archiver',
    });
  });

  test('what a reader must know and does not is named', async () => {
    const requiring = (words: string): MadeArchive =>
      withText(made(), sound.replace('"format":1', `"format":1,"requires":${words}`));

    await expect(read(requiring('["parity","\\u001b[31mlz"]'))).rejects.toMatchObject({
      code: 'unsupported',
      message: `the manifest uploads/${UPLOAD_ID}/manifest.json.gz needs a newer archiver: it uses 'parity', '\\x1b[31mlz'`,
      hint: 'update archiver',
    });
    expect(await read(requiring('[]'))).toHaveLength(4);
    await expect(read(requiring('[1]'))).rejects.toThrow(/require 1 of .* is not a text/);
  });

  test('__proto__ keys change nothing', async () => {
    const text = sound
      .replace('"path":"a.txt"', '"__proto__":{"size":99},"path":"a.txt"')
      .replace('"tool"', '"__proto__":{"project":"p"},"tool"');

    const entries = await read(withText(made(), text));

    expect(entries[0]?.size).toBe(5);
    expect(({} as { project?: unknown }).project).toBeUndefined();
  });

  test('a gzip bomb is stopped', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024, 32));
    const archive = made();
    archive.objects.set(archive.manifestKey, bomb);

    await expect(read(archive)).rejects.toThrow(/expands to more than 300 times its size/);
  });
});

test('a line or a head that does not end is stopped, however slowly it comes', () => {
  const noop = { head: () => undefined, lines: () => undefined };
  const piece = Buffer.alloc(1 << 20, 97);
  const push = (lines: ManifestLines) => () => {
    for (let count = 0; count < 300; count++) lines.push(piece);
  };
  const inFiles = new ManifestLines('the manifest m', noop);
  inFiles.push(Buffer.from('{"files":[\n'));

  expect(push(inFiles)).toThrow(/line of more than 67108864 bytes/);
  expect(push(new ManifestLines('the manifest m', noop))).toThrow(/head of more than 268435456 bytes/);
});

test('no flipped bit of the stored manifest goes unnoticed, unless it changes nothing', async () => {
  const archive = made();
  const stored = archive.objects.get(archive.manifestKey) ?? Buffer.alloc(0);
  const before = JSON.stringify(await read(archive));
  let noticed = 0;
  for (let at = 0; at < stored.length; at += 3) {
    const flipped = Buffer.from(stored);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    archive.objects.set(archive.manifestKey, flipped);
    const after = await read(archive).then(JSON.stringify, (error: Error & { code?: string }) => {
      expect(error.code).toBe('integrity');
      noticed++;
      return before;
    });
    expect(after).toBe(before);
  }
  expect(noticed).toBeGreaterThan(stored.length / 3 - 10);
  expect(gunzipSync(stored).length).toBeGreaterThan(100);
});
