// Datasets whose listings lie in segments are pruned: segments are shared by versions, and lie in folders of others.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { gunzipSync, gzipSync } from 'node:zlib';
import { writeMark } from '../../src/core/dataset/marks.js';
import { planPrune } from '../../src/core/dataset/prune/plan-prune.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';
import { smallSegments } from '../support/small-segments.js';
import { archiver } from './in-process.js';

const FILES = 40;
const { signal } = new AbortController();
let home = '';
let store = '';

beforeAll(smallSegments());

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  store = `file://${join(home, 'store')}`;
  mkdirSync(join(home, 'lab'));
  for (let n = 0; n < FILES; n++) write(n, 1);
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const nameOf = (file: number): string => `f-${String(file).padStart(2, '0')}`;
const write = (file: number, version: number): void =>
  writeFileSync(join(home, 'lab', nameOf(file)), `${file} of version ${version}`);

async function run(...args: string[]): Promise<Record<string, unknown>> {
  const { status, stdout, stderr } = await archiver(home, [...args, '--json', '--quiet']);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const sync = async (): Promise<string> =>
  String((await run('sync', 'lab', store, '--dataset-id', 'lab', '--track-deletes'))['uploadId']);
const prune = async (...flags: string[]) =>
  await run('dataset', 'prune', store, '--dataset-id', 'lab', '--yes', ...flags);

const contentOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder)
      .toSorted()
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

async function restored(version: number): Promise<ReadonlyMap<string, string>> {
  const out = join(home, `out-${version}`);
  await run('restore', store, out, '--dataset-id', 'lab', '--version', `${version}`, '--all', '--verify');
  return contentOf(out);
}

const upload = (uploadId: string): string => join(home, 'store', 'uploads', uploadId);
const allUploads = (): readonly string[] => readdirSync(join(home, 'store', 'uploads'));

/** Segments in the store, as `<upload>/manifest/<name>`. */
const stored = (): string[] =>
  allUploads()
    .flatMap((id) => {
      const folder = join(upload(id), 'manifest');
      return existsSync(folder) ? readdirSync(folder).map((name) => `${id}/manifest/${name}`) : [];
    })
    .toSorted();

interface Head {
  readonly segments?: readonly { readonly key: string }[];
}

/** Segments that the manifests in the store name. */
const named = (): string[] =>
  [
    ...new Set(
      allUploads().flatMap((id) => {
        const path = join(upload(id), 'manifest.json.gz');
        if (!existsSync(path)) return [];
        const { segments = [] } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Head;
        return segments.map(({ key }) => (key.startsWith('../') ? key.slice(3) : `${id}/${key}`));
      }),
    ),
  ].toSorted();

test('of thirty versions by small syncs three are kept, with the segments that they have from retired ones and no others', async () => {
  const uploads = [await sync()];
  const contents = [contentOf(join(home, 'lab'))];
  for (let version = 2; version <= 30; version++) {
    write((version * 7) % 32, version);
    uploads.push(await sync());
    contents.push(contentOf(join(home, 'lab')));
  }
  const before = stored();
  expect(before).toEqual(named());
  expect(before.length).toBeGreaterThan(FILES / 4 + 28);

  await prune('--keep-last', '3');
  expect(stored()).toEqual(before); // marked, and deleted a day later
  await prune('--keep-last', '3', '--instant');

  const after = stored();
  expect(after).toEqual(named());
  expect(after.length).toBeLessThan(before.length);
  expect(after.filter((key) => key.startsWith(uploads[0] ?? ''))).not.toEqual([]); // nobody wrote into the last files
  for (const version of [28, 29, 30]) expect(await restored(version)).toEqual(contents[version - 1]);
  expect(await run('verify', store, '--dataset-id', 'lab', '--deep')).toMatchObject({ ok: true });
  // No mark says of anything that is needed that it may go, and so nothing is sent again.
  const marks = allUploads().flatMap((id) => readdirSync(upload(id)).filter((name) => name.startsWith('sweep-')));
  expect(marks).toEqual([]);
  expect(await prune('--keep-last', '3')).toMatchObject({ marked: { objects: 0 } });
}, 120_000);

test('a prune refuses when a segment of a kept version is missing or shorter, and names it', async () => {
  await sync();
  write(3, 2);
  await sync();
  const [first = ''] = stored();
  const path = join(home, 'store', 'uploads', first);
  const bytes = readFileSync(path);

  writeFileSync(path, bytes.subarray(0, -1));
  const shorter = await archiver(home, ['dataset', 'prune', store, '--dataset-id', 'lab', '--keep-last', '2', '--yes']);
  rmSync(path);
  const missing = await archiver(home, ['dataset', 'prune', store, '--dataset-id', 'lab', '--keep-last', '2', '--yes']);

  for (const { status, stderr } of [shorter, missing]) {
    expect(status).toBe(1);
    expect(stderr).toContain(first);
  }
});

