import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeLevels } from '../../../../src/core/dataset/chain/merge-levels.js';
import { batchesOf, type Level, type MergedView } from '../../../../src/core/dataset/chain/merged-view.js';
import { chunkKey } from '../../../../src/core/format/manifest/manifest-check.js';
import type { LinesText } from '../../../../src/core/format/manifest/loaded-manifest.js';
import type { ParsedHead } from '../../../../src/core/format/manifest/manifest-head-parse.js';
import { type Line, ManifestParser } from '../../../../src/core/format/manifest/manifest-parser.js';
import { isRows } from '../../../../src/core/format/rows/row-lines.js';
import type { UploadId } from '../../../../src/core/store/ids/upload-id.js';
import { listedLine } from '../../../support/listing-lines.js';
import type { ChunkRecord, Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { chunkOf, histories, uploadIdOf } from '../../../support/chain-model.js';
import { raw } from '../../../support/raw.js';
import { asUploadId } from '../../../support/as-upload-id.js';

/** `batch` lines at a time, with an empty batch now and then. */
function levelOf(uploadId: string, chunks: readonly ChunkRecord[], lines: readonly Line[], batch = 2): Level {
  return {
    uploadId: asUploadId(uploadId),
    chunks,
    async *mentions() {
      for (let at = 0; at < lines.length; at += batch) {
        if (at % 3 === 0) yield [];
        yield await Promise.resolve(lines.slice(at, at + batch));
      }
    },
  };
}

/** The texts of a listing of these entries: pieces of `bytes`, with empty lines now and then. */
async function* textsOf(uploadId: UploadId, entries: readonly Entry[], bytes: number): AsyncGenerator<LinesText> {
  let texts: Buffer[] = [];
  const parsed = { head: { uploadId, totals: { entries: entries.length }, listing: 'full' }, document: {} };
  const parser = new ManifestParser({
    key: 'm',
    uploadId,
    head: parsed as unknown as ParsedHead,
    onText: (lines) => texts.push(lines),
    onLine: () => undefined,
  });
  const lines = entries.map((entry, at) => (at % 4 === 1 ? '\n' : '') + listedLine(entry));
  const whole = Buffer.from(`{"a":1,\n"files":[\n${lines.join('')}\n]}\n`, 'latin1');
  for (let at = 0; at < whole.length; at += bytes) {
    parser.push(whole.subarray(at, at + bytes));
    for (const text of texts) yield { lines: text, parser, positions: undefined };
    texts = [];
  }
  yield { lines: Buffer.alloc(0), parser, positions: undefined, finish: () => void parser.finish() };
}

const file = (path: string, more: Partial<Entry> = {}): Entry => ({
  path: raw(path),
  type: 'file',
  size: 1,
  mode: 0,
  uid: 0,
  gid: 0,
  inode: raw(''),
  chunk: 0,
  offset: 0,
  mtime: { seconds: 0, nanos: 0 },
  ctime: { seconds: 0, nanos: 0 },
  ...more,
});
const folder = (path: string): Entry => file(path, { type: 'directory' });
const gone = (path: string): Line => ({ path: raw(path), type: 'deleted' });

async function entriesOf(view: MergedView): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const batch of view.entries()) entries.push(...batch);
  return entries;
}

/** Newest first, each with a chunk of its own. */
const merged = (...levels: readonly (readonly Line[])[]): MergedView =>
  mergeLevels(
    levels.map((lines, index) => levelOf(uploadIdOf(index), [chunkOf('c', 0)], lines)),
    uploadIdOf(0),
  );
const paths = async (...levels: readonly (readonly Line[])[]): Promise<string[]> =>
  (await entriesOf(merged(...levels))).map(({ path }) => path);

