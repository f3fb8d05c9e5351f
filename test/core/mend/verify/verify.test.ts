import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { VersionRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { chunksOfPart } from '../../../../src/core/mend/verify/choose-chunks.js';
import type { VerifyOptions, VerifyResult } from '../../../../src/core/mend/verify/verify.js';
import {
  makeArchive,
  type ArchiveSpec,
  type FileSpec,
  type Json,
  type MadeArchive,
} from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { verifyMade } from '../../../support/verify-made.js';

const sizes = fc.array(fc.integer({ min: 1, max: 10 ** 9 }), { minLength: 1, maxLength: 60 });

test('the parts of any upload have each chunk once, and at most one chunk more than their share', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 20 }), (stored, of) => {
      const chunks = [...stored.keys()];
      const sizeOf = (chunk: number): number => stored[chunk] ?? 0;
      const parts = Array.from({ length: of }, (_, index) => chunksOfPart(chunks, { number: index + 1, of }, sizeOf));

      expect(parts.flat()).toEqual(chunks);
      const share = stored.reduce((sum, size) => sum + size, 0) / of;
      for (const part of parts)
        expect(part.reduce((sum, chunk) => sum + sizeOf(chunk), 0)).toBeLessThanOrEqual(share + Math.max(...stored));
    }),
  );
});

const bytes = (size: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, index) => (index * 13 + seed * 101 + (index >> 7)) & 255));
const FILES: FileSpec[] = [
  { path: 'a', content: bytes(50_000, 1) },
  { path: 'cut', content: bytes(90_000, 2), pieces: 40_000, chunk: 1 },
  { path: 'dir', type: 'directory' },
  { path: 'dir/b', content: 'beta', linkGroup: 4 },
  { path: 'dir/c', type: 'hardlink', linkTo: 'dir/b', linkGroup: 4 },
  { path: 'link', type: 'symlink', target: 'a' },
  { path: `${'long/'.repeat(30)}name`, content: 'x' },
  { path: 'sparse', content: Buffer.from('12'), size: 100, holes: [[1, 98]] },
];
const made = (spec: Partial<ArchiveSpec> = {}): MadeArchive =>
  makeArchive({ files: FILES, frameSize: 20_000, ...spec });
const verify = (archive: MadeArchive, options: Partial<VerifyOptions> = {}): Promise<VerifyResult> =>
  verifyMade(memoryReader(archive.objects), archive.uploadId, options);
const chunkKeys = (archive: MadeArchive): string[] =>
  [...archive.objects.keys()]
    .filter((key) => key.includes('chunk-'))
    .sort((a, b) => a.slice(-15).localeCompare(b.slice(-15)));
const all = ({ errors }: VerifyResult): string => JSON.stringify(errors);

test.each(['quick', 'default', 'deep'] as const)('a sound upload passes: %s', async (mode) => {
  const reader = memoryReader(made().objects);

  const result = await verify(made(), { mode, reader });

  expect(result).toMatchObject({ ok: true, errors: [], warnings: [], files: 7, entries: 8, chunks: 4 });
  expect(reader.requests.head).toBe(0);
  // The own folder; no version record names it: those of its dataset, and which other datasets there are.
  expect(reader.requests.list).toBe(mode === 'quick' ? 0 : 3);
  expect(result.filesRead).toBe(mode === 'deep' ? 6 : 0);
});

describe('flipped bits', () => {
  test('every bit of a chunk counts, frames and table of contents alike; the files that it hits are named', async () => {
    const archive = made();
    const key = chunkKeys(archive)[0] ?? '';
    const sound = archive.objects.get(key) ?? Buffer.alloc(0);
    for (let at = 3; at < sound.length; at += Math.floor(sound.length / 6)) {
      const flipped = Buffer.from(sound);
      flipped[at] = (flipped[at] ?? 0) ^ 4;
      archive.objects.set(key, flipped);
      const result = await verify(archive);
      expect(result.ok).toBe(false);
      expect(result.errors.some((error) => error.key?.endsWith('chunk-000000.tar.zst') === true)).toBe(true);
      expect(result.filesRead).toBeGreaterThanOrEqual(1);
    }
    const last = Buffer.from(sound);
    last[last.length - 1] = 0;
    archive.objects.set(key, last);
    expect(all(await verify(archive))).toContain('do not match its SHA-256');
  });

  test('a flipped bit in the manifest is an error, not a crash', async () => {
    const archive = made();
    const stored = archive.objects.get(archive.manifestKey) ?? Buffer.alloc(0);
    stored[100] = (stored[100] ?? 0) ^ 1;

    expect(await verify(archive)).toMatchObject({
      ok: false,
      errors: [{ message: expect.stringContaining('manifest.json.gz') }],
      checked: 'manifest',
    });
  });

  test('a damaged frame names its files and the rest is still checked', async () => {
    const archive = made();
    const object = archive.objects.get(chunkKeys(archive)[0] ?? '') ?? Buffer.alloc(0);
    object[10] = (object[10] ?? 0) ^ 1;

    const result = await verify(archive);

    expect(result.errors.map(({ path, key }) => path ?? key)).toEqual(
      expect.arrayContaining(['a', 'shard-00/chunk-000000.tar.zst']),
    );
    expect(result.errors.map(({ path }) => path)).not.toContain('cut');
    expect(result.filesRead).toBe(5);
  });
});

