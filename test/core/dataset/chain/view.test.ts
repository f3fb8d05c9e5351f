import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import type { OpenedBytes } from '../../../../src/core/format/encryption/unseal-bytes.js';
import { mergeLevels } from '../../../../src/core/dataset/chain/merge-levels.js';
import type { MergedView } from '../../../../src/core/dataset/chain/merged-view.js';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import { summarize } from '../../../../src/core/dataset/chain/summarize.js';
import { compactView } from '../../../../src/core/dataset/chain/compact-view.js';
import { expectedIn } from '../../../../src/core/dataset/records/assert-expected.js';
import { levelOf, openView } from '../../../../src/core/dataset/chain/view.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { Entry, ManifestHead } from '../../../../src/core/format/manifest/manifest-types.js';
import { histories } from '../../../support/chain-model.js';
import { linkId, linkKey, makeChain, type LinkSpec, type MadeChain } from '../../../support/make-chain.js';
import type { Json } from '../../../support/make-archive.js';
import { DATASET, recordBytes, recordDocument, recordKey } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';
import { batchesOf, writtenHistory } from '../../../support/written-history.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a', content: 'one' },
      { path: 'd', type: 'directory' },
      { path: 'd-x', content: 'dash', chunk: 1 },
      { path: 'd/a', content: 'inside', chunk: 2 },
      { path: 'z', content: 'last' },
    ],
  },
  {
    files: [
      { path: 'd', content: 'a file now' },
      { path: 'new', content: 'new' },
    ],
    deleted: ['z'],
  },
  { files: [{ path: 'b', type: 'symlink', target: 'a' }], kept: { a: { mode: '0600' } } },
];
const chain = (change: (links: LinkSpec[]) => void = () => undefined): MadeChain => {
  const links = LINKS.map((link) => ({ ...link }));
  change(links);
  return makeChain(links);
};
const bent = (link: number, bend: (manifest: Json) => void): MadeChain =>
  chain((links) => (links[link] = { ...(links[link] as LinkSpec), bend }));
const open = (made: MadeChain, more: object = {}, link = 2) =>
  openView(memoryReader(made.objects), { uploadId: linkId(link), ...more });
async function entriesOf(view: MergedView): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of view.entries()) entries.push(...batch);
  return entries;
}
const digestOf = (made: MadeChain, link: number): string =>
  createHash('sha256')
    .update(made.objects.get(linkKey(link)) ?? '')
    .digest('hex');

/** Puts the record of a version, which names the manifest of its link as it is. */
function record(made: MadeChain, version: number, change: Json = {}, datasetId = DATASET): void {
  const uploadId = linkId(version - 1);
  const manifestBytes = made.objects.get(linkKey(version - 1)) ?? Buffer.alloc(0);
  const manifest = made.manifests[version - 1] ?? made.manifests[0] ?? {};
  const createdAt = '2026-03-01T12:00:00.000Z';
  const document = recordDocument({ version, uploadId, manifest, manifestBytes, datasetId, createdAt });
  made.objects.set(recordKey(version, datasetId), recordBytes({ ...document, ...change }));
}

