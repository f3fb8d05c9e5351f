// Stores that something is in already, and what prunes do there.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { encodeTombstone } from '../../../../src/core/dataset/records/tombstone.js';
import { encodeFence } from '../../../../src/core/format/manifest/fence.js';
import { fenceFlagKey } from '../../../../src/core/format/manifest/fence-flag.js';
import { plainStore } from '../../../../src/core/store/plain-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import {
  DATASET,
  makeDataset,
  recordBytes,
  recordDocument,
  recordKey,
  versionContent,
} from '../../../support/make-dataset.js';
import { bytesAt, copyOf, digests, history, reasons, records, signal, storeOf } from './copy-made.js';

const isChunk = (key: string): boolean => key.endsWith('.tar.zst');
const made = history();
const [chunk = ''] = [...made.objects.keys()].filter((key) => key.startsWith(`uploads/${linkId(0)}/`) && isChunk(key));
const tombstone = (version: number): Buffer =>
  encodeTombstone({
    datasetId: DATASET,
    version,
    uploadId: linkId(version - 1),
    retiredAt: '2026-04-01T00:00:00.000Z',
  });

/** Marks what an interrupted copy has left of the first version. */
async function markLeftover(to: WholeStore): Promise<void> {
  await to.put(chunk, made.objects.get(chunk) ?? Buffer.alloc(0));
  const objects = [{ key: chunk, lastModified: new Date() }];
  await writeMark(to, { uploadId: linkId(0), reason: 'abandoned', objects }, signal);
}

describe('ordinals', () => {
  test('another version under one that is copied: nothing is put', async () => {
    const from = await storeOf(made.objects);
    const other = makeDataset([{ files: [{ path: 'other', content: 'other' }] }]);
    const record = recordDocument({
      version: 2,
      uploadId: linkId(7),
      manifest: other.manifests[0] ?? {},
      manifestBytes: Buffer.alloc(1),
    });
    const to = await storeOf(new Map([[recordKey(2), recordBytes(record)]]));

    await expect(copyOf(from, to)).rejects.toThrow('a copy replaces nothing');

    expect(Object.keys(await digests(to))).toEqual([recordKey(2)]);
  });

  test('what was retired there stays retired, and is refused where it is named', async () => {
    const from = await storeOf(made.objects);
    const to = await storeOf(new Map([[recordKey(2), tombstone(2)]]));

    const copied = await copyOf(from, to, { isExclusive: true });

    expect(copied.plan.retired.map(({ version }) => version)).toEqual([2]);
    expect(copied.made.map(({ record }) => record.version)).toEqual([1, 3]);
    expect((await bytesAt(to, recordKey(2))).equals(tombstone(2))).toBe(true);
    await expect(copyOf(from, to, { versions: ['2'] })).rejects.toThrow('was retired');
  });

  test('a rival that takes the ordinal right before the record keeps it', async () => {
    const bare = await storeOf();
    const rival = recordBytes(
      recordDocument({
        version: 1,
        uploadId: linkId(7),
        manifest: made.manifests[0] ?? {},
        manifestBytes: Buffer.alloc(1),
      }),
    );
    const to: WholeStore = {
      ...bare,
      put: async (key, body, options) => {
        if (key === recordKey(1)) await bare.put(key, rival);
        return await bare.put(key, body, options);
      },
    };

    const copied = await copyOf(await storeOf(made.objects), to, { versions: ['1'] });

    expect(reasons(copied)).toEqual([expect.stringContaining('by now')]);
    expect((await bytesAt(bare, recordKey(1))).equals(rival)).toBe(true);
  });
});

