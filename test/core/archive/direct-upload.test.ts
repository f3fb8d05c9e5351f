// Direct uploads in this process, on a store that can be slow and a source that does not hold still.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { DirectOptions } from '../../../src/core/archive/run/settings.js';
import { ChunkPacker } from '../../../src/core/archive/pack/pack-chunk.js';
import { STATUS } from '../../../src/core/format/columns/entry-table.js';
import type { SourceFs } from '../../../src/core/archive/scan/source-fs.js';
import { posixSourceFs } from '../../../src/core/archive/scan/source-fs-posix.js';
import { loadCodec } from '../../../src/core/platform/codec/codec.js';
import { openView } from '../../../src/core/dataset/chain/view.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { ownKey } from '../../../src/core/dataset/own-keys.js';
import { tempFolder } from '../../support/temp-folder.js';
import { NO_NAMES, scanFolder, systemError, tampered } from './pack-tree.js';
import { libcOrFail, MIB, noise } from './trees.js';
import { FOLDER, folderOf, uploadFolder } from './upload-folder.js';
import { raw } from '../../support/raw.js';
import { asUploadId } from '../../support/as-upload-id.js';

const DIRECT: DirectOptions = { thresholdBytes: undefined, requests: 8 };

async function places(count = 40): Promise<{ readonly source: string; readonly base: string }> {
  const folder = await tempFolder();
  const [source, base] = [join(folder, 'source'), join(folder, 'store')];
  mkdirSync(join(source, 'd'), { recursive: true });
  for (let i = 0; i < count; i++) writeFileSync(join(source, 'd', `f${i}`), `content ${i}`);
  return { source, base };
}

const filesIn = (base: string): string[] =>
  existsSync(join(folderOf(base), 'files', 'd')) ? readdirSync(join(folderOf(base), 'files', 'd')) : [];

test('no more objects are on their way than was said, over all chunks together, and none is left out', async () => {
  const { source, base } = await places(120);
  let [flying, most] = [0, 0];
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      if (!key.includes('/files/')) return await store.put(key, body, options);
      most = Math.max(most, ++flying);
      await sleep(3);
      flying--;
      return await store.put(key, body, options);
    },
  });

  await uploadFolder(source, base, { direct: DIRECT, wrap }).result;

  expect(most).toBe(8);
  expect(filesIn(base)).toHaveLength(120);
});

test('a chunk that lists files is sent after all of them, and the manifest after everything', async () => {
  const { source, base } = await places();

  const { calls, result } = uploadFolder(source, base, { direct: DIRECT });
  const { uploadId } = await result;

  const view = await openView(fileStore(base), { uploadId });
  const puts = calls.filter((call) => call.startsWith('put ')).map((call) => call.slice(`put ${FOLDER}/`.length));
  for (const { key, listedIn } of view.chunks) {
    if (listedIn === undefined) continue;
    const table = view.chunks.find(({ chunk, content }) => chunk === listedIn && content === undefined);
    expect(puts.indexOf(key)).toBeLessThan(puts.indexOf(table?.key ?? ''));
  }
  expect(puts.at(-2)).toBe('manifest.json.gz');
});

test('an upload above the threshold goes into chunks and says so once', async () => {
  const { source, base } = await places();
  writeFileSync(join(source, 'large'), noise(2 * MIB));
  const direct = { ...DIRECT, thresholdBytes: 2_000_000 };

  const { events, result } = uploadFolder(source, base, { direct });
  await result;

  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
  expect(notes).toEqual([
    expect.stringMatching(/^no direct upload: 3 MB are more than the 2 MB .*--force-direct-upload/),
  ]);
  expect(existsSync(join(folderOf(base), 'files'))).toBe(false);
});

test('a file that is larger than a chunk is cut as always, the others go directly', async () => {
  const { source, base } = await places(3);
  writeFileSync(join(source, 'large'), noise(5 * MIB));

  const { events, result } = uploadFolder(source, base, { direct: DIRECT, chunkBytes: 4 * MIB });
  await result;

  const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
  expect(notes).toEqual(['1 file of more than 4 MiB not uploaded directly, but in chunks']);
  expect(filesIn(base)).toHaveLength(3);
  expect(readdirSync(join(folderOf(base), 'files'))).toEqual(['d']);
});

test('a PUT that fails takes everything back, the files that were there already too', async () => {
  const { source, base } = await places();
  const wrap = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      if (key.endsWith('/f33')) throw new StoreError('access-denied', 'not this one', {});
      return await store.put(key, body, options);
    },
  });

  const { events, result } = uploadFolder(source, base, { direct: DIRECT, wrap });

  await expect(result).rejects.toThrow('not this one');
  expect(filesIn(base)).toEqual([]);
  expect(events).toContainEqual({ type: 'note', text: expect.stringContaining('already sent was removed (') });
});

