import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { addTag } from '../../../../src/core/dataset/set-tag.js';
import { plainStore } from '../../../../src/core/store/plain-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { DATASET, recordBytes, recordDocument, recordKey, versionContent } from '../../../support/make-dataset.js';
import { bytesAt, copyOf, digests, history, reasons, records, signal, storeOf } from './copy-made.js';

/** Counts what is put. */
function counting(store: WholeStore): WholeStore & { readonly puts: string[] } {
  const puts: string[] = [];
  return {
    ...store,
    puts,
    put: (key, ...rest) => {
      puts.push(key);
      return store.put(key, ...rest);
    },
  };
}

const isChunk = (key: string): boolean => key.endsWith('.tar.zst');

/** The only chunk of a version. */
const chunkOf = (made: ReturnType<typeof history>, version: number): string =>
  [...made.objects.keys()].find((key) => key.startsWith(`uploads/${linkId(version - 1)}/`) && isChunk(key)) ?? '';

/** Puts the record of a version again, after its manifest was changed. */
function writeRecord(made: ReturnType<typeof history>, version: number): void {
  const manifestBytes = made.objects.get(linkKey(version - 1)) ?? Buffer.alloc(0);
  const manifest = made.manifests[version - 1] ?? {};
  const document = recordDocument({ version, uploadId: linkId(version - 1), manifest, manifestBytes });
  made.objects.set(recordKey(version), recordBytes(document));
}

/** Replaces the manifest of a version as a prune does; returns its digest. */
function replace(made: ReturnType<typeof history>, version: number): string {
  const digest = (): string => hash('sha256', made.objects.get(linkKey(version - 1)) ?? '', 'hex');
  const before = digest();
  made.rewrite(version - 1, (manifest) => {
    manifest['replaces'] = [before];
  });
  writeRecord(made, version);
  return digest();
}

test('a copy is the same, object by object, and the next one puts nothing', async () => {
  const from = await storeOf(history().objects);
  const to = counting(await storeOf());

  const first = await copyOf(from, to);
  const puts = to.puts.splice(0);
  const second = await copyOf(from, to);

  expect(await digests(to)).toEqual(await digests(from));
  expect([first.made.length, first.failures, puts.length]).toEqual([3, [], Object.keys(await digests(from)).length]);
  expect([second.made, second.there.length, second.sentObjects, to.puts]).toEqual([[], 3, 0, []]);
});

test('a record is put after all that its version needs', async () => {
  const to = counting(await storeOf());

  await copyOf(await storeOf(history().objects), to);

  const kinds = to.puts.map((key) => (isChunk(key) ? 'chunk' : key.startsWith('uploads/') ? 'manifest' : 'record'));
  expect(kinds.join(' ')).toBe('chunk manifest record chunk manifest record chunk manifest record');
});

test('one version takes with it what it needs of those before, and is the only version there', async () => {
  const from = await storeOf(history().objects);
  const to = await storeOf();

  await copyOf(from, to, { versions: ['latest'] });

  expect(await records(to)).toEqual([recordKey(3)]);
  expect(await versionContent(to, 3)).toEqual(await versionContent(from, 3));

  await copyOf(from, to);

  expect(await digests(to)).toEqual(await digests(from));
});

test('what a version builds on there already is not sent again, whatever of it is gone where it comes from', async () => {
  const made = history();
  const from = await storeOf(made.objects);
  const to = await storeOf();
  await copyOf(from, to, { versions: ['2'] });
  await from.delete([chunkOf(made, 1)]);

  const copied = await copyOf(from, to, { versions: ['3'] });

  expect([copied.made.length, copied.failures]).toEqual([1, []]);
  expect(await versionContent(to, 3)).toHaveLength(4);
});