test('an abandoned upload of segments only is marked and swept', async () => {
  const whole = await sync();
  const abandoned = '20260101-000000-0000abcd';
  mkdirSync(join(upload(abandoned), 'manifest'), { recursive: true });
  for (const key of stored()) {
    const name = key.split('/')[2] ?? '';
    const path = join(upload(abandoned), 'manifest', name);
    writeFileSync(path, readFileSync(join(home, 'store', 'uploads', key)));
    utimesSync(path, 1_767_225_600, 1_767_225_600);
  }

  const pruned = await prune('--keep-last', '2', '--instant');

  expect(pruned).toMatchObject({ deletedObjects: 10 });
  expect(stored().every((key) => key.startsWith(whole))).toBe(true);
});

test('an abandoned upload goes whose manifest names segments that went with a retired version', async () => {
  const first = await sync();
  for (let n = 0; n < FILES; n++) write(n, 2);
  await sync();
  const abandoned = '20260101-000000-0000abcd';
  mkdirSync(upload(abandoned));
  const text = gunzipSync(readFileSync(join(upload(first), 'manifest.json.gz'))).toString();
  const path = join(upload(abandoned), 'manifest.json.gz');
  const moved = text.replace(first, abandoned).replaceAll('"key":"manifest/', `"key":"../${first}/manifest/`);
  writeFileSync(path, gzipSync(moved));
  utimesSync(path, 1_767_225_600, 1_767_225_600);
  await prune('--keep-last', '1', '--instant', '--abandoned-after', '9999d');
  expect(stored().filter((key) => key.startsWith(first))).toEqual([]);

  const pruned = await prune('--keep-last', '1', '--instant');

  expect(pruned).toMatchObject({ warnings: [] });
  expect(readFileSync(path, 'utf8')).toContain('fence');
});

test('an old mark that names segments of a kept version costs only what no version needs', async () => {
  const uploadId = await sync();
  const segments = stored();
  const left = `${uploadId}/manifest/000099-0123abcd.json.gz`;
  writeFileSync(join(home, 'store', 'uploads', left), 'left by a compaction that was killed');
  const objects = [...segments, left].map((key) => ({ key: `uploads/${key}`, lastModified: new Date() }));
  const marked = { uploadId: uploadId as UploadId, reason: 'superseded', objects } as const;
  await writeMark(fileStore(join(home, 'store')), marked, signal);
  for (const name of readdirSync(upload(uploadId)))
    if (name.startsWith('sweep-')) utimesSync(join(upload(uploadId), name), 1_767_225_600, 1_767_225_600);

  const pruned = await prune('--keep-last', '1');

  expect(pruned).toMatchObject({ deletedObjects: 1 });
  expect(stored()).toEqual(segments);
});

/** What a plan reads of segments, as key and range. */
async function readsOfPlan(last: number): Promise<readonly (readonly [string, number | undefined])[]> {
  const reads: [string, number | undefined][] = [];
  const plain = fileStore(join(home, 'store'));
  const noting: ObjectReader = {
    ...plain,
    get: async (key, options) => {
      if (key.includes('/manifest/')) {
        reads.push([key, options?.range !== undefined && 'end' in options.range ? options.range.end : undefined]);
        await setTimeout(50); // as far away as a bucket: versions that are read side by side ask before the first answer
      }
      return await plain.get(key, options);
    },
  };
  const options = { datasetId: 'lab', keep: { last }, abandonedAfterMs: 9e9, graceMs: 9e7, now: new Date(), signal };
  const { retired } = await planPrune(noting, options);
  expect(retired).toHaveLength(last === 2 ? 1 : 0);
  return reads;
}

test.each([
  ['three, read side by side', 3, 12],
  ['two, after a look at what they hold', 2, 11],
])('a plan that keeps %s, reads each segment once, however many versions have it', async (_, last, segments) => {
  for (const version of [1, 2, 3]) {
    write(5, version);
    await sync();
  }

  const keys = (await readsOfPlan(last)).map(([key]) => key);

  expect(keys.length).toBe(segments); // ten of each version, all but one of them those of the one before
  expect(new Set(keys).size).toBe(keys.length);
});

test('a plan reads of a segment with an index its beginning', async () => {
  onTestFinished(smallSegments(8, 10_000)());
  for (let n = 100; n < 5100; n++) write(n, 1);
  await sync();
  const [segment = ''] = stored();

  const reads = await readsOfPlan(1);

  expect(reads).toEqual([[`uploads/${segment}`, expect.any(Number)]]);
  expect(reads[0]?.[1]).toBeLessThan(readFileSync(join(home, 'store', 'uploads', segment)).length / 10);
});