describe('prunes', () => {
  test('what a mark names is neither referred to nor committed, unless nobody prunes there', async () => {
    const from = await storeOf(made.objects);
    const to = await storeOf();
    await markLeftover(to);

    const refused = await copyOf(from, to, { versions: ['1'] });

    expect(reasons(refused)).toEqual([expect.stringContaining('has marked')]);
    expect(await records(to)).toEqual([]);

    await copyOf(from, to, { versions: ['1'], isExclusive: true });

    expect(await versionContent(to, 1)).toEqual(await versionContent(from, 1));
  });

  test('a mark that comes while it is copied keeps the record from being put', async () => {
    const bare = await storeOf();
    const to: WholeStore = {
      ...bare,
      put: async (key, body, options) => {
        const put = await bare.put(key, body, options);
        if (key === linkKey(0))
          await writeMark(
            bare,
            { uploadId: linkId(0), reason: 'abandoned', objects: [{ key: chunk, lastModified: new Date() }] },
            signal,
          );
        return put;
      },
    };

    const copied = await copyOf(await storeOf(made.objects), to, { versions: ['1'] });

    expect(reasons(copied)).toEqual([expect.stringContaining('has marked')]);
    expect(await records(bare)).toEqual([]);
  });

  test('what is swept between the last look and the record is told, and sent by the next run', async () => {
    const from = await storeOf(made.objects);
    const bare = await storeOf();
    const to: WholeStore = {
      ...bare,
      put: async (key, body, options) => {
        if (key === recordKey(1)) await bare.delete([chunk]);
        return await bare.put(key, body, options);
      },
    };

    const copied = await copyOf(from, to, { versions: ['1'] });
    const again = await copyOf(from, bare, { versions: ['1'] });

    expect(reasons(copied)).toEqual([expect.stringContaining('may not be whole')]);
    expect([copied.made, again.failures]).toEqual([[], []]);
    expect(await versionContent(bare, 1)).toEqual(await versionContent(from, 1));
  });

  test('a fence is a refusal, and only who is alone there puts the manifest in its place', async () => {
    const from = await storeOf(made.objects);
    const to = await storeOf(new Map([[linkKey(0), encodeFence(linkId(0), new Date())]]));

    const refused = await copyOf(from, to, { versions: ['1'] });

    expect(reasons(refused)).toEqual([expect.stringContaining('was given up and swept')]);
    expect(Object.keys(await digests(to))).toEqual([linkKey(0)]);

    await copyOf(from, to, { versions: ['1'], isExclusive: true });

    expect(await versionContent(to, 1)).toEqual(await versionContent(from, 1));
  });

  test('on a plain store a flag is a refusal', async () => {
    const flag = fenceFlagKey(linkId(0), randomBytes(4));
    const bare = await storeOf(new Map([[flag, encodeFence(linkId(0), new Date())]]));
    const to = plainStore(bare, { isExclusive: false });

    const refused = await copyOf(await storeOf(made.objects), to, { versions: ['1'] });

    expect(reasons(refused)).toEqual([expect.stringContaining('was given up and swept')]);
    expect(await records(bare)).toEqual([]);
  });

  test('nothing goes back into the folder of a version that was retired there', async () => {
    const from = await storeOf(made.objects);
    const to = await storeOf(new Map([[recordKey(1), tombstone(1)]]));

    const copied = await copyOf(from, to, { versions: ['3'] });

    expect(reasons(copied)).toEqual([expect.stringContaining('is not there any more')]);
    expect(Object.keys(await digests(to))).toEqual([recordKey(1)]);
  });
});

describe('what is there already', () => {
  test('a chunk that a version there has lost is sent again', async () => {
    const from = await storeOf(made.objects);
    const to = await storeOf();
    await copyOf(from, to);
    await to.delete([chunk]);

    const copied = await copyOf(from, to);

    expect([copied.sentObjects, copied.there.length, copied.failures]).toEqual([1, 3, []]);
    expect(await digests(to)).toEqual(await digests(from));
  });

  test.each([
    ['of another size by every copy', false, -1],
    ['of the same size by one that reads it', true, 0],
  ])('another object is found, %s, and never replaced', async (_what, isDeep, cut) => {
    const from = await storeOf(made.objects);
    const to = await storeOf();
    await copyOf(from, to);
    const other = Buffer.alloc((made.objects.get(chunk)?.length ?? 0) + cut, 7);
    await to.put(chunk, other);

    const copied = await copyOf(from, to, { isDeep });

    expect(copied.failures.length).toBeGreaterThan(0);
    expect((await bytesAt(to, chunk)).equals(other)).toBe(true);
  });
});

test('two copies at once make one store', async () => {
  const from = await storeOf(made.objects);
  const to = await storeOf();

  const both = await Promise.all([copyOf(from, to), copyOf(from, to)]);

  expect(both.flatMap((one) => reasons(one))).toEqual([]);
  expect(await digests(to)).toEqual(await digests(from));
});
