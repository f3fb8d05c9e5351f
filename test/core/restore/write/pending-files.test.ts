import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cancelledError } from '../../../../src/core/platform/failures/errors.js';
import { LANE_LIMIT_BYTES } from '../../../../src/core/platform/md5/md5-lanes.js';
import { ChunkUnpacker } from '../../../../src/core/restore/unpack/chunk-unpacker.js';
import { FileSink } from '../../../../src/core/restore/write/file-sink.js';
import { openOutputFolder } from '../../../../src/core/restore/output-tree/output-folder.js';
import { MAX_PENDING_FILE_BYTES, PendingFiles } from '../../../../src/core/restore/write/pending-files.js';
import { openTable, STATE, TableBuilder } from '../../../../src/core/restore/plan/selected-table.js';
import { makeArchive, md5, type FileSpec } from '../../../support/make-archive.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { restoreMade } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { raw } from '../../../support/raw.js';

const SIZE = LANE_LIMIT_BYTES + 100_000;
const content = (index: number, size = SIZE + index * 1000): Buffer => Buffer.alloc(size, `content ${index} `);
const names = (folder: string): string[] => readdirSync(folder, { recursive: true }).map(String).sort();
const WRONG = 'its content does not match its MD5 in the manifest';

describe('files between the limits', () => {
  test('wait unless they are small enough for a frame or too long for the page cache', () => {
    const pending = new PendingFiles();

    const sizes = [LANE_LIMIT_BYTES, LANE_LIMIT_BYTES + 1, MAX_PENDING_FILE_BYTES, MAX_PENDING_FILE_BYTES + 1];
    expect(sizes.map((size) => pending.takes(size))).toEqual([false, true, true, false]);
    expect(new PendingFiles(() => undefined).takes(SIZE)).toBe(false);
  });

  test('are hashed as soon as every lane has one, or too many bytes wait', () => {
    const allowed: (readonly [number, number])[] = [];
    const pending = new PendingFiles(() => ({
      count: 0,
      backlogBytes: 0,
      add: () => undefined,
      advance: (count, bytes) => allowed.push([count, bytes]),
      clear: () => undefined,
    }));

    pending.add({ sizeBytes: SIZE, read: () => 0, done: () => undefined });
    pending.finish();

    expect(allowed).toEqual([
      [7, 256 * 1024 * 1024],
      [0, 0],
    ]);
  });

  test('come back, many or few, cut, sparse or read-only, and only the wrong ones fail', async () => {
    const files: FileSpec[] = [
      ...Array.from({ length: 21 }, (_, index) => ({
        path: `f${String(index).padStart(2, '0')}`,
        content: content(index),
        chunk: index % 3,
        mode: '0400',
      })),
      { path: 'x-cut', content: content(30), pieces: 300_000 },
      { path: 'y-backwards', content: content(31), pieces: 300_000, isBackwards: true },
      { path: 'z-sparse', content: content(32, 5000), size: 3_000_000, holes: [[2000, 2_995_000]] },
    ];
    const archive = makeArchive({
      files,
      bend: (manifest) => {
        for (const file of manifest.files)
          if (['f03', 'f20', 'x-cut'].includes(String(file['path']))) file['md5'] = md5('other');
      },
    });

    const { out, failed, warnings } = await restoreMade(archive);

    expect(failed.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(
      ['f03', 'f20', 'x-cut'].map((path) => ({ path, reason: WRONG })),
    );
    expect(warnings).toEqual([]);
    const expected = files.filter(({ path }) => !['f03', 'f20', 'x-cut'].includes(path));
    expect(names(out)).toEqual(expected.map(({ path }) => path));
    for (const { path } of expected)
      expect(md5(readFileSync(join(out, path)))).toBe(
        archive.manifest.files.find((file) => file['path'] === path)?.['md5'],
      );
    expect(statSync(join(out, 'f00'), { bigint: true })).toMatchObject({ mtimeNs: 1763112612123456789n });
    expect(statSync(join(out, 'f00')).mode & 0o777).toBe(0o400);
  });

  test('that were complete at an interruption are in place after it, and no others', async () => {
    const files = Array.from({ length: 12 }, (_, index) => ({
      path: `f${index}`,
      content: content(index),
      chunk: index,
    }));
    const archive = makeArchive({ files });
    const controller = new AbortController();
    let gets = 0;
    const reader = memoryReader(archive.objects, {
      get: async (_key, _options, normal) => {
        if (++gets === 10) setTimeout(() => controller.abort(cancelledError()), 300);
        if (gets >= 10) await new Promise((resolve) => setTimeout(resolve, 600));
        return normal();
      },
    });
    const out = await tempFolder();

    const restore = restoreMade(archive, { reader, outputDir: out, signal: controller.signal });

    await expect(restore).rejects.toMatchObject({ code: 'cancelled' });
    const left = names(out);
    expect(left.length).toBeGreaterThan(0);
    await expect(restore).rejects.toThrow(`stopped: ${left.length} of 12 entries`);
    for (const name of left) expect(md5(readFileSync(join(out, name)))).toBe(md5(content(Number(name.slice(1)))));
  });
});

/** A table of files with the same content, and a sink that writes them. */
async function openSink() {
  const builder = new TableBuilder();
  const time = { seconds: 0, nanos: 0 };
  const common = { type: 'file' as const, mode: 0o644, uid: 0, gid: 0, mtime: time, ctime: time, inode: raw('') };
  for (const path of ['a', 'b'])
    builder.add({ ...common, path: raw(path), size: SIZE, chunk: 0, offset: 0, md5: md5(content(0, SIZE)) });
  const out = await tempFolder();
  const output = openOutputFolder({ path: out, flatten: false, keepSpecialBits: false });
  onTestFinished(() => output.close());
  const table = openTable(builder.data());
  return { out, output, table, sink: new FileSink(table, output.tree, output.settings, true) };
}

test('a file is not in place before its MD5 was compared, and gone when it never is', async () => {
  const { out, sink } = await openSink();

  expect(sink.whole(0, content(0, SIZE), undefined, false)).toBe(false);
  expect(names(out)).toEqual([expect.stringContaining('.archiver-')]);
  sink.settleAll();
  expect(sink.takeSettled()).toEqual([{ index: 0, error: undefined }]);
  expect(names(out)).toEqual(['a']);
  expect(sink.whole(1, content(0, SIZE), undefined, false)).toBe(false);
  sink.dispose();

  expect([names(out), sink.takeSettled()]).toEqual([['a'], []]);
});

test('a file that cannot be read back fails for that reason and leaves nothing', async () => {
  const { out, output, sink } = await openSink();
  const broken = Object.assign(new Error('EIO'), { code: 'EIO' });
  output.tree.read = () => {
    throw broken;
  };

  sink.whole(0, content(0, SIZE), undefined, false);
  sink.settleAll();

  expect(sink.takeSettled()).toEqual([{ index: 0, error: broken }]);
  expect(names(out)).toEqual([]);
});

test('a file that is complete is not begun again, and counts when it was compared', async () => {
  const { table, sink } = await openSink();
  // A manifest that names the same content twice.
  const extents = {
    entry: Uint32Array.of(0, 0),
    offset: Float64Array.of(0, 100),
    size: Float64Array.of(SIZE, SIZE),
    position: new Float64Array(2),
  };
  const unpacker = new ChunkUnpacker(table, extents, sink, undefined);

  unpacker.beginChunk(0, 2, new Map());
  unpacker.consume(0, Buffer.concat([content(0, SIZE), Buffer.alloc(100)]), false);
  expect([table.columns.state[0], unpacker.counters.files, unpacker.counters.bytes]).toEqual([STATE.written, 0, SIZE]);
  unpacker.settle();

  expect([table.columns.state[0], unpacker.counters.files]).toEqual([STATE.done, 1]);
  expect(unpacker.takeFailures()).toEqual([]);
});
