/* eslint-disable vitest/no-conditional-expect -- properties look at entries of different kinds */
import * as fc from 'fast-check';
import type { ChunkTask } from '../../../../src/core/archive/run/chunk-task.js';
import { describe, expect, test } from 'vitest';
import { chunkSizeFor, planChunks, type PlanOptions } from '../../../../src/core/archive/plan/chunk-plan.js';
import { pendingTotals } from '../../../../src/core/archive/plan/pending-rows.js';
import { tarBytes } from '../../../../src/core/format/tar/tar-block.js';
import {
  type EntryTable,
  EntryTableBuilder,
  KIND,
  openEntryTable,
  STATUS,
} from '../../../../src/core/format/columns/entry-table.js';
import { autoShardCount, extension, SHARD_STRATEGIES } from '../../../../src/core/archive/run/shard-strategy.js';
import { type TierPolicy, tierOf } from '../../../../src/core/archive/run/tier.js';
import { MIB } from '../trees.js';
import { raw } from '../../../support/raw.js';

interface Made {
  readonly path: string;
  readonly size?: number;
  readonly allocated?: number;
  readonly kind?: number;
  /** Position of the first name. */
  readonly linkTo?: number;
  readonly ageDays?: number;
}

const NOW = 1_800_000_000;

function tableOf(entries: readonly Made[]): EntryTable {
  const builder = new EntryTableBuilder();
  for (const { path, size = 0, allocated = size, kind = KIND.file, linkTo, ageDays = 0 } of entries) {
    const index = builder.add(raw(path));
    const c = builder.columns;
    c.kind[index] = linkTo === undefined ? kind : KIND.hardlink;
    c.size[index] = size;
    c.allocated[index] = allocated;
    c.link[index] = linkTo ?? 0;
    c.atimeSeconds[index] = NOW - ageDays * 86_400;
  }
  return openEntryTable(builder.finish());
}

const plan = (table: EntryTable, options: Partial<PlanOptions> = {}): readonly (readonly ChunkTask[])[] =>
  planChunks(table, { strategy: 'round-robin', shards: 4, chunkBytes: 4 * MIB, storageClass: 'STANDARD', ...options });

const files = (count: number, size: number, name = (index: number) => `f${String(index).padStart(5, '0')}`): Made[] =>
  Array.from({ length: count }, (_, index) => ({ path: name(index), size }));

function checkPlain(table: EntryTable, lane: readonly ChunkTask[], chunkBytes: number): void {
  const { kind, size, allocated } = table.columns;
  const entries = [...(lane[0]?.entries ?? [])];
  expect(lane).toHaveLength(1);
  expect(entries).toEqual([...entries].sort((a, b) => a - b));
  const data = entries
    .filter((entry) => kind[entry] === KIND.file)
    .reduce((sum, entry) => sum + Math.min(size[entry] ?? 0, allocated[entry] ?? 0), 0);
  expect(data).toBeLessThanOrEqual(chunkBytes);
}

function checkCut(table: EntryTable, lane: readonly ChunkTask[], chunkBytes: number): void {
  let at = 0;
  lane.forEach(({ part }, index) => {
    expect(part).toMatchObject({ number: index + 1, of: lane.length, offset: at });
    expect(part?.size).toBeGreaterThan(0);
    expect(part?.size).toBeLessThanOrEqual(chunkBytes);
    at += part?.size ?? 0;
  });
  expect(at).toBe(table.columns.size[lane[0]?.entries[0] ?? -1]);
}

