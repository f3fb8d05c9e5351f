import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { ArchiverError, cancelledError } from '../../../../src/core/platform/failures/errors.js';
import { loadListing } from '../../../../src/core/restore/listing/load-listing.js';
import { DecodedFrames } from '../../../../src/core/restore/listing/decoded-frames.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import { FrameCache } from '../../../../src/core/restore/frame-cache.js';
import { readFile, readRange } from '../../../../src/core/restore/listing/read-file.js';
import type { NeededChunk } from '../../../../src/core/restore/plan/needed-chunk.js';
import { type ArchiveSpec, makeArchive, md5, UPLOAD_ID } from '../../../support/make-archive.js';
import { type Bent, memoryReader } from '../../../support/memory-reader.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { raw } from '../../../support/raw.js';

const KIB = 1024;

const open = (spec: ArchiveSpec, bent: Bent = {}) => openMade(makeArchive(spec).objects, bent);

async function openMade(objects: ReadonlyMap<string, Buffer>, bent: Bent = {}) {
  const listing = await loadListing(memoryReader(objects), { uploadId: UPLOAD_ID });
  const reader = memoryReader(objects, bent);
  const stopping = new AbortController();
  const read = async (path: string, cache?: FrameCache): Promise<Buffer> => {
    const pieces: Uint8Array[] = [];
    const options = { reader, uploadId: UPLOAD_ID, listing, cache, signal: stopping.signal };
    for await (const bytes of readFile(listing.find(raw(path)) ?? -1, options)) pieces.push(bytes);
    return Buffer.concat(pieces);
  };
  return { listing, reader, read, stopping };
}

