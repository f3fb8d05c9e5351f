// Reading some paths of manifests with an index gives what reading all of them gives.
import { gunzipSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import { expectedIn } from '../../../../src/core/dataset/records/assert-expected.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { IndexCheck } from '../../../../src/core/format/manifest/index-check.js';
import {
  encodeBeginning,
  type IndexedBlock,
  manifestIndexOf,
  parseBeginning,
} from '../../../../src/core/format/manifest/manifest-index.js';
import { loadOpened } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { movedManifest } from '../../../../src/core/mend/balance/moved-manifest.js';
import { createSelection, type Selectors } from '../../../../src/core/format/manifest/selection.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import { histories, uploadIdOf, type Version } from '../../../support/chain-model.js';
import { type MemoryReader, memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';
import { type WrittenHistory, writtenHistory } from '../../../support/written-history.js';

const SMALL_BLOCKS = { blockEntries: 2 };

/** What is selected, with the version that it comes from. */
async function selected(
  reader: MemoryReader,
  { newest: { uploadId, sha256, index } }: WrittenHistory,
  selectors: Selectors,
): Promise<readonly unknown[]> {
  const selection = createSelection(selectors);
  const entries: unknown[] = [];
  let chunks: readonly { readonly key: string }[] = [];
  const { head } = await readView(reader, {
    uploadId,
    sha256: expectedIn('d', [sha256], index),
    needles: selection.needles,
    ranges: selection.ranges,
    onHead: (parsed) => (chunks = parsed.head.chunks),
    onEntry: ({ path, uid, type, chunk, segments = [] }) => {
      const places = [...(chunk === undefined ? [] : [chunk]), ...segments.map((part) => part.chunk)];
      const keys = places.map((place) => chunks[place]?.key);
      if (selection.matches({ path, type }, undefined)) entries.push([path, uid, type, keys]);
    },
  });
  return [...entries, ...selection.unmatched(), head.totals];
}

const NAMES = ['d', 'd-x', 'd0', 'a', '\xff', 'missing'];
const paths = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((parts) => raw(parts.join('/')));
const globs = fc.constantFrom(
  'd/*',
  'd/**',
  '**/a',
  'd-x/d/*',
  'a',
  'd/{a,d0}/*',
  '!d/**',
  './d/*',
  'd/a*',
  'missing/*',
);
const selectors: fc.Arbitrary<Selectors> = fc.oneof(
  fc.array(paths, { minLength: 1, maxLength: 3 }).map((some): Selectors => ({ paths: some })),
  fc.array(globs, { minLength: 1, maxLength: 2 }).map((patterns): Selectors => ({ patterns })),
  fc.record({ paths: fc.tuple(paths), patterns: fc.tuple(globs) }),
);

test('any selection of any history is the same, read by the index and read whole', async () => {
  await fc.assert(
    fc.asyncProperty(histories, selectors, async (history, wanted) => {
      const indexed = await writtenHistory(history, SMALL_BLOCKS);
      const whole = await writtenHistory(history, { blockEntries: Infinity });

      expect(await selected(memoryReader(indexed.objects), indexed, wanted)).toEqual(
        await selected(memoryReader(whole.objects), whole, wanted),
      );
    }),
    { numRuns: 100 },
  );
});

test('any selection of any history is the same, read of versions in segments and read of deltas', async () => {
  await fc.assert(
    fc.asyncProperty(histories, selectors, fc.array(fc.boolean()), async (history, wanted, isSegmented) => {
      const segmented = await writtenHistory(history, SMALL_BLOCKS, (version) => isSegmented[version] ?? true);
      const whole = await writtenHistory(history, { blockEntries: Infinity });

      expect(await selected(memoryReader(segmented.objects), segmented, wanted)).toEqual(
        await selected(memoryReader(whole.objects), whole, wanted),
      );
    }),
    { numRuns: 200 },
  );
});

test('any history has the same text with and without an index', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const [indexed, whole] = await Promise.all([
        writtenHistory(history.slice(0, 1), SMALL_BLOCKS),
        writtenHistory(history.slice(0, 1), { blockEntries: Infinity, isOneMember: true }),
      ]);

      for (const [key, bytes] of whole.objects)
        expect(gunzipSync(indexed.objects.get(key) ?? '').toString()).toBe(gunzipSync(bytes).toString());
    }),
    { numRuns: 30 },
  );
});

