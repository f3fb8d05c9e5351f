// Uploads that store equal files once: through the service and back.
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { Json } from '../../../support/make-archive.js';
import { restoreFrom } from '../../../support/restore-made.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { verifyMade } from '../../../support/verify-made.js';
import { repair } from '../../mend/repair/repair-cases.js';
import { MIB, noise } from '../trees.js';
import { uploadFolder, type UploadRunOptions } from '../upload-folder.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const FIRST = asUploadId('20260304-050607-01020304');
const PHOTO = noise(300_000);
const FILM = noise(9 * MIB);

let source = '';
let base = '';
beforeEach(async () => {
  const folder = await tempFolder();
  source = join(folder, 'source');
  base = join(folder, 'store');
  for (const sub of ['', 'a', 'b', 'b/c', 'films']) mkdirSync(join(source, sub));
  for (const name of ['a/photo', 'b/c/copy of photo', 'b/photo again', 'z']) write(name, PHOTO);
  write('b/same size', noise(PHOTO.length));
  write('films/1', FILM);
  write('films/2', FILM);
  write('films/begins alike', Buffer.concat([FILM.subarray(0, 8 * MIB), noise(MIB)]));
  write('films/ends alike', Buffer.concat([noise(MIB), FILM.subarray(MIB)]));
  for (const name of ['empty 1', 'empty 2']) write(name, Buffer.alloc(0));
  linkSync(join(source, 'z'), join(source, 'z linked'));
  write('alone', noise(100));
});

function write(name: string, content: Buffer): void {
  writeFileSync(join(source, name), content);
}

const run = (options: UploadRunOptions = {}) => uploadFolder(source, base, { dedup: true, ...options });

const manifestOf = (uploadId: string): Json & { files: Json[]; chunks: Json[] } =>
  JSON.parse(gunzipSync(readFileSync(join(base, 'uploads', uploadId, 'manifest.json.gz'))).toString()) as Json & {
    files: Json[];
    chunks: Json[];
  };
const entryOf = (uploadId: string, path: string): Json | undefined =>
  manifestOf(uploadId).files.find((file) => file['path'] === path);
const placeOf = (uploadId: string, path: string): unknown => {
  const { chunk, offset, segments, md5 } = entryOf(uploadId, path) ?? {};
  return { chunk, offset, segments, md5 };
};

const verified = (uploadId = FIRST, mode: 'quick' | 'default' | 'deep' = 'deep') =>
  verifyMade(fileStore(base), uploadId, { mode });

/** Where everything was restored to. */
async function restored(uploadId = FIRST, files?: readonly string[]): Promise<string> {
  const selectors = files === undefined ? { all: true as const } : { files };
  const { failed, out } = await restoreFrom(fileStore(base), uploadId, { selectors });
  expect(failed).toEqual([]);
  return out;
}

/** Content of every file below a folder. */
function contents(folder: string): Map<string, Buffer> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.toSorted().map((path) => [path.slice(folder.length), readFileSync(path)]));
}

