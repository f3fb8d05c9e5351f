import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { restoreMade } from '../../../support/restore-made.js';
import type { MemoryReader } from '../../../support/memory-reader.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { describeTree, makeEverything, MIB, noise } from '../../archive/trees.js';
import { killedBefore, pruneFolder, stepsOf } from '../../dataset/prune/prune-run.js';
import {
  comparable,
  cutManifest,
  documentOf,
  flipBit,
  loseCopies,
  loseManifest,
  manifestPath,
  recordOf,
  repair,
  uploaded,
  verifyDeep,
  viewEntries,
} from './repair-cases.js';
import { asUploadId } from '../../../support/as-upload-id.js';

let home = '';
let source = '';
let base = '';

beforeEach(async () => {
  home = await tempFolder();
  source = join(home, 'source');
  base = join(home, 'store');
  mkdirSync(join(source, 'sub'), { recursive: true });
});

/** Files in some chunks, among them one that is cut. */
function fill(): void {
  for (let i = 0; i < 40; i++) writeFileSync(join(source, `file-${String(i).padStart(2, '0')}`), noise(20_000));
  for (let i = 0; i < 5; i++) writeFileSync(join(source, 'sub', `file-${i}`), `content ${i}`);
}

const cutName = 'sub/large';
const fillCut = (): void => {
  fill();
  writeFileSync(join(source, cutName), noise(11 * MIB));
};
const small = { memoryLimitBytes: 192 * MIB };

const filesOf = (uploadId: string): string[] => readdirSync(join(base, 'uploads', uploadId)).sort();
const chunkPath = (uploadId: string, key: string): string => join(base, 'uploads', uploadId, key);

async function restored(uploadId: string): Promise<string> {
  const reader = fileStore(base) as unknown as MemoryReader;
  const { out, failed } = await restoreMade(
    { objects: new Map(), uploadId: asUploadId(uploadId) },
    { reader, outputDir: join(home, 'out'), keepSpecialBits: true },
  );
  expect(failed).toEqual([]);
  return out;
}

describe('everything that a file system can hold', () => {
  test('comes back from the chunks alone, and restores identically', async () => {
    makeEverything(source);
    const id = await uploaded(source, base, small);
    const before = documentOf(base, id);
    loseManifest(base, id);

    const result = await repair(base, id);

    const after = documentOf(base, id);
    expect(result).toMatchObject({ status: 'repaired', damage: 'there is no manifest', lost: [], backupKey: null });
    expect(after.files).toEqual(before.files);
    expect(after.chunks).toEqual(before.chunks);
    const kept = ['totals', 'shards', 'uploadId', 'createdAt', 'datasetId', 'listing'];
    for (const key of kept) expect([key, after[key]]).toEqual([key, before[key]]);
    expect(after['source']).toMatchObject({ path: source, host: 'test-host' });
    expect(await verifyDeep(base, id)).toMatchObject({ ok: true, errors: [] });
    expect(describeTree(await restored(id))).toEqual(describeTree(source));
  });
});

describe('a manifest that is cut off', () => {
  test('gives what can be read of it, and is kept beside the rebuilt one', async () => {
    fill();
    const id = await uploaded(source, base, { tags: { study: 'a' }, project: 'p-1', shardStrategy: 'hash' });
    const before = documentOf(base, id);
    const { manifestSha256: old, version } = await recordOf(base, id);
    const damaged = cutManifest(base, id);

    const result = await repair(base, id);

    expect(documentOf(base, id)).toEqual(before);
    expect(result).toMatchObject({
      status: 'repaired',
      isProven: true,
      manifestSha256: old,
      lost: [],
      unknown: [],
      damage: expect.stringContaining('cut off') as string,
    });
    expect(readFileSync(join(base, result.backupKey ?? ''))).toEqual(damaged);
    expect(result.backupKey).toMatch(/manifest\.json\.gz\.[0-9a-f]{8}\.pre-repair\.bak$/);
    expect(await recordOf(base, id)).toMatchObject({ version, manifestSha256: old });
    expect(await recordOf(base, id)).not.toHaveProperty('replacementSha256');
    expect((await viewEntries(base, id)).length).toBe(before.files.length);
  });

  test.each([
    ['bits', (path: string) => flipBit(path, 60)],
    ['foreign bytes', (path: string) => writeFileSync(path, 'not a manifest')],
    ['nothing', (path: string) => writeFileSync(path, '')],
  ])('or that is damaged otherwise (%s) is rebuilt', async (_name, damage) => {
    fill();
    const id = await uploaded(source, base);
    const before = documentOf(base, id);
    damage(manifestPath(base, id));

    expect(await repair(base, id)).toMatchObject({ status: 'repaired', lost: [] });

    expect(documentOf(base, id).files).toEqual(before.files);
  });

  test('or a sound one that is not what the record names', async () => {
    fill();
    const id = await uploaded(source, base);
    const before = documentOf(base, id);
    const path = manifestPath(base, id);
    writeFileSync(path, gzipSync(gunzipSync(readFileSync(path)).toString().replaceAll('file-07', 'file-07a')));

    const result = await repair(base, id);

    expect(result.damage).toContain('not the manifest that the version record names');
    expect(documentOf(base, id).files).toEqual(before.files);
  });
});

