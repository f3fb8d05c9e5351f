// Manifests of segments after their chunks got new keys.
import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { fetchManifest, loadOpened, readLoaded } from '../../../../src/core/format/manifest/loaded-manifest.js';
import type { Line } from '../../../../src/core/format/manifest/manifest-parser.js';
import { movedManifest } from '../../../../src/core/mend/balance/moved-manifest.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { Json } from '../../../support/make-archive.js';
import { linkId } from '../../../support/make-chain.js';
import { makeDataset, writeObjects } from '../../../support/make-dataset.js';
import { smallSegments } from '../../../support/small-segments.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { archiver } from '../../../e2e/in-process.js';
import { MIB, noise } from '../../archive/trees.js';
import { balanceFolder, filesOf } from './balance-run.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';

beforeAll(smallSegments());

const OLDER = '20250101-000000-0000abcd' as UploadId;

interface Put {
  readonly at: number;
  readonly uploadId: string;
  readonly chunk: Json | undefined;
  readonly entry: Json | undefined;
  readonly own: UploadId;
}

/** Puts a segment of one entry, with keys of a later version, and returns its place for the manifest of `own`. */
function putSegment(store: string, { at, uploadId, chunk, entry, own }: Put): Json {
  const counts = { entries: 1, files: 1, directories: 0, symlinks: 0, hardlinks: 0, bytes: entry?.['size'] };
  const its = { format: 1, type: 'archiver-segment', uploadId, counts, later: at, chunks: [chunk] };
  const line = JSON.stringify({ ...entry, chunk: 0, later: 'é' });
  const bytes = gzipSync(`${JSON.stringify(its).slice(0, -1)},\n"files":[\n${line}\n]}\n`);
  const sha256 = hash('sha256', bytes, 'hex');
  const name = `manifest/00000${at}-${sha256.slice(0, 8)}.json.gz`;
  mkdirSync(join(store, 'uploads', uploadId, 'manifest'), { recursive: true });
  writeFileSync(join(store, 'uploads', uploadId, name), bytes);
  const key = uploadId === own ? name : `../${uploadId}/${name}`;
  return { key, size: bytes.length, sha256, counts, first: entry?.['path'], later: at };
}

test('a segment from another folder that lists a moved chunk is written anew with what no version here knows', async () => {
  const own = linkId(0);
  const store = join(await tempFolder(), 'store');
  await writeObjects(store, makeDataset([{ files: filesOf([900, 800]) }]).objects);
  const path = join(store, 'uploads', own, 'manifest.json.gz');
  const { files, chunks, ...head } = JSON.parse(gunzipSync(readFileSync(path)).toString()) as Json;
  const [moving, staying] = chunks as [Json, Json];
  const [first, second] = files as [Json, Json];
  const segment = (at: number, uploadId: string, chunk: Json | undefined, entry: Json | undefined): Json =>
    putSegment(store, { at, uploadId, chunk, entry, own });
  const segments = [
    segment(1, OLDER, { ...moving, key: `../${own}/${String(moving['key'])}`, later: 'chunk' }, first),
    segment(2, own, staying, second),
  ];
  const document = { ...head, requires: ['segments'], segments, chunks: [] };
  writeFileSync(path, gzipSync(`${JSON.stringify(document).slice(0, -1)},\n"files":[\n]}\n`));
  const reader = fileStore(store);
  const bytes = await fetchManifest(reader, own);
  const loaded = await loadOpened(own, { bytes }, hash('sha256', bytes, 'hex'), { reader });
  const to = 'shard-01/chunk-000000-0123abcd.tar.zst';

  const next = await movedManifest(
    loaded,
    loaded.head.chunks.map((chunk) => (chunk.key === moving['key'] ? { ...chunk, key: to, shard: 1 } : chunk)),
  );

  const text = JSON.parse(gunzipSync(next.bytes).toString()) as Json;
  const [written, named] = text['segments'] as Json[];
  const { own: [anew] = [] } = next.segments ?? {};
  expect(next.segments?.own).toHaveLength(1);
  expect(named).toEqual(segments[1]);
  expect(written).toEqual({
    ...segments[0],
    key: anew?.place.key,
    size: anew?.bytes.length,
    sha256: anew?.place.sha256,
  });
  expect(anew?.place.key).toBe(`manifest/000001-${String(anew?.place.sha256).slice(0, 8)}.json.gz`);
  expect(JSON.parse(gunzipSync(anew?.bytes ?? '').toString())).toEqual({
    format: 1,
    type: 'archiver-segment',
    uploadId: own,
    later: 1,
    counts: (segments[0] as Json)['counts'],
    chunks: [{ ...moving, key: to, shard: 1, later: 'chunk' }],
    files: [{ ...first, chunk: 0, later: 'é' }],
  });
  expect(text).toMatchObject({ requires: ['segments'], replaces: [loaded.sha256] });
  // What it says is read back with the new keys.
  writeFileSync(path, next.bytes);
  writeFileSync(join(store, 'uploads', own, String(anew?.place.key)), anew?.bytes ?? '');
  const again = await loadOpened(own, { bytes: next.bytes }, next.sha256, { reader });
  const lines: Line[] = [];
  for await (const batch of readLoaded(again)) lines.push(...batch);
  expect(lines.map((line) => 'chunk' in line && again.head.chunks[line.chunk ?? -1]?.key)).toEqual([
    to,
    staying['key'],
  ]);
});

