import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Listing } from '../../../src/core/restore/listing/listing.js';
import { createSelection } from '../../../src/core/format/manifest/selection.js';
import { nextTier, selectionCost } from '../../../src/stores/browse/cost.js';
import { carryMarks, Marks } from '../../../src/stores/browse/marks.js';
import { listingOf, projectListing } from '../../support/browse-listing.js';
import { raw } from '../../support/raw.js';

const AWS = { region: 'us-east-1', isAws: true, isFolder: false, days: 7 };
let project: Listing;
const indexOf = (path: string): number => project.find(raw(path)) ?? -1;

beforeAll(async () => {
  project = await projectListing();
});

describe('Marks', () => {
  test('adds up what is marked, whatever the order of marking and unmarking', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(project.count - 1), fc.boolean()), { maxLength: 80 }), (steps) => {
        const marks = new Marks(project);
        const expected = new Set<number>();
        for (const [index, isMarked] of steps) {
          marks.set(index, isMarked);
          if (isMarked) expected.add(index);
          else expected.delete(index);
        }
        const fresh = new Marks(project);
        fresh.setAll(Uint32Array.from(expected), true);
        const bytes = [...expected].reduce((sum, index) => sum + project.sizeBytes(index), 0);
        expect([marks.files, marks.bytes]).toEqual([expected.size, bytes]);
        expect(marks.classes).toEqual(fresh.classes);
        expect(marks.coldFiles).toBe(fresh.coldFiles);
        expect(marks.countIn({ start: 3, end: 33 })).toBe([...expected].filter((i) => i >= 3 && i < 33).length);
      }),
    );
  });

  test('counts a chunk once however many of its files are marked', () => {
    const marks = new Marks(project);
    marks.set(indexOf('data/features/part-000.parquet'), true);
    marks.set(indexOf('data/features/part-001.parquet'), true);

    expect(marks.classes).toMatchObject([{ storageClass: 'GLACIER_IR', chunks: 1 }]);
  });

  test('names a folder of which all is marked instead of its files', async () => {
    const listing = await listingOf([
      { path: 'a', type: 'directory' },
      { path: 'a/1', content: '1' },
      { path: 'a/2', content: '2' },
      { path: 'a/empty', type: 'directory' },
      { path: 'b/1', content: '1' },
      { path: 'b/2', content: '2' },
      { path: 'b/c/3', content: '3' },
      { path: 'd', content: '4' },
    ]);
    const marks = new Marks(listing);
    for (const path of ['a/1', 'a/2', 'b/1', 'b/c/3', 'd']) marks.set(listing.find(raw(path)) ?? -1, true);

    expect(marks.paths()).toEqual(['a', 'b/1', 'b/c', 'd']);
    expect(marks.isEverything).toBe(false);
    marks.set(listing.find(raw('b/2')) ?? -1, true);
    expect(marks.isEverything).toBe(true);
  });

  test('gives paths that select exactly what is marked', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(project.count - 1)), (indexes) => {
        const marks = new Marks(project);
        marks.setAll(Uint32Array.from(indexes), true);
        const paths = marks.paths();
        fc.pre(paths.length > 0);
        const selection = createSelection({ paths });
        const selected = Array.from({ length: project.count }, (_, index) => index).filter((index) =>
          selection.matches({ path: project.path(index), type: 'file' }, undefined),
        );
        expect(selected).toEqual(indexes.toSorted((a, b) => a - b));
        expect(selection.unmatched()).toEqual([]);
      }),
    );
  });

  test('selects names that are not UTF-8, and reads every line when names are byte strings', () => {
    const selection = createSelection({ paths: [raw('caf\u00e9/a')] });

    expect(selection.matches({ path: raw('caf\u00e9/a'), type: 'file' }, undefined)).toBe(true);
    expect(selection.matches({ path: raw('caf\u00c3\u00a9/a'), type: 'file' }, undefined)).toBe(false);
    expect(selection.needles).toBeUndefined();
  });

  test('carries marks to the files of the same path', async () => {
    const from = await listingOf(['a', 'b', 'd', 'e'].map((path) => ({ path, content: 'x' })));
    const to = await listingOf(['b', 'c', 'd', 'f'].map((path) => ({ path, content: 'x' })));
    const marks = new Marks(from);
    marks.setAll(Uint32Array.of(0, 1, 2, 3), true);

    const carried = carryMarks(marks, from, to);

    expect([0, 1, 2, 3].filter((index) => carried.has(index))).toEqual([0, 2]);
  });
});

describe('the cost of what is marked', () => {
  test('is nothing for nothing, and unknown where there is no price, but never zero for something', () => {
    const marks = new Marks(project);
    expect(selectionCost(marks, 'standard', AWS).estimate.costUsd).toBe(0);
    marks.set(indexOf('models/run-12/model.bin'), true);

    expect(selectionCost(marks, 'standard', AWS).estimate.costUsd).toBeGreaterThan(0);
    expect(selectionCost(marks, 'standard', { ...AWS, region: undefined }).estimate.costUsd).toBeNull();
    expect(selectionCost(marks, 'standard', { ...AWS, region: 'nowhere-1' }).estimate.costUsd).toBeNull();
    expect(selectionCost(marks, 'standard', { ...AWS, isFolder: true }).estimate.costUsd).toBe(0);
  });

  test('takes the longest wait, and leaves out tiers that are not offered for all of it', () => {
    const marks = new Marks(project);
    marks.set(indexOf('models/run-13/model.bin'), true);
    expect(selectionCost(marks, 'standard', AWS)).toMatchObject({ coldChunks: 1, wait: { text: '3-5 h' } });
    // Expedited is not offered for chunks of this size.
    expect(nextTier(marks, 'bulk', 1)).toBe('standard');
    expect(nextTier(new Marks(project), 'bulk', 1)).toBe('expedited');
    marks.set(indexOf('models/run-12/model.bin'), true);

    expect(selectionCost(marks, 'standard', AWS)).toMatchObject({ coldChunks: 2, wait: { text: 'within 12 h' } });
    expect(selectionCost(marks, 'expedited', AWS).wait).toBeNull();
    expect(nextTier(marks, 'bulk', 1)).toBe('standard');
    expect(nextTier(marks, 'expedited', 1)).toBe('standard');
  });
});