test('a second version sends what changed into its own folder, directly, and refers to the rest', async () => {
  const { source, base } = await places(200);
  const first = await uploadFolder(source, base, { direct: DIRECT }).result;
  writeFileSync(join(source, 'd', 'f7'), 'other content');
  const randomBytes = (): Buffer => Buffer.from('0a0b0c0d', 'hex');

  const second = await uploadFolder(source, base, { direct: DIRECT, randomBytes, changes: { trackDeletes: true } })
    .result;

  const folder = join(base, 'uploads', second.uploadId);
  expect(readdirSync(join(folder, 'files', 'd'))).toEqual(['f7']);
  expect(readFileSync(join(folder, 'files', 'd', 'f7'), 'utf8')).toBe('other content');
  const view = await openView(fileStore(base), { uploadId: second.uploadId });
  expect(view.chunks.filter(({ key }) => key.startsWith(`../${first.uploadId}/files/`))).toHaveLength(200);
});

/** Packs the one chunk of a folder with all its files direct. */
function packOne(source: string, wrap: (fs: SourceFs) => SourceFs = (fs) => fs) {
  const { entries: table } = scanFolder(source);
  const rows = Array.from({ length: table.count }, (_, index) => index);
  const files = rows.filter((index) => table.columns.kind[index] === 0);
  const direct = files.map((index, at) => ({ index, chunk: 1 + at, key: `files/${table.path(index)}` }));
  const packer = new ChunkPacker({
    fs: wrap(posixSourceFs(libcOrFail())),
    table,
    codec: loadCodec(),
    names: NO_NAMES,
    settings: {
      uploadId: asUploadId('20260101-000000-00000000'),
      root: raw(source),
      frameBytes: 64 * 1024,
      level: 1,
      fileChecksums: true,
      chunkBytes: 4 * MIB,
    },
    progress: new Float64Array(3),
  });
  const task = { chunk: 0, shard: 0, storageClass: 'STANDARD', entries: Uint32Array.from(rows), rawBytes: 0, bytes: 0 };
  const packed = packer.finish(packer.pack({ ...task, direct }, Buffer.from(new SharedArrayBuffer(1024))));
  const content = (path: string): string | undefined => {
    const found = packed.objects.find(({ record }) => record.key === `files/${path}`);
    if (found === undefined) return undefined;
    return Buffer.from(packed.output.buffer, found.start, found.record.size).toString();
  };
  const status = (path: string): number | undefined =>
    table.columns.status[rows.find((row) => table.path(row) === path) ?? -1];
  return { packed, content, status };
}

test('a file that cannot be read leaves no object and no entry; the others are whole', async () => {
  const { source } = await places(5);

  const { packed, content, status } = packOne(source, (fs) =>
    tampered(fs, {
      xattrs: (fd) => {
        if (readFileSync(`/proc/self/fd/${fd}`, 'utf8') === 'content 2') throw systemError('EIO');
        return fs.xattrs(fd);
      },
    }),
  );

  expect([content('d/f1'), content('d/f2'), content('d/f3')]).toEqual(['content 1', undefined, 'content 3']);
  expect([status('d/f1'), status('d/f2')]).toEqual([STATUS.stored, STATUS.skipped]);
  expect(packed.skipped.map(({ path }) => path)).toEqual(['d/f2']);
  expect(packed.entries).toBe(5);
});

test('a file that is gone leaves nothing either', async () => {
  const { source } = await places(3);

  const { content, packed } = packOne(source, (fs) => {
    rmSync(join(source, 'd', 'f1'));
    return fs;
  });

  expect([content('d/f0'), content('d/f1'), content('d/f2')]).toEqual(['content 0', undefined, 'content 2']);
  expect(packed.skipped).toMatchObject([{ path: 'd/f1' }]);
});

test('a file that changes once while it is read is read again; one that never holds still is marked', async () => {
  const { source } = await places(2);
  let [once, ever] = [0, 0];

  const { packed, content, status } = packOne(source, (fs) =>
    tampered(fs, {
      fstat: (fd, stat) => {
        const text = readFileSync(`/proc/self/fd/${fd}`, 'utf8');
        if (text.includes('0') && once++ === 0) writeFileSync(join(source, 'd', 'f0'), 'content 0, longer');
        if (text.includes('1')) writeFileSync(join(source, 'd', 'f1'), `content 1${'x'.repeat(++ever)}`);
        fs.fstat(fd, stat);
      },
    }),
  );

  expect([content('d/f0'), status('d/f0')]).toEqual(['content 0, longer', STATUS.stored]);
  expect([content('d/f1')?.startsWith('content 1'), status('d/f1')]).toEqual([true, STATUS.changed]);
  expect(packed.skipped).toEqual([{ path: 'd/f1', reason: 'changed while it was being read', special: false }]);
});

test('direct files are keys of archiver, whatever they are called', () => {
  const upload = 'uploads/20260304-050607-01020304';

  expect(ownKey(`${upload}/files/manifest.json.gz`)).toEqual({ kind: 'rest', area: '', upload });
  expect(ownKey(`writers/w1/${upload}/files/a/uploads/b`)?.kind).toBe('rest');
});
