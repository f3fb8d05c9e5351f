// An upload that was interrupted goes on: what the store has acknowledged is not sent again, and what comes back is the
// folder as it was when the upload ended.
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readVersion } from '../../../../src/core/dataset/records/versions.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { encodeLogRecord, readLog } from '../../../../src/core/archive/resume/entry-log.js';
import { logHeader } from '../../../../src/core/platform/state/log.js';
import { savedUploads, statePaths } from '../../../../src/core/archive/resume/state-folder.js';
import { describeTree, makeEverything, MIB, noise, setTime } from '../trees.js';
import { RandomTree, randomOf } from '../random-tree.js';
import { withAccess } from '../upload-folder.js';
import { chunkPuts, failingAfter, filesIn, goOn, restored, run, type Site, site } from './interrupted.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const SEEDS = Number(process.env['ARCHIVER_TEST_HISTORIES'] ?? 8);

/** Ten files of 2 MiB: several chunks. */
async function tenFiles(): Promise<Site> {
  const place = await site();
  mkdirSync(join(place.source, 'sub'), { recursive: true });
  for (let index = 0; index < 10; index++) writeFileSync(join(place.source, `sub/f${index}`), noise(2 * MIB));
  return place;
}

const treeOf = (place: Site) => describeTree(rawFromText(place.source));

test('an upload that succeeds leaves no state', async () => {
  const place = await tenFiles();

  await run(place).result;

  expect(filesIn(place.state)).toEqual([]);
  expect(place.troubles).toEqual([]);
});

test('what was acknowledged is kept, and is not sent again', async () => {
  const place = await tenFiles();
  const first = run(place, { wrap: failingAfter(2) });
  await expect(first.result).rejects.toThrow('the wire was cut');
  const before = chunkPuts(first).slice(0, 2);
  const [uploadId = ''] = await savedUploads(place.state).ids();
  expect(first.events).toContainEqual({
    type: 'note',
    text: expect.stringMatching(new RegExp(`^what was sent is kept \\(2 chunks, .*archiver resume ${uploadId}`)),
  });

  const second = await goOn(place);
  const result = await second.result;

  expect(result).toMatchObject({ version: 1, files: 10, bytes: 20 * MIB, partial: false });
  expect(result.uploadId).not.toBe(uploadId); // one id has one process for ever
  const after = chunkPuts(second);
  expect(after.filter((key) => chunkPuts(first).includes(key))).toEqual([]);
  expect(after.length + 2).toBe(result.chunks);
  expect(before.every((key) => readFileSync(join(place.base, key)).length > 0)).toBe(true);
  expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  expect(filesIn(place.state)).toEqual([]);
});

test('everything that a folder can hold comes back after several interruptions', async () => {
  const place = await site();
  mkdirSync(place.source);
  makeEverything(rawFromText(place.source));
  const sent: string[] = [];
  let upload = run(place, { wrap: failingAfter(5) });
  let result = await upload.result.catch(() => undefined);
  while (result === undefined) {
    sent.push(...chunkPuts(upload).slice(0, 5));
    upload = await goOn(place, { wrap: failingAfter(5) });
    result = await upload.result.catch(() => undefined);
  }

  expect(result.skipped).toEqual([]);
  expect(new Set(sent).size).toBe(sent.length);
  expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
});