describe('the view of a chain', () => {
  test('is what the manifests say together, with positions into the chunks of all of them', async () => {
    const made = chain();

    const view = await open(made);

    const entries = await entriesOf(view);
    expect(entries.map(({ path, type }) => [path, type])).toEqual([
      ['a', 'file'],
      ['b', 'symlink'],
      ['d', 'file'],
      ['d-x', 'file'],
      ['new', 'file'],
    ]);
    expect(entries[0]).toMatchObject({ mode: 0o600, size: 3 });
    expect(entries.map(({ chunk = -1 }) => view.chunks[chunk]?.key)).toEqual([
      `../${linkId(0)}/shard-00/chunk-000000.tar.zst`,
      'shard-00/chunk-000000.tar.zst',
      `../${linkId(1)}/shard-00/chunk-000000.tar.zst`,
      `../${linkId(0)}/shard-01/chunk-000001.tar.zst`,
      `../${linkId(1)}/shard-00/chunk-000000.tar.zst`,
    ]);
    expect(view.totals).toMatchObject({ entries: 5, files: 5, symlinks: 1, directories: 0 });
    expect(view.chain.map(({ uploadId }) => uploadId)).toEqual([linkId(2), linkId(1), linkId(0)]);
    expect(await entriesOf(view)).toEqual(entries);
  });

  test('of a full listing is the listing', async () => {
    const view = await open(chain(), {}, 0);

    expect((await entriesOf(view)).map(({ path }) => path)).toEqual(['a', 'd', 'd-x', 'd/a', 'z']);
    expect(view.totals).toEqual(view.head.totals);
    expect(view.chain).toHaveLength(1);
  });

  test('takes one GET for each manifest and no other request', async () => {
    const reader = memoryReader(chain().objects);

    await entriesOf(await openView(reader, { uploadId: linkId(2) }));

    expect(reader.requests).toEqual({ get: 3, head: 0, list: 0 });
    expect(reader.ranges).toEqual([2, 1, 0].map(linkKey));
  });

  test('any history, written as manifests and read again, is the history', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const { objects } = await writtenHistory(history);
        const newest = history.at(-1);

        const view = await openView(memoryReader(objects), { uploadId: asUploadId(newest?.level.uploadId ?? '') });

        const seen = (await entriesOf(view)).map(({ path, uid, type }) => [path, uid, type]);
        const expected = [...(newest?.view ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(seen).toEqual(expected.map(([path, { entry }]) => [path, entry.uid, entry.type]));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a chain that is broken is one sentence', () => {
  const missing = (link: number): MadeChain => {
    const made = chain();
    made.objects.delete(linkKey(link));
    return made;
  };
  /** As many deltas as asked for, each on the one before. */
  const long = (deltas: number): MadeChain =>
    makeChain([
      { files: [] },
      ...Array.from({ length: deltas }, (_, n) => ({ files: [{ path: `f${n}`, content: 'x' }] })),
    ]);

  test.each<[string, () => MadeChain, RegExp]>([
    [
      'a missing ancestor',
      () => missing(0),
      /00000001\/manifest\.json\.gz builds on another: memory: has no uploads\/20260101-000000-00000000\//,
    ],
    [
      'an ancestor that is not the one that was recorded',
      () => {
        const made = chain();
        made.rewrite(1, (manifest) => (manifest['tool'] = 'another'));
        return made;
      },
      /00000002\/manifest\.json\.gz builds on another: .*00000001\/manifest\.json\.gz is not the one that was recorded/,
    ],
    [
      'a cycle',
      () => {
        const made = chain();
        const { sha256 } = (made.manifests[2]?.['previous'] ?? {}) as Json;
        made.rewrite(1, (manifest) =>
          Object.assign(manifest, { previous: { uploadId: linkId(2), sha256 }, replaces: [digestOf(chain(), 1)] }),
        );
        record(made, 2);
        return made;
      },
      /00000001\/manifest\.json\.gz builds on uploads\/20260101-000000-00000002\/manifest\.json\.gz, which builds on it: a cycle/,
    ],
    ['too many links', () => long(17), /00000017\/manifest\.json\.gz builds on more than 16 others/],
    [
      'another dataset',
      () => bent(0, (manifest) => (manifest['datasetId'] = 'other-1')),
      /of dataset made-00000000 builds on .* of dataset other-1/,
    ],
    [
      'a damaged ancestor',
      () => bent(1, ({ files }) => (((files as Json[])[0] ?? {})['size'] = -1)),
      /00000001\/manifest\.json\.gz, entry 1/,
    ],
    [
      'an ancestor out of order',
      () => bent(0, ({ files }) => (files as Json[]).push(...(files as Json[]).splice(0, 1))),
      /00000000\/manifest\.json\.gz does not list its entries in path order/,
    ],
    [
      'an ancestor with fewer entries than it announces',
      () => bent(0, ({ totals }) => Object.assign(totals as Json, { entries: 9 })),
      /00000000\/manifest\.json\.gz announces 9 entries and has 5/,
    ],
    [
      'an ancestor of another upload',
      () => bent(0, (manifest) => (manifest['uploadId'] = linkId(7))),
      /00000000\/manifest\.json\.gz belongs to another upload/,
    ],
  ])('%s', async (_name, make, message) => {
    const made = make();
    const reader = memoryReader(made.objects);

    const failure = openView(reader, { uploadId: made.uploadId }).then(entriesOf);

    await expect(failure).rejects.toMatchObject({ code: 'integrity', message: expect.stringMatching(message) });
    expect(reader.requests.get).toBeLessThanOrEqual(17);
  });

  test('sixteen deltas on a full listing are not too many', async () => {
    expect(await entriesOf(await openView(memoryReader(long(16).objects), { uploadId: linkId(16) }))).toHaveLength(16);
  });

  test('an upload that is not there is not found, not damaged', async () => {
    await expect(open(missing(2))).rejects.toMatchObject({ code: 'not-found' });
  });

  test('an ancestor in cold storage keeps that verdict and names both manifests', async () => {
    const { objects } = chain();
    const reader = memoryReader(objects, {
      get: (key, _options, normal) => {
        if (key === linkKey(0)) throw new ArchiverError('cold-storage', `${key} is in GLACIER`, { hint: 'thaw it' });
        return normal();
      },
    });

    await expect(openView(reader, { uploadId: linkId(2) })).rejects.toMatchObject({
      code: 'cold-storage',
      message: expect.stringMatching(
        /00000001\/manifest\.json\.gz builds on another: .*00000000\/manifest\.json\.gz is in GLACIER/,
      ),
      hint: 'thaw it',
    });
  });

  test('a digest that the caller does not expect is refused, one of several is enough', async () => {
    const made = chain();
    const right = digestOf(made, 2);

    await expect(open(made, { sha256: 'f'.repeat(64) })).rejects.toThrow(/is not the one that was recorded/);
    expect((await open(made, { sha256: right })).chain[0]?.sha256).toBe(right);
    expect((await open(made, { sha256: ['f'.repeat(64), right] })).chain).toHaveLength(3);
  });

  describe('a manifest that says that it replaces the expected one', () => {
    const replaced = (): { readonly made: MadeChain; readonly old: readonly [string, string] } => {
      const made = chain();
      const old = [digestOf(made, 0), digestOf(made, 2)] as const;
      made.rewrite(0, (manifest) => Object.assign(manifest, { tool: 'rewritten', replaces: [old[0]] }));
      made.rewrite(2, (manifest) => Object.assign(manifest, { tool: 'rewritten', replaces: ['e'.repeat(64), old[1]] }));
      return { made, old };
    };

    test('is taken where the record of its upload names it, by its successors too', async () => {
      const { made, old } = replaced();
      record(made, 1);
      record(made, 3);

      expect((await open(made, { sha256: expectedIn(DATASET, [old[1]]) })).chain.map(({ head }) => head.tool)).toEqual([
        'rewritten',
        'a test',
        'rewritten',
      ]);
    });

    test('is taken while the record names it beside the old one', async () => {
      const { made, old } = replaced();
      record(made, 1, { manifestSha256: old[0], replacementSha256: digestOf(made, 0) });

      expect((await open(made)).chain).toHaveLength(3);
    });

    test.each([
      ['where no record names it', () => undefined],
      [
        'where the record of its upload names the old one',
        (made: MadeChain, old: string) => record(made, 1, { manifestSha256: old }),
      ],
      [
        'where the record of another upload names it',
        (made: MadeChain) => record(made, 1, { uploadId: linkId(1), manifestKey: linkKey(1) }),
      ],
      ['where a record in another dataset names it', (made: MadeChain) => record(made, 1, {}, 'other-00000000')],
    ])('is refused %s', async (_where, put) => {
      const { made, old } = replaced();
      put(made, old[0]);

      await expect(open(made)).rejects.toMatchObject({
        code: 'integrity',
        message: expect.stringMatching(
          /00000000\/manifest\.json\.gz is not the one that was recorded: .*, and no version record names that/,
        ),
        hint: expect.stringContaining('archiver repair '),
      });
    });

    test('is refused as the newest where it names another dataset, whose record names it', async () => {
      const { made, old } = replaced();
      made.rewrite(2, (manifest) => Object.assign(manifest, { datasetId: 'other-00000000' }));
      record(made, 3, {}, 'other-00000000');

      await expect(open(made, { sha256: expectedIn(DATASET, [old[1]]) })).rejects.toThrow(
        /is not the one that was recorded/,
      );
    });

    test('is found among many versions with a few requests', async () => {
      const made = chain();
      const old = digestOf(made, 0);
      made.rewrite(0, (manifest) => Object.assign(manifest, { replaces: [old] }));
      for (let version = 1; version <= 1000; version++)
        record(
          made,
          version,
          version === 1 ? {} : { uploadId: linkId(version + 10), manifestKey: linkKey(version + 10) },
        );
      const reader = memoryReader(made.objects);

      await openView(reader, { uploadId: linkId(2) });

      expect([reader.requests.list, reader.requests.get < 32]).toEqual([1, true]);
    });
  });
});

describe('with a cache', () => {
  const memoryCache = (): ManifestCache & { readonly kept: Map<string, OpenedBytes> } => {
    const kept = new Map<string, OpenedBytes>();
    return {
      kept,
      get: (sha256) => Promise.resolve(kept.get(sha256)),
      put: (sha256, manifest) => Promise.resolve(void kept.set(sha256, manifest)),
    };
  };

  test('nothing is fetched that is known by its digest', async () => {
    const made = chain();
    const cache = memoryCache();
    const reader = memoryReader(made.objects);
    const options = { uploadId: linkId(2), sha256: ['f'.repeat(64), digestOf(made, 2)], cache };

    const first = await entriesOf(await openView(reader, options));
    expect([...cache.kept.keys()]).toEqual([2, 1, 0].map((link) => digestOf(made, link)));
    expect(reader.requests.get).toBe(3);

    expect(await entriesOf(await openView(reader, options))).toEqual(first);
    expect(reader.requests.get).toBe(3);
  });

  test('a manifest that is refused is not kept', async () => {
    const made = chain();
    const cache = memoryCache();
    made.rewrite(1, (manifest) => (manifest['tool'] = 'another'));

    await expect(open(made, { cache })).rejects.toThrow(/recorded/);
    expect([...cache.kept.keys()]).toEqual([digestOf(made, 2)]);
  });
});

/** Entries with the keys of the chunks that they lie in, in place of positions. */
async function named(view: MergedView): Promise<{ readonly keys: readonly string[] }[]> {
  const keyOf = (position: number): string => view.chunks[position]?.key ?? '';
  return (await entriesOf(view)).map(({ chunk, segments, linkGroup: _group, ...entry }) => ({
    ...entry,
    keys: [...(chunk === undefined ? [] : [chunk]), ...(segments ?? []).map((part) => part.chunk)].map(keyOf),
  }));
}

describe('a summary', () => {
  test('counts what entries refer to, and nothing else', async () => {
    const made = chain();
    const view = await open(made);

    const { totals, shards, used } = await summarize(view);

    expect(totals).toEqual(made.manifests[2]?.['view']);
    const old = (link: number, rest: string): string => `../${linkId(link)}/${rest}.tar.zst`;
    expect(view.chunks.map(({ key }, position) => [key, used[position]])).toEqual([
      [old(0, 'shard-00/chunk-000000'), 1],
      [old(0, 'shard-01/chunk-000001'), 1],
      [old(0, 'shard-00/chunk-000002'), 0],
      [old(1, 'shard-00/chunk-000000'), 1],
      ['shard-00/chunk-000000.tar.zst', 1],
    ]);
    expect(shards.map(({ shard, prefix, chunks, files, bytes }) => [shard, prefix, chunks, files, bytes])).toEqual([
      [0, 'shard-00', 3, 4, 16],
      [1, 'shard-01', 1, 1, 4],
    ]);
  });

  test('a compacted view has the same entries on the chunks that are used', async () => {
    const view = await open(chain());
    const { used } = await summarize(view);

    const compact = compactView(view, used);

    expect(compact.chunks).toHaveLength(4);
    expect(await named(compact)).toEqual(await named(view));
    expect((await summarize(compact)).used).toEqual(new Uint8Array([1, 1, 1, 1]));
  });

  test('of any history uses exactly the chunks that its entries name, and compacting moves no content', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const levels = history
          .map(({ level }) => ({ ...level, mentions: () => batchesOf(level.mentions) }))
          .toReversed();
        const view = mergeLevels(levels, linkId(99));
        const { used, totals } = await summarize(view);
        const compact = compactView(view, used);

        const held = await named(compact);
        expect(held).toEqual(await named(view));
        expect(new Set(held.flatMap(({ keys }) => keys))).toEqual(new Set(compact.chunks.map(({ key }) => key)));
        expect(totals).toMatchObject({ entries: held.length, chunks: compact.chunks.length });
      }),
      { numRuns: 100 },
    );
  });

  test('counts cut files where their last part lies', async () => {
    const made = makeChain([{ files: [{ path: 'cut', content: 'abcdef', pieces: 4 }] }]);

    const { shards, totals } = await summarize(await open(made, {}, 0));

    expect(shards.map(({ shard, files, bytes }) => [shard, files, bytes])).toEqual([
      [0, 0, 0],
      [1, 1, 6],
    ]);
    expect(totals).toEqual(made.manifests[0]?.['totals']);
  });

  test('an entry on a chunk that is not there is not written into a compacted view', async () => {
    const made = bent(0, ({ files }) => Object.assign((files as Json[])[0] ?? {}, { chunk: 99 }));
    const view = await open(made, {}, 0);
    const { used } = await summarize(view);

    const sound = await open(chain(), {}, 0);
    for (const compact of [compactView(view, used), compactView(sound, new Uint8Array(3))]) {
      await expect(entriesOf(compact)).rejects.toMatchObject({
        code: 'integrity',
        message: expect.stringContaining('a is in chunk'),
      });
    }
  });

  test('something newer can be merged on top', async () => {
    const { chain: loaded } = await open(chain(), {}, 1);
    const top = {
      uploadId: linkId(9),
      chunks: [],
      mentions: () => batchesOf([{ path: raw('d-x'), type: 'deleted' as const }]),
    };

    const view = mergeLevels([top, ...loaded.map(levelOf)], linkId(9));

    expect((await entriesOf(view)).map(({ path }) => path)).toEqual(['a', 'd', 'new']);
    expect(view.chunks.every(({ key }) => key.startsWith('../'))).toBe(true);
  });
});

