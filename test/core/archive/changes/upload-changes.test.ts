// An upload of changes, end to end in this process: what it sends, what it writes, and what happens when others write too.
import { createHash } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import type { ManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { readVersion } from '../../../../src/core/dataset/records/versions.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { OpenedBytes } from '../../../../src/core/format/encryption/unseal-bytes.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { filesBelow } from '../../../e2e/upload-cli.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { makeEverything, noise, setTime } from '../trees.js';
import { uploadFolder, type UploadRun, type UploadRunOptions, withAccess } from '../upload-folder.js';
import { recordBytes } from '../../../support/make-dataset.js';
import type { Json } from '../../../support/make-archive.js';

let nextId = 0;

/** One sync; every upload gets an id of its own. */
function sync(source: string, base: string, options: UploadRunOptions = {}): UploadRun {
  const randomBytes = (): Buffer => Buffer.from([1, 0, ++nextId >> 8, nextId & 0xff]);
  return uploadFolder(source, base, { randomBytes, changes: { trackDeletes: true }, ...options });
}

async function folders(): Promise<{ source: string; base: string }> {
  const home = await tempFolder();
  const source = join(home, 'source');
  mkdirSync(join(source, 'sub'), { recursive: true });
  for (let i = 0; i < 40; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  for (let i = 0; i < 10; i++) writeFileSync(join(source, 'sub', `file-${i}`), noise(2000));
  return { source, base: join(home, 'store') };
}

async function entriesOf(base: string, { uploadId }: UploadResult): Promise<Entry[]> {
  const view = await openView(fileStore(base), { uploadId });
  const entries: Entry[] = [];
  for await (const batch of view.entries()) entries.push(...batch);
  return entries;
}

const pathsOf = async (base: string, result: UploadResult): Promise<string[]> =>
  (await entriesOf(base, result)).map(({ path }) => path);

const headOf = async (base: string, { uploadId }: UploadResult) => (await openView(fileStore(base), { uploadId })).head;

describe('an upload of changes', () => {
  test('finds nothing to do in everything a file system can hold', async () => {
    const home = await tempFolder();
    const source = join(home, 'source');
    mkdirSync(source);
    makeEverything(source);
    const base = join(home, 'store');
    const first = await sync(source, base).result;

    const second = sync(source, base);
    const result = await second.result;

    expect(result.changes).toEqual({
      added: 0,
      modified: 0,
      deleted: 0,
      unchanged: first.files,
      gone: 0,
      noChanges: true,
      comparedWith: 'store',
      referred: { files: 0, bytes: 0 },
    });
    expect(result).toMatchObject({ version: 1, uploadId: first.uploadId, storedBytes: 0, chunks: 0 });
    expect(second.calls.filter((call) => !call.startsWith('get') && !call.startsWith('list'))).toEqual([]);
  });

  test('sends what is new and changed, and nothing else', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    writeFileSync(join(source, 'new'), noise(5000));
    writeFileSync(join(source, 'file-1'), 'longer content than before');
    rmSync(join(source, 'file-2'));

    const result = await sync(source, base).result;

    const counts = { added: 1, modified: 1, deleted: 1, unchanged: 48, gone: 0 };
    const referred = { files: 0, bytes: 0 };
    expect(result.changes).toEqual({ ...counts, noChanges: false, comparedWith: 'store', referred });
    expect(result).toMatchObject({ version: 2, files: 50, chunks: 1 });
    expect(await headOf(base, result)).toMatchObject({ listing: 'delta', chain: { deltas: 1, entries: 3 } });
    expect(await pathsOf(base, result)).not.toContain('file-2');
  });

  test('keeps what is gone without --track-deletes', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    rmSync(join(source, 'file-2'));
    writeFileSync(join(source, 'file-3'), 'changed it is');

    const result = await sync(source, base, { changes: { trackDeletes: false } }).result;

    expect(result.changes).toMatchObject({ deleted: 0, modified: 1 });
    expect(await pathsOf(base, result)).toContain('file-2');
  });

  test('sends no content for a change of mode, owner or name alone', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    chmodSync(join(source, 'file-7'), 0o600);

    const run = sync(source, base);
    const result = await run.result;

    expect(result).toMatchObject({ chunks: 0, storedBytes: 0, version: 2, changes: { modified: 1 } });
    expect(run.calls.some((call) => call.includes('/chunk-'))).toBe(false);
  });

  test('refers a new name of an unchanged file to its old content', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    linkSync(join(source, 'sub/file-1'), join(source, 'zz-linked'));

    const run = sync(source, base);
    const result = await run.result;

    const entries = await entriesOf(base, result);
    const [first, second] = ['sub/file-1', 'zz-linked'].map((path) => entries.find((entry) => entry.path === path));
    expect(second).toMatchObject({ type: 'hardlink', chunk: first?.chunk, offset: first?.offset, md5: first?.md5 });
    expect(second?.linkGroup).toBe(first?.linkGroup);
    expect(first?.linkGroup).toBeDefined();
  });

  test('writes a full listing when the deltas have become large', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    for (let i = 0; i < 20; i++) writeFileSync(join(source, `file-${i}`), `another content ${i}`);

    const result = await sync(source, base).result;

    expect((await headOf(base, result)).listing).toBe('full');
    expect((await pathsOf(base, result)).length).toBe(51);
  });

  test('writes a full listing after eight deltas', async () => {
    const { source, base } = await folders();
    const results = [await sync(source, base).result];
    for (let i = 0; i < 9; i++) {
      writeFileSync(join(source, 'file-0'), `edit ${i}`);
      setTime(join(source, 'file-0'), 1_700_000_000 + i, 0);
      results.push(await sync(source, base).result);
    }

    const listings = await Promise.all(results.map(async (result) => (await headOf(base, result)).listing));
    expect(listings).toEqual(['full', ...Array.from({ length: 8 }, () => 'delta'), 'full']);
    expect((await headOf(base, results.at(-1)!)).chunks.some(({ key }) => key.startsWith('../'))).toBe(true);
  });

  test('a file that vanishes before it is packed is no version when nothing else changed', async () => {
    const { source, base } = await folders();
    setTime(source, 1_700_000_000, 0);
    await sync(source, base).result;
    writeFileSync(join(source, 'short-lived'), 'x');
    setTime(source, 1_700_000_000, 0);

    const run = sync(source, base, {
      onEvent: (event) => {
        if (event.type === 'plan') rmSync(join(source, 'short-lived'));
      },
    });
    const result = await run.result;

    expect(run.calls.filter((call) => call.startsWith('put'))).toEqual([]);

    expect(result).toMatchObject({ partial: true, version: 1, changes: { noChanges: true, added: 0 } });
    expect(result.changes?.unchanged).toBe(result.files);
    expect(filesBelow(join(base, 'uploads')).filter((path) => path.endsWith('manifest.json.gz'))).toHaveLength(1);
  });

  test('a dry run counts and writes nothing', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    writeFileSync(join(source, 'new'), 'x');
    const before = filesBelow(base);

    const result = await sync(source, base, { dryRun: true }).result;

    expect(result).toMatchObject({ version: null, changes: { added: 1, noChanges: false } });
    expect(filesBelow(base)).toEqual(before);
  });
});

