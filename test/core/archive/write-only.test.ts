// A writer that may put and list below its own prefix, and never get, head or delete (rules.md#unlisted-writers).
import { appendFileSync, chmodSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rememberedIn } from '../../../src/core/archive/run/remembered.js';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import { listVersions } from '../../../src/core/dataset/records/versions.js';
import { writeMark } from '../../../src/core/dataset/marks.js';
import { withAbilities } from '../../../src/core/store/abilities.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { readManifest } from '../../e2e/upload-cli.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';
import { writeOnlyStore } from '../../support/write-only-store.js';
import { describeTree, noise } from './trees.js';
import { uploadFolder, type UploadRunOptions } from './upload-folder.js';

interface Writer {
  readonly source: string;
  readonly base: string;
  readonly cache: string;
  /** Refused requests of all syncs. */
  readonly denied: string[];
  readonly calls: string[];
  readonly notes: string[];
  readonly sync: (options?: UploadRunOptions) => Promise<UploadResult>;
}

async function writer(): Promise<Writer> {
  const home = await tempFolder();
  const [source, base, cache] = ['source', 'store', 'cache'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(source, 'sub'), { recursive: true });
  for (let i = 0; i < 40; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  writeFileSync(join(source, 'sub', 'large'), noise(300_000));
  const [denied, calls, notes]: [string[], string[], string[]] = [[], [], []];
  let next = 0;
  const sync = async (options: UploadRunOptions = {}): Promise<UploadResult> => {
    const run = uploadFolder(source, base, {
      writerId: 'nas',
      changes: { trackDeletes: true },
      randomBytes: () => Buffer.from([1, 0, 0, ++next]),
      wrap: (store) => withAbilities(writeOnlyStore(store, denied)),
      ...rememberedIn(cache, {}, (text) => expect.fail(text)),
      ...options,
    });
    const result = await run.result;
    calls.push(...run.calls);
    notes.push(...run.events.flatMap((event) => (event.type === 'note' ? [event.text] : [])));
    return result;
  };
  return { source, base, cache, denied, calls, notes, sync };
}

/** Restored by somebody who may read. */
async function restored(base: string, { uploadId }: UploadResult): Promise<unknown> {
  const { out, failed } = await restoreMade({ objects: new Map(), uploadId }, { reader: fileStore(base) });
  expect(failed).toEqual([]);
  return describeTree(out);
}

test('makes ten versions from its cache without one request that is refused, and a reader restores them', async () => {
  const { source, base, denied, calls, sync } = await writer();
  const expected: unknown[] = [];
  const results: UploadResult[] = [];
  for (let version = 1; version <= 10; version++) {
    appendFileSync(join(source, 'sub', 'log'), `line ${version}\n`);
    writeFileSync(join(source, `new-${version}`), noise(1000));
    if (version === 5) rmSync(join(source, 'file-7'));
    expected.push(describeTree(source));
    results.push(await sync());
  }
  const unchanged = await sync();

  expect(results.map(({ version }) => version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(results.map(({ changes }) => changes?.comparedWith)).toEqual(['none', ...Array<string>(9).fill('cache')]);
  expect(results[4]?.changes).toMatchObject({ added: 1, modified: 1, deleted: 1 });
  expect(unchanged.changes).toMatchObject({ noChanges: true, comparedWith: 'cache' });
  expect(denied).toEqual([]);
  expect(calls.filter((call) => !/^(?:put|list) /.test(call))).toEqual([]);
  for (const at of [0, 4, 8, 9]) expect(await restored(base, results[at] as UploadResult)).toEqual(expected[at]);
});

test('whose cache is lost sends everything once, says so, and is refused one request', async () => {
  const { source, base, cache, denied, notes, sync } = await writer();
  await sync();
  rmSync(cache, { recursive: true });
  writeFileSync(join(source, 'new'), 'x');

  const full = await sync();
  const after = await sync();

  expect([full.version, full.changes?.comparedWith]).toEqual([2, 'none']);
  expect(full.storedBytes).toBeGreaterThan(300_000);
  expect(notes.filter((note) => note.includes('a full version'))).toHaveLength(1);
  expect(denied).toEqual([expect.stringMatching(/^get datasets\/.*v00000001\.json$/)]);
  expect(after.changes).toMatchObject({ noChanges: true, comparedWith: 'cache' });
  expect(await restored(base, full)).toEqual(describeTree(source));
});

test('that remembers a version which is no longer the newest does not build on it', async () => {
  const { source, base, sync } = await writer();
  const first = await sync();
  writeFileSync(join(source, 'by-another'), 'x');
  await sync(rememberedIn(await tempFolder(), {}, (text) => expect.fail(text)));
  rmSync(join(source, 'by-another'));

  const third = await sync();

  expect(first.datasetId).toBe(third.datasetId);
  expect([third.version, third.changes?.comparedWith]).toEqual([3, 'none']);
  expect(await restored(base, third)).toEqual(describeTree(source));
});

test('builds on nothing in the folder of the newest version when that is marked, which it may not read', async () => {
  const { source, base, sync } = await writer();
  const { uploadId } = await sync();
  const left = { key: `uploads/${uploadId}/shard-00/chunk-000009.tar.zst`, lastModified: new Date() };
  const signal = new AbortController().signal;
  await writeMark(fileStore(base), { uploadId, reason: 'superseded', objects: [left] }, signal);
  chmodSync(join(source, 'file-1'), 0o600); // its content would be referred to

  const second = await sync();

  expect([second.version, second.changes?.modified]).toEqual([2, 1]);
  expect(readManifest(join(base, 'uploads', second.uploadId)).listing).toBe('full');
  expect(await restored(base, second)).toEqual(describeTree(source));
});

// Whoever has the key of a writer can put such names, and takes nothing with them of what the writer commits later.
test.each(['v99999999999999999999', 'v9007199254740991', 'v9007199254740993', 'v1000000000000000', 'v000000000009'])(
  'makes the next version beside %s, which is none',
  async (name) => {
    const { source, base, sync } = await writer();
    const { datasetId } = await sync();
    writeFileSync(join(base, 'datasets', datasetId, `${name}.json`), 'x');
    appendFileSync(join(source, 'file-1'), 'more');

    expect(await sync()).toMatchObject({ version: 2 });
    expect((await listVersions(fileStore(base), datasetId)).map(({ version }) => version)).toEqual([1, 2]);
  },
);

test('refuses to make a version that nobody would see', async () => {
  const { source, base, sync } = await writer();
  const { datasetId } = await sync();
  const folder = join(base, 'datasets', datasetId);
  writeFileSync(join(folder, 'v999999999999999.json'), 'x');
  appendFileSync(join(source, 'file-1'), 'more');

  await expect(sync()).rejects.toThrow(`dataset ${datasetId} has version 999999999999999, and none can follow it`);
  expect(readdirSync(folder).toSorted()).toEqual(['v00000001.json', 'v999999999999999.json']);
});

test('leaves files that changed lately as they were in the version before', async () => {
  const { source, base, sync } = await writer();
  await sync();
  const before = describeTree(source);
  writeFileSync(join(source, 'file-1'), 'half of what will be there');
  writeFileSync(join(source, 'young'), 'x');

  const filter = { settledBeforeMs: Date.now() - 3_600_000 };
  const early = await sync({ filter });
  const late = await sync({ filter: { settledBeforeMs: Date.now() + 1000 } });

  expect(early.changes).toMatchObject({ added: 0, modified: 0, deleted: 0 });
  expect(early.partial).toBe(false);
  expect(late.changes).toMatchObject({ added: 1, modified: 1, deleted: 0 });
  expect(Object.keys((await restored(base, early)) as object)).toEqual(Object.keys(before as object));
  expect(await restored(base, late)).toEqual(describeTree(source));
});

test('takes only the files right in a folder where nothing below is wanted', async () => {
  const { source, base, sync } = await writer();
  utimesSync(join(source, 'file-1'), 1, 1);

  const result = await sync({ filter: { isFlat: true } });

  expect(result.files).toBe(40);
  const names = readdirSync(source).filter((name) => name !== 'sub');
  expect(
    Object.keys((await restored(base, result)) as object)
      .filter((path) => path !== '')
      .sort(),
  ).toEqual(names.sort());
});
