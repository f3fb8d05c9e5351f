// Chunks that are packed while the source is still being listed: what comes back is the same, and nothing leaves before it may.
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { packSettings } from '../../../src/core/archive/pack/pack-settings.js';
import { settingsOf } from '../../../src/core/archive/run/settings.js';
import { EntryTableBuilder } from '../../../src/core/format/columns/entry-table.js';
import { raw } from '../../support/raw.js';
import { HeadStart } from '../../../src/core/archive/pack/head-start.js';
import { archiveFolder } from '../../../src/core/archive/archive-folder.js';
import { resolveSource } from '../../../src/core/archive/scan/source-folder.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { openStore } from '../../../src/core/store/open-store.js';
import { openView } from '../../../src/core/dataset/chain/view.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { chunkPuts, expectWhole, failingAfter, filesIn, goOn, run, type Site, site } from './resume/interrupted.js';
import { MIB, noise } from './trees.js';
import { uploadFolder, type UploadRunOptions } from './upload-folder.js';

const FILES = 24;
const SIZE = 300_000;
const OPTIONS = { chunkBytes: MIB, workers: 2, datasetId: 'ahead' } as const;
/** As DVC keeps a content that no file of the workspace holds. */
const KEPT = 'z/.dvc/cache/files/md5/ff';
const CONTENT = 'content of a cache';

let place: Site;
const begun = vi.spyOn(HeadStart.prototype, 'begin');

beforeEach(async () => {
  begun.mockClear();
  const { source } = (place = await site());
  mkdirSync(join(source, 'sub'), { recursive: true });
  for (let file = 0; file < FILES; file++)
    writeFileSync(join(source, file % 2 === 0 ? 'sub' : '', `f${String(file).padStart(2, '0')}`), noise(SIZE));
  linkSync(join(source, 'f01'), join(source, 'sub', 'zz'));
  symlinkSync('f01', join(source, 'e'));
});

const upload = async (options: UploadRunOptions = {}) =>
  await uploadFolder(place.source, place.base, { ...OPTIONS, ...options }).result;

const viewOf = async (uploadId: string) => await openView(fileStore(place.base), { uploadId: asUploadId(uploadId) });

test('all of it comes back, in chunks of numbers and shards as without', async () => {
  const { result, events } = uploadFolder(place.source, place.base, OPTIONS);
  const { uploadId, files, chunks } = await result;

  expect(begun.mock.calls.length).toBeGreaterThan(2);
  await expectWhole(place, uploadId);
  expect(files).toBe(FILES + 2);
  // Those of which a part is packed by now, too.
  expect(events).toContainEqual(expect.objectContaining({ type: 'plan', items: files, bytes: FILES * SIZE, chunks }));
  const { chunks: records } = await viewOf(uploadId);
  expect(records.map(({ chunk }) => chunk)).toEqual(Array.from({ length: chunks }, (_, chunk) => chunk));
  expect(records.map(({ shard }) => shard)).toEqual(records.map(({ chunk }) => chunk % 4));
  expect(new Set(records.map(({ storageClass }) => storageClass))).toEqual(new Set(['STANDARD']));
});

test('nothing is sent before it was asked whether that may be', async () => {
  const { source, base } = place;
  const store = await openStore(`file://${base}`, { env: {} });

  const refused = archiveFolder({
    source: resolveSource(source),
    store,
    layout: { chunkBytes: MIB },
    uploadGate: () => Promise.reject(new Error('it may not')),
    signal: new AbortController().signal,
    emit: () => undefined,
  });

  await expect(refused).rejects.toThrow('it may not');
  expect(begun.mock.calls.length).toBeGreaterThan(2);
  expect(filesIn(join(base, 'uploads'))).toEqual([]);
});

test('an interrupted upload goes on from chunks that were packed ahead, and does not send them again', async () => {
  const cut = run(place, { ...OPTIONS, wrap: failingAfter(3) });
  await expect(cut.result).rejects.toThrow('the wire was cut');
  expect(begun.mock.calls.length).toBeGreaterThan(2);

  const again = await goOn(place, OPTIONS);
  const { uploadId, files } = await again.result;

  expect(files).toBe(FILES + 2);
  await expectWhole(place, uploadId);
  const { chunks } = await viewOf(uploadId);
  expect(chunkPuts(again)).toHaveLength(chunks.length - 3);
});

test('contents of a DVC cache that are found last have everything deduplicated', async () => {
  const { source } = place;
  mkdirSync(join(source, KEPT), { recursive: true });
  writeFileSync(join(source, KEPT, 'f'.repeat(30)), CONTENT);
  writeFileSync(join(source, 'sub', 'zzz'), CONTENT);

  const { result, events } = uploadFolder(source, place.base, OPTIONS);
  const { uploadId } = await result;

  expect(begun.mock.calls.length).toBeGreaterThan(2);
  await expectWhole(place, uploadId);
  const packed = events.filter(({ type }) => type === 'progress').at(-1);
  expect(packed).toMatchObject({ items: FILES + 4, bytes: FILES * SIZE + CONTENT.length });
  const listed = await viewOf(uploadId);
  const digests: (string | undefined)[] = [];
  for await (const batch of listed.entries())
    for (const entry of batch) if (entry.type === 'file') digests.push(entry.sha256);
  expect(digests).toHaveLength(FILES + 2);
  expect(digests.filter((digest) => digest === undefined)).toEqual([]);
});

test('an upload that is interrupted while its folder is being listed has sent nothing', async () => {
  const abort = new AbortController();
  begun.mockImplementationOnce(() => abort.abort(new Error('interrupted')));

  await expect(upload({ signal: abort.signal })).rejects.toThrow('cancelled');

  // More was found while the listing was being given up.
  expect(begun).toHaveBeenCalledTimes(1);
  expect(filesIn(join(place.base, 'uploads'))).toEqual([]);
});

test('what is still being packed when an upload ends early is stopped', async () => {
  const start = new HeadStart(1);
  vi.spyOn(start.pool, 'pack').mockReturnValue(new Promise(() => undefined));
  const stopped = vi.spyOn(start.pool, 'stop');
  const settings = settingsOf({ source: raw('/'), signal: new AbortController().signal, emit: () => undefined });
  const asked = packSettings({ ...settings, uploadId: asUploadId('20260304-050607-01020304') }, MIB);
  const options = { settings: asked, shards: 4, outputBytes: MIB };

  start.begin({ entries: Uint32Array.of(0), rawBytes: 1, bytes: 1 }, new EntryTableBuilder().finish(), options);
  start.take('STANDARD');
  await start.close();

  expect(stopped).toHaveBeenCalledTimes(1);
});

test('of a source with a cache of DVC nothing is packed ahead from there on', async () => {
  const { source } = place;
  mkdirSync(join(source, '.dvc/cache/files/md5/ff'), { recursive: true });
  writeFileSync(join(source, '.dvc/cache/files/md5/ff', 'f'.repeat(30)), CONTENT);

  const { uploadId } = await upload();

  await expectWhole(place, uploadId);
  expect(begun).not.toHaveBeenCalled();
});
