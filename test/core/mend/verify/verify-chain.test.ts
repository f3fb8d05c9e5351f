import { describe, expect, test } from 'vitest';
import type { VerifyOptions, VerifyResult } from '../../../../src/core/mend/verify/verify.js';
import type { Json } from '../../../support/make-archive.js';
import { linkId, linkKey, makeChain, type LinkSpec, type MadeChain } from '../../../support/make-chain.js';
import { memoryReader, type MemoryReader } from '../../../support/memory-reader.js';
import { verifyMade } from '../../../support/verify-made.js';

const bytes = (size: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, index) => (index * 13 + seed * 101 + (index >> 7)) & 255));
const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a', content: bytes(30_000, 1) },
      { path: 'cut', content: bytes(50_000, 2), pieces: 20_000, chunk: 1 },
      { path: 'dir', type: 'directory', chunk: 4 },
      { path: 'dir/first', content: 'linked', linkGroup: 4, chunk: 4 },
      { path: 'dir/second', type: 'hardlink', linkTo: 'dir/first', linkGroup: 4, chunk: 4 },
      { path: 'old', content: bytes(2000, 3), chunk: 5 },
    ],
  },
  { files: [{ path: 'new', content: 'n' }], deleted: ['dir/first', 'old'] },
  { files: [{ path: 'a', content: bytes(100, 9) }], kept: { cut: { mode: '0600' } } },
];
const made = (change: (links: LinkSpec[]) => void = () => undefined): MadeChain => {
  const links = LINKS.map((link) => ({ frameSize: 20_000, ...link }));
  change(links);
  return makeChain(links);
};
const bent = (link: number, bend: NonNullable<LinkSpec['bend']>): MadeChain =>
  made((links) => (links[link] = { ...(links[link] as LinkSpec), bend }));
const verify = (chain: MadeChain, options: Partial<VerifyOptions> = {}): Promise<VerifyResult> =>
  verifyMade(memoryReader(chain.objects), chain.uploadId, options);
const chunkKeyOf = (link: number, chunk: number): string =>
  `uploads/${linkId(link)}/shard-0${chunk % 2}/chunk-${String(chunk).padStart(6, '0')}.tar.zst`;
const all = ({ errors }: VerifyResult): string => JSON.stringify(errors);

test.each(['quick', 'default', 'deep'] as const)('a sound chain passes: %s', async (mode) => {
  const reader: MemoryReader = memoryReader(made().objects);

  const result = await verify(made(), { mode, reader });

  // a, cut, dir, dir/second, new; chunks of a (new), cut (three), dir, new.
  expect(result).toMatchObject({ ok: true, errors: [], warnings: [], entries: 5, files: 4, chunks: 6 });
  expect(result.filesRead).toBe(mode === 'deep' ? 4 : 0);
  expect(result.chunksRead).toBe(mode === 'deep' ? 6 : 0);
  // The own folder; no version record names it: those of its dataset, and which other datasets there are.
  expect(reader.requests.list).toBe(mode === 'quick' ? 0 : 3);
});

test('--sample reads a share of the chunks that the version needs', async () => {
  expect(await verify(made(), { sample: 0.5 })).toMatchObject({ ok: true, chunks: 6, chunksRead: 3 });
});

describe('chunks of ancestors', () => {
  test('are looked for in the folder of their own upload', async () => {
    const chain = made();
    chain.objects.delete(chunkKeyOf(0, 2));

    const result = await verify(chain, { mode: 'default' });

    expect(result.errors).toEqual([
      {
        message: expect.stringMatching(/chunk \d+ is not in the store/),
        key: `../${linkId(0)}/shard-00/chunk-000002.tar.zst`,
      },
    ]);
  });

  test('are read, and damage names the files of the view that it hits', async () => {
    const chain = made();
    const object = chain.objects.get(chunkKeyOf(0, 1)) ?? Buffer.alloc(0);
    object[30] = (object[30] ?? 0) ^ 4;

    const result = await verify(chain);

    expect(result.ok).toBe(false);
    expect(new Set(result.errors.map(({ path, key }) => path ?? key))).toEqual(
      new Set(['cut', `../${linkId(0)}/shard-01/chunk-000001.tar.zst`]),
    );
    expect(result.filesRead).toBe(3);
  });

  test('that nothing in the version needs are a warning', async () => {
    const chain = made();
    chain.objects.delete(chunkKeyOf(0, 5));

    const result = await verify(chain, { mode: 'default' });

    expect(result).toMatchObject({
      ok: true,
      warnings: [{ message: expect.stringMatching(/nothing in this version needs it/) }],
    });
  });

  test('a folder that holds many of them is listed, not asked for one by one', async () => {
    const many = Array.from({ length: 16 }, (_, chunk) => ({
      path: `f${String(chunk).padStart(2, '0')}`,
      content: 'x',
      chunk,
    }));
    const chain = makeChain([{ files: many }, { files: [{ path: 'g', content: 'y' }] }]);
    const reader = memoryReader(chain.objects);

    expect(await verify(chain, { mode: 'default', reader })).toMatchObject({ ok: true, warnings: [] });
    expect(reader.requests).toMatchObject({ list: 4, head: 0 });
    chain.objects.delete(chunkKeyOf(0, 7));
    expect(all(await verify(chain, { mode: 'default' }))).toMatch(/not in the store/);
  });
});