/** A store in which `rival` runs just before the record of a version is put. */
const withRival =
  (version: number, rival: () => Promise<unknown>) =>
  (store: ObjectStore): ObjectStore => {
    let hasRun = false;
    return {
      ...store,
      put: async (key, body, options) => {
        if (key.endsWith(`/v${String(version).padStart(8, '0')}.json`) && !hasRun) {
          hasRun = true;
          await rival();
        }
        return await store.put(key, body, options);
      },
    };
  };

describe('two at once', () => {
  test('the beaten one goes on with the chunks that it has sent', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    const other = join(base, '..', 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'theirs'), 'of the rival');
    writeFileSync(join(source, 'ours'), noise(3000));
    const { datasetId } = await readVersion(fileStore(base), {
      datasetId: readdirSync(join(base, 'datasets'))[0]!,
      version: 1,
    });
    const rival = () => sync(other, base, { datasetId, changes: { trackDeletes: false } }).result;

    const run = sync(source, base, { wrap: withRival(2, rival), changes: { trackDeletes: false } });
    const result = await run.result;

    expect(result).toMatchObject({ version: 3, chunks: 1 });
    expect(run.calls.filter((call) => call.startsWith('put') && call.includes('/chunk-'))).toHaveLength(1);
    expect(await pathsOf(base, result)).toEqual(expect.arrayContaining(['ours', 'theirs', 'file-1']));
    const own = (await headOf(base, result)).chunks.map(({ key }) => key);
    expect(own).toEqual([expect.stringMatching(/^\.\.\/[^/]+\/shard-\d\d\/chunk-000000\.tar\.zst$/)]);
  });

  test('the beaten one writes nothing when the rival committed the same', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    writeFileSync(join(source, 'ours'), noise(3000));

    const result = await sync(source, base, { wrap: withRival(2, () => sync(source, base).result) }).result;

    expect(result).toMatchObject({ version: 2, changes: { noChanges: true } });
    // What the beaten one had sent was tried as a manifest: only a prune takes it.
    const uploads = readdirSync(join(base, 'uploads'));
    expect(uploads.filter((id) => filesBelow(join(base, 'uploads', id)).length > 0)).toHaveLength(3);
  });
});

