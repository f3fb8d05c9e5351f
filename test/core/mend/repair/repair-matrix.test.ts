// Each manifest of a chain is lost or damaged, with and without a copy of it; afterwards every version can be read.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodeVersionRecord, recordKey } from '../../../../src/core/dataset/records/version-record.js';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { hasLosses } from '../../../../src/core/mend/repair/repair-result.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { noise } from '../../archive/trees.js';
import { pruneFolder } from '../../dataset/prune/prune-run.js';
import { everyView, filledCache, recordsOf, unreadable } from './chain-cases.js';
import {
  cutManifest,
  documentOf,
  loseCopies,
  loseManifest,
  manifestPath,
  recordOf,
  repair,
  uploaded,
  verifyDeep,
} from './repair-cases.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const changes = { trackDeletes: true };
let made = '';
let ids: string[] = [];
let home = '';
let source = '';
let base = '';

const write = (folder: string, name: string): void => writeFileSync(join(folder, name), noise(2000));

/** A full listing; a delta that deletes and changes a mode as well; two more deltas. */
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  const [from, to] = [join(made, 'source'), join(made, 'store')];
  mkdirSync(from);
  for (let i = 10; i < 40; i++) write(from, `file-${i}`);
  ids = [await uploaded(from, to)];
  write(from, 'two');
  rmSync(join(from, 'file-11'));
  chmodSync(join(from, 'file-13'), 0o600);
  ids.push(await uploaded(from, to, { changes }));
  for (const name of ['three', 'four']) {
    write(from, name);
    ids.push(await uploaded(from, to, { changes }));
  }
  loseCopies(to);
});

afterAll(() => rmSync(made, { recursive: true }));

beforeEach(async () => {
  home = await tempFolder();
  [source, base] = [join(home, 'source'), join(home, 'store')];
  cpSync(made, home, { recursive: true, preserveTimestamps: true });
});

const idOf = (version: number): string => ids[version - 1] ?? '';

/** Writes version 5, a delta, from the folder that the others were written from. */
async function sync(wrap: (store: ObjectStore) => ObjectStore = (store) => store): Promise<string> {
  const from = join(made, 'source');
  write(from, 'five');
  try {
    const id = await uploaded(from, base, { changes, wrap });
    expect(documentOf(base, id)['listing']).toBe('delta');
    return id;
  } finally {
    rmSync(join(from, 'five'));
  }
}

async function syncOnTop(): Promise<void> {
  await sync();
  const views = await everyView(base);
  expect([...views.keys()].at(-1)).toBe(5);
  expect(unreadable(views)).toEqual([]);
}

describe.each([1, 2, 3, 4])('the manifest of version %i', (version) => {
  test.each([
    ['lost', loseManifest],
    ['cut off', cutManifest],
  ])('that is %s comes back byte for byte from the cache', async (_name, damage) => {
    const before = await everyView(base);
    const bytes = readFileSync(manifestPath(base, idOf(version)));
    const cache = await filledCache(base);
    damage(base, idOf(version));

    const result = await repair(base, idOf(version), { cache });

    expect(result).toMatchObject({ status: 'repaired', isProven: true, lost: [], unknown: [], rebased: [] });
    expect(result.parts).toEqual([{ uploadId: idOf(version), from: 'cache' }]);
    expect(readFileSync(manifestPath(base, idOf(version)))).toEqual(bytes);
    expect(await everyView(base)).toEqual(before);
  });

  test('comes back from a copy beside it', async () => {
    const path = manifestPath(base, idOf(version));
    cpSync(path, `${path}.0a1b2c3d.pre-balance.bak`);
    const before = await everyView(base);
    cutManifest(base, idOf(version));

    const result = await repair(base, idOf(version));

    expect(result).toMatchObject({ isProven: true, parts: [{ from: 'copy' }], rebased: [] });
    expect(await everyView(base)).toEqual(before);
  });

  test.each([
    ['lost', loseManifest],
    ['cut off', cutManifest],
  ])('that is %s and rebuilt leaves every version readable, and says which are less certain', async (_name, damage) => {
    const before = await everyView(base);
    damage(base, idOf(version));

    const planned = await repair(base, idOf(version), { execute: false });
    const result = await repair(base, idOf(version));

    const after = await everyView(base);
    expect(unreadable(after)).toEqual([]);
    expect(planned.rebased.length).toBeGreaterThanOrEqual(result.rebased.length);
    const changed = [...before].filter(([key, view]) => JSON.stringify(after.get(key)) !== JSON.stringify(view));
    // The second has lost a deletion and a change of mode, and so have those on it.
    expect(changed.map(([key]) => key)).toEqual(version === 2 ? [2, 3, 4] : []);
    expect(hasLosses(result) || version !== 2).toBe(true);
    await syncOnTop();
  });
});