const differences = (a: Map<string, Buffer>, b: Map<string, Buffer>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter(
    (path) => b.get(path) === undefined || a.get(path)?.equals(b.get(path) ?? Buffer.alloc(0)) !== true,
  );

describe('an upload', () => {
  test('stores equal files once, and everything comes back as files of their own', async () => {
    const { result, calls } = run();
    const { storedBytes, deduplicated, partial, files, bytes } = await result;

    expect([partial, files]).toEqual([false, 13]);
    // Of `photo` two more names, of the film one; `z` is a hard link and stored once with the other name of its own.
    expect(deduplicated).toEqual({ files: 3, bytes: 2 * PHOTO.length + FILM.length });
    expect(storedBytes).toBeLessThan(3 * FILM.length + 3 * PHOTO.length + 200_000);
    expect(bytes).toBeGreaterThan(storedBytes + FILM.length);
    expect(manifestOf(FIRST)).toMatchObject({ dedup: deduplicated, settings: { dedup: true } });
    expect(placeOf(FIRST, 'b/c/copy of photo')).toEqual(placeOf(FIRST, 'a/photo'));
    expect(placeOf(FIRST, 'films/2')).toEqual(placeOf(FIRST, 'films/1'));
    expect(entryOf(FIRST, 'films/2')?.['segments']).toHaveLength(2);
    expect(placeOf(FIRST, 'b/same size')).not.toEqual(placeOf(FIRST, 'a/photo'));
    expect(placeOf(FIRST, 'films/begins alike')).not.toEqual(placeOf(FIRST, 'films/1'));
    for (const mode of ['quick', 'default', 'deep'] as const)
      expect(await verified(FIRST, mode)).toMatchObject({ ok: true, errors: [], warnings: [] });
    const out = await restored();
    expect(differences(contents(source), contents(out))).toEqual([]);
    expect(statSync(join(out, 'b/photo again')).nlink).toBe(1);
    expect(statSync(join(out, 'films/2')).mtimeMs).toBe(statSync(join(source, 'films/2')).mtimeMs);
    expect(calls.filter((call) => call.startsWith('put') && call.includes('/chunk-'))).toHaveLength(
      manifestOf(FIRST).chunks.length,
    );
  });

  test('one of them alone comes back alone', async () => {
    await run().result;

    const out = await restored(FIRST, ['films/2', 'b/photo again']);

    expect([...contents(out).keys()]).toEqual(['/b/photo again', '/films/2']);
    expect(readFileSync(join(out, 'films/2')).equals(FILM)).toBe(true);
  });

  test('without the flag nothing is compared, and nothing is said of it', async () => {
    const { deduplicated } = await run({ dedup: false }).result;

    expect(deduplicated).toBeUndefined();
    expect(manifestOf(FIRST)['dedup']).toBeUndefined();
    expect((manifestOf(FIRST)['settings'] as Json)['dedup']).toBeUndefined();
    expect(placeOf(FIRST, 'films/2')).not.toEqual(placeOf(FIRST, 'films/1'));
  });

  test('progress counts every file once, and the bytes that are read to be stored', async () => {
    const { result, events } = run();
    await result;

    const plan = events.find((event) => event.type === 'plan');
    const progress = events.findLast((event) => event.type === 'progress');
    const bytes = 4 * FILM.length - FILM.length + 2 * PHOTO.length + PHOTO.length + 100;
    expect(plan).toMatchObject({ items: 13, bytes });
    expect(progress).toMatchObject({ items: 13, bytes });
  });

  test('works without file checksums and with several threads', async () => {
    const { deduplicated } = await run({ fileChecksums: false, workers: 3 }).result;

    expect(deduplicated?.files).toBe(3);
    expect((await verified()).errors).toEqual([]);
    expect(differences(contents(source), contents(await restored()))).toEqual([]);
  });

  test('a dry run plans without what need not be stored, and writes nothing', async () => {
    const { events, result, calls } = run({ dryRun: true });
    expect((await result).deduplicated).toEqual({ files: 3, bytes: 2 * PHOTO.length + FILM.length });

    const plan = events.find((event) => event.type === 'plan');
    expect(plan).toMatchObject({ bytes: 3 * FILM.length + 3 * PHOTO.length + 100 });
    expect(calls.filter((call) => call.startsWith('put'))).toEqual([]);
  });

  test('the manifest can be rebuilt from the chunks', async () => {
    await run().result;
    const before = manifestOf(FIRST);
    unlinkSync(join(base, 'uploads', FIRST, 'manifest.json.gz'));

    const { status, lost } = await repair(base, FIRST);

    expect([status, lost]).toEqual(['repaired', []]);
    expect(manifestOf(FIRST).files.length).toBe(before.files.length);
    expect(await verified()).toMatchObject({ ok: true, errors: [] });
    expect(differences(contents(source), contents(await restored()))).toEqual([]);
  });
});

describe('files that change between hashing and packing', () => {
  test.each([
    ['the first of them', 'a/photo'],
    ['another', 'b/photo again'],
    ['the first of a cut file', 'films/1'],
  ])('%s: each entry has the bytes that its own file had', async (_name, path) => {
    let isDone = false;
    const { result, events } = run({
      onEvent: (event) => {
        if (event.type !== 'plan' || isDone) return;
        isDone = true;
        appendFileSync(join(source, path), 'more');
      },
    });

    const { version } = await result;

    expect(version).toBe(1);
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
    expect(notes.some((text) => text.includes('because of changes since the comparison: '))).toBe(true);
    expect(await verified()).toMatchObject({ ok: true, errors: [] });
    // A cut file that grew is stored as long as it was planned, and marked.
    const out = contents(await restored());
    const isMarked = entryOf(FIRST, path)?.['changed'] === true;
    expect(differences(contents(source), out)).toEqual(isMarked ? [`/${path}`] : []);
  });

  test('one that vanished is named and left out; its twins are stored', async () => {
    let isDone = false;
    const { result } = run({
      onEvent: (event) => {
        if (event.type !== 'plan' || isDone) return;
        isDone = true;
        rmSync(join(source, 'a/photo'));
      },
    });

    const { skipped, partial } = await result;

    expect([skipped.map(({ path }) => path), partial]).toEqual([['a/photo'], true]);
    expect(await verified()).toMatchObject({ ok: true, errors: [] });
    expect(differences(contents(source), contents(await restored()))).toEqual([]);
  });
});

describe('later versions', () => {
  const ids = (): (() => Buffer) => {
    let next = 0x0a000000;
    return () => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(next++);
      return bytes;
    };
  };

  test('nothing changed: no version is written', async () => {
    await run().result;

    const { changes } = await run({ changes: { trackDeletes: true }, randomBytes: ids() }).result;

    expect(changes).toMatchObject({ noChanges: true, unchanged: 13 });
  });

  test('one of the equal files is deleted, whichever: the others are whole', async () => {
    await run().result;
    for (const name of ['a/photo', 'films/1']) rmSync(join(source, name));

    const { uploadId, changes } = await run({ changes: { trackDeletes: true }, randomBytes: ids() }).result;

    expect(changes).toMatchObject({ deleted: 2, added: 0, modified: 0 });
    expect(await verified(uploadId)).toMatchObject({ ok: true, errors: [] });
    expect(differences(contents(source), contents(await restored(uploadId)))).toEqual([]);
  });

  test('what is new is compared with what is new', async () => {
    await run().result;
    const fresh = noise(50_000);
    for (const name of ['new 1', 'new 2', 'b/new 3']) write(name, fresh);
    utimesSync(join(source, 'b/same size'), 1, 2);

    const { uploadId, deduplicated } = await run({ changes: { trackDeletes: true }, randomBytes: ids() }).result;

    expect(deduplicated).toEqual({ files: 2, bytes: 100_000 });
    expect(placeOf(uploadId, 'new 2')).toEqual(placeOf(uploadId, 'b/new 3'));
    expect(await verified(uploadId)).toMatchObject({ ok: true, errors: [] });
    expect(differences(contents(source), contents(await restored(uploadId)))).toEqual([]);
  });
});