describe('reading a file', () => {
  it('fetches the frames that hold it, in one request, and nothing else', async () => {
    const files = ['a', 'b', 'c'].map((path) => ({ path, content: randomBytes(100 * KIB) }));
    const bytes: number[] = [];
    const { read, reader } = await open(
      { files, frameSize: 16 * KIB },
      {
        get: (_, { range }, normal) => {
          if (range !== undefined && 'end' in range) bytes.push(range.end - range.start);
          return normal();
        },
      },
    );

    expect(files[1]?.content.equals(await read('b'))).toBe(true);

    expect(reader.requests).toEqual({ get: 1, head: 0, list: 0 });
    // 100 KiB reach into at most eight frames of 16 KiB that do not compress.
    expect(bytes[0]).toBeGreaterThan(100 * KIB);
    expect(bytes[0]).toBeLessThan(129 * KIB);
  });

  it('asks for a long file piece by piece, and stops asking when nobody goes on', async () => {
    const content = randomBytes(12 * 1024 * KIB);
    const { listing, reader } = await open({ files: [{ path: 'long', content }], frameSize: 1024 * KIB });
    const options = { reader, uploadId: UPLOAD_ID, listing, signal: new AbortController().signal };

    for await (const bytes of readFile(0, options)) {
      expect(content.subarray(0, bytes.byteLength).equals(bytes)).toBe(true);
      break;
    }

    expect(reader.requests.get).toBe(1);
  });

  it('asks before it fetches: for the whole, or step by step where the reader may stop', async () => {
    const content = randomBytes(40 * 1024 * KIB);
    const { listing, reader } = await open({ files: [{ path: 'long', content }], frameSize: 1024 * KIB });
    const asked = async (mayStop: boolean, end: number) => {
      const questions: string[] = [];
      const options = {
        reader,
        uploadId: UPLOAD_ID,
        listing,
        mayStop,
        signal: new AbortController().signal,
        mayFetch(needed: readonly NeededChunk[]) {
          const mib = Math.floor(needed.reduce((sum, { fetchedBytes }) => sum + fetchedBytes, 0) / 2 ** 20);
          questions.push(`${reader.requests.get}: ${mib} MiB`);
          return mib > end ? Promise.reject(new Error('too much')) : Promise.resolve(true);
        },
      };
      for await (const _ of readFile(0, options));
      return questions;
    };
    const before = reader.requests.get;

    await expect(asked(false, 39)).rejects.toThrow('too much');
    expect(reader.requests.get).toBe(before);
    expect(await asked(false, 40)).toEqual([`${before}: 40 MiB`]);
    const middle = reader.requests.get;
    expect(await asked(true, 40)).toHaveLength(5);
    const last = reader.requests.get;
    await expect(asked(true, 16)).rejects.toThrow('too much');
    expect([middle - before > 10, reader.requests.get - last]).toEqual([true, 4 + (middle - before > 14 ? 4 : 0)]);
  });

  test.each<[what: string, spec: ArchiveSpec['files'][number], expected: Buffer]>([
    ['an empty file', { path: 'x', content: '' }, Buffer.alloc(0)],
    ['a cut file', { path: 'x', content: Buffer.alloc(5000, 'abc'), pieces: 999 }, Buffer.alloc(5000, 'abc')],
    [
      'a file with holes',
      {
        path: 'x',
        content: 'AB',
        size: 3000 * KIB,
        holes: [
          [0, 10],
          [11, 89],
          [101, 3000 * KIB - 101],
        ],
      },
      Buffer.concat([
        Buffer.alloc(10),
        Buffer.from('A'),
        Buffer.alloc(89),
        Buffer.from('B'),
        Buffer.alloc(3000 * KIB - 101),
      ]),
    ],
    ['a file that is one hole', { path: 'x', content: '', size: 2500, holes: [[0, 2500]] }, Buffer.alloc(2500)],
  ])('gives all of %s', async (_, spec, expected) => {
    const { read } = await open({ files: [{ path: 'before', content: 'b' }, spec], frameSize: 4 * KIB });
    expect(md5(await read('x'))).toBe(md5(expected));
  });

  it('decodes only its part of a frame that is too large to be held', async () => {
    const content = Buffer.alloc(40 * 1024 * KIB, 'some text ');
    const files = [
      { path: 'a', content: 'a'.repeat(1000) },
      { path: 'b', content },
      { path: 'c', content: 'c'.repeat(1000) },
    ];
    const { read } = await open({ files, frameSize: 100 * 1024 * KIB });

    expect((await read('a')).toString()).toBe(files[0]?.content);
    expect((await read('b')).equals(content)).toBe(true);
    expect((await read('c')).toString()).toBe(files[2]?.content);
  });

  it('reads an object that is the file as it is', async () => {
    const content = randomBytes(3000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    const direct = { key: 'files/x', content: 'file', listedIn: 0, size: 3000, rawSize: 3000, tocSize: 0, sha256 };
    const { objects } = makeArchive({
      files: [{ path: 'x', content }],
      bend: ({ files, chunks }) => {
        Object.assign(files[0] ?? {}, { offset: 0 });
        Object.assign(chunks[0] ?? {}, direct, { frames: [{ size: 3000, rawSize: 3000, sha256 }] });
      },
    });
    objects.set(`uploads/${UPLOAD_ID}/files/x`, content);

    expect((await openMade(objects).then(({ read }) => read('x'))).equals(content)).toBe(true);
  });

  it('takes a frame from the cache the second time', async () => {
    const { read, reader } = await open({ files: [{ path: 'x', content: 'cached' }] });
    const cache = new FrameCache({ folder: await tempFolder(), limitBytes: 1e9 });

    await read('x', cache);
    await cache.settled();
    expect((await read('x', cache)).toString()).toBe('cached');

    expect(reader.requests.get).toBe(1);
  });
});

describe('reading a range of a file', () => {
  /** A file with holes, one that is cut over chunks, and one in the middle of a chunk. */
  async function made() {
    const [cut, plain, stored] = [randomBytes(50 * KIB), randomBytes(40 * KIB), randomBytes(10 * KIB)];
    const sparse = Buffer.concat([
      Buffer.alloc(3000),
      stored.subarray(0, 6000),
      Buffer.alloc(9000),
      stored.subarray(6000),
      Buffer.alloc(7),
    ]);
    const holes: [number, number][] = [
      [0, 3000],
      [9000, 9000],
      [sparse.length - 7, 7],
    ];
    const files = [
      { path: 'before', content: randomBytes(5000) },
      { path: 'cut', content: cut, pieces: 7 * KIB },
      { path: 'plain', content: plain },
      { path: 'sparse', content: stored, size: sparse.length, holes },
    ];
    const opened = await open({ files, frameSize: 4 * KIB });
    const wholes = new Map(Object.entries({ cut, plain, sparse }));
    const { listing, reader } = opened;
    const read = async (path: string, start: number, end: number): Promise<Buffer> => {
      const options = { reader, uploadId: UPLOAD_ID, listing, signal: new AbortController().signal };
      const pieces: Uint8Array[] = [];
      for await (const bytes of readRange(listing.find(raw(path)) ?? -1, { start, end }, options)) pieces.push(bytes);
      return Buffer.concat(pieces);
    };
    return { ...opened, wholes, read };
  }

  it('gives what a reading of the whole has there, wherever it begins and ends', async () => {
    const { wholes, read } = await made();
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (const [path, whole] of wholes) {
      for (let round = 0; round < 60; round++) {
        const start = random(whole.length);
        const end = start + 1 + random(round % 2 === 0 ? 20 : whole.length - start);
        const wanted = whole.subarray(start, end);

        expect((await read(path, start, Math.min(end, whole.length))).equals(wanted), `${path} ${start}-${end}`).toBe(
          true,
        );
      }
    }
  });

  it('fetches the frames that it needs, and no others', async () => {
    const { read, reader } = await made();
    const before = reader.requests.get;

    await read('plain', 20 * KIB, 20 * KIB + 10);
    expect(reader.requests.get - before).toBe(1);
    await read('sparse', 10_000, 17_000); // a hole
    expect(reader.requests.get - before).toBe(1);
  });

  it('gives nothing of a damaged frame, and says what is missing', async () => {
    const { listing } = await made();
    const options = { uploadId: UPLOAD_ID, listing, signal: new AbortController().signal };
    const damaged = memoryReader(new Map(), {
      get: (_, { range }) => {
        const length = range !== undefined && 'end' in range ? range.end - range.start : 0;
        const start = range !== undefined && 'start' in range ? range.start : 0;
        return { sizeBytes: length, totalBytes: 1e9, start, etag: 'x', body: Readable.from([Buffer.alloc(length)]) };
      },
    });
    const index = listing.find(raw('plain')) ?? -1;

    await expect(readRange(index, { start: 5, end: 9 }, { ...options, reader: damaged }).next()).rejects.toThrow(
      'SHA-256',
    );
    const beyond = readRange(index, { start: 0, end: 41 * KIB }, { ...options, reader: memoryReader(new Map()) });
    await expect(beyond.next()).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('what is wrong with a file', () => {
  it('gives nothing of a damaged frame', async () => {
    const { read } = await open(
      { files: [{ path: 'x', content: 'sound' }] },
      {
        get: (_, __, normal) => {
          const content = normal();
          return { ...content, body: content.body.map((bytes: Buffer) => Buffer.from(bytes).fill(0)) };
        },
      },
    );
    await expect(read('x')).rejects.toThrow('does not match its SHA-256');
  });

  it('tells at the end that the content is not what the manifest says', async () => {
    const bend: ArchiveSpec['bend'] = ({ files }) => Object.assign(files[0] ?? {}, { md5: md5('another') });
    const { read } = await open({ files: [{ path: 'x', content: 'one' }], bend });
    await expect(read('x')).rejects.toThrow('does not have the size and MD5 in the manifest');
  });

  it('hands on what the store says', async () => {
    const { read } = await open(
      { files: [{ path: 'x', content: 'one' }] },
      { get: () => Promise.reject(new ArchiverError('cold-storage', 'it is frozen')) },
    );
    await expect(read('x')).rejects.toMatchObject({ code: 'cold-storage' });
  });

  it('stops when it is told to', async () => {
    const { read, stopping } = await open({ files: [{ path: 'x', content: 'one' }] });
    stopping.abort(cancelledError('enough'));
    await expect(read('x')).rejects.toThrow('enough');
  });

  it('does not follow a key out of uploads/', async () => {
    const bend: ArchiveSpec['bend'] = ({ chunks }) => Object.assign(chunks[0] ?? {}, { key: '../../secret' });
    const { read } = await open({ files: [{ path: 'x', content: 'one' }], bend });
    await expect(read('x')).rejects.toThrow('leads out of uploads/');
  });
});

describe('small ranges one after another', () => {
  /** Reads ranges of the file, and counts what that took. */
  async function ranged(decoded: DecodedFrames | undefined, size = 1024 * KIB) {
    const content = randomBytes(size);
    const { listing, reader } = await open({ files: [{ path: 'file', content }], frameSize: 1024 * KIB });
    const decoding = vi.spyOn(loadCodec(), 'decompressFrame');
    onTestFinished(() => decoding.mockRestore());
    const needed: number[] = [];
    const mayFetch = (chunks: readonly NeededChunk[]) => Promise.resolve(needed.push(chunks.length) > 0);
    const options = { reader, uploadId: UPLOAD_ID, listing, decoded, mayFetch, signal: new AbortController().signal };
    const read = async (start: number, end: number): Promise<Buffer> => {
      const pieces: Uint8Array[] = [];
      for await (const bytes of readRange(0, { start, end }, options)) pieces.push(bytes);
      const read = Buffer.concat(pieces);
      // Pieces are the caller's, who may change them.
      for (const piece of pieces) piece.fill(0);
      return read;
    };
    return { content, read, reader, decoding, needed };
  }

  test('of one frame fetch and decode it once, and ask once whether that may be paid', async () => {
    const { content, read, reader, decoding, needed } = await ranged(new DecodedFrames());

    for (let at = 0; at < 100; at++) {
      const [start, end] = [at * 4 * KIB, (at + 1) * 4 * KIB];
      const bytes = await read(start, end);
      expect(bytes.equals(content.subarray(start, end))).toBe(true);
    }

    expect([reader.requests.get, decoding.mock.calls.length]).toEqual([1, 1]);
    expect(needed.filter((chunks) => chunks > 0)).toHaveLength(1);
  });

  test('across frames fetch only those that are not in memory', async () => {
    const { content, read, reader, decoding } = await ranged(new DecodedFrames(), 3 * 1024 * KIB);
    await read(1200 * KIB, 1204 * KIB);

    const bytes = await read(0, content.length);

    expect(bytes.equals(content)).toBe(true);
    // The frame in the middle is not fetched again.
    expect([reader.requests.get, decoding.mock.calls.length]).toEqual([3, 4]);
  });

  test('hold no more than may be held, and let go of what was not asked for longest', async () => {
    const { read, decoding } = await ranged(new DecodedFrames(2 * 1024 * KIB), 4 * 1024 * KIB);
    const readIn = async (frame: number) => await read((frame * 1024 + 8) * KIB, (frame * 1024 + 12) * KIB);

    for (const frame of [0, 1, 0, 2, 0]) await readIn(frame);
    expect(decoding).toHaveBeenCalledTimes(3);
    await readIn(1);
    expect(decoding).toHaveBeenCalledTimes(4);
  });
});