describe('without --execute', () => {
  test('nothing is written, and each chunk costs one small request', async () => {
    fillCut();
    const id = await uploaded(source, base, small);
    const chunks = documentOf(base, id).chunks;
    cutManifest(base, id);
    const before = readFileSync(manifestPath(base, id));
    const calls: string[] = [];
    const wrap = (store: ObjectStore): ObjectStore => ({
      ...store,
      get: (key, options) => {
        if (key.includes('chunk-')) calls.push(`get ${JSON.stringify(options?.range)}`);
        return store.get(key, options);
      },
      list: (options) => {
        calls.push(`list ${options?.prefix ?? ''}`);
        return store.list(options);
      },
      put: () => Promise.reject(new Error('a dry run writes nothing')),
    });

    const result = await repair(base, id, { execute: false, wrap });

    expect(result).toMatchObject({ status: 'repairable', lost: [], manifestSha256: null });
    expect(result.readBytes).toBe(chunks.reduce((sum, { size }) => sum + Number(size), 0));
    expect(readFileSync(manifestPath(base, id))).toEqual(before);
    expect(calls.filter((call) => call.startsWith('list')).sort()).toEqual(['list datasets/', `list uploads/${id}/`]);
    expect(calls.filter((call) => call.startsWith('get'))).toEqual(chunks.map(() => 'get {"suffix":262144}'));
  });

  test('a table larger than the first guess is fetched exactly', async () => {
    for (let i = 0; i < 8000; i++) writeFileSync(join(source, noise(120).toString('hex')), String(i));
    const id = await uploaded(source, base);
    const before = documentOf(base, id);
    expect(Math.max(...before.chunks.map(({ tocSize }) => Number(tocSize)))).toBeGreaterThan(262_144);
    loseManifest(base, id);

    await repair(base, id);

    expect(documentOf(base, id).files).toEqual(before.files);
  });
});

describe('a sound manifest', () => {
  test('stays, and no chunk is looked at', async () => {
    fill();
    const id = await uploaded(source, base);
    const before = statSync(manifestPath(base, id)).mtimeMs;
    for (const { key } of documentOf(base, id).chunks) rmSync(chunkPath(id, key));

    expect(await repair(base, id)).toMatchObject({ status: 'sound', damage: null, lost: [] });

    expect(statSync(manifestPath(base, id)).mtimeMs).toBe(before);
  });

  test('is replaced with --force, and kept', async () => {
    fill();
    const id = await uploaded(source, base);
    const before = readFileSync(manifestPath(base, id));

    const result = await repair(base, id, { force: true });

    expect(result).toMatchObject({ status: 'repaired', damage: null, lost: [] });
    expect(readFileSync(join(base, result.backupKey ?? ''))).toEqual(before);
    expect((await viewEntries(base, id)).length).toBeGreaterThan(40);
  });
});