describe('the source changes in between', () => {
  test.each<readonly [string, (source: string) => void]>([
    ['a file is written over', (source) => writeFileSync(join(source, 'sub/f0'), noise(2 * MIB))],
    ['a file grows', (source) => appendFileSync(join(source, 'sub/f0'), 'more')],
    ['a file shrinks', (source) => truncateSync(join(source, 'sub/f0'), 5)],
    ['a file goes', (source) => unlinkSync(join(source, 'sub/f0'))],
    ['a file comes', (source) => writeFileSync(join(source, 'sub/e'), 'new')],
    ['a mode changes', (source) => chmodSync(join(source, 'sub/f0'), 0o600)],
    ['a time changes', (source) => utimesSync(join(source, 'sub/f0'), 5, 5)],
    ['a file becomes a folder', (source) => (unlinkSync(join(source, 'sub/f0')), mkdirSync(join(source, 'sub/f0')))],
    [
      'a file becomes a link',
      (source) => (unlinkSync(join(source, 'sub/f0')), symlinkSync('x', join(source, 'sub/f0'))),
    ],
    ['a file gets a second name', (source) => linkSync(join(source, 'sub/f0'), join(source, 'a'))],
    [
      'an edit keeps size and mtime',
      (source) => {
        writeFileSync(join(source, 'sub/f0'), noise(2 * MIB));
        utimesSync(join(source, 'sub/f0'), 1_700_000_000, 1_700_000_000);
      },
    ],
  ])('%s', async (_name, change) => {
    const place = await tenFiles();
    utimesSync(join(place.source, 'sub/f0'), 1_700_000_000, 1_700_000_000);
    await run(place, { wrap: failingAfter(3) }).result.catch(() => undefined);
    change(place.source);

    const { uploadId, skipped } = await (await goOn(place)).result;

    expect(skipped).toEqual([]);
    expect(await restored(place.base, uploadId)).toEqual(treeOf(place));
  });
});