describe('chunks', () => {
  const swap = (archive: MadeArchive, one: number, other: number): void => {
    const [a = '', b = ''] = [chunkKeys(archive)[one], chunkKeys(archive)[other]];
    const [first, second] = [archive.objects.get(a) ?? Buffer.alloc(0), archive.objects.get(b) ?? Buffer.alloc(0)];
    archive.objects.set(a, second).set(b, first);
  };
  test.each<[string, (archive: MadeArchive) => void, RegExp]>([
    ['deleted', (archive) => archive.objects.delete(chunkKeys(archive)[0] ?? ''), /chunk 0 is not in the store/],
    ['emptied', (archive) => archive.objects.set(chunkKeys(archive)[0] ?? '', Buffer.alloc(0)), /chunk 0 has 0 bytes/],
    ['swapped', (archive) => swap(archive, 0, 3), /chunk 0 has/],
  ])('%s: found by the listing, and the files by --deep', async (_name, harm, message) => {
    const archive = made();
    harm(archive);

    expect(all(await verify(archive, { mode: 'default' }))).toMatch(message);
    const deep = await verify(archive);
    expect(deep.errors.map(({ path }) => path)).toEqual(expect.arrayContaining(['a', 'dir/b', 'dir/c', 'sparse']));
    expect(await verify(archive, { mode: 'quick' })).toMatchObject({ ok: true, checked: 'manifest' });
  });

  test('one that is gone does not count as read', async () => {
    const archive = made();
    archive.objects.delete(chunkKeys(archive)[0] ?? '');

    expect(await verify(archive)).toMatchObject({ ok: false, chunks: 4, chunksRead: 3, checked: 'sample' });
  });

  test('a foreign chunk of the right size under the key: only --deep can tell', async () => {
    const archive = made();
    const other = made({
      files: FILES.map((file) => (file.path === 'a' ? { ...file, content: bytes(50_000, 9) } : file)),
    });
    const key = chunkKeys(archive)[0] ?? '';
    const size = archive.objects.get(key)?.length ?? 0;
    archive.objects.set(
      key,
      Buffer.concat([other.objects.get(key) ?? Buffer.alloc(0), Buffer.alloc(size)]).subarray(0, size),
    );

    expect(await verify(archive, { mode: 'default' })).toMatchObject({ ok: true });
    expect(all(await verify(archive))).toMatch(/do not match/);
  });

  test('an object that nothing refers to is a warning', async () => {
    const archive = made();
    archive.objects.set(`uploads/${archive.uploadId}/shard-09/chunk-000099.tar.zst`, Buffer.from('x'));

    expect(await verify(archive, { mode: 'default' })).toMatchObject({
      ok: true,
      warnings: [{ key: expect.stringContaining('000099') }],
    });
  });
});

const firstFrame = ([chunk]: Json[]): Json => (chunk?.['frames'] as Json[] | undefined)?.[0] ?? {};