describe('what is lost is named', () => {
  test('a cut file of which a part is missing, and nothing else', async () => {
    fillCut();
    const id = await uploaded(source, base, small);
    const before = documentOf(base, id);
    const segments = before.files.find(({ path }) => path === cutName)?.['segments'] as { chunk: number }[];
    const key = before.chunks[segments[0]?.chunk ?? -1]?.key ?? '';
    rmSync(chunkPath(id, key));
    loseManifest(base, id);

    const result = await repair(base, id);

    expect(result.status).toBe('repaired');
    expect(result.lost).toContainEqual({ path: cutName, reason: expect.stringContaining('part 1 of 2') as string });
    expect(result.lost.filter(({ path }) => path !== undefined)).toHaveLength(1);
    const names = documentOf(base, id).files.map(({ path }) => path);
    expect(names).toEqual(before.files.map(({ path }) => path).filter((path) => path !== cutName));
    expect(await verifyDeep(base, id)).toMatchObject({ ok: true });
    expect(await recordOf(base, id)).toMatchObject({ totals: { entries: names.length } });
  });

  test('a cut file of which the last part is missing', async () => {
    fillCut();
    const id = await uploaded(source, base, small);
    const before = documentOf(base, id);
    const segments = before.files.find(({ path }) => path === cutName)?.['segments'] as { chunk: number }[];
    rmSync(chunkPath(id, before.chunks[segments.at(-1)?.chunk ?? -1]?.key ?? ''));
    loseManifest(base, id);

    const { lost } = await repair(base, id, { execute: false });

    expect(lost).toContainEqual({ path: cutName, reason: expect.stringContaining('the last of its') as string });
  });

  test('a chunk that is gone, by its number and by what the record counts', async () => {
    fill();
    const id = await uploaded(source, base);
    const [first] = documentOf(base, id).chunks;
    rmSync(chunkPath(id, first?.key ?? ''));
    loseManifest(base, id);

    const { lost } = await repair(base, id);

    expect(lost).toContainEqual({
      key: 'chunk-000000.tar.zst',
      reason: expect.stringContaining('not in the store') as string,
    });
    expect(lost).toContainEqual({ reason: expect.stringContaining('the version record counts') as string });
  });

  test('a chunk whose table of contents is damaged', async () => {
    fill();
    const id = await uploaded(source, base);
    const [first] = documentOf(base, id).chunks;
    const path = chunkPath(id, first?.key ?? '');
    flipBit(path, statSync(path).size - 60);
    loseManifest(base, id);

    const { lost } = await repair(base, id);

    expect(lost[0]).toEqual({
      key: first?.key,
      reason: expect.stringContaining('does not match its digest') as string,
    });
    expect(await verifyDeep(base, id)).toMatchObject({ ok: true });
  });

  test('a chunk that was cut off or swapped with another', async () => {
    fill();
    const id = await uploaded(source, base);
    const [first, second, third] = documentOf(base, id).chunks.map(({ key }) => chunkPath(id, key));
    writeFileSync(first ?? '', readFileSync(first ?? '').subarray(0, -7));
    renameSync(second ?? '', third ?? '');
    loseManifest(base, id);

    const { lost } = await repair(base, id, { execute: false });

    expect(lost.map(({ reason }) => reason).join('\n')).toMatch(
      /does not end in a table of contents[^]*belongs to chunk 1/,
    );
  });

  test('a chunk that lacks bytes in its middle', async () => {
    fill();
    const id = await uploaded(source, base);
    const [first] = documentOf(base, id).chunks;
    const path = chunkPath(id, first?.key ?? '');
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, 1000), bytes.subarray(1001)]));
    loseManifest(base, id);

    const { lost } = await repair(base, id, { execute: false });

    expect(lost[0]?.reason).toContain('according to its table of contents');
  });

  test('the files of a damaged frame', async () => {
    fill();
    const id = await uploaded(source, base, { frameBytes: 64 * 1024 });
    const { files, chunks } = documentOf(base, id);
    const [chunk] = chunks;
    flipBit(chunkPath(id, chunk?.key ?? ''), 1000);
    loseManifest(base, id);

    const { lost } = await repair(base, id);

    const frames = (chunk?.['frames'] ?? []) as readonly { rawSize: number }[];
    const rawSize = frames[0]?.rawSize ?? 0;
    const inFirstFrame = files.filter(
      (file) => file['chunk'] === 0 && file['type'] === 'file' && Number(file['offset']) < rawSize,
    );
    expect(inFirstFrame.length).toBeGreaterThan(1);
    expect(lost.map(({ path }) => path)).toEqual(inFirstFrame.map(({ path }) => path));
    expect(lost[0]?.reason).toContain('frames of shard-');
  });

  test('and without chunks nothing is written', async () => {
    fill();
    const id = await uploaded(source, base);
    for (const { key } of documentOf(base, id).chunks) rmSync(chunkPath(id, key));
    loseManifest(base, id);

    await expect(repair(base, id)).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('no chunks') as string,
    });
    await expect(repair(base, '20200101-000000-00000000')).rejects.toMatchObject({ code: 'not-found' });
    expect(existsSync(manifestPath(base, id))).toBe(false);
  });
});