describe('cut files', () => {
  async function oneLarge(): Promise<Site> {
    const place = await site();
    mkdirSync(place.source);
    writeFileSync(join(place.source, 'large'), noise(40 * MIB));
    linkSync(join(place.source, 'large'), join(place.source, 'same'));
    return place;
  }

  test('pieces that are there are read again for the checksum and not sent again', async () => {
    const place = await oneLarge();
    const first = run(place, { wrap: failingAfter(2) });
    await first.result.catch(() => undefined);

    const second = await goOn(place);
    const result = await second.result;

    expect(chunkPuts(second)).toHaveLength(result.chunks - 2);
    expect(chunkPuts(second).filter((key) => chunkPuts(first).includes(key))).toEqual([]);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('a whole one is not read again', async () => {
    const place = await oneLarge();
    await run(place, { wrap: failingAfter(0, /manifest/) }).result.catch(() => undefined);

    const second = await goOn(place);
    const result = await second.result;

    expect(chunkPuts(second)).toEqual([]);
    expect(second.events.filter(({ type }) => type === 'chunk')).toEqual([]);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('one that changed is sent as a whole', async () => {
    const place = await oneLarge();
    await run(place, { wrap: failingAfter(2) }).result.catch(() => undefined);
    appendFileSync(join(place.source, 'large'), 'x');

    const second = await goOn(place);
    const result = await second.result;

    expect(chunkPuts(second)).toHaveLength(result.chunks);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('content that changed unseen is not mixed with the pieces that were sent', async () => {
    const place = await oneLarge();
    await run(place, { wrap: failingAfter(2) }).result.catch(() => undefined);
    // As when a disk lost a block, or a program wrote through a map: what comes out of the packer is not what was sent.
    const [uploadId = ''] = await savedUploads(place.state).ids();
    const { entries } = statePaths(place.state, uploadId);
    const [first, ...others] = (await readLog(entries, asUploadId(uploadId))).chunks;
    if (first === undefined) throw new Error('nothing was acknowledged');
    const frames = first.record.frames.map((frame) => ({ ...frame, sha256: 'a'.repeat(64) }));
    const forged = [{ ...first, record: { ...first.record, frames } }, ...others];
    writeFileSync(entries, Buffer.concat([logHeader(uploadId), ...forged.map(encodeLogRecord)]));

    const second = await goOn(place);
    const result = await second.result;

    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
    expect(chunkPuts(second)).toHaveLength(result.chunks - 1);
  });
});

describe('what the store says counts', () => {
  test('a chunk that is gone is sent again', async () => {
    const place = await tenFiles();
    const first = run(place, { wrap: failingAfter(2) });
    await first.result.catch(() => undefined);
    rmSync(join(place.base, chunkPuts(first)[0] ?? ''));

    const second = await goOn(place);
    const result = await second.result;

    expect(chunkPuts(second)).toHaveLength(result.chunks - 1);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('so is one of another size', async () => {
    const place = await tenFiles();
    const first = run(place, { wrap: failingAfter(2) });
    await first.result.catch(() => undefined);
    truncateSync(join(place.base, chunkPuts(first)[0] ?? ''), 100);

    const result = await (await goOn(place)).result;

    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('a writer without permission to list sends everything again: what is noted may have been given up', async () => {
    const place = await tenFiles();
    const blind = (puts: number, key?: RegExp) => (store: Parameters<ReturnType<typeof failingAfter>>[0]) =>
      withAccess(failingAfter(puts, key)(store), 'may neither read nor list', () => '');
    const first = run(place, { wrap: blind(2), writerId: 'w' });
    await first.result.catch(() => undefined);

    const second = await goOn(place, { wrap: blind(99), writerId: 'w' });
    const result = await second.result;

    expect(chunkPuts(second)).toHaveLength(result.chunks);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('a writer without permission to list goes on under a new id when its manifest may be there', async () => {
    const place = await tenFiles();
    const blind = (puts: number) => (store: Parameters<ReturnType<typeof failingAfter>>[0]) =>
      withAccess(failingAfter(puts, /datasets/)(store), 'may neither read nor list', () => '');
    await run(place, { wrap: blind(0), writerId: 'w' }).result.catch(() => undefined);
    const [uploadId = ''] = await savedUploads(place.state).ids();

    const second = await goOn(place, { wrap: blind(9), writerId: 'w' });
    const result = await second.result;

    expect(result.uploadId).not.toBe(uploadId);
    expect(chunkPuts(second)).toHaveLength(result.chunks);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });
});

describe('between manifest and record', () => {
  test('it goes on under a new id that refers to the chunks, and leaves that manifest alone', async () => {
    const place = await tenFiles();
    await run(place, { wrap: failingAfter(0, /datasets/) }).result.catch(() => undefined);
    const [uploadId = ''] = await savedUploads(place.state).ids();
    const manifest = readFileSync(join(place.base, 'uploads', uploadId, 'manifest.json.gz'));

    const second = await goOn(place);
    const result = await second.result;

    expect(result).toMatchObject({ version: 1, files: 10 });
    expect(result.uploadId).not.toBe(uploadId);
    expect(second.calls.filter((call) => call.startsWith('put '))).toHaveLength(2);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
    expect(readFileSync(join(place.base, 'uploads', uploadId, 'manifest.json.gz'))).toEqual(manifest);
    expect(filesIn(place.state)).toEqual([]);
  });

  test('it sends what changed since', async () => {
    const place = await tenFiles();
    await run(place, { wrap: failingAfter(0, /datasets/) }).result.catch(() => undefined);
    const [uploadId = ''] = await savedUploads(place.state).ids();
    writeFileSync(join(place.source, 'new'), 'new');

    const second = await goOn(place);
    const result = await second.result;

    expect(result.uploadId).not.toBe(uploadId);
    expect(chunkPuts(second)).toHaveLength(1);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
    expect(filesIn(join(place.base, 'uploads', uploadId))).toContain('manifest.json.gz');
  });

  test('an upload whose record is there is complete', async () => {
    const place = await tenFiles();
    const first = run(place, {
      wrap: (store) => ({
        ...store,
        put: async (key, body, options) => {
          await store.put(key, body, options);
          if (key.startsWith('datasets/')) throw new Error('killed');
          return { etag: '' };
        },
      }),
    });
    await first.result.catch(() => undefined);

    const second = await goOn(place);
    const result = await second.result;

    expect(result).toMatchObject({ version: 1, files: 10 });
    expect(second.calls.filter((call) => call.startsWith('put '))).toEqual([]);
    expect(filesIn(place.state)).toEqual([]);
  });
});

describe('an upload of changes', () => {
  const changes = { trackDeletes: true };

  test('goes on where it was', async () => {
    const place = await tenFiles();
    await run(place, { changes }).result;
    for (let index = 0; index < 8; index++) writeFileSync(join(place.source, `sub/f${index}`), noise(2 * MIB));
    unlinkSync(join(place.source, 'sub/f9'));
    const first = run(place, { changes, wrap: failingAfter(2) });
    await first.result.catch(() => undefined);

    const second = await goOn(place, { changes });
    const result = await second.result;

    expect(result.changes).toMatchObject({ modified: 8, deleted: 1, unchanged: 1 });
    expect(chunkPuts(second).filter((key) => chunkPuts(first).includes(key))).toEqual([]);
    expect(chunkPuts(second)).toHaveLength(result.chunks - 2);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });

  test('that has nothing left to say leaves what an earlier run had sent to a prune', async () => {
    const place = await tenFiles();
    setTime(place.source, 1_700_000_000, 0);
    await run(place, { changes: { trackDeletes: false } }).result;
    for (let index = 0; index < 8; index++) writeFileSync(join(place.source, `new${index}`), noise(2 * MIB));
    await run(place, { changes: { trackDeletes: false }, wrap: failingAfter(2) }).result.catch(() => undefined);
    const [uploadId = ''] = await savedUploads(place.state).ids();
    for (let index = 0; index < 8; index++) unlinkSync(join(place.source, `new${index}`));
    setTime(place.source, 1_700_000_000, 0);

    const result = await (await goOn(place, { changes: { trackDeletes: false } })).result;

    expect(result.changes).toMatchObject({ noChanges: true });
    const left = filesIn(join(place.base, 'uploads', uploadId)).flatMap((shard) =>
      filesIn(join(place.base, 'uploads', uploadId, shard)),
    );
    expect(left).toHaveLength(2);
    expect(filesIn(place.state)).toEqual([]);
  });

  test('whose manifest got there refers to its chunks from a new id', async () => {
    const place = await tenFiles();
    const { datasetId } = await run(place, { changes }).result;
    writeFileSync(join(place.source, 'sub/f0'), noise(100));
    await run(place, { changes, wrap: failingAfter(0, /datasets/) }).result.catch(() => undefined);
    const [uploadId = ''] = await savedUploads(place.state).ids();

    const second = await goOn(place, { changes });
    const result = await second.result;

    expect(result).toMatchObject({ version: 2 });
    expect(result.uploadId).not.toBe(uploadId);
    expect(chunkPuts(second)).toEqual([]);
    expect((await readVersion(fileStore(place.base), { datasetId, version: 2 })).uploadId).toBe(result.uploadId);
    expect(await restored(place.base, result.uploadId)).toEqual(treeOf(place));
  });
});

describe('random trees, edited between interruptions', () => {
  for (let seed = 1; seed <= SEEDS; seed++) {
    test(`seed ${seed}`, async () => {
      const place = await site();
      mkdirSync(place.source);
      const random = randomOf(seed);
      const tree = new RandomTree(place.source, random, 6 * MIB);
      tree.edit(60);
      const options = seed % 2 === 0 ? {} : { changes: { trackDeletes: true } };
      if (seed % 3 === 0) {
        await run(place, options).result;
        tree.edit(20);
      }
      let result = await run(place, { ...options, wrap: failingAfter(1 + Math.floor(random() * 2)) }).result.catch(
        () => undefined,
      );
      for (let tries = 0; result === undefined && tries < 50; tries++) {
        if (random() < 0.4) tree.edit(1 + Math.floor(random() * 3));
        if (random() < 0.3) await tearTail(place, Math.floor(random() * 400));
        const puts = tries > 6 ? 1000 : Math.floor(random() * 3);
        const wrap = failingAfter(puts, random() < 0.5 ? undefined : /chunk-|manifest|datasets/);
        const isSaved = (await savedUploads(place.state).ids()).length > 0;
        const again = isSaved ? await goOn(place, { ...options, wrap }) : run(place, { ...options, wrap });
        result = await again.result.catch(() => undefined);
      }
      expect(result?.skipped).toEqual([]);
      expect(await restored(place.base, result?.uploadId ?? '')).toEqual(treeOf(place));
    });
  }
});

async function tearTail(place: Site, bytes: number): Promise<void> {
  const [uploadId] = await savedUploads(place.state).ids();
  if (uploadId === undefined) return;
  const { entries } = statePaths(place.state, uploadId);
  truncateSync(entries, Math.max(40, readFileSync(entries).length - bytes));
}
