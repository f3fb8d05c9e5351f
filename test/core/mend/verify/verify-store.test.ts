import { expect, test } from 'vitest';
import type { StoreVerdict } from '../../../../src/core/mend/verify/store-verdict.js';
import type { VerifyStoreOptions } from '../../../../src/core/mend/verify/verify-store.js';
import { linkId, linkKey, type LinkSpec } from '../../../support/make-chain.js';
import { DATASET, makeDataset, type MadeDataset, recordKey } from '../../../support/make-dataset.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { verifyMadeStore } from '../../../support/verify-made.js';

const bytes = (size: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, index) => (index * 13 + seed * 101 + (index >> 7)) & 255));
const LINKS: readonly LinkSpec[] = [
  {
    files: [
      { path: 'a', content: bytes(30_000, 1) },
      { path: 'cut', content: bytes(50_000, 2), pieces: 20_000, chunk: 1 },
      { path: 'old', content: bytes(2000, 3), chunk: 5 },
    ],
  },
  { files: [{ path: 'new', content: 'n' }], deleted: ['old'] },
  { files: [{ path: 'a', content: bytes(100, 9) }], kept: { cut: { mode: '0600' } } },
];
const CHUNKS = 8;
const made = (): MadeDataset => makeDataset(LINKS);
const verify = (
  objects: ReadonlyMap<string, Buffer>,
  options: Partial<VerifyStoreOptions> = {},
): Promise<StoreVerdict> => verifyMadeStore(memoryReader(objects), options);
const chunk = (link: number, number: string): string =>
  [...made().objects.keys()].find(
    (key) => key.startsWith(`uploads/${linkId(link)}/`) && key.endsWith(`/chunk-${number}.tar.zst`),
  ) ?? '';
const damagedIn = ({ datasets }: StoreVerdict): number[] =>
  datasets.flatMap(({ versions }) => versions.flatMap(({ ok, version }) => (ok ? [] : [version])));

test.each([
  ['quick', 'manifest', 0],
  ['default', 'presence', 0],
  ['deep', 'content', CHUNKS],
] as const)('sound versions pass: %s', async (mode, checked, chunksRead) => {
  const { objects } = made();
  const reader = memoryReader(objects);

  const result = await verify(objects, { mode, reader });

  expect(result).toMatchObject({ ok: true, checked, versions: 3, damagedVersions: 0, chunks: CHUNKS, chunksRead });
  expect(result.datasets).toMatchObject([{ datasetId: DATASET, ok: true, chunks: CHUNKS, chunksRead }]);
  expect(result.datasets[0]?.versions).toMatchObject([1, 2, 3].map((version) => ({ version, ok: true, warnings: [] })));
  // Records, and all objects: nothing is asked for once a version.
  expect(reader.requests).toMatchObject({ list: 3, head: 0 });
});

test('chunks that versions share are read once, and every file of them', async () => {
  const { objects } = made();
  const reader = memoryReader(objects);

  const result = await verify(objects, { reader });

  const read = reader.ranges.filter((key) => key.includes('/chunk-'));
  // Each with one request: its frames, and the table of contents behind them.
  expect([read.length, new Set(read).size]).toEqual([CHUNKS, CHUNKS]);
  expect(result.filesRead).toBe(5); // a, cut and old, new, the other a
});

test('damage is told of every version that needs the chunk', async () => {
  const { objects } = made();
  const damaged = Buffer.from(objects.get(chunk(0, '000001')) ?? '');
  damaged[20] = (damaged[20] ?? 0) ^ 1;
  objects.set(chunk(0, '000001'), damaged);
  const old = Buffer.from(objects.get(chunk(0, '000005')) ?? '');
  old[20] = (old[20] ?? 0) ^ 1;

  const shared = await verify(objects);
  const lone = await verify(new Map([...made().objects, [chunk(0, '000005'), old]]));
  const present = await verify(objects, { mode: 'default' });

  expect([damagedIn(shared), damagedIn(lone), damagedIn(present)]).toEqual([[1, 2, 3], [1], []]);
  expect(shared).toMatchObject({ ok: false, damagedVersions: 3, chunksRead: CHUNKS });
  expect(JSON.stringify(shared.datasets[0]?.versions[2]?.errors)).toContain('is damaged, as a version before this one');
});

test('what is wrong in a listing is told of every version that builds on it', async () => {
  const [first, ...others] = LINKS;
  const bend: LinkSpec['bend'] = ({ totals }) => Object.assign(totals as object, { bytes: 1 });
  const { objects } = makeDataset([{ ...first, bend } as LinkSpec, ...others]);

  const { datasets } = await verify(objects, { mode: 'default' });

  for (const { errors } of datasets[0]?.versions ?? [])
    expect(JSON.stringify(errors)).toContain('the manifest announces 1 bytes');
  expect(datasets[0]?.versions).toHaveLength(3);
});

test('a missing chunk, a lost manifest and a damaged record are told of the versions that they hit', async () => {
  const without = (key: string): Map<string, Buffer> => {
    const { objects } = made();
    objects.delete(key);
    return objects;
  };
  const damaged = made().objects.set(recordKey(2), Buffer.from('damaged'));

  const results = [
    await verify(without(chunk(0, '000000')), { mode: 'default' }),
    await verify(without(linkKey(1)), { mode: 'default' }),
    await verify(damaged, { mode: 'quick' }),
  ];

  expect(results.map(damagedIn)).toEqual([[1, 2], [2, 3], [2]]);
  expect(results[2]?.datasets[0]?.versions[1]).toMatchObject({ uploadId: null, errorCount: 1 });
});

test('a manifest that its record does not name is damage', async () => {
  const chain = made();
  chain.rewrite(2, (manifest) => (manifest['project'] = 'other'));

  const result = await verify(chain.objects, { mode: 'default' });

  expect(damagedIn(result)).toEqual([3]);
  expect(JSON.stringify(result)).toContain('is not the one that version 3 of dataset');
});

test('a chunk that came after the listing is there', async () => {
  const { objects } = made();
  const later = memoryReader(objects);
  const reader = {
    ...later,
    async *list(options?: { prefix?: string }) {
      for await (const page of later.list(options))
        yield { ...page, objects: page.objects.filter(({ key }) => key !== chunk(2, '000000')) };
    },
  };

  expect(await verify(objects, { mode: 'default', reader })).toMatchObject({ ok: true });
});

test('a sample reads a share of all chunks, and one at least', async () => {
  const result = await verify(made().objects, { sample: 0.01 });

  expect(result).toMatchObject({ ok: true, checked: 'sample', chunks: CHUNKS });
  expect(result.chunksRead).toBeGreaterThan(0);
  expect(result.chunksRead).toBeLessThan(CHUNKS);
});

test('a store without datasets is no sound one', async () => {
  await expect(verify(new Map())).rejects.toThrow('there are no datasets and no uploads under memory:');
});