test('an upload of an empty folder has an empty manifest again', async () => {
  rmSync(join(source, 'sub'), { recursive: true });
  const id = await uploaded(source, base);
  loseManifest(base, id);

  expect(await repair(base, id)).toMatchObject({ status: 'repaired', lost: [], rebuilt: { entries: 0 } });

  expect(await verifyDeep(base, id)).toMatchObject({ ok: true });
});

test('without a version record the files come back, and what cannot be known is said', async () => {
  fill();
  const id = await uploaded(source, base);
  const before = documentOf(base, id);
  rmSync(join(base, 'datasets'), { recursive: true });
  loseManifest(base, id);

  const result = await repair(base, id);

  expect(documentOf(base, id).files).toEqual(before.files);
  expect(result).toMatchObject({ status: 'repaired', version: null, lost: [] });
  expect(result.unknown.join('\n')).toMatch(/which dataset and source folder[^]*chunks after the last one/);
  expect(documentOf(base, id)).not.toHaveProperty('replaces');
});

describe('a version of changes', () => {
  const changes = { trackDeletes: true };

  test('is rebuilt on the version before, which is read by its record', async () => {
    fill();
    await uploaded(source, base);
    writeFileSync(join(source, 'file-01'), noise(30_000));
    writeFileSync(join(source, 'new'), 'new');
    const id = await uploaded(source, base, { changes });
    const before = await viewEntries(base, id);
    const head = documentOf(base, id);
    loseManifest(base, id);

    const result = await repair(base, id);

    expect(result).toMatchObject({ status: 'repaired', lost: [], rebuilt: { listing: 'delta' } });
    expect(comparable(await viewEntries(base, id))).toEqual(comparable(before));
    const after = documentOf(base, id);
    for (const key of ['previous', 'chain', 'view', 'totals', 'listing'])
      expect([key, after[key]]).toEqual([key, head[key]]);
    expect(await verifyDeep(base, id)).toMatchObject({ ok: true });
  });

  test('has lost its deletions, and that is said', async () => {
    fill();
    await uploaded(source, base);
    rmSync(join(source, 'file-01'));
    writeFileSync(join(source, 'new'), 'new');
    const id = await uploaded(source, base, { changes });
    loseManifest(base, id);
    loseCopies(base);

    const { unknown } = await repair(base, id);

    expect(unknown.join('\n')).toMatch(/deletions, and changes of metadata alone[^]*1 of the entries/);
    expect((await viewEntries(base, id)).map(({ path }) => path)).toContain('file-01');
  });

  test('is rebuilt from the chunks of all versions when the manifest of the version before is lost, too', async () => {
    fill();
    const first = await uploaded(source, base);
    writeFileSync(join(source, 'new'), 'new');
    const second = await uploaded(source, base, { changes });
    const before = await viewEntries(base, second);
    loseManifest(base, first);
    loseManifest(base, second);

    const result = await repair(base, second);
    await repair(base, first);

    expect(result).toMatchObject({ lost: [], isProven: false, rebuilt: { listing: 'full', takenFrom: first } });
    expect(result.parts).toEqual([
      { uploadId: second, from: 'chunks' },
      { uploadId: first, from: 'chunks' },
    ]);
    expect(comparable(await viewEntries(base, second))).toEqual(comparable(before));
  });

  test('still knows a version before that was rebuilt', async () => {
    fill();
    const first = await uploaded(source, base);
    writeFileSync(join(source, 'new'), 'new');
    const second = await uploaded(source, base, { changes });
    const before = await viewEntries(base, second);
    loseManifest(base, first);

    const { rebased } = await repair(base, first);

    expect(rebased).toMatchObject([{ version: 2, uploadId: second, difference: null }]);
    expect(documentOf(base, second)['listing']).toBe('full');
    expect(comparable(await viewEntries(base, second))).toEqual(comparable(before));
  });

  test('that is listed in full takes over what the record proves, and else with --from-previous only', async () => {
    fill();
    await uploaded(source, base);
    let id = '';
    for (let round = 0; round < 12; round++) {
      writeFileSync(join(source, `round-${String(round).padStart(2, '0')}`), noise(1000));
      id = await uploaded(source, base, { changes });
      if (documentOf(base, id)['listing'] === 'full') break;
    }
    expect(documentOf(base, id)['listing']).toBe('full');
    const before = await viewEntries(base, id);
    loseManifest(base, id);

    const result = await repair(base, id);

    expect(result).toMatchObject({
      status: 'repaired',
      lost: [],
      rebuilt: { listing: 'full', takenFrom: expect.any(String) as string },
    });
    expect(comparable(await viewEntries(base, id))).toEqual(comparable(before));
    expect(await verifyDeep(base, id)).toMatchObject({ ok: true });
  });

  test('that refers to chunks of another upload, with no version before it, is what its own chunks hold', async () => {
    fill();
    const id = await uploaded(source, base);
    const before = documentOf(base, id);
    const path = manifestPath(base, id);
    const text = gunzipSync(readFileSync(path)).toString();
    const moved = text.replaceAll('"key":"shard-00/', '"key":"../20200101-000000-00000000/shard-00/');
    writeFileSync(path, gzipSync(moved).subarray(0, -40));

    expect(await repair(base, id)).toMatchObject({ status: 'repaired', lost: [], rebuilt: { takenFrom: null } });

    expect(documentOf(base, id).files).toEqual(before.files);
  });

  test('that is listed in full and lost files is not filled up with older ones', async () => {
    fill();
    await uploaded(source, base);
    for (let i = 0; i < 40; i++) writeFileSync(join(source, `file-${String(i).padStart(2, '0')}`), noise(21_000));
    const id = await uploaded(source, base);
    const [first] = documentOf(base, id).chunks;
    rmSync(chunkPath(id, first?.key ?? ''));
    loseManifest(base, id);

    const plan = await repair(base, id, { execute: false });
    const filled = await repair(base, id, { execute: false, fromPrevious: true });

    expect(plan.rebuilt?.takenFrom).toBeNull();
    expect(plan.lost.length).toBeGreaterThan(0);
    expect(filled.rebuilt?.takenFrom).not.toBeNull();
  });
});

