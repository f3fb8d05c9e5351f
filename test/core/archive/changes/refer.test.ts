// A sync of a dataset that deduplicates: what an earlier version holds under another name or time is not sent again.
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import { writeMark } from '../../../../src/core/dataset/marks.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { archiver } from '../../../e2e/upload-cli.js';
import type { Json } from '../../../support/make-archive.js';
import {
  chunkPuts,
  expectWhole,
  failingAfter,
  filesIn,
  goOn,
  run,
  type RunOptions,
  site,
  type Site,
} from '../resume/interrupted.js';
import { libcOrFail, MIB, noise, writeSparse } from '../trees.js';
import { raw } from '../../../support/raw.js';
import { withAccess } from '../upload-folder.js';

const PHOTO = noise(300_000);
const FILM_BYTES = 2.5 * MIB;
const signal = new AbortController().signal;

let place: Site;
const at = (name: string): string => join(place.source, name);
const write = (name: string, content: Buffer | string): void => writeFileSync(at(name), content);

beforeEach(async () => {
  place = await site();
  for (const folder of ['.', '2023', '2023/may']) mkdirSync(at(folder), { recursive: true });
  write('2023/photo', PHOTO);
  write('2023/may/film', noise(FILM_BYTES)); // is cut
  write('2023/may/note', 'a note');
  write('2023/empty', '');
  symlinkSync('photo', at('2023/link'));
  linkSync(at('2023/photo'), at('2023/photo linked'));
  writeSparse(at('2023/sparse'), 400_000, [[200_704, noise(8192)]]);
  libcOrFail().lsetxattr(raw(at('2023/may/note')), raw('user.kept'), Buffer.from('yes'));
});

const SYNC = { changes: { trackDeletes: true }, allowMassDelete: true };
/** One sync that says nothing of equal content, but for the first. */
const sync = (options: RunOptions = {}) => run(place, { ...SYNC, chunkBytes: MIB, ...options });
const first = async () => await sync({ dedup: true }).result;

const manifestOf = (uploadId: string): Json & { files: Json[]; settings: Json } =>
  JSON.parse(gunzipSync(readFileSync(join(place.base, 'uploads', uploadId, 'manifest.json.gz'))).toString()) as never;
const entryOf = (uploadId: string, path: string): Json | undefined =>
  manifestOf(uploadId).files.find((file) => file['path'] === path);

/** Other times for everything, as `touch` and copying give. */
function touchAll(seconds: number): void {
  for (const name of readdirSync(place.source, { recursive: true, encoding: 'utf8' })) {
    const [path, isLink] = [at(name), name.endsWith('link')];
    if (!isLink) utimesSync(path, seconds, seconds);
  }
}