describe('one of 20,000 paths', () => {
  const name = (n: number): string => `run-${String(n).padStart(5, '0')}`;
  const [model] = fc.sample(histories, { numRuns: 1, seed: 1 }) as [readonly [Version]];
  const version = (uploadId: UploadId, paths: readonly string[]): Version => {
    const [{ level }] = model;
    const [first] = level.mentions.filter(({ type }) => type !== 'deleted') as [Entry];
    const mentions = paths.map((path): Entry => ({ ...first, path: raw(path), type: 'file' }));
    return { level: { ...level, uploadId, mentions }, view: new Map() };
  };
  const names = Array.from({ length: 20_000 }, (_, n) => name(n));
  const tree = async (): Promise<WrittenHistory> => await writtenHistory([version(uploadIdOf(0), names)]);
  /** Place of the last block's header. */
  const lastBlock = (bytes: Buffer): number => bytes.lastIndexOf(Buffer.from([0x1f, 0x8b, 8, 0]));

  test('takes two requests and less than a third of the manifest', async () => {
    const made = await tree();
    const [bytes = Buffer.alloc(0)] = made.objects.values();
    let read = 0;
    const reader = memoryReader(made.objects, {
      get: (_key, _options, normal) => {
        const content = normal();
        read += content.sizeBytes;
        return content;
      },
    });

    const found = await selected(reader, made, { files: [name(12_345)] });

    expect(found[0]).toContain(name(12_345));
    expect(reader.requests).toEqual({ get: 2, head: 0, list: 0 });
    expect(read).toBeLessThan(bytes.length / 3);
  });

  test.each([
    ['the head', (): number => 60],
    ['the index', ({ newest }: WrittenHistory): number => (newest.index?.size ?? 0) - 30],
    [
      'the block that is read, where gzip does not see it',
      (_: WrittenHistory, bytes: Buffer): number => lastBlock(bytes) + 4,
    ],
  ])('with one bit wrong in %s is refused, as when it is read whole', async (_what, at) => {
    const made = await tree();
    const [[key, bytes] = ['', Buffer.alloc(0)]] = made.objects;
    const bent = Buffer.from(bytes);
    const place = at(made, bytes);
    bent[place] = (bent[place] ?? 0) ^ 1;
    const reader = memoryReader(new Map([[key, bent]]));

    await expect(selected(reader, made, { files: [name(19_999)] })).rejects.toThrow(/manifest/);
  });

  test('is read of another manifest that is there by now only as a whole', async () => {
    const [made, other] = [await tree(), await tree()];
    const newest = { ...other.newest, index: { ...made.newest.index, size: 500, sha256: '0'.repeat(64) } };
    const reader = memoryReader(other.objects);

    const found = await selected(reader, { ...other, newest }, { files: [name(7)] });

    expect(found[0]).toContain(name(7));
    expect(reader.requests.get).toBe(2);
  });

  test('is in an index again after its chunks have moved', async () => {
    const made = await tree();
    const [bytes = Buffer.alloc(0)] = made.objects.values();
    const { uploadId, sha256 } = made.newest;
    const loaded = await loadOpened(uploadId, { bytes }, sha256);

    const moved = await movedManifest(loaded, loaded.head.chunks);

    const check = new IndexCheck();
    check.push(moved.bytes);
    expect([check.finish(), check.index]).toEqual([undefined, manifestIndexOf(moved.bytes)]);
    const again = {
      objects: new Map([...made.objects.keys()].map((key) => [key, moved.bytes])),
      newest: { ...made.newest, sha256: moved.sha256, index: check.index },
    };
    expect(
      (await selected(memoryReader(again.objects), again as WrittenHistory, { files: [name(12_345)] }))[0],
    ).toContain(name(12_345));
  });

  test('is hidden by a file in the place of its folder, however far from it that is listed', async () => {
    const made = await writtenHistory([
      version(uploadIdOf(0), ['z/a']),
      version(uploadIdOf(1), ['z', ...names.map((between) => `z-${between}`)]),
    ]);

    const found = await selected(memoryReader(made.objects), made, { files: ['z/a'] });

    expect(found[0]).toEqual({ path: 'z/a', reason: expect.any(String) });
  });
});