describe('every plan', () => {
  const made = fc
    .array(
      fc.record({
        kind: fc.constantFrom<number>(KIND.file, KIND.file, KIND.file, KIND.directory, KIND.symlink, KIND.dropped),
        size: fc.oneof(fc.nat(2000), fc.nat(6 * MIB), fc.nat(40 * MIB)),
        holes: fc.boolean(),
        linked: fc.integer({ min: 0, max: 5 }),
        ageDays: fc.nat(300),
      }),
      { maxLength: 60 },
    )
    .map((items) => {
      const entries: Made[] = [];
      items.forEach(({ kind, size, holes, linked, ageDays }, index) => {
        const path = `p${String(index).padStart(4, '0')}.${'abc'[index % 3]}`;
        const first = entries[linked];
        const isLink = kind === KIND.file && index > 10 && first?.kind === KIND.file && first.linkTo === undefined;
        if (isLink) entries.push({ ...first, path, linkTo: linked });
        else if (kind === KIND.file) entries.push({ path, kind, size, allocated: holes ? size / 3 : size, ageDays });
        else entries.push({ path, kind });
      });
      return entries;
    });
  const tiers: TierPolicy = {
    strategy: 'tier-aware',
    hotDays: 30,
    coldDays: 90,
    archiveDays: 180,
    max: undefined,
    nowSeconds: NOW,
  };
  const options = fc.record({
    strategy: fc.constantFrom(...SHARD_STRATEGIES),
    shards: fc.integer({ min: 4, max: 32 }),
    chunkBytes: fc.constantFrom(4 * MIB, 5 * MIB, 32 * MIB),
    tiers: fc.constantFrom<TierPolicy | undefined>(undefined, tiers, { ...tiers, strategy: 'youngest-file' }),
    largestFirst: fc.boolean(),
  });

  test('has every entry exactly once, groups together, chunks within their limit, and cut files without gap or overlap', () => {
    fc.assert(
      fc.property(made, options, (entries, { tiers: policy, ...rest }) => {
        const table = tableOf(entries);
        const lanes = plan(table, { ...rest, ...(policy === undefined ? {} : { tiers: policy }) });
        const tasks = lanes.flat();
        const chunkOf = new Map<number, number>();
        const seen: number[] = [];
        for (const lane of lanes) {
          const last = lane.at(-1);
          if (lane[0]?.part === undefined) checkPlain(table, lane, rest.chunkBytes);
          else checkCut(table, lane, rest.chunkBytes);
          seen.push(...(last?.entries ?? []));
          for (const entry of last?.entries ?? []) chunkOf.set(entry, last?.chunk ?? -1);
        }
        const wanted = entries.flatMap(({ kind }, index) => (kind === KIND.dropped ? [] : [index]));
        expect(seen.sort((a, b) => a - b)).toEqual(wanted);
        entries.forEach(({ linkTo }, index) => {
          if (linkTo !== undefined) expect(chunkOf.get(index)).toBe(chunkOf.get(linkTo));
        });
        expect(tasks.map(({ chunk }) => chunk).sort((a, b) => a - b)).toEqual(tasks.map((_, index) => index));
        for (const { shard } of tasks) expect(shard).toBeLessThan(rest.shards);
      }),
      { numRuns: 300 },
    );
  });

  test('is the same for the same input', () => {
    const table = tableOf(files(300, 30_000));

    for (const strategy of SHARD_STRATEGIES) expect(plan(table, { strategy })).toEqual(plan(table, { strategy }));
  });
});

describe('files larger than a chunk', () => {
  test.each([
    ['a byte more than a chunk', 4 * MIB + 1, 2],
    ['exactly two chunks', 8 * MIB, 2],
    ['a byte less than two chunks', 8 * MIB - 1, 2],
    ['a hundred GiB in chunks of 4 MiB, whose pieces are rounded up to blocks', 100 * 1024 * MIB + 12_345, 25_600],
    ['five TiB', 5 * 1024 * 1024 * MIB - 1, 1_310_720],
  ])('%s: no piece is empty or larger than a chunk', (_name, size, atLeast) => {
    const [lane = []] = plan(tableOf([{ path: 'big', size }]));

    expect(Math.abs(lane.length - atLeast)).toBeLessThan(atLeast / 100 + 2);
    let at = 0;
    let wrong = 0;
    for (const { part } of lane) {
      if (part?.offset !== at || part.size <= 0 || part.size > 4 * MIB || part.of !== lane.length) wrong++;
      at += part?.size ?? 0;
    }
    expect([wrong, at]).toEqual([0, size]);
  });

  test('a chunk exactly full is not cut', () => {
    expect(plan(tableOf([{ path: 'full', size: 4 * MIB }])).flat()[0]?.part).toBeUndefined();
  });

  test('holes do not count: 16 GiB with 4 KiB of data are one chunk', () => {
    expect(plan(tableOf([{ path: 'holes', size: 16 * 1024 * MIB, allocated: 4096 }]))).toHaveLength(1);
  });

  test('the pieces of a cut file are one lane, and long lanes come first', () => {
    const lanes = plan(tableOf([...files(3, 3 * MIB), { path: 'z', size: 20 * MIB }]));

    expect(lanes.map((lane) => lane.length)).toEqual([5, 1, 1, 1]);
  });
});