test('the view of every version of any history is what the changes one after another make', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 1, max: 5 }), async (history, batch) => {
      for (let newest = 0; newest < history.length; newest++) {
        const levels = history
          .slice(0, newest + 1)
          .map(({ level }) => level)
          .toReversed();
        const { uploadId = '' } = levels[0] ?? {};
        const view = mergeLevels(
          levels.map(({ uploadId, chunks, mentions }) => levelOf(uploadId, chunks, mentions, batch)),
          asUploadId(uploadId),
        );
        const expected = [...(history[newest]?.view ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));

        const entries = await entriesOf(view);

        expect(entries.map(({ path }) => path)).toEqual(expected.map(([path]) => path));
        const groups = new Map<string, number | undefined>();
        entries.forEach((entry, index) => {
          const [, from] = expected[index] ?? [];
          const { chunk: _c, segments: _s, linkGroup: _g, ...rest } = entry;
          const { chunk, segments, linkGroup, ...wanted } = from?.entry ?? file('');
          expect(rest).toEqual(wanted);
          const keyIn = (chunks: readonly ChunkRecord[] = [], id = '', at = -1) =>
            chunkKey(asUploadId(id), chunks[at]?.key ?? '');
          const held = [entry.chunk, ...(entry.segments ?? []).map((part) => part.chunk)];
          const wantedHeld = [chunk, ...(segments ?? []).map((part) => part.chunk)];
          expect(held.map((at) => keyIn(view.chunks, uploadId, at))).toEqual(
            wantedHeld.map((at) => keyIn(from?.level.chunks, from?.level.uploadId, at)),
          );
          const name = `${from?.level.uploadId} ${linkGroup}`;
          expect(entry.linkGroup === undefined).toBe(linkGroup === undefined);
          if (linkGroup === undefined) return;
          expect(entry.linkGroup).toBe(groups.get(name) ?? entry.linkGroup);
          groups.set(name, entry.linkGroup);
        });
        expect(new Set(groups.values()).size).toBe(groups.size);
        const keys = view.chunks.map(({ key }) => chunkKey(asUploadId(uploadId), key));
        expect(new Set(keys).size).toBe(keys.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('with rows, the view of any history is the same', async () => {
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(histories, fc.integer({ min: 40, max: 400 }), async (history, bytes) => {
      const [oldest, ...newer] = history.map(({ level }) => level);
      if (oldest === undefined) return;
      const { uploadId, chunks, mentions } = oldest;
      const listed = mentions.filter((mention): mention is Entry => mention.type !== 'deleted');
      const base = { ...levelOf(uploadId, chunks, listed), texts: () => textsOf(uploadId, listed, bytes) };
      const levels = [
        base,
        ...newer.map((level) => levelOf(level.uploadId, level.chunks, level.mentions)),
      ].toReversed();
      const view = mergeLevels(levels, levels[0]?.uploadId ?? uploadId);
      const found: Entry[] = [];
      for await (const batch of batchesOf(view)) {
        if (!isRows(batch)) found.push(...batch);
        else for (let row = 0; row < batch.count; row++) found.push(batch.entry(row));
        rows += isRows(batch) ? batch.count : 0;
      }
      expect(found).toEqual(await entriesOf(view));
    }),
    { numRuns: 500 },
  );
  expect(rows).toBeGreaterThan(100);
});

describe('what hides', () => {
  test('a deletion hides the path and what is older below it, past names that sort between', async () => {
    expect(
      await paths([gone('d')], [folder('d'), file('d!'), file('d-x'), file('d.'), file('d/a'), file('d0')]),
    ).toEqual(['d!', 'd-x', 'd.', 'd0']);
  });

  test('a file in the place of a folder hides what was in it, and nothing newer', async () => {
    expect(await paths([folder('d'), file('d/new')], [file('d')], [folder('d'), file('d-x'), file('d/old')])).toEqual([
      'd',
      'd-x',
      'd/new',
    ]);
  });

  test('nothing is hidden by its own level or by an older one', async () => {
    expect(await paths([gone('d'), file('d/x')], [file('d/old')])).toEqual(['d/x']);
    expect(await paths([file('d/x')], [gone('d')], [file('d/old')])).toEqual(['d/x']);
  });

  test('an untouched folder above hides nothing, nor does one that is mentioned again', async () => {
    expect(await paths([folder('d')], [folder('d'), file('d/a')])).toEqual(['d', 'd/a']);
  });

  test('a hidden name hides no neighbour that only begins like it', async () => {
    expect(
      await paths(
        [gone('d'), gone('d/x')],
        [file('d'), file('da/x'), file('d/x/y')].sort((a, b) => (a.path < b.path ? -1 : 1)),
      ),
    ).toEqual(['da/x']);
  });
});

test('entries come again each time that they are asked for, and one level passes its own objects', async () => {
  const line = file('a');
  const view = merged([line]);

  expect(await entriesOf(view)).toEqual(await entriesOf(view));
  expect((await entriesOf(view))[0]).toBe(line);
});

test('a position that a level does not have never becomes one of another level', async () => {
  const [entry] = await entriesOf(merged([], [file('a', { chunk: 1 })]));
  const view = merged([file('b')], [file('a', { chunk: 1 })]);

  expect(entry?.chunk).toBeGreaterThanOrEqual(1);
  expect(view.chunks).toHaveLength(2);
  expect((await entriesOf(view)).find(({ path }) => path === 'a')?.chunk).toBeGreaterThanOrEqual(2);
});

test('a level out of order is an integrity error that names its manifest', async () => {
  await expect(paths([file('a')], [file('c'), file('b')])).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringMatching(/00000001\/manifest\.json\.gz does not list its entries in path order.*: b/),
  });
  await expect(paths([file('a'), file('a')])).rejects.toMatchObject({ code: 'integrity' });
});

test('one object described in two ways is an integrity error that names both uploads', () => {
  const levels = (change: Partial<ChunkRecord>): Level[] => [
    levelOf(uploadIdOf(0), [{ ...chunkOf(`../${uploadIdOf(1)}/c`, 0), ...change }], []),
    levelOf(uploadIdOf(1), [chunkOf('c', 0)], []),
  ];

  expect(mergeLevels(levels({}), uploadIdOf(0)).chunks).toHaveLength(1);
  for (const change of [{ size: 99 }, { sha256: 'e'.repeat(64) }]) {
    expect(() => mergeLevels(levels(change), uploadIdOf(0))).toThrow(
      /00000001.* and .*20260101-000000-00000000.* describe uploads/,
    );
  }
});

test('an entry of an unknown type is an error, unless somebody takes it; it hides older ones', async () => {
  const view = merged([{ path: raw('d'), foreignType: raw('door') }], [folder('d'), file('d/a'), file('e')]);
  const taken: string[] = [];

  await expect(entriesOf(view)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining("'door'"),
  });
  const left: string[] = [];
  for await (const batch of view.entries(({ path }) => taken.push(path))) left.push(...batch.map(({ path }) => path));
  expect([taken, left]).toEqual([['d'], ['e']]);
});

test('leaving the entries early closes every level', async () => {
  let closed = 0;
  const endless = (id: number): Level => ({
    uploadId: uploadIdOf(id),
    chunks: [],
    async *mentions() {
      try {
        for (let at = 0; ; at++) yield await Promise.resolve([file(`${id}-${String(at).padStart(9, '0')}`)]);
      } finally {
        closed++;
      }
    },
  });
  for await (const batch of mergeLevels([endless(1), endless(2)], uploadIdOf(1)).entries()) if (batch.length > 0) break;

  expect(closed).toBe(2);
});
