// A listing answers like a plain walk over all paths would.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Child, Listing } from '../../../../src/core/restore/listing/listing.js';
import { loadListing } from '../../../../src/core/restore/listing/load-listing.js';
import { makeArchive, md5, UPLOAD_ID, type FileSpec } from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { raw } from '../../../support/raw.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

async function listingOf(files: readonly FileSpec[]): Promise<Listing> {
  const { objects } = makeArchive({ files });
  return await loadListing(memoryReader(objects), { uploadId: UPLOAD_ID });
}

const names = (children: Iterable<Child>): string[] =>
  [...children].map(({ name, isFolder }) => (isFolder ? `${name}/` : name));

describe('Listing', () => {
  test('says of each entry what the manifest says', async () => {
    const listing = await listingOf([
      { path: 'a', type: 'directory', mode: '0750' },
      { path: 'a/one', content: 'one', extra: { stage: 'train', commit: 'a'.repeat(40) } },
      { path: 'b', content: 'four', extra: { stage: 'train' } },
    ]);

    const one = listing.find(raw('a/one')) ?? -1;
    expect(listing.path(one)).toBe('a/one');
    expect(listing.type(one)).toBe('file');
    expect(listing.sizeBytes(one)).toBe(3);
    expect(listing.md5(one)).toBe(md5('one'));
    expect(listing.storageClass(one)).toBe('STANDARD');
    expect([listing.stage(one), listing.commit(one)]).toEqual(['train', 'a'.repeat(40)]);
    expect([listing.stage(0), listing.commit(0), listing.storageClass(0)]).toEqual([undefined, undefined, undefined]);
    expect([listing.stage(2), listing.commit(2)]).toEqual(['train', undefined]);
    expect(listing.mode(0)).toBe(0o750);
    expect(listing.stages).toEqual(['train']);
  });

  test('steps over what is deeper, and shows folders without an entry once', async () => {
    const listing = await listingOf([
      { path: 'a', content: '1' },
      { path: 'd', type: 'directory' },
      { path: 'd-1', content: '2' },
      { path: 'd/x', content: '3' },
      { path: 'd/y/z', content: '4' },
      { path: 'd/y/zz', content: '5' },
      { path: 'd0', content: '6' },
      { path: 'e/f/g', content: '7' },
    ]);

    expect(names(listing.children(raw('')))).toEqual(['a', 'd/', 'd-1', 'd0', 'e/']);
    expect(names(listing.children(raw('d')))).toEqual(['x', 'y/']);
    expect(names(listing.children(raw('e')))).toEqual(['f/']);
    expect(names(listing.children(raw('nowhere')))).toEqual([]);
    expect(names(listing.children(raw(''), raw('d')))).toEqual(['d/', 'd-1', 'd0']);
    expect(names(listing.children(raw('d'), raw('y')))).toEqual(['y/']);
    expect(names(listing.children(raw('d'), raw('z')))).toEqual([]);
    expect([
      listing.isFolder(raw('')),
      listing.isFolder(raw('e/f')),
      listing.isFolder(raw('d-1')),
      listing.isFolder(raw('no')),
    ]).toEqual([true, true, false, false]);
    expect(listing.sum(listing.below(raw('d')))).toEqual({ files: 3, bytes: 3 });
    expect(listing.sum(listing.below(raw('')))).toEqual({ files: 7, bytes: 7 });
  });

  test('finds and lists like a walk over all paths', async () => {
    const segment = fc.constantFrom('a', 'b', 'a-', 'a0', 'ä', 'z.txt');
    const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(path, { maxLength: 25 }), path, async (all, probe) => {
        const files = all.filter((one) => !all.some((other) => other.startsWith(`${one}/`)));
        const listing = await listingOf(files.map((one) => ({ path: one, content: 'x' })));

        const wanted = rawFromText(probe);
        expect(listing.find(wanted) !== undefined).toBe(files.includes(probe));
        const below = files.filter((one) => one.startsWith(`${probe}/`));
        expect(listing.sum(listing.below(wanted)).files).toBe(below.length);
        const children = new Set(below.map((one) => one.slice(probe.length + 1).split('/')[0] ?? ''));
        expect([...listing.children(wanted)].map(({ name }) => Buffer.from(name, 'latin1').toString()).sort()).toEqual(
          [...children].sort(),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('leaves out what would land outside, and says so', async () => {
    const listing = await listingOf([
      { path: '../evil', content: 'x' },
      { path: 'good', content: 'x' },
    ]);

    expect(listing.count).toBe(1);
    expect(listing.refused.map(({ path }) => path)).toEqual(['../evil']);
  });

  test('leaves out what is of an unknown type, and says so', async () => {
    const listing = await listingOf([
      { path: 'entrance', content: 'x', extra: { type: 'door' } },
      { path: 'good', content: 'x' },
    ]);

    expect(listing.count).toBe(1);
    expect(listing.refused).toEqual([{ path: 'entrance', reason: "entries of type 'door' are not known" }]);
  });

  test('is refused for a manifest that is not in path order', async () => {
    const { objects } = makeArchive({
      files: [
        { path: 'b', content: 'x' },
        { path: 'a', content: 'x' },
      ],
      bend: (manifest) => void (manifest.files = manifest.files.toReversed()),
    });

    await expect(loadListing(memoryReader(objects), { uploadId: UPLOAD_ID })).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(/does not list its entries in path order: a$/),
      hint: expect.stringContaining('archiver repair'),
    });
  });
});