describe('shard strategies', () => {
  const shardsOf = (entries: readonly Made[], strategy: PlanOptions['strategy'], shards = 4): Map<string, number> => {
    const table = tableOf(entries);
    return new Map(
      plan(table, { strategy, shards })
        .flat()
        .flatMap(({ entries: held, shard }) => [...held].map((entry) => [table.path(entry), shard] as const)),
    );
  };

  test('round-robin deals chunks out in turn, and uses every shard also for little data', () => {
    const table = tableOf(files(1000, 100_000));

    const tasks = plan(table)
      .flat()
      .sort((a, b) => a.chunk - b.chunk);

    expect(tasks.length).toBeGreaterThan(20);
    expect(tasks.map(({ shard }) => shard)).toEqual(tasks.map((_, index) => index % 4));
    expect(new Set(shardsOf(files(100, 10_000), 'round-robin').values()).size).toBe(4);
  });

  test('round-robin keeps neighbours together', () => {
    const tasks = plan(tableOf(files(500, 100_000))).flat();

    for (const { entries } of tasks) expect((entries.at(-1) ?? 0) - (entries[0] ?? 0)).toBe(entries.length - 1);
  });

  test('hash gives a path the same shard whatever else there is', () => {
    const all = shardsOf(files(400, 1000), 'hash', 8);
    const some = shardsOf(
      files(400, 1000).filter((_, index) => index % 7 === 0),
      'hash',
      8,
    );

    for (const [path, shard] of some) expect(all.get(path)).toBe(shard);
    expect(new Set(all.values()).size).toBe(8);
  });

  test('size spreads bytes evenly, however uneven the files', () => {
    const entries = files(200, 0).map((file, index) => ({ ...file, size: (index * 7919) % 3_000_000 }));

    const shards = shardsOf(entries, 'size');

    const load = [0, 0, 0, 0];
    for (const { path, size } of entries) load[shards.get(path) ?? 0] = (load[shards.get(path) ?? 0] ?? 0) + size;
    expect(Math.max(...load) / Math.min(...load)).toBeLessThan(1.01);
  });

  test('type keeps one extension in one shard, in any case', () => {
    const entries = files(90, 1000, (index) => `f${index}.${['jpg', 'TXT', 'txt', 'tar.gz', 'gz'][index % 5]}`);

    const shards = shardsOf(entries, 'type');

    const byType = new Map<string, Set<number>>();
    for (const [path, shard] of shards) {
      const type = extension(raw(path));
      byType.set(type, (byType.get(type) ?? new Set()).add(shard));
    }
    expect([...byType.keys()].sort()).toEqual(['gz', 'jpg', 'txt']);
    for (const found of byType.values()) expect(found.size).toBe(1);
  });

  test('directory keeps the files of a folder in one shard, and folders apart', () => {
    const entries = files(120, 1000, (index) => `d${index % 6}/f${index}`);

    const shards = shardsOf(entries, 'directory');

    const byFolder = new Map<string, Set<number>>();
    for (const [path, shard] of shards)
      byFolder.set(path.slice(0, 2), (byFolder.get(path.slice(0, 2)) ?? new Set()).add(shard));
    for (const found of byFolder.values()) expect(found.size).toBe(1);
    expect(new Set([...byFolder.values()].flatMap((found) => [...found])).size).toBe(4);
  });

  test.each([
    ['a', ''],
    ['.hidden', ''],
    ['dir.d/file', ''],
    ['x/.git', ''],
    ['a.b.C', 'c'],
    ['trailing.', ''],
  ])('the extension of %s is "%s"', (path, expected) => {
    expect(extension(raw(path))).toBe(expected);
  });

  test.each([
    [0, 4],
    [2 ** 30 - 1, 4],
    [2 ** 30, 8],
    [64 * 2 ** 30, 16],
    [2 ** 40 - 1, 16],
    [2 ** 40, 32],
    [Number.NaN, 8],
    [undefined, 8],
  ])('--shard-count 0 for %s bytes makes %s', (bytes, expected) => {
    expect(autoShardCount(bytes)).toBe(expected);
  });
});