test('a repair that is broken off at any write takes nothing away, and the next one comes to the same end', async () => {
  const kept = join(home, 'kept');
  cpSync(base, kept, { recursive: true, preserveTimestamps: true });
  const ends = new Set<string>();
  for (let limit = 0; ; limit++) {
    rmSync(base, { recursive: true });
    cpSync(kept, base, { recursive: true, preserveTimestamps: true });
    loseManifest(base, idOf(2));
    let writes = 0;
    const wrap = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (...call) => {
        if (writes++ >= limit) throw new Error('the power failed');
        return await store.put(...call);
      },
    });

    const isDone = await repair(base, idOf(2), { wrap }).then(
      () => true,
      () => false,
    );
    expect(unreadable(await everyView(base))).not.toContain(1);
    await repair(base, idOf(2));

    const views = await everyView(base);
    expect(unreadable(views)).toEqual([]);
    ends.add(JSON.stringify([...views]));
    if (isDone) break;
  }
  expect(ends.size).toBe(1);
});

test('a version that is committed on the old manifest meanwhile is re-based, too', async () => {
  const key = `uploads/${idOf(4)}/manifest.json.gz`;
  // A rival to whom the manifest looks as it was.
  const asItWas = (store: ObjectStore): ObjectStore => ({
    ...store,
    get: (asked, options) => (asked === key ? fileStore(join(made, 'store')) : store).get(asked, options),
    list: (options) => (key.startsWith(options?.prefix ?? '-') ? fileStore(join(made, 'store')) : store).list(options),
  });
  loseManifest(base, idOf(4));
  const rivals: string[] = [];
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (asked, ...rest) => {
      if (asked === key && rivals.length === 0) rivals.push(await sync(asItWas));
      return await store.put(asked, ...rest);
    },
  });

  const { rebased } = await repair(base, idOf(4), { wrap });

  expect(rebased.map(({ uploadId }) => uploadId)).toEqual(rivals);
  const views = await everyView(base);
  expect([...views.keys()]).toEqual([1, 2, 3, 4, 5]);
  expect(unreadable(views)).toEqual([]);
});

describe('a sound manifest that another builds on', () => {
  test('is refused with --force when it says more than its chunks', async () => {
    const before = await everyView(base);

    await expect(repair(base, idOf(2), { force: true })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('has information that its chunks lack') as string,
    });

    expect(await everyView(base)).toEqual(before);
  });

  test('is written anew with --force when its chunks tell the same, and stands in for the old one', async () => {
    const before = await everyView(base);

    await repair(base, idOf(1), { force: true });

    expect(documentOf(base, idOf(1))).toHaveProperty('replaces');
    expect(await everyView(base)).toEqual(before);
    await syncOnTop();
  });
});