test('one path of a listing in segments takes its head and its segment, and none for the folders above it', async () => {
  const [{ level }] = (fc.sample(histories, { numRuns: 1, seed: 1 }) as [readonly [Version]])[0];
  const [any] = level.mentions as [Entry];
  const names = ['a', 'a/b', 'a/b/c', 'a/b/d', 'a/b/e', 'a/b/f'];
  const mentions = names.map((path): Entry => ({ ...any, path: raw(path), type: 'directory' }));
  const made = await writtenHistory(
    [
      {
        level: { ...level, mentions },
        view: new Map(mentions.map((entry) => [entry.path as string, { entry, level }])),
      },
    ],
    {},
    () => true,
  );
  const reader = memoryReader(made.objects);

  expect((await selected(reader, made, { files: ['a/b/e'] }))[0]).toContain('a/b/e');
  expect(reader.ranges).toEqual([
    expect.stringMatching(/manifest\.json\.gz$/),
    expect.stringMatching(/manifest\/000003-/),
  ]);
});

describe('verify', () => {
  const made = async (): Promise<Buffer> => {
    const [history] = fc
      .sample(histories, { numRuns: 20, seed: 3 })
      .filter(([first]) => (first?.level.mentions.length ?? 0) > 6);
    const { objects } = await writtenHistory((history ?? []).slice(0, 1), SMALL_BLOCKS);
    return [...objects.values()][0] ?? Buffer.alloc(0);
  };
  const checked = (bytes: Buffer, piece = 7): IndexCheck => {
    const check = new IndexCheck();
    for (let at = 0; at < bytes.length; at += piece) check.push(bytes.subarray(at, at + piece));
    return check;
  };
  /** The manifest with another index of the same blocks. */
  function bent(bytes: Buffer, change: (blocks: IndexedBlock[]) => IndexedBlock[]): Buffer {
    const size = manifestIndexOf(bytes)?.size ?? 0;
    const { head, blocks } = parseBeginning(bytes.subarray(0, size), 'it');
    return Buffer.concat([encodeBeginning(head, change([...blocks])), bytes.subarray(size)]);
  }

  test('finds an index as it is written, in pieces of any size, and none where there is none', async () => {
    const bytes = await made();

    for (const piece of [1, 7, 100_000]) {
      const check = checked(bytes, piece);
      expect([check.finish(), check.index]).toEqual([undefined, manifestIndexOf(bytes)]);
    }
    const none = checked(gzipSync('{}'));
    expect([none.finish(), none.index]).toEqual([undefined, undefined]);
  });

  test.each<[string, (blocks: IndexedBlock[]) => IndexedBlock[], RegExp]>([
    [
      'a path that a block does not begin with',
      ([one, ...more]) => [{ ...one!, first: raw('!') }, ...more],
      /begins with !, and it begins with/,
    ],
    ['another digest', ([one, ...more]) => [{ ...one!, sha256: '0'.repeat(64) }, ...more], /another digest/],
    ['one block less', (blocks) => blocks.slice(0, -1), /does not list all/],
    [
      'one block more',
      (blocks) => [...blocks, { ...blocks.at(-1)!, first: raw('\xff\xff\xff') }],
      /does not list all|more than there are/,
    ],
  ])('finds an index with %s', async (_what, change, problem) => {
    expect(checked(bent(await made(), change)).finish()).toMatch(problem);
  });
});

test('an index that no writer makes is none, and no reason to fall over', () => {
  const locator = encodeBeginning(gzipSync('{}'), [{ size: 1, sha256: '0'.repeat(64), first: raw('a') }]).subarray(
    0,
    34,
  );
  const short = Buffer.concat([
    locator.subarray(0, 10),
    Buffer.from([7, 0]),
    Buffer.from('AL'),
    Buffer.from([3, 0, 1, 2, 3]),
    locator.subarray(24),
  ]);
  const huge = Buffer.from(locator);
  huge.writeUInt32LE(0xffff_ffff, 16);
  const check = new IndexCheck();
  check.push(huge);

  expect([manifestIndexOf(short), manifestIndexOf(huge), check.finish()]).toEqual([
    undefined,
    undefined,
    expect.stringMatching(/where no writer puts one/),
  ]);
  expect(manifestIndexOf(Buffer.from('ARCHENC1 is not gzip, and long enough'))).toBeUndefined();
});