describe('a manifest that does not agree with itself', () => {
  const totals =
    (change: Json) =>
    (manifest: Json): void =>
      void Object.assign(manifest['totals'] as Json, change);
  test.each<[string, NonNullable<ArchiveSpec['bend']>, RegExp]>([
    ['files', totals({ files: 9 }), /announces 9 files, and there are 7/],
    ['bytes', totals({ bytes: 1 }), /announces 1 bytes/],
    ['stored bytes', totals({ storedBytes: 1 }), /announces 1 stored bytes/],
    ['chunks', totals({ chunks: 7 }), /announces 7 chunks/],
    [
      'a shard',
      ({ shards }) => Object.assign((shards as Json[])[0] ?? {}, { files: 99 }),
      /shard 0: the manifest announces/,
    ],
    [
      'a shard that is not listed',
      (manifest) => (manifest['shards'] = (manifest['shards'] as Json[]).slice(1)),
      /shard \d holds chunks and is not listed/,
    ],
    ['frames', ({ chunks }) => Object.assign(firstFrame(chunks), { size: 5 }), /its frames and table have/],
    ['decoded frames', ({ chunks }) => Object.assign(firstFrame(chunks), { rawSize: 5 }), /its frames decode to/],
    ['chunk number', ({ chunks }) => Object.assign(chunks[1] ?? {}, { chunk: 0 }), /two chunks have the number 0/],
    [
      'chunk key',
      ({ chunks }) => Object.assign(chunks[1] ?? {}, { key: chunks[0]?.['key'] }),
      /two chunks have the same key/,
    ],
    [
      'a key that leads out',
      ({ chunks }) => Object.assign(chunks[1] ?? {}, { key: '../../x' }),
      /leads out of uploads/,
    ],
    ['order', ({ files }) => files.unshift(...files.splice(1)), /not in the order of their paths/],
    ['a path twice', ({ files }) => Object.assign(files[1] ?? {}, { path: 'a' }), /names it more than once/],
    [
      'a hostile path',
      ({ files }) => Object.assign(files[0] ?? {}, { path: '../x' }),
      /'\.\.' part: it would not be restored/,
    ],
    ['a chunk that is not there', ({ files }) => Object.assign(files[0] ?? {}, { chunk: 77 }), /is in chunk 77/],
    ['an offset beyond the end', ({ files }) => Object.assign(files[0] ?? {}, { offset: 1e9 }), /ends after the end/],
    ['an unknown type', ({ files }) => Object.assign(files[0] ?? {}, { type: 'door' }), /type 'door' is not known/],
  ])('%s', async (_name, bend, message) => {
    const result = await verify(made({ bend }), { mode: 'quick' });

    expect(result.ok).toBe(false);
    expect(all(result)).toMatch(message);
  });

  test('files without checksums are a warning', async () => {
    const result = await verify(made({ bend: ({ files }) => files.forEach((file) => delete file['md5']) }));

    expect(result).toMatchObject({
      ok: true,
      warnings: [{ message: expect.stringMatching(/6 files have no checksum/) }],
    });
  });

  test('--deep tells when content is not where the manifest says', async () => {
    const moved = made({
      bend: ({ files }) => {
        for (const file of files)
          if (file['path'] === 'a')
            Object.assign(file, { offset: Number(file['offset']) + 512, size: 49_000, md5: undefined });
      },
    });
    const swapped = made({
      bend: ({ files }) => files.forEach((file) => file['path'] === 'a' && Object.assign(file, { path: 'A' })),
    });

    expect(all(await verify(moved))).toMatch(/no tar member of this name begins/);
    expect(all(await verify(swapped))).toMatch(/no tar member of this name begins/);
  });
});

test('where listing is denied each chunk is asked for by itself, and that is said', async () => {
  const archive = made();
  archive.objects.delete(chunkKeys(archive)[1] ?? '');
  const reader = memoryReader(archive.objects, {
    list: () => {
      throw new ArchiverError('access-denied', 'no s3:ListBucket');
    },
  });

  const result = await verify(archive, { reader, mode: 'default' });

  expect(reader.requests.head).toBe(4);
  expect(all(result)).toMatch(/chunk 1 is not in the store/);
  expect(result.warnings[0]?.message).toMatch(/does not allow listing/);
});

test('--sample reads that share, and checks no file that is only partly read', async () => {
  const result = await verify(made(), { sample: 0.25, random: () => 0.3 });

  expect(result).toMatchObject({ ok: true, chunksRead: 1, filesRead: 0 });
});

describe('with the record by which the upload was found', () => {
  const archive = made();
  const [, manifest] = [...archive.objects].find(([key]) => key === archive.manifestKey) ?? [];
  const recordOf = (manifestSha256: string): VersionRecord =>
    ({ uploadId: archive.uploadId, datasetId: 'd', version: 1, manifestSha256 }) as unknown as VersionRecord;
  const sha256 = createHash('sha256')
    .update(manifest ?? '')
    .digest('hex');

  test('nobody looks for it again', async () => {
    const [reader, other] = [memoryReader(archive.objects), memoryReader(archive.objects)];

    const result = await verify(archive, { reader, record: recordOf(sha256) });
    await verify(archive, { reader: other });

    expect(result).toMatchObject({ ok: true, record: { manifestSha256: sha256 } });
    expect(reader.requests.list).toBe(1);
    expect(other.requests.list).toBeGreaterThan(1);
  });

  test('another manifest is one that the record does not name', async () => {
    const reader = memoryReader(archive.objects);

    const result = await verify(archive, { reader, record: recordOf('0'.repeat(64)) });

    expect(reader.requests.list).toBeGreaterThan(1);
    expect(all(result)).toMatch(/manifest/);
  });
});
