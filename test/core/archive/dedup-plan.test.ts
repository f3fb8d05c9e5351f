import { expect, test } from 'vitest';
import { planChunks } from '../../../src/core/archive/plan/chunk-plan.js';
import { markGroup } from '../../../src/core/archive/dedup/dedup-groups.js';
import { EntryTableBuilder, KIND, openEntryTable } from '../../../src/core/format/columns/entry-table.js';
import { SHARD_STRATEGIES } from '../../../src/core/archive/run/shard-strategy.js';
import { MIB } from './trees.js';
import { raw } from '../../support/raw.js';

test.each(SHARD_STRATEGIES)(
  'twins lie in the chunk of their first, or in the last one of its pieces, and take no place: %s',
  (strategy) => {
    const builder = new EntryTableBuilder();
    const sizes = [...Array.from({ length: 60 }, (_, file) => (file % 3) * 100_000 + 7), 9 * MIB, 9 * MIB];
    for (const [file, size] of sizes.entries()) {
      const index = builder.add(raw(`dir ${file % 5}/file ${String(file).padStart(2, '0')}`));
      builder.columns.kind[index] = KIND.file;
      builder.columns.size[index] = size;
      builder.columns.allocated[index] = size;
    }
    const table = openEntryTable(builder.finish());
    const plan = () => planChunks(table, { strategy, shards: 4, chunkBytes: 4 * MIB, storageClass: 'STANDARD' }).flat();
    const before = plan();
    const groups = [
      [1, 10, 49],
      [3, 30],
      [60, 61],
    ];
    for (const group of groups) markGroup(table, group);

    const tasks = plan();

    for (const [first = 0, ...twins] of groups) {
      const home = tasks.filter(({ entries }) => entries.includes(first)).at(-1);
      expect(home?.part?.number).toBe(home?.part?.of);
      for (const twin of twins) {
        const holding = tasks.filter(({ entries }) => entries.includes(twin));
        expect(holding).toEqual([home]);
        // The packer comes to the first before it comes to its twins.
        expect(home?.entries.indexOf(first)).toBeLessThan(home?.entries.indexOf(twin) ?? -1);
      }
    }
    const bytes = (list: typeof tasks): number => list.reduce((sum, task) => sum + task.bytes, 0);
    const saved = groups.reduce((sum, [first = 0, ...twins]) => sum + twins.length * (sizes[first] ?? 0), 0);
    expect(bytes(tasks)).toBe(bytes(before) - saved);
    expect(new Set(tasks.flatMap(({ entries }) => [...entries])).size).toBe(sizes.length);
  },
);
