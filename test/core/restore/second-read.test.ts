// Bytes that come wrong once are read again, by one request, before files fail.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { integrityError } from '../../../src/core/platform/failures/errors.js';
import { loadListing } from '../../../src/core/restore/listing/load-listing.js';
import type { ObjectContent } from '../../../src/core/store/object-store.js';
import { readAll } from '../../../src/core/store/read-content.js';
import { FrameCache } from '../../../src/core/restore/frame-cache.js';
import { readFile } from '../../../src/core/restore/listing/read-file.js';
import type { VerifyResult } from '../../../src/core/mend/verify/verify.js';
import { MIN_MEMORY_BYTES } from '../../../src/core/platform/limits/memory-plan.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { makeArchive, type MadeArchive, UPLOAD_ID } from '../../support/make-archive.js';
import { memoryReader, type MemoryReader } from '../../support/memory-reader.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';
import { verifyMade } from '../../support/verify-made.js';
import { raw } from '../../support/raw.js';

const KIB = 1024;
const FRAME = 16 * KIB;
const CONTENTS = { a: randomBytes(100 * KIB), b: randomBytes(50 * KIB), c: randomBytes(10 * KIB) };
const archive = (): MadeArchive =>
  makeArchive({
    files: Object.entries(CONTENTS).map(([path, content]) => ({ path, content })),
    frameSize: FRAME,
  });

async function flipped(content: ObjectContent, places: readonly number[]): Promise<ObjectContent> {
  const bytes = Buffer.from(await readAll(content, 1 << 24));
  for (const at of places) bytes[at] = (bytes[at] ?? 0) ^ 1;
  return { ...content, body: Readable.from([bytes]) };
}

/** Of ranges of a chunk, the first `times` come with a wrong byte at each of `places`. */
function bentReader(objects: MadeArchive['objects'], times: number, places: readonly number[]): MemoryReader {
  let hit = 0;
  return memoryReader(objects, {
    get: async (key, { range }, normal) => {
      const isData = key.includes('chunk-') && range !== undefined && 'end' in range;
      const isLong = isData && range.end - range.start > Math.max(...places);
      return isLong && hit++ < times ? await flipped(normal(), places) : normal();
    },
  });
}

const chunkGets = ({ ranges }: MemoryReader): number => ranges.filter((key) => key.includes('chunk-')).length;
const soundGets = async (): Promise<number> => chunkGets((await restoreMade(archive())).reader);

describe('restore', () => {
  test.each([[[100]], [[100, 3 * FRAME + 100, 6 * FRAME]]])(
    'wrong bytes at %j of one answer cost one request, and a warning',
    async (places) => {
      const reader = bentReader(archive().objects, 1, places);

      const result = await restoreMade(archive(), { reader });

      expect(result.failed).toEqual([]);
      for (const [name, content] of Object.entries(CONTENTS))
        expect(readFileSync(join(result.out, name)).equals(content)).toBe(true);
      expect(chunkGets(reader)).toBe((await soundGets()) + 1);
      expect(result.warnings).toEqual([expect.stringMatching(/^frames? [\d-]+ of .*chunk-.* came with wrong bytes/)]);
    },
  );

  test('what is wrong twice fails the files that need it, after one more request', async () => {
    const reader = bentReader(archive().objects, 2, [100]);

    const result = await restoreMade(archive(), { reader });

    expect(result.failed).toEqual([{ path: 'a', reason: expect.stringContaining('do not match their SHA-256') }]);
    expect(readFileSync(join(result.out, 'b')).equals(CONTENTS.b)).toBe(true);
    expect(chunkGets(reader)).toBe((await soundGets()) + 1);
    expect(result.warnings).toEqual([]);
  });

  test('files are whole although every other answer is wrong', async () => {
    let answers = 0;
    const reader = memoryReader(archive().objects, {
      get: async (key, { range }, normal) =>
        key.includes('chunk-') && range !== undefined && ++answers % 2 === 1 ? await flipped(normal(), [7]) : normal(),
    });

    const result = await restoreMade(archive(), { reader, memoryLimitBytes: 64 * 1024 * KIB, requestsAtOnce: 1 });

    expect(result.failed).toEqual([]);
  });

  test('a second reading that fails, fails the files and nothing else', async () => {
    const { objects } = archive();
    let answers = 0;
    const reader = memoryReader(objects, {
      get: async (key, { range }, normal) => {
        if (!key.includes('chunk-') || range === undefined) return normal();
        if (++answers === 1) return await flipped(normal(), [100]);
        const content = normal();
        return { ...content, totalBytes: 5, sizeBytes: 5 };
      },
    });

    const result = await restoreMade(archive(), { reader });

    expect(result.failed.map(({ path }) => path)).toEqual(['a']);
  });
});

