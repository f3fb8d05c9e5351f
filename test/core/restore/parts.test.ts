// Parts of a restore: what each writes, and what it leaves to the others. That they may run at once is in test/e2e/restore-parts.test.ts.
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ChunkRecord, Entry } from '../../../src/core/format/manifest/manifest-types.js';
import type { Selectors } from '../../../src/core/format/manifest/selection.js';
import { NothingSelected } from '../../../src/core/format/manifest/nothing-selected.js';
import { Failures } from '../../../src/core/platform/failures/failure-list.js';
import { openOutputFolder } from '../../../src/core/restore/output-tree/output-folder.js';
import { PartShare } from '../../../src/core/restore/plan/part-share.js';
import { TableBuilder, openTable } from '../../../src/core/restore/plan/selected-table.js';
import { refuseCollisions } from '../../../src/core/restore/plan/settle-names.js';
import type { RestoreOptions } from '../../../src/core/restore/restore.js';
import { makeArchive, type FileSpec, type MadeArchive } from '../../support/make-archive.js';
import { memoryReader } from '../../support/memory-reader.js';
import { restoreMade, type Restored } from '../../support/restore-made.js';
import { randomOf } from '../../support/random.js';
import { tempFolder } from '../../support/temp-folder.js';
import { describeTree } from '../archive/trees.js';

type Share = Pick<Partial<Entry>, 'chunk' | 'segments' | 'linkGroup'>;

/** Entries of many chunks: some small, some cut over several, some linked, some without content. */
function randomEntries(pick: (below: number) => number): {
  readonly entries: Share[];
  readonly records: ChunkRecord[];
} {
  const count = 1 + pick(60);
  const records = Array.from({ length: count }, () => ({ size: 1 + pick(2 ** 26) }) as ChunkRecord);
  const entries = Array.from({ length: pick(2000) }, (_, index): Share => {
    const chunk = Math.min(count - 1, Math.max(0, Math.floor((index / 2000) * count) + pick(3) - 1));
    const kind = pick(100);
    if (kind < 10) return {};
    const linkGroup = pick(5);
    if (kind < 13) return { linkGroup, chunk: linkGroup % count };
    return { chunk };
  });
  for (let cut = 0; cut < 3; cut++) {
    const first = records.length;
    for (let piece = 0; piece < 5; piece++) records.push({ size: 2 ** 20 } as ChunkRecord);
    const segments = Array.from({ length: 5 }, (_, piece) => ({ chunk: first + piece, offset: 0, size: 1 }));
    entries.splice(pick(entries.length), 0, { segments });
  }
  return { entries, records };
}

test('of any version, each entry belongs to one part, each chunk to one, and the parts are about alike', () => {
  const pick = randomOf(27);
  for (let round = 0; round < 40; round++) {
    const { entries, records } = randomEntries(pick);
    const of = 1 + pick(12);
    const shares = Array.from({ length: of }, (_, index) => new PartShare({ number: index + 1, of }));
    const owners = entries.map((entry) =>
      shares.flatMap((share, index) => (share.takes(entry, records) ? [index] : [])),
    );
    const ofChunk = new Map<number, Set<number>>();
    entries.forEach((entry, index) => {
      for (const chunk of entry.segments?.map((segment) => segment.chunk) ??
        (entry.chunk === undefined ? [] : [entry.chunk]))
        ofChunk.set(chunk, new Set([...(ofChunk.get(chunk) ?? []), ...(owners[index] ?? [])]));
    });
    const loads = Array.from({ length: of }, (_, part) =>
      [...ofChunk].reduce((sum, [chunk, parts]) => sum + (parts.has(part) ? (records[chunk]?.size ?? 0) : 0), 0),
    );

    expect(owners.every((parts) => parts.length === 1)).toBe(true);
    expect([...ofChunk.values()].every((parts) => parts.size === 1)).toBe(true);
    const largest = Math.max(...records.map(({ size }) => size));
    expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(largest + entries.length * 2 ** 16);
  }
});

const FILES: FileSpec[] = [
  { path: 'a', type: 'directory', mode: '0755', mtime: '2001-02-03T04:05:06.000000007Z' },
  { path: 'a/b', type: 'directory', mode: '0750', mtime: '2002-02-03T04:05:06.000000008Z' },
  { path: 'a/b/cut', content: Buffer.alloc(200_000, 'cut'), pieces: 60_000, chunk: 3 },
  { path: 'a/b/one', content: 'first', linkGroup: 1 },
  { path: 'a/b/two', content: 'second', chunk: 1 },
  { path: 'a/three', content: 'third', chunk: 2 },
  { path: 'empty', content: '' },
  { path: 'hollow', type: 'directory', mode: '0700', mtime: '2003-02-03T04:05:06.000000009Z' },
  { path: 'link', type: 'symlink', target: 'a/three' },
  { path: 'same', type: 'hardlink', linkTo: 'a/b/one', linkGroup: 1 },
];

const restorePart = async (
  archive: MadeArchive,
  outputDir: string,
  [number, of]: readonly [number, number],
  { selectors = { all: true }, ...options }: Partial<RestoreOptions> = {},
): Promise<Restored> =>
  await restoreMade(archive, {
    ...options,
    outputDir,
    selectors: { ...selectors, part: { number, of } },
    reader: memoryReader(archive.objects),
  });