/** Takes the manifest and everything beside it away, and puts the record back as it was. */
function loseAgain(id: string, record: Buffer, recordPath: string): void {
  for (const name of filesOf(id).filter((name) => name.startsWith('manifest.json.gz')))
    rmSync(join(base, 'uploads', id, name));
  writeFileSync(recordPath, record);
}

test('broken off at any write, the next run finishes', async () => {
  fill();
  const id = await uploaded(source, base);
  const before = documentOf(base, id);
  const recordPath = join(base, 'datasets', String(before['datasetId']), 'v00000001.json');
  const record = readFileSync(recordPath);
  const outcomes: string[] = [];
  for (let limit = 0; limit <= 5; limit++) {
    loseAgain(id, record, recordPath);
    let writes = 0;
    const stop = <T>(work: () => Promise<T>): Promise<T> =>
      writes++ < limit ? work() : Promise.reject(new Error('the power failed'));
    const wrap = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: (...call) => stop(() => store.put(...call)),
    });

    const first = await repair(base, id, { wrap }).then(
      ({ status }) => status,
      () => 'failed',
    );
    const again = await repair(base, id);

    outcomes.push(`${first}, ${again.status}`);
    expect(again.lost).toEqual([]);
    expect(documentOf(base, id).files).toEqual(before.files);
    expect((await viewEntries(base, id)).length).toBe(before.files.length);
    expect(await recordOf(base, id)).not.toHaveProperty('replacementSha256');
  }
  // Beside, record, manifest, record.
  const broken = ['failed, repaired', 'failed, repaired', 'failed, repaired'];
  expect(outcomes).toEqual([...broken, 'failed, finished', 'repaired, sound', 'repaired, sound']);
});

test('finishes the record of a version that a prune had just made a full listing', async () => {
  fill();
  await uploaded(source, base);
  writeFileSync(join(source, 'sub', 'new'), 'new');
  const id = await uploaded(source, base, { changes: { trackDeletes: true } });
  const before = await viewEntries(base, id);
  const datasetId = String(documentOf(base, id)['datasetId']);
  const keep = { keep: { last: 1 }, datasetId };
  const swap = (await stepsOf(base, keep)).indexOf(`put uploads/${id}/manifest.json.gz`);
  await pruneFolder(base, { ...keep, wrap: (store) => killedBefore(store, swap + 1) }).catch(() => undefined);

  const { status } = await repair(base, id);

  expect(status).toBe('finished');
  const record = await recordOf(base, id);
  expect(record).toMatchObject({ listing: 'full', totals: { entries: before.length } });
  expect(record).not.toHaveProperty('replacementSha256');
  expect(await viewEntries(base, id)).toEqual(before);
});