describe('a writer that may not read', () => {
  const access = (store: ObjectStore): ObjectStore => withAccess(store, 'may neither read nor list', () => '');

  test('writes full versions of its own, with a cache and without, and none when nothing changed', async () => {
    const { source, base } = await folders();
    const manifests = new Map<string, OpenedBytes>();
    const heads = new Map<string, { version: number; uploadId: UploadId; manifestSha256: string }>();
    const remembered: UploadRunOptions = {
      writerId: 'nas',
      wrap: access,
      cache: {
        get: (sha256) => Promise.resolve(manifests.get(sha256)),
        put: (sha256, manifest) => Promise.resolve(void manifests.set(sha256, manifest)),
      },
      heads: {
        get: (url, id) => Promise.resolve(heads.get(url + id)),
        put: (url, id, head) => Promise.resolve(void heads.set(url + id, head)),
      },
    };
    await sync(source, base, remembered).result;
    const unchanged = await sync(source, base, remembered).result;
    writeFileSync(join(source, 'new'), 'x');
    const second = await sync(source, base, remembered).result;
    heads.clear();
    writeFileSync(join(source, 'newer'), 'x');
    const forgotten = await sync(source, base, remembered).result;

    expect(unchanged.changes?.noChanges).toBe(true);
    const { listing, chunks } = await headOf(base, second);
    expect([listing, chunks.filter(({ key }) => key.startsWith('../'))]).toEqual(['full', []]);
    expect(second.version).toBe(2);
    expect(await headOf(base, forgotten)).toMatchObject({ listing: 'full' });
    expect(forgotten.version).toBe(3);
  });

  test('with a head that is out of date finds the next free ordinal', async () => {
    const { source, base } = await folders();
    let head: { version: number; uploadId: UploadId; manifestSha256: string } | undefined;
    const manifests = new Map<string, OpenedBytes>();
    const cache = {
      get: (sha256: string) => Promise.resolve(manifests.get(sha256)),
      put: (sha256: string, manifest: OpenedBytes) => Promise.resolve(void manifests.set(sha256, manifest)),
    };
    const put = (_url: string, _id: string, next: NonNullable<typeof head>) => Promise.resolve(void (head = next));
    const heads = { get: () => Promise.resolve(head), put };
    const options: UploadRunOptions = { writerId: 'nas', wrap: access, cache, heads };
    await sync(source, base, options).result;
    const old = head;
    writeFileSync(join(source, 'new'), 'x');
    await sync(source, base, options).result;
    head = old;
    writeFileSync(join(source, 'newer'), 'x');

    const result = await sync(source, base, options).result;

    expect(result.version).toBe(3);
    expect(await headOf(base, result)).toMatchObject({ listing: 'full' });
    expect(await pathsOf(base, result)).toEqual(expect.arrayContaining(['new', 'newer']));
  });
});