const placeIn = async (): Promise<string> => join(await tempFolder(), 'out');

test('the parts make the tree of one restore, in any order, and read no chunk twice', async () => {
  const archive = makeArchive({ files: FILES });
  const whole = await restoreMade(archive);
  const out = await placeIn();
  const results: Restored[] = [];
  for (const number of [4, 2, 1, 3]) results.push(await restorePart(archive, out, [number, 4]));

  const chunksRead = results.flatMap(({ reader }) => [
    ...new Set(reader.ranges.filter((key) => key.includes('chunk-'))),
  ]);
  expect(describeTree(out)).toEqual(describeTree(whole.out));
  expect(statSync(out, { bigint: true })).toMatchObject({
    mtimeNs: statSync(whole.out, { bigint: true }).mtimeNs,
    mode: statSync(whole.out, { bigint: true }).mode,
  });
  expect(chunksRead.length).toBe(new Set(chunksRead).size);
  const sum = (key: 'files' | 'bytes' | 'chunks' | 'bytesFetched'): number =>
    results.reduce((total, result) => total + result[key], 0);
  expect([sum('files'), sum('bytes'), sum('chunks'), sum('bytesFetched')]).toEqual([
    whole.files,
    whole.bytes,
    whole.chunks,
    whole.bytesFetched,
  ]);
  expect(results.every(({ files }) => files > 0)).toBe(true);
});

test('a part tells what is its own, before as after', async () => {
  const archive = makeArchive({ files: FILES });
  const events: number[] = [];
  const emit: RestoreOptions['emit'] = (event) => void (event.type === 'plan' && events.push(event.items));
  const out = await placeIn();

  const planned = await restorePart(archive, out, [2, 3], { dryRun: true });
  const { files, chunks, bytes } = await restorePart(archive, out, [2, 3], { emit });

  expect(planned).toMatchObject({ files, chunks, bytes });
  expect(events).toEqual([files]);
});

test('where there are more parts than chunks some have nothing to do, and what nobody has is missing for each', async () => {
  const archive = makeArchive({ files: [{ path: 'only', content: 'one' }] });
  const missing: Selectors = { files: ['other'] };
  const out = await placeIn();

  const results = await Promise.all([1, 2, 3].map((number) => restorePart(archive, out, [number, 3])));

  expect(results.map(({ files, failed }) => [files, failed])).toEqual([
    [1, []],
    [0, []],
    [0, []],
  ]);
  for (const number of [1, 2])
    await expect(restorePart(archive, out, [number, 2], { selectors: missing })).rejects.toThrow(NothingSelected);
});

test('parts of a selection have about as much of it each', async () => {
  const files = Array.from({ length: 40 }, (_, chunk) => ({
    path: `f${String(chunk).padStart(2, '0')}`,
    content: 'x',
    chunk,
  }));
  const archive = makeArchive({ files });
  const out = await placeIn();

  const results = await Promise.all(
    [1, 2, 3, 4].map((number) => restorePart(archive, out, [number, 4], { selectors: { patterns: ['f1?'] } })),
  );

  expect(readdirSync(out).length).toBe(10);
  for (const { files: count } of results) expect([2, 3]).toContain(count);
});

test('a folder that was there before keeps its mode, and gets the time of its last change', async () => {
  const archive = makeArchive({ files: FILES });
  const out = await placeIn();
  mkdirSync(out, { mode: 0o711 });
  utimesSync(out, 1, 1);

  for (const number of [1, 2]) await restorePart(archive, out, [number, 2]);

  expect(statSync(out).mode & 0o7777).toBe(0o711);
  expect(statSync(out).mtimeMs).toBeGreaterThan(Date.now() - 600_000);
});

test('a folder that parts share never counts as empty: another may write into it as soon as it was looked at', async () => {
  const path = await placeIn();
  const flags = { path, flatten: false, keepSpecialBits: false };
  const [shared, own] = [{ group: '01234567', top: undefined }, undefined].map((of) =>
    openOutputFolder({ ...flags, shared: of }),
  );
  for (const folder of [shared, own]) folder?.close();

  expect([shared?.settings.isEmpty, own?.settings.isEmpty]).toEqual([false, true]);
});

test('files in place are left alone by the part that has them', async () => {
  const archive = makeArchive({ files: FILES });
  const out = await placeIn();
  for (const number of [1, 2]) await restorePart(archive, out, [number, 2]);
  writeFileSync(join(out, 'a/three'), 'changed');

  const again = await Promise.all([1, 2].map((number) => restorePart(archive, out, [number, 2])));

  const sum = (key: 'files' | 'unchanged'): number => again.reduce((total, result) => total + result[key], 0);
  expect([sum('files'), sum('unchanged')]).toEqual([1, 6]);
});

test('names that another part may have under another spelling are refused', () => {
  const table = openTable(new TableBuilder().data());
  const refuse = (isPart: boolean) => () =>
    refuseCollisions(table, new Failures(() => undefined), {
      flatten: false,
      folding: { case: true, unicode: false },
      isPart,
    });

  expect(refuse(true)).toThrow(/takes some different names for the same/);
  expect(refuse(false)).not.toThrow();
});