describe('what is referred to', () => {
  test('a folder that was moved: no chunk is sent, and the version is whole by itself', async () => {
    await first();
    renameSync(at('2023'), at('2023 renamed'));

    const moved = sync();
    const result = await moved.result;

    expect(chunkPuts(moved)).toEqual([]);
    expect(result).toMatchObject({ version: 2, chunks: 0, storedBytes: 0 });
    const bytes = PHOTO.length + FILM_BYTES + 6 + 400_000;
    expect(result.changes).toMatchObject({ added: 7, deleted: 7, referred: { files: 6, bytes } });
    await expectWhole(place, result.uploadId);
    expect((await sync().result).changes).toMatchObject({ noChanges: true, referred: { files: 0, bytes: 0 } });
  });

  test('everything, touched and with other modes: the times are new, the content stays', async () => {
    await first();
    touchAll(1_600_000_000);
    chmodSync(at('2023/photo'), 0o600);

    const touched = sync();
    const result = await touched.result;

    expect(chunkPuts(touched)).toEqual([]);
    expect(result.changes).toMatchObject({ modified: 6, unchanged: 1, referred: { files: 5 } });
    await expectWhole(place, result.uploadId);
    expect((await sync().result).changes).toMatchObject({ noChanges: true });
  });

  test('copies, of what is new as well, beside content that is sent', async () => {
    await first();
    mkdirSync(at('copies'));
    write('copies/photo', PHOTO);
    const fresh = noise(50_000);
    for (const name of ['new 1', 'new 2']) write(name, fresh);

    const run = sync();
    const result = await run.result;

    expect(chunkPuts(run)).not.toEqual([]);
    expect(result.changes).toMatchObject({ added: 3, referred: { files: 1, bytes: PHOTO.length } });
    expect(result.deduplicated).toEqual({ files: 1, bytes: fresh.length });
    expect(result.storedBytes).toBeLessThan(60_000);
    await expectWhole(place, result.uploadId);
  });

  test('through full listings and a prune: every name has the digest, and old versions are not needed', async () => {
    mkdirSync(at('stays'));
    for (let file = 0; file < 40; file++) write(`stays/${file}`, `${file}`);
    await first();
    const listings: unknown[] = [];
    let uploadId = '';
    for (const [from, to] of [
      ['2023', 'a'],
      ['a', 'b'],
      ['b', 'c'],
    ].values()) {
      renameSync(at(from ?? ''), at(to ?? ''));
      const moved = sync();
      ({ uploadId } = await moved.result);
      expect(chunkPuts(moved)).toEqual([]);
      listings.push(manifestOf(uploadId)['listing']);
    }
    const { datasetId } = await sync().result;
    const url = `file://${place.base}`;
    const keep = ['--dataset-id', datasetId, '--keep-last', '1', '--instant', '--yes'];
    const pruned = await archiver(join(place.base, '..'), ['dataset', 'prune', url, ...keep]);

    expect([listings, pruned.status]).toEqual([['delta', 'full', 'delta'], 0]);
    expect(entryOf(uploadId, 'c/photo')?.['sha256']).toBe(createHash('sha256').update(PHOTO).digest('hex'));
    await expectWhole(place, uploadId);
    renameSync(at('c'), at('d'));
    const after = sync();
    await expectWhole(place, (await after.result).uploadId);
    expect(chunkPuts(after)).toEqual([]);
  });

  test('what had other metadata in between', async () => {
    await first();
    for (const name of ['photo', 'may/note']) chmodSync(at(`2023/${name}`), 0o600);
    await sync().result;
    renameSync(at('2023'), at('a'));

    const moved = sync();
    await moved.result;

    expect(chunkPuts(moved)).toEqual([]);
  });

  test('by a dataset that began without: a copy of what has no SHA-256 is sent, and from then on has one', async () => {
    await sync({ dedup: false }).result;
    write('copy', PHOTO);
    const told = sync({ dedup: true });
    await told.result;
    write('another', PHOTO);
    const later = sync();
    await later.result;

    expect([chunkPuts(told).length > 0, chunkPuts(later)]).toEqual([true, []]);
  });
});