describe('a baseline that cannot be believed', () => {
  test('stops the sync and names the way out', async () => {
    const { source, base } = await folders();
    const first = await sync(source, base).result;
    renameSync(join(base, first.manifestKey), join(base, `${first.manifestKey}.lost`));
    writeFileSync(join(source, 'new'), 'x');

    await expect(sync(source, base).result).rejects.toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('--force') as string,
    });
  });
});

describe('manifests that this computer remembers', () => {
  test('are not believed when the chunks that they name have moved', async () => {
    const { source, base } = await folders();
    const manifests = new Map<string, OpenedBytes>();
    const cache: ManifestCache = {
      get: (sha256) => Promise.resolve(manifests.get(sha256)),
      put: (sha256, manifest) => Promise.resolve(void manifests.set(sha256, manifest)),
    };
    const first = await sync(source, base, { cache }).result;
    const moved = await moveChunks(base, first);
    chmodSync(join(source, 'file-7'), 0o600);

    const result = await sync(source, base, { cache }).result;

    expect(result).toMatchObject({ version: 2, chunks: 0, changes: { modified: 1 } });
    const keys = (await headOf(base, result)).chunks.map(({ key }) => key.split('/').slice(2).join('/'));
    expect(moved).toEqual(expect.arrayContaining(keys));
  });

  test('that fit the store are all that it has: what lay in a missing chunk is sent again', async () => {
    const { source, base } = await folders();
    const first = await sync(source, base).result;
    for (const path of filesBelow(join(base, 'uploads', first.uploadId)))
      if (path.includes('chunk-')) rmSync(join(base, 'uploads', first.uploadId, path));
    chmodSync(join(source, 'file-7'), 0o600);

    const second = await sync(source, base).result;

    const entry = (await entriesOf(base, second)).find(({ path }) => path === 'file-7');
    const { chunks } = await openView(fileStore(base), { uploadId: second.uploadId });
    expect(chunks[entry?.chunk ?? -1]?.key.startsWith('../')).toBe(false);
  });

  test('that fit the store are all that it has: what only the earlier version has ends a full listing', async () => {
    const { source, base } = await folders();
    const first = await sync(source, base).result;
    for (const path of filesBelow(join(base, 'uploads', first.uploadId)))
      if (path.includes('chunk-')) rmSync(join(base, 'uploads', first.uploadId, path));
    rmSync(join(source, 'file-7'));

    const changes = { trackDeletes: false, isForced: true };
    await expect(sync(source, base, { changes }).result).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(/where file-7 lies, which no longer exists/) as string,
    });
    expect(readdirSync(join(base, 'datasets', first.datasetId))).toHaveLength(1);
  });
});

/** What balance does: every chunk under another name, and a manifest that stands in for the old one. */
async function moveChunks(base: string, { uploadId, datasetId }: UploadResult): Promise<string[]> {
  const folder = join(base, 'uploads', uploadId);
  const path = join(folder, 'manifest.json.gz');
  const old = readFileSync(path);
  const sha256 = createHash('sha256').update(old).digest('hex');
  const text = gunzipSync(old)
    .toString()
    .replaceAll('/chunk-', '/chunk-9')
    .replace('"listing":"full"', `"listing":"full","replaces":["${sha256}"]`);
  const moved: string[] = [];
  for (const name of filesBelow(folder).filter((file) => file.includes('chunk-'))) {
    const to = name.replace('/chunk-', '/chunk-9');
    renameSync(join(folder, name), join(folder, to));
    moved.push(to);
  }
  const next = gzipSync(text);
  writeFileSync(path, next);
  const record = join(base, 'datasets', datasetId, 'v00000001.json');
  const { digest: _old, ...document } = JSON.parse(readFileSync(record, 'utf8')) as Json;
  const manifestSha256 = createHash('sha256').update(next).digest('hex');
  writeFileSync(record, recordBytes({ ...document, manifestSha256 }));
  return moved;
}

