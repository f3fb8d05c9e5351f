// Comparing versions without what both have in the same segments gives what comparing all of it gives.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCompared } from '../../../../src/core/dataset/chain/compared-views.js';
import { openVersion } from '../../../../src/core/dataset/chain/version-view.js';
import { type Change, type DiffSide, diffViews } from '../../../../src/core/dataset/diff.js';
import { DiffTally } from '../../../../src/core/dataset/diff-tally.js';
import { keyOf } from '../../../../src/core/format/manifest/load-segments.js';
import type { Entry, VersionRecord } from '../../../../src/core/format/manifest/manifest-types.js';
import { histories, uploadIdOf, type Version } from '../../../support/chain-model.js';
import { type MemoryReader, memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';
import { writtenHistory } from '../../../support/written-history.js';

const wordsOf = (change: Change): unknown =>
  change.kind === 'modified'
    ? [change.after.path, change.before.uid, change.after.uid, change.differs]
    : [change.kind, change.kind === 'added' ? change.after.path : change.before.path];

async function told(from: DiffSide, to: DiffSide, unread = 0): Promise<unknown> {
  const tally = new DiffTally(from, to, unread);
  const changes: unknown[] = [];
  for await (const batch of diffViews(from, to)) {
    tally.add(batch);
    changes.push(...batch.changes.map(wordsOf));
  }
  const listed: unknown[] = [];
  for await (const change of tally.list()) listed.push(change);
  return [changes, listed, tally.unchanged, tally.files, tally.folders];
}

async function compared(reader: MemoryReader, before: VersionRecord, after: VersionRecord): Promise<unknown> {
  const { from, to, unread } = await openCompared(reader, before, after);
  return await told(from, to, unread);
}

test('any two versions of any history', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.array(fc.boolean()),
      fc.nat(5),
      fc.nat(5),
      async (history, isSegmented, before, after) => {
        const written = await writtenHistory(history, {}, (version) => isSegmented[version] ?? true);
        const reader = memoryReader(written.objects);
        const [from, to] = [before, after].map((at) => written.records[at % written.records.length]!) as [
          VersionRecord,
          VersionRecord,
        ];
        const [whole, other] = [await openVersion(reader, from), await openVersion(reader, to)];

        expect(await compared(reader, from, to)).toEqual(await told(whole, other));
      },
    ),
    { numRuns: 300 },
  );
});

const [model] = fc.sample(histories, { numRuns: 1, seed: 1 }) as [readonly [Version]];
const [{ level: first }] = model;
const [any] = first.mentions.filter(({ type }) => type !== 'deleted') as [Entry];
const fileAt = (path: string, uid = 0): Entry => ({ ...any, path: raw(path), type: 'file', uid });

/** Six files in three segments, of which a version changes one, and a delta another. */
const tree = ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => fileAt(path));
const versions = [tree, [fileAt('c', 1)], [fileAt('e', 1)]].map((mentions, version): Version => {
  const level = { ...first, uploadId: uploadIdOf(version), mentions };
  const now = new Map(tree.map((entry) => [entry.path as string, { entry, level }]));
  if (version > 0) now.set('c', { entry: fileAt('c', 1), level });
  if (version > 1) now.set('e', { entry: fileAt('e', 1), level });
  return { level, view: now };
});

test('segments that both have are not fetched, also where a delta lies on them', async () => {
  const written = await writtenHistory(versions, {}, (version) => version < 2);
  const [one, two, three] = written.records as [VersionRecord, VersionRecord, VersionRecord];
  const reader = memoryReader(written.objects);
  const { chain } = await openVersion(reader, one);
  const segments = (chain[0]?.head.segments ?? []).map((place) => keyOf(one.uploadId, place));
  const fetched = async (from: VersionRecord, to: VersionRecord): Promise<string[]> => {
    reader.ranges.length = 0;
    const said = await compared(reader, from, to);
    const keys = [...reader.ranges];
    expect(said).toEqual(await told(await openVersion(reader, from), await openVersion(reader, to)));
    return segments.filter((key) => keys.includes(key));
  };

  expect(segments).toHaveLength(3);
  expect(await fetched(one, two)).toEqual([segments[1], segments[2]]); // the third is joined with the one before it
  expect(await fetched(one, three)).toEqual([segments[1], segments[2]]);
  expect(await fetched(one, one)).toEqual([]);
});

test('the sums of segments that are not read count in the totals', async () => {
  const written = await writtenHistory(versions, {}, (version) => version < 2);
  const [one, two] = written.records as [VersionRecord, VersionRecord];
  const reader = memoryReader(written.objects);
  const { to } = await openCompared(reader, one, two);
  const [{ leftOut = [], ...link }] = to.chain as [(typeof to.chain)[number]];
  expect(leftOut).toHaveLength(1);

  const { viewOf } = await import('../../../../src/core/dataset/chain/view.js');
  const read = async (): Promise<void> => {
    for await (const _ of viewOf([{ ...link, leftOut: [] }]).entries());
  };

  await expect(read()).rejects.toThrow(/states a view of 6 entries, but the view has 4/);
});