test('tags travel, also those that come later', async () => {
  const from = await storeOf(history().objects);
  const to = await storeOf();
  await copyOf(from, to, { versions: ['2'] });
  const tagged = { datasetId: DATASET, version: 2, tag: 'gold' };
  await addTag(from, tagged, { now: new Date(), deleter: from, signal });

  const copied = await copyOf(from, to, { versions: ['gold'] });

  expect([copied.there.length, copied.addedTags]).toEqual([1, 1]);
  expect(Object.keys(await digests(to))).toContain(`datasets/${DATASET}/tags/v00000002.gold.json`);
});

describe('what is not whole where it comes from', () => {
  test('a damaged chunk is found before it is put, and no version that needs it is made', async () => {
    const made = history();
    const key = chunkOf(made, 2);
    const bytes = Buffer.from(made.objects.get(key) ?? '');
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    const from = await storeOf(made.objects);
    await from.put(key, bytes);
    const to = await storeOf();

    const copied = await copyOf(from, to);

    expect(await records(to)).toEqual([recordKey(1)]);
    expect(Object.keys(await digests(to))).not.toContain(key);
    expect(reasons(copied)[0]).toContain(`${key} is damaged`);
    expect(copied.failures).toHaveLength(2);
  });

  test('a chunk that is not there keeps its versions from being copied, and nothing of them is put', async () => {
    const made = history();
    const from = await storeOf(made.objects);
    await from.delete([chunkOf(made, 3)]);
    const to = await storeOf();

    const copied = await copyOf(from, to);

    expect(await records(to)).toEqual([recordKey(1), recordKey(2)]);
    expect(reasons(copied)).toEqual([expect.stringContaining('is not there')]);
    expect(Object.keys(await digests(to)).filter((key) => key.includes(linkId(2)))).toEqual([]);
  });

  test('a version that is retired while it is copied is not made', async () => {
    const made = history();
    const from = await storeOf(made.objects);
    const to = await storeOf();
    const pruned: WholeStore = {
      ...from,
      get: async (key, options) => {
        if (key === chunkOf(made, 3)) await from.delete([recordKey(3)]);
        return await from.get(key, options);
      },
    };

    const copied = await copyOf(pruned, to);

    expect(reasons(copied)).toEqual([expect.stringContaining('was retired')]);
    expect(await records(to)).toEqual([recordKey(1), recordKey(2)]);
  });

  test('a delta on a manifest that was replaced is refused alone, and copied with the version that says so', async () => {
    const made = history();
    replace(made, 1);
    const from = await storeOf(made.objects);
    const to = await storeOf();

    const alone = await copyOf(from, to, { versions: ['3'] });
    const both = await copyOf(from, to, { versions: ['1', '3'] });

    expect(reasons(alone)).toEqual([expect.stringContaining('whose manifest was replaced')]);
    expect([alone.made, both.made.length, both.failures]).toEqual([[], 2, []]);
    expect(await versionContent(to, 3)).toEqual(await versionContent(from, 3));
  });

  test('a delta on a manifest that was replaced after it was copied is refused before anything is put', async () => {
    const made = history();
    const to = await storeOf();
    await copyOf(await storeOf(made.objects), to, { versions: ['1', '2'] });
    const there = await digests(to);
    const replaced = replace(made, 2);
    made.rewrite(2, (manifest) => {
      manifest['previous'] = { ...(manifest['previous'] as object), sha256: replaced };
    });
    writeRecord(made, 3);

    const copied = await copyOf(await storeOf(made.objects), to);

    expect(reasons(copied)).toEqual([expect.stringContaining('v3 of made-00000000 builds on v2, whose manifest was')]);
    expect([copied.plan.missing, copied.there.length]).toEqual([[], 2]);
    expect(await digests(to)).toEqual(there);
  });

  test('a delta on a manifest that was replaced there is copied', async () => {
    const made = history();
    const from = await storeOf(made.objects);
    replace(made, 2);
    const to = await storeOf(new Map([...made.objectsOf(1), ...made.objectsOf(2)]));

    const copied = await copyOf(from, to);

    expect([copied.made.length, copied.there.length, copied.failures]).toEqual([1, 2, []]);
    expect(await versionContent(to, 3)).toEqual(await versionContent(from, 3));
  });
});