describe('readView', () => {
  const read = async (made: MadeChain, more: object = {}, link = 2) => {
    const paths: string[] = [];
    const heads: ManifestHead[] = [];
    const reader = memoryReader(made.objects);
    const view = await readView(reader, {
      uploadId: linkId(link),
      onHead: ({ head }) => heads.push(head),
      onEntry: ({ path }) => paths.push(path),
      ...more,
    });
    return { view, paths, heads, reader };
  };

  test('gives the entries of a delta as those of a full listing', async () => {
    const { view, paths, heads, reader } = await read(chain());

    expect(paths).toEqual(['a', 'b', 'd', 'd-x', 'new']);
    expect(heads).toEqual([view.head]);
    expect(view.head).toMatchObject({ listing: 'delta', totals: { entries: 5 }, previous: { uploadId: linkId(1) } });
    expect(view.head.chunks).toHaveLength(5);
    expect(view.head.shards.map(({ shard, chunks }) => [shard, chunks])).toEqual([
      [0, 4],
      [1, 1],
    ]);
    expect(view.chain.map(({ uploadId, listing, entries }) => [uploadId, listing, entries])).toEqual([
      [linkId(2), 'delta', 2],
      [linkId(1), 'delta', 3],
      [linkId(0), 'full', 5],
    ]);
    expect(view).toMatchObject({ entries: 5, sha256: digestOf(chain(), 2) });
    expect(reader.requests).toEqual({ get: 3, head: 0, list: 0 });
  });

  describe('while the end of a delta is still to come', () => {
    const heldBack = (made: MadeChain, end: (bytes: Buffer) => Buffer) => {
      let tell: () => void = () => undefined;
      const asked = new Promise<void>((resolve) => (tell = resolve));
      return memoryReader(made.objects, {
        get(key, _options, normal) {
          if (key === linkKey(1)) tell();
          if (key !== linkKey(2)) return normal();
          const bytes = made.objects.get(key) ?? Buffer.alloc(0);
          const body = async function* () {
            yield bytes.subarray(0, -8);
            await asked;
            yield end(bytes.subarray(-8));
          };
          // A small one is received whole before it is looked at.
          return { ...normal(), totalBytes: 2 ** 20, body: Readable.from(body()) };
        },
      });
    };

    test('what it builds on is asked for, once', async () => {
      const reader = heldBack(chain(), (end) => end);
      const view = await readView(reader, { uploadId: linkId(2) });

      expect(view.entries).toBe(5);
      expect(reader.ranges).toEqual([linkKey(2), linkKey(1), linkKey(0)]);
    });

    test('and a delta that turns out to be damaged is what is said, whatever it builds on', async () => {
      const made = chain();
      made.objects.delete(linkKey(1));
      const reader = heldBack(made, () => Buffer.alloc(8));

      await expect(readView(reader, { uploadId: linkId(2) })).rejects.toThrow(`the manifest ${linkKey(2)} is damaged`);
    });
  });

  test('searches the full listing with needles, and never finds what a delta hides', async () => {
    const searched = async (needle: string) => (await read(chain(), { needles: [needle] })).paths;

    expect(await searched('"d-x"')).toContain('d-x');
    for (const hidden of ['"d/a"', '"z"']) expect(await searched(hidden)).not.toContain(hidden.slice(1, -1));
    expect(await searched('"nothing"')).not.toContain('d-x');
  });

  test('of the head alone has the numbers of the view and calls nothing for entries', async () => {
    const { view, paths, heads } = await read(chain(), { headOnly: true });

    expect([paths, heads.length, view.entries]).toEqual([[], 1, 0]);
    expect(view.head.chunks).toHaveLength(4);
    expect(view.head.shards).toMatchObject([
      { shard: 0, chunks: 3, files: 4, bytes: 16 },
      { shard: 1, chunks: 1, files: 1, bytes: 4 },
    ]);
    expect(view.head.totals).toEqual(chain().manifests[2]?.['view']);
  });

  test('a view that has not as many entries as announced is an integrity error', async () => {
    const made = bent(2, ({ view }) => Object.assign(view as Json, { entries: 6 }));

    await expect(read(made)).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(/00000002\/manifest\.json\.gz states a view of 6 entries, but the view has 5/),
    });
  });

  test('a full listing is streamed as before, in one GET', async () => {
    const { view, paths, reader } = await read(chain(), {}, 0);

    expect(paths).toEqual(['a', 'd', 'd-x', 'd/a', 'z']);
    expect(view.chain).toMatchObject([{ uploadId: linkId(0), listing: 'full' }]);
    expect(reader.requests.get).toBe(1);
  });

  test('entries of an unknown type are told of, or left out', async () => {
    const made = bent(
      1,
      ({ files }) => (((files as Json[]).find(({ path }) => path === 'new') ?? {})['type'] = 'door'),
    );
    const foreign: unknown[] = [];

    expect((await read(made, { onForeign: (entry: unknown) => foreign.push(entry) })).paths).not.toContain('new');
    expect(foreign).toEqual([{ path: 'new', foreignType: 'door' }]);
    expect((await read(made)).paths).toHaveLength(4);
  });
});