describe('verify --deep', () => {
  const verify = (reader: MemoryReader): Promise<VerifyResult> => verifyMade(reader, UPLOAD_ID);

  test('says that a second reading was needed', async () => {
    const result = await verify(bentReader(archive().objects, 1, [100]));

    expect(result).toMatchObject({ ok: true, errors: [], filesRead: 3 });
    expect(result.warnings).toEqual([
      {
        message: expect.stringMatching(/^frame 0 of .* came with wrong bytes/),
        key: expect.stringContaining('chunk-'),
      },
    ]);
  });

  /** Reads chunks whose first answer is wrong in its table of contents, of 10 bytes from its end on, and at `places`. */
  function bentTail(places: readonly number[]): MemoryReader {
    let answers = 0;
    return memoryReader(archive().objects, {
      get: async (key, { range }, normal) => {
        if (!key.includes('chunk-') || range === undefined || ++answers > 1) return normal();
        return await flipped(normal(), [...places, normal().sizeBytes - 10]);
      },
    });
  }

  test('reads a wrong table of contents again', async () => {
    const reader = bentTail([]);

    const result = await verify(reader);

    expect(result).toMatchObject({ ok: true, errors: [], filesRead: 3 });
    expect(result.warnings).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^the table of contents of/) }),
    ]);
    expect(chunkGets(reader)).toBe(2);
  });

  test('reads wrong frames again, and then the wrong table of contents behind them', async () => {
    const reader = bentTail([100]);

    const result = await verify(reader);

    expect(result).toMatchObject({ ok: true, errors: [], filesRead: 3 });
    expect(result.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^frame 0 of/),
      expect.stringMatching(/^the table of contents of/),
    ]);
    expect(chunkGets(reader)).toBe(3);
  });

  test('asks for each part where both together come with a wrong length', async () => {
    let answers = 0;
    const reader = memoryReader(archive().objects, {
      get: (key, _options, normal) =>
        key.includes('chunk-') && ++answers === 1 ? { ...normal(), totalBytes: 5, sizeBytes: 5 } : normal(),
    });

    const result = await verify(reader);

    expect(result).toMatchObject({ ok: true, errors: [], filesRead: 3 });
    expect(chunkGets(reader)).toBe(3);
  });

  test('checks the frames of an object that ends too early', async () => {
    const { objects } = archive();
    const [key = '', chunk = Buffer.alloc(0)] = [...objects].find(([name]) => name.includes('chunk-')) ?? [];
    objects.set(key, chunk.subarray(0, -10));

    const result = await verify(memoryReader(objects));

    expect(result).toMatchObject({ ok: false, filesRead: 3 });
    expect(JSON.stringify(result.errors)).not.toContain('frame');
  });

  test('a chunk whose parts come, although all of it did not, was read', async () => {
    let hit = 0;
    const reader = memoryReader(archive().objects, {
      get: (key, _options, normal) => {
        if (key.includes('chunk-') && hit++ === 0) throw integrityError('it ended early');
        return normal();
      },
    });

    const result = await verify(reader);

    expect(hit).toBe(3);
    expect(result).toMatchObject({ ok: true, errors: [], filesRead: 3, chunksRead: 1, checked: 'content' });
  });

  test('goes on where every object ends too early and there is memory for one at a time', async () => {
    const files = Array.from({ length: 12 }, (_, chunk) => ({
      path: `f${10 + chunk}`,
      content: randomBytes(3 << 20),
      chunk,
    }));
    const { objects } = makeArchive({ files });
    for (const [key, chunk] of objects) if (key.includes('chunk-')) objects.set(key, chunk.subarray(0, -10));

    const result = await verifyMade(memoryReader(objects), UPLOAD_ID, {
      memoryLimitBytes: MIN_MEMORY_BYTES,
      requestsAtOnce: 32,
    });

    expect(result).toMatchObject({ ok: false, filesRead: 12 });
  });

  test('what is wrong twice is an error as before', async () => {
    const result = await verify(bentReader(archive().objects, 2, [100]));

    expect(result.ok).toBe(false);
    expect(result.warnings).toEqual([]);
    expect(JSON.stringify(result.errors)).toContain('frame 0');
  });
});

describe('reading one file', () => {
  const read = async (reader: MemoryReader, cache?: FrameCache): Promise<Buffer> => {
    const listing = await loadListing(memoryReader(archive().objects), { uploadId: UPLOAD_ID });
    const pieces: Uint8Array[] = [];
    const options = { reader, uploadId: UPLOAD_ID, listing, cache, signal: new AbortController().signal };
    for await (const bytes of readFile(listing.find(raw('a')) ?? -1, options)) pieces.push(bytes);
    return Buffer.concat(pieces);
  };

  test('wrong bytes cost one request', async () => {
    const reader = bentReader(archive().objects, 1, [100, 2 * FRAME]);

    expect((await read(reader)).equals(CONTENTS.a)).toBe(true);
    expect(reader.requests.get).toBe(2);
  });

  test('wrong twice is an error that names the frame', async () => {
    const reader = bentReader(archive().objects, 2, [100]);

    await expect(read(reader)).rejects.toThrow(/^frame 0 of .* does not match/);
    expect(reader.requests.get).toBe(2);
  });

  test('wrong bytes do not stay in the cache', async () => {
    const folder = await tempFolder();
    const cache = new FrameCache({ folder, limitBytes: 1 << 20 });
    await read(bentReader(archive().objects, 1, [100]), cache);
    await cache.settled();
    const reader = memoryReader(archive().objects);

    expect((await read(reader, new FrameCache({ folder, limitBytes: 1 << 20 }))).equals(CONTENTS.a)).toBe(true);
    expect(reader.requests.get).toBe(0);
  });
});

describe('through a network that damages one answer', () => {
  const s3 = useBrokenS3();

  test.each([
    [1, 0],
    [2, 1],
  ])('damaged %d times: %d files fail, and the range was asked for twice', async (times, failed) => {
    for (const [key, bytes] of archive().objects) s3.put(key, bytes);
    const { store } = await s3.open();
    await restoreMade(archive(), { reader: store });
    const sound = s3.proxy.counts.get('GetObject') ?? 0;
    s3.proxy.clear();
    s3.proxy.inject({ operation: 'GetObject', path: /chunk-/, fault: { kind: 'corrupt-response', byte: 100 }, times });

    const result = await restoreMade(archive(), { reader: store });

    expect(result.failed).toHaveLength(failed);
    expect(result.warnings).toHaveLength(1 - failed);
    expect(s3.proxy.counts.get('GetObject')).toBe(sound + 1);
  });
});