describe('plain stores', () => {
  test('records have upload ids in their keys there, and lose them on the way back', async () => {
    const from = await storeOf(history().objects);
    const plain = plainStore(await storeOf(), { isExclusive: false });
    const back = await storeOf();

    await copyOf(from, plain);
    const again = await copyOf(from, plain);
    await copyOf(plain, back);

    expect(await records(plain)).toContain(recordKey(3).replace('.json', `.${linkId(2)}.json`));
    expect([again.made, again.there.length]).toEqual([[], 3]);
    expect(await digests(back)).toEqual(await digests(from));
  });

  test('both versions of a fork are copied, and keep their names', async () => {
    const made = history();
    const forked = (uploadId: string): string => recordKey(2).replace('.json', `.${uploadId}.json`);
    const [, second = {}, third = {}] = made.manifests;
    const record = (link: number, manifest: object): Buffer =>
      recordBytes(
        recordDocument({
          version: 2,
          uploadId: linkId(link),
          manifest: manifest as never,
          manifestBytes: made.objects.get(linkKey(link)) ?? Buffer.alloc(0),
        }),
      );
    for (const version of [2, 3]) made.objects.delete(recordKey(version));
    made.objects.set(forked(linkId(1)), record(1, second));
    made.objects.set(forked(linkId(2)), record(2, third));
    const from = await storeOf(made.objects);
    const to = await storeOf();

    const copied = await copyOf(from, to);

    expect(copied.failures).toEqual([]);
    expect(await digests(to)).toEqual(await digests(from));
  });
});

test('a lost answer is no rival: what is there is what was sent', async () => {
  const from = await storeOf(history().objects);
  const bare = await storeOf();
  const losing: WholeStore = {
    ...bare,
    put: async (key, body, options) => {
      await bare.put(key, body, options);
      return await bare.put(key, body, options); // as a request that is repeated: 412
    },
  };

  const copied = await copyOf(from, losing);

  expect([copied.made.length, copied.failures]).toEqual([3, []]);
  expect((await bytesAt(bare, recordKey(3))).equals(await bytesAt(from, recordKey(3)))).toBe(true);
});

describe('encrypted versions', () => {
  /** The first version, whose record names a key. */
  function encrypted(manifest: boolean): Map<string, Buffer> {
    const made = history();
    const [first = {}] = made.manifests;
    const manifestBytes = made.objects.get(linkKey(0)) ?? Buffer.alloc(0);
    const document = recordDocument({ version: 1, uploadId: linkId(0), manifest: first, manifestBytes });
    const encryption = { kmsKeyId: 'arn:aws:kms:us-east-1:1:key/a', manifest };
    made.objects.set(recordKey(1), recordBytes({ ...document, ...(manifest && { source: {} }), encryption }));
    return made.objects;
  }
  const versions = ['1'];

  test('chunks lie nowhere in the clear unless that is said', async () => {
    const from = await storeOf(encrypted(false));
    const to = await storeOf();

    await expect(copyOf(from, to, { versions })).rejects.toThrow('no key would encrypt them');
    expect(await digests(to)).toEqual({});

    const copied = await copyOf(from, to, { versions, allowUnencrypted: true });

    expect([copied.made.length, copied.failures]).toEqual([1, []]);
  });

  test('an encrypted manifest is refused where its place is another', async () => {
    const from = await storeOf(encrypted(true));
    const bare = await storeOf();
    const to = { ...bare, url: `${bare.url}/writers/nas` };

    await expect(copyOf(from, to, { versions, allowUnencrypted: true })).rejects.toThrow('opens at uploads/');
    expect(await digests(bare)).toEqual({});
  });
});