describe('a folder that has lost most of what it held', () => {
  const allowed: UploadRunOptions = { changes: { trackDeletes: true }, allowMassDelete: true };

  const lose = (source: string, keep: number): void => {
    for (let i = keep; i < 40; i++) rmSync(join(source, `file-${i}`));
    rmSync(join(source, 'sub'), { recursive: true });
  };

  test.each([
    ['most of it', 10, '40 of 50 paths'],
    ['all of it', 0, '50 of 50 paths'],
  ])('is not believed when %s is gone, unless that is allowed', async (_what, keep, words) => {
    const { source, base } = await folders();
    await sync(source, base).result;
    lose(source, keep);
    const before = filesBelow(base);

    const refused = sync(source, base).result;
    await expect(refused).rejects.toMatchObject({
      code: 'mass-delete',
      exitCode: 4,
      message: expect.stringContaining(words),
      hint: expect.stringContaining('--allow-mass-delete'),
    });
    expect(filesBelow(base)).toEqual(before);

    const { changes, version } = await sync(source, base, allowed).result;
    expect([version, changes?.deleted]).toEqual([2, 50 - keep]);
  });

  test('is believed when half of it is left, and when as much has come', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    lose(source, 25);

    expect((await sync(source, base).result).changes).toMatchObject({ deleted: 25, unchanged: 25 });

    renameSync(source, `${source}-renamed`);
    mkdirSync(source);
    renameSync(`${source}-renamed`, join(source, 'renamed'));
    expect((await sync(source, base).result).changes).toMatchObject({ deleted: 25, added: 25 });
  });

  test('is told as refused by a dry run, and as kept where deletions are not recorded', async () => {
    const { source, base } = await folders();
    await sync(source, base).result;
    lose(source, 0);

    const dry = sync(source, base, { dryRun: true });
    expect((await dry.result).changes).toMatchObject({ deleted: 50 });
    expect(dry.events).toContainEqual({ type: 'note', text: expect.stringContaining('this will be refused') });

    const kept = sync(source, base, { changes: { trackDeletes: false } });
    expect((await kept.result).changes).toMatchObject({ deleted: 0, gone: 50 });
    expect(kept.events).toContainEqual({
      type: 'note',
      text: expect.stringContaining('is empty: is its disk mounted?'),
    });
  });

  test('is named when the dataset goes on with another folder', async () => {
    const [one, two] = [await folders(), await folders()];
    const options = { datasetId: 'lab' };
    const first = sync(one.source, one.base, options);
    await first.result;
    const same = sync(one.source, one.base, options);
    await same.result;
    const other = sync(two.source, one.base, options);
    await other.result;

    const warned = (run: UploadRun): boolean =>
      run.events.some((event) => event.type === 'note' && event.text.includes('version 1 of dataset lab is of '));
    expect([first, same, other].map(warned)).toEqual([false, false, true]);
  });
});

test('the folder itself is part of a version: its mode, its owner and its time', async () => {
  const { source, base } = await folders();
  await sync(source, base).result;
  chmodSync(source, 0o700);

  const second = await sync(source, base).result;
  const third = await sync(source, base).result;
  setTime(source, 1_700_000_000, 0);
  const fourth = await sync(source, base).result;

  expect([second, third, fourth].map(({ version }) => version)).toEqual([2, 2, 3]);
  const { source: root, listing } = await headOf(base, fourth);
  expect([root.mode, root.mtime.seconds, listing]).toEqual([0o700, 1_700_000_000, 'delta']);
  expect(await pathsOf(base, fourth)).toHaveLength(51);
});
