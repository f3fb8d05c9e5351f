// What a comparison keeps of the version before gives the same sums as that version does when it is read again.
import { expect, test } from 'vitest';
import { SeenEntries } from '../../../../src/core/archive/changes/seen-entries.js';
import { mergeLevels } from '../../../../src/core/dataset/chain/merge-levels.js';
import type { Level } from '../../../../src/core/dataset/chain/merged-view.js';
import { summarize } from '../../../../src/core/dataset/chain/summarize.js';
import type { View } from '../../../../src/core/dataset/chain/view.js';
import { EntryTableBuilder, openEntryTable } from '../../../../src/core/format/columns/entry-table.js';
import type { ChunkRecord, Entry, Mention } from '../../../../src/core/format/manifest/manifest-types.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import { randomOf } from '../../../support/random.js';
import { raw } from '../../../support/raw.js';

const OLD = '20260101-000000-00000001' as UploadId;
const NEW = '20260101-000000-00000002' as UploadId;
const TIME = { seconds: 1, nanos: 0 };
const TYPES = ['file', 'directory', 'symlink', 'hardlink'] as const;

const chunk = (number: number): ChunkRecord => ({
  chunk: number,
  key: `shard-0${number % 3}/chunk-00000${number}.tar.zst`,
  shard: number % 3,
  size: 1000 + number,
  rawSize: 5000,
  entries: 1,
  level: 3,
  storageClass: 'STANDARD',
  sha256: String(number).padStart(64, '0'),
  tocSize: 10,
  frames: [],
});
const CHUNKS = [0, 1, 2, 3, 4, 5].map(chunk);
const level = (uploadId: UploadId, mentions: readonly Mention[]): Level => ({
  uploadId,
  chunks: CHUNKS,
  async *mentions() {
    yield mentions;
  },
});

function randomEntry(path: string, random: (below: number) => number): Entry {
  const type = TYPES[random(TYPES.length)] ?? 'file';
  const size = type === 'file' || type === 'hardlink' ? random(5000) : 0;
  const isCut = type === 'file' && random(4) === 0;
  const pieces = [random(6), random(6)].map((number) => ({ chunk: number, offset: 0, size: size / 2 }));
  const content = isCut ? { segments: pieces } : { chunk: random(6), offset: 0 };
  const bare = { path: raw(path), type, size, mtime: TIME, ctime: TIME, mode: 0o644, uid: 0, gid: 0, inode: raw('1') };
  return { ...bare, ...content };
}

/** A version, what a scan has of it, and what is on top: paths below others among them, which those hide that are no folders. */
function history(seed: number) {
  const random = randomOf(seed);
  const paths = ['a', 'b', 'c'].flatMap((top) => [top, `${top}/x`, `${top}/x/1`, `${top}/x/2`, `${top}/y`]).sort();
  const some = (share: number): string[] => paths.filter(() => random(100) < share);
  const entries = some(80).map((path) => randomEntry(path, random));
  const newer = some(40).map((path) =>
    random(4) === 0 ? { path: raw(path), type: 'deleted' as const } : randomEntry(path, random),
  );
  return { entries, newer, scanned: new Set(some(60)) };
}

test('sums over what was seen are those over what was read, whatever lies on top', async () => {
  for (let seed = 1; seed < 300; seed++) {
    const { entries, newer, scanned } = history(seed);
    const builder = new EntryTableBuilder();
    const rows = new Map([...scanned].sort().map((path) => [path, builder.add(raw(path))]));
    const view = { head: { uploadId: OLD }, chunks: CHUNKS, totals: { entries: entries.length } } as unknown as View;
    const seen = new SeenEntries(view, openEntryTable(builder.finish()));
    for (const entry of entries) seen.add(entry, rows.get(entry.path));

    const sums = async (older: Level) => {
      const { totals, shards, used } = await summarize(mergeLevels([level(NEW, newer), older], NEW));
      return { totals, shards, used };
    };
    const older = seen.level;
    if (older === undefined) throw new Error('all of it was seen');
    expect(await sums(older), `seed ${seed}`).toEqual(await sums(level(OLD, entries)));
  }
});

test('a version that was not seen to its end, or too much of which is gone, is read again', () => {
  const view = (entries: number) =>
    ({ head: { uploadId: OLD }, chunks: CHUNKS, totals: { entries } }) as unknown as View;
  const random = randomOf(1);
  const empty = openEntryTable(new EntryTableBuilder().finish());
  const half = new SeenEntries(view(2), empty);
  half.add(randomEntry('a', random), undefined);
  expect(half.level).toBeUndefined();
  half.add(randomEntry('b', random), undefined);
  expect(half.level).toBeDefined();
  const absurd = new SeenEntries(view(Number.MAX_SAFE_INTEGER), empty);
  absurd.add(randomEntry('a', random), undefined);
  expect(absurd.level).toBeUndefined();
  const many = new SeenEntries(view(100_001), empty);
  for (let index = 0; index < 100_001; index++) many.add(randomEntry(`gone ${index}`, random), undefined);
  expect(many.level).toBeUndefined();
});