describe('a chain that does not agree', () => {
  const at = (files: readonly Json[], path: string): Json => files.find((file) => file['path'] === path) ?? {};
  test.each<[string, () => MadeChain, RegExp]>([
    [
      'a view with other files',
      () => bent(2, ({ view }) => Object.assign(view as Json, { files: 9 })),
      /in uploads\/20260101-000000-00000002.*the view is announced with 9 files, and has 4/,
    ],
    [
      'a view with other chunks',
      () => bent(2, ({ view }) => Object.assign(view as Json, { storedBytes: 9 })),
      /the view is announced with 9 stored bytes/,
    ],
    [
      'totals of an ancestor',
      () => bent(0, ({ totals }) => Object.assign(totals as Json, { bytes: 1 })),
      /in uploads\/20260101-000000-00000000\/manifest\.json\.gz: the manifest announces 1 bytes/,
    ],
    [
      'totals of a delta, deletions counted as entries',
      () => bent(1, ({ totals }) => Object.assign(totals as Json, { files: 3 })),
      /00000001\/manifest.json.gz: the manifest announces 3 files, and there are 1/,
    ],
    [
      'a chain record',
      () => bent(2, (manifest) => (manifest['chain'] = { deltas: 3, entries: 5 })),
      /00000002\/manifest.json.gz: it announces a chain of 3 deltas with 5 entries, and there are 2 with 5/,
    ],
    [
      'a hostile deletion',
      () =>
        bent(1, ({ files }) => {
          at(files, 'dir/first')['path'] = '../x';
          files.sort((a, b) => (String(a['path']) < String(b['path']) ? -1 : 1));
        }),
      /'\.\.' part: it cannot be deleted/,
    ],
    [
      'an ancestor out of order',
      () => bent(0, ({ files }) => files.push(...files.splice(0, 1))),
      /00000000\/manifest.json.gz: the entries are not in the order/,
    ],
    [
      'an unknown type in an ancestor',
      () => bent(0, ({ files }) => (at(files, 'a')['type'] = 'door')),
      /00000000\/manifest.json.gz: its type 'door' is not known/,
    ],
    [
      'a deletion in a full listing',
      () => bent(0, ({ files }) => (at(files, 'a')['type'] = 'deleted')),
      /00000000\/manifest.json.gz, entry 1: it is a deletion/,
    ],
    [
      'an entry of a delta beyond its chunks',
      () => bent(1, ({ files }) => (at(files, 'new')['chunk'] = 3)),
      /00000001\/manifest.json.gz: it is in chunk 3, but there are 1/,
    ],
  ])('%s', async (_name, make, message) => {
    const result = await verify(make(), { mode: 'quick' });

    expect(result.ok).toBe(false);
    expect(all(result)).toMatch(message);
  });

  test('a missing ancestor is damage, told in one sentence', async () => {
    const chain = made();
    chain.objects.delete(linkKey(0));

    expect(await verify(chain)).toMatchObject({
      ok: false,
      errors: [{ message: expect.stringMatching(/00000001\/manifest\.json\.gz builds on another: .* has no uploads/) }],
    });
  });

  test('a rewritten ancestor leaves the record of the chain behind, and that is no error', async () => {
    const chain = bent(1, (manifest) =>
      Object.assign(manifest, { replaces: ['a'.repeat(64)], chain: { deltas: 5, entries: 99 } }),
    );

    expect(await verify(chain, { mode: 'quick' })).toMatchObject({ ok: true });
  });
});