describe('what is sent', () => {
  /** Whether each of these was stored by the second version itself. */
  async function sentBy(options: RunOptions, ...names: string[]): Promise<boolean[]> {
    const { uploadId } = await sync(options).result;
    await expectWhole(place, uploadId);
    const { chunks } = manifestOf(uploadId) as unknown as { chunks: { key: string }[] };
    return names.map((name) => {
      const { chunk, segments } = entryOf(uploadId, name) as { chunk?: number; segments?: { chunk: number }[] };
      return chunks[chunk ?? segments?.[0]?.chunk ?? -1]?.key.startsWith('../') === false;
    });
  }

  test('a changed file of the same size, also with its old time, and a copy that differs in a byte', async () => {
    await first();
    const other = Buffer.from(PHOTO);
    other[200_000] = (other[200_000] ?? 0) ^ 1;
    write('2023/copy', PHOTO);
    write('2023/other', other);
    write('2023/may/note', 'A note');

    expect(await sentBy({}, '2023/copy', '2023/other', '2023/may/note')).toEqual([false, true, true]);
  });

  test('a file that changes before it is hashed, as it is then', async () => {
    await first();
    renameSync(at('2023/may'), at('2023/june'));
    let hashings = 0;
    const onEvent = (event: TransferEvent): void => {
      if (event.type === 'note' && event.text.startsWith('comparing the content') && hashings++ === 0)
        write('2023/june/note', 'b note');
    };

    expect(await sentBy({ onEvent }, '2023/june/note', '2023/june/film')).toEqual([true, false]);
    expect(hashings).toBe(1);
  });

  test.each<[string, RunOptions]>([
    ['--force', { changes: { ...SYNC.changes, isForced: true } }],
    ['--no-file-checksums', { fileChecksums: false }],
  ])('everything with %s', async (_name, options) => {
    await first();
    renameSync(at('2023'), at('a'));

    expect(await sentBy(options, 'a/photo', 'a/may/film')).toEqual([true, true]);
  });

  test('by a writer that may not list', async () => {
    await first();
    renameSync(at('2023'), at('a'));
    const wrap = (store: ObjectStore): ObjectStore => withAccess(store, 'may neither read nor list', () => '');

    const { changes, chunks } = await sync({ wrap, dedup: true }).result;

    expect([changes?.referred, chunks > 1]).toEqual([undefined, true]);
  });

  test('content whose chunk was deleted behind our back', async () => {
    await first();
    renameSync(at('2023'), at('a'));
    const folder = join(place.base, 'uploads', readdirSync(join(place.base, 'uploads'))[0] ?? '');
    const chunk = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.zst'));
    rmSync(join(folder, chunk ?? ''));

    const run = sync();
    const { uploadId } = await run.result;

    expect(chunkPuts(run)).not.toEqual([]);
    await expectWhole(place, uploadId);
  });

  test('content whose chunk is marked, and neither that of another name whose chunk is marked, too', async () => {
    write('2023/single.jpg', PHOTO); // hard links are packed by themselves
    const { uploadId } = await sync({ dedup: true, shardStrategy: 'type' }).result;
    const objects = [...filesIn(join(place.base, 'uploads', uploadId))].flatMap((shard) =>
      shard.startsWith('shard-')
        ? filesIn(join(place.base, 'uploads', uploadId, shard)).map((name) => `${shard}/${name}`)
        : [],
    );
    const marked = objects.map((name) => ({ key: `uploads/${uploadId}/${name}`, lastModified: new Date() }));
    await writeMark(fileStore(place.base), { uploadId, reason: 'superseded', objects: marked }, signal);
    write('copy', PHOTO);

    const run = sync();
    const second = await run.result;

    expect(second.version).toBe(2);
    expect(chunkPuts(run)).not.toEqual([]);
    await expectWhole(place, second.uploadId);
  });
});

test('an interrupted sync goes on: what is stored is referred to, what was sent is not sent again', async () => {
  await first();
  renameSync(at('2023'), at('a'));
  for (let file = 0; file < 4; file++) write(`new ${file}`, noise(700_000));
  const options = { ...SYNC, chunkBytes: MIB };
  const interrupted = sync({ ...options, wrap: failingAfter(2) });
  await expect(interrupted.result).rejects.toThrow('the wire was cut');

  const run = await goOn(place, options);
  const { uploadId, changes } = await run.result;

  expect(changes?.referred).toMatchObject({ files: 5 });
  expect(chunkPuts(run).length).toBeGreaterThan(0);
  const sent = chunkPuts(interrupted).slice(0, 2);
  expect(chunkPuts(run).filter((key) => sent.includes(key))).toEqual([]);
  const stored = [...sent, ...chunkPuts(run)].reduce((sum, key) => sum + statSync(join(place.base, key)).size, 0);
  expect(stored).toBeLessThan(2_900_000);
  await expectWhole(place, uploadId);
  for (let file = 0; file < 4; file++) renameSync(at(`new ${file}`), at(`moved ${file}`));
  const moved = sync();
  await moved.result;
  expect(chunkPuts(moved)).toEqual([]);
});