/** As a repair of an older archiver left it: another manifest, which the record names and the next version does not. */
async function otherManifest(version: number): Promise<void> {
  const path = manifestPath(base, idOf(version));
  const bytes = gzipSync(gunzipSync(readFileSync(path)).toString().replaceAll('"mode":"0600"', '"mode":"0644"'));
  const { digest: _digest, ...record } = await recordOf(base, idOf(version));
  writeFileSync(path, bytes);
  const body = encodeVersionRecord({ ...record, manifestSha256: hash('sha256', bytes, 'hex') });
  writeFileSync(join(base, recordKey({ datasetId: record.datasetId, version: version })), body);
}

test.each([2, 3])(
  'versions on a manifest that was exchanged are re-based by a repair of version %i',
  async (version) => {
    await otherManifest(2);
    expect(unreadable(await everyView(base))).toEqual([3, 4]);
    await expect(repair(base, idOf(4))).rejects.toMatchObject({
      hint: expect.stringContaining(`archiver repair file://${base}/uploads/${idOf(3)}`) as string,
    });

    const { status, rebased } = await repair(base, idOf(version));

    expect(status).toBe('repaired');
    expect(rebased.length).toBeGreaterThan(0);
    for (const id of ids) await repair(base, id);
    expect(unreadable(await everyView(base))).toEqual([]);
    await syncOnTop();
  },
);

test('a sound version on a damaged one is not called whole: its repair names the other', async () => {
  cutManifest(base, idOf(2));

  await expect(repair(base, idOf(3))).rejects.toMatchObject({
    code: 'integrity',
    hint: expect.stringContaining(`archiver repair file://${base}/uploads/${idOf(2)}`) as string,
  });
});

test('verify does not call a manifest whole that is another than the version record names', async () => {
  const path = manifestPath(base, idOf(1));
  writeFileSync(path, gzipSync(gunzipSync(readFileSync(path))));

  const { ok, errors } = await verifyDeep(base, idOf(1));

  expect(ok).toBe(false);
  expect(errors[0]?.message).toContain('is not the one that version 1');
});

describe('a compacted version beside other datasets', () => {
  beforeEach(async () => {
    await uploaded(source, base, { datasetId: 'other-00000000' });
    const { datasetId } = await recordOf(base, idOf(4));
    await pruneFolder(base, { datasetId, keep: { last: 1 } });
    loseManifest(base, idOf(4));
  });

  test('takes what tombstones of its dataset lead to, though deletions are lost', async () => {
    const result = await repair(base, idOf(4));

    expect(result).toMatchObject({ isProven: false, lost: [], rebuilt: { entries: 33 } });
    expect(result.parts.map(({ uploadId }) => uploadId)).toEqual(ids.toReversed());
    expect((await verifyDeep(base, idOf(4))).ok).toBe(true);
  });

  test('does not take files of folders that may be those of another dataset', async () => {
    const { datasetId } = await recordOf(base, idOf(4));
    for (const version of [1, 2, 3]) rmSync(join(base, recordKey({ datasetId, version }))); // as archiver 0.1.0 pruned

    const result = await repair(base, idOf(4));

    expect(result.rebuilt?.entries).toBe(1);
    expect(result.lost.map(({ reason }) => reason).join()).toContain('the version record counts 32 entries');
    expect((await recordsOf(base)).find(({ uploadId }) => uploadId === idOf(4))?.totals.entries).toBe(1);
  });

  test('leaves out what a mark names', async () => {
    const uploadId = asUploadId(idOf(3));
    const objects = documentFolder(uploadId).map((name) => ({
      key: `uploads/${uploadId}/${name}`,
      lastModified: new Date(),
    }));
    await writeMark(fileStore(base), { uploadId, reason: 'retired', objects }, new AbortController().signal);

    const result = await repair(base, idOf(4));

    expect(result.parts.map(({ uploadId }) => uploadId)).not.toContain(idOf(3));
  });
});

/** Keys of the chunks of an upload, in its folder. */
function documentFolder(id: string): readonly string[] {
  const store = join(made, 'store');
  return documentOf(store, id)
    .chunks.map(({ key }) => key)
    .filter((key) => !key.startsWith('../'));
}