describe('--auto-tier', () => {
  const policy: TierPolicy = {
    strategy: 'youngest-file',
    hotDays: 30,
    coldDays: 90,
    archiveDays: 180,
    max: undefined,
    nowSeconds: NOW,
  };
  const classes = (entries: readonly Made[], tiers: TierPolicy): [string, string[]][] => {
    const table = tableOf(entries);
    return plan(table, { tiers, shards: 4, strategy: 'hash', chunkBytes: 32 * MIB })
      .flat()
      .map(({ storageClass, entries: held }) => [storageClass, [...held].map((entry) => table.path(entry))]);
  };
  const one = (entries: readonly Made[], tiers: TierPolicy) =>
    classes(
      entries.map((entry) => ({ ...entry })),
      tiers,
    );

  test.each([
    [0, 'STANDARD'],
    [29.9, 'STANDARD'],
    [30, 'STANDARD_IA'],
    [89.9, 'STANDARD_IA'],
    [90, 'GLACIER'],
    [179.9, 'GLACIER'],
    [180, 'DEEP_ARCHIVE'],
    [-5, 'STANDARD'],
  ])('a file read %s days ago goes to %s', (ageDays, expected) => {
    expect(one([{ path: 'f', size: 10, ageDays }], policy)).toEqual([[expected, ['f']]]);
  });

  test('--tier-max is the coldest', () => {
    expect(tierOf(0, { ...policy, max: 'GLACIER' })).toBe(2);
    expect(tierOf(0, { ...policy, max: 'STANDARD' })).toBe(0);
    expect(tierOf(NOW, { ...policy, max: 'DEEP_ARCHIVE' })).toBe(0);
  });

  const mixed: Made[] = [
    { path: 'a', kind: KIND.directory, ageDays: 0 },
    { path: 'a/cold', size: 10, ageDays: 400 },
    { path: 'a/link', kind: KIND.symlink, ageDays: 0 },
    { path: 'a/warm', size: 10, ageDays: 40 },
  ];

  test('youngest-file: a chunk takes the class of its most recently read file, and folders and links do not count', () => {
    const chunks = planChunks(tableOf(mixed), {
      strategy: 'directory',
      shards: 4,
      chunkBytes: MIB,
      storageClass: 'STANDARD',
      tiers: policy,
    }).flat();

    const byClass = chunks.map(({ storageClass, entries }) => [storageClass, entries.length]);
    expect(byClass).toContainEqual(['STANDARD_IA', 3]);
    expect(
      chunks.filter(({ storageClass }) => storageClass === 'STANDARD').flatMap(({ entries }) => [...entries]),
    ).toEqual([0]);
  });

  test('tier-aware: files of different classes never share a chunk', () => {
    const entries = files(200, 1000).map((file, index) => ({ ...file, ageDays: (index * 31) % 400 }));

    const chunks = classes(entries, { ...policy, strategy: 'tier-aware' });

    const ages = new Map(entries.map(({ path, ageDays }) => [path, ageDays]));
    const names = ['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'];
    for (const [storageClass, paths] of chunks) {
      for (const path of paths) expect(names[tierOf(NOW - (ages.get(path) ?? 0) * 86_400, policy)]).toBe(storageClass);
    }
    expect(new Set(chunks.map(([storageClass]) => storageClass)).size).toBe(4);
  });

  test('tier-aware: a chunk of folders and links alone is STANDARD', () => {
    const table = tableOf(mixed);

    const tasks = plan(table, { tiers: { ...policy, strategy: 'tier-aware' } }).flat();

    const shown = tasks.map(({ storageClass, entries }) => [
      storageClass,
      [...entries].map((entry) => table.path(entry)),
    ]);
    expect(shown).toContainEqual(['STANDARD', ['a', 'a/link']]);
    expect(shown).toContainEqual(['DEEP_ARCHIVE', ['a/cold']]);
    expect(shown).toContainEqual(['STANDARD_IA', ['a/warm']]);
  });
});

describe('chunk size', () => {
  test.each([
    [0, 2 ** 40, 6, 32],
    [2 ** 30, 2 ** 40, 6, 32],
    [24 * 2 ** 30, 2 ** 40, 6, 48],
    [2 ** 42, 2 ** 40, 6, 64],
    [2 ** 42, 60 * MIB, 6, 10],
    [2 ** 42, MIB, 6, 4],
  ])('of %s bytes with %s of memory for %s buffers is %s MiB', (bytes, memory, buffers, expected) => {
    expect(chunkSizeFor(bytes, memory, buffers)).toBe(expected * MIB);
  });

  test('an empty file counts with its headers', () => {
    expect([tarBytes(0), tarBytes(1), tarBytes(512), tarBytes(513)]).toEqual([1536, 2048, 2048, 2560]);
  });
});

test('chunks that are begun are not planned again, and the others follow on them', () => {
  const table = tableOf(files(40, MIB / 2));
  const [first, second, third] = plan(table).flat();
  const begun = [first, second, third].filter((task) => task !== undefined);
  const before = pendingTotals(table);
  // One of them is packed by now.
  for (const index of first?.entries ?? []) table.columns.status[index] = STATUS.stored;

  expect(pendingTotals(table, [], begun)).toEqual(before);
  const rest = plan(table, { begun, firstChunk: 7 }).flat();

  const rows = [...begun, ...rest].flatMap(({ entries }) => [...entries]);
  expect(rows.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, row) => row));
  expect(rest.map(({ chunk, shard }) => [chunk, shard])).toEqual(rest.map((_, at) => [10 + at, (3 + at) % 4]));
});