test('a version with segments of another is balanced, and restored, verified, continued and pruned afterwards', async () => {
  const home = await tempFolder();
  const [lab, base] = [join(home, 'lab'), join(home, 'store')];
  const store = `file://${base}`;
  const run = async (...args: string[]): Promise<Json> => {
    const { status, stdout, stderr } = await archiver(home, [...args, '--json', '--quiet']);
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${stderr}`);
    return JSON.parse(stdout) as Json;
  };
  const sync = async (): Promise<UploadId> => {
    const flags = ['--dataset-id', 'lab', '--shard-strategy', 'directory', '--shard-count', '4'];
    return (await run('sync', 'lab', store, ...flags))['uploadId'] as UploadId;
  };
  for (const folder of ['big', 'small']) mkdirSync(join(lab, folder), { recursive: true });
  for (let n = 0; n < 16; n++) writeFileSync(join(lab, 'small', `s-${10 + n}`), `${n}`);
  const first = await sync();
  // Two of them do not fit a chunk.
  for (let n = 0; n < 3; n++) writeFileSync(join(lab, 'big', `b-${n}`), noise(17 * MIB));
  const second = await sync();
  const named = (id: string): string[] => {
    const { segments } = JSON.parse(
      gunzipSync(readFileSync(join(base, 'uploads', id, 'manifest.json.gz'))).toString(),
    ) as { segments: { key: string }[] };
    return segments.map(({ key }) => key);
  };
  const stored = (id: string): string[] => readdirSync(join(base, 'uploads', id, 'manifest')).toSorted();
  const before = named(second);
  expect(before.some((key) => key.startsWith(`../${first}/`))).toBe(true);

  const plan = await balanceFolder(base, { uploadId: second });

  expect(plan.moves.length).toBeGreaterThan(1);
  const after = named(second);
  expect(after).not.toEqual(before);
  expect(after.filter((key) => key.startsWith('../'))).toEqual(before.filter((key) => key.startsWith('../')));
  const isWhole = async (out: string, version: string): Promise<void> => {
    await run('restore', store, out, '--dataset-id', 'lab', '--version', version, '--all');
    for (const name of ['big', 'small'].flatMap((folder) =>
      readdirSync(join(lab, folder)).map((one) => join(folder, one)),
    ))
      expect([name, readFileSync(join(home, out, name)).equals(readFileSync(join(lab, name)))]).toEqual([name, true]);
  };
  await isWhole('out-2', '2');
  expect(await run('verify', store, '--dataset-id', 'lab', '--deep')).toMatchObject({ ok: true });
  writeFileSync(join(lab, 'small', 's-10'), 'changed');
  const third = await sync();
  await run('dataset', 'prune', store, '--dataset-id', 'lab', '--keep-last', '1', '--yes', '--instant');
  const kept = named(third);
  for (const [id, prefix] of [
    [first, `../${first}/`],
    [second, `../${second}/`],
    [third, ''],
  ] as const)
    expect(stored(id)).toEqual(
      kept.flatMap((key) => (key.startsWith(`${prefix}manifest/`) ? [key.slice(prefix.length + 9)] : [])).toSorted(),
    );
  await isWhole('out-3', '3');
  expect(await run('verify', store, '--dataset-id', 'lab', '--deep')).toMatchObject({ ok: true });
});
