import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  composeManifest,
  composeSegments,
  type WrittenEntry,
} from '../../../../src/core/format/manifest/compose-manifest.js';
import { EntryParser } from '../../../../src/core/format/manifest/entry-json-parse.js';
import { mentionLine } from '../../../../src/core/format/manifest/compose-manifest.js';
import { readLoaded } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { isRows, rowLines } from '../../../../src/core/format/rows/row-lines.js';
import { writtenRows } from '../../../../src/core/format/rows/row-text.js';
import { loadManifest } from '../../../support/load-manifest.js';
import { smallSegments } from '../../../support/small-segments.js';
import type { Line } from '../../../../src/core/format/manifest/manifest-parser.js';
import type { Entry, ManifestHead, Mention } from '../../../../src/core/format/manifest/manifest-types.js';
import { chunkOf, uploadIdOf } from '../../../support/chain-model.js';
import { raw } from '../../../support/raw.js';
import { rawFromBytes, rawFromText } from '../../../../src/core/platform/paths/raw-path.js';

const someRaw = fc
  .oneof(
    fc.uint8Array({ minLength: 1, maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', minLength: 1 }).map((text) => Buffer.from(text, 'utf8')),
  )
  .map((bytes) => rawFromBytes(bytes));
const utf8 = fc.string({ unit: 'grapheme' }).map((text) => rawFromText(text));
const time = fc.record({ seconds: fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), nanos: fc.nat(999_999_999) });
const count = fc.maxSafeNat();
const optional = <T>(key: string, value: fc.Arbitrary<T>): fc.Arbitrary<object> =>
  fc.option(value).map((some) => (some === null ? {} : { [key]: some }));
const common = [
  fc.record({
    path: someRaw,
    mtime: time,
    ctime: time,
    mode: fc.nat(0o7777),
    uid: fc.nat(2 ** 32 - 1),
    gid: fc.nat(2 ** 32 - 1),
    inode: utf8,
  }),
  optional('user', utf8),
  optional('group', utf8),
  optional('linkGroup', count),
  optional('stage', fc.string({ unit: 'binary', minLength: 1 })),
  optional('commit', fc.oneof(fc.stringMatching(/^[0-9a-f]{40}$/), fc.stringMatching(/^[0-9a-f]{64}$/))),
  optional(
    'xattrs',
    fc
      .array(
        fc.tuple(
          fc.oneof(
            someRaw,
            someRaw.map((name) => raw(`base64:${name}`)),
          ),
          fc.uint8Array(),
        ),
      )
      .map((pairs) => new Map(pairs.map(([name, value]) => [name, Buffer.from(value)]))),
  ),
];
const place = fc.oneof(
  fc.record({ chunk: count, offset: count }),
  fc.record({
    segments: fc.array(fc.record({ chunk: count, offset: count, size: count }), { minLength: 1, maxLength: 4 }),
  }),
);
const merge = (parts: readonly object[]): Entry => Object.assign({}, ...parts) as Entry;
const entries: fc.Arbitrary<Entry> = fc.oneof(
  fc
    .tuple(
      ...common,
      fc.record({ type: fc.constantFrom('file', 'hardlink'), size: count }),
      place,
      optional('md5', fc.stringMatching(/^[0-9a-f]{32}$/)),
      optional('sha256', fc.stringMatching(/^[0-9a-f]{64}$/)),
      optional('holes', fc.array(fc.tuple(count, count))),
      optional('changed', fc.constant(true)),
    )
    .map(merge),
  fc.tuple(...common, fc.constant({ type: 'directory', size: 0 }), optional('chunk', count)).map(merge),
  fc
    .tuple(...common, fc.record({ type: fc.constant('symlink'), size: fc.constant(0), target: someRaw, chunk: count }))
    .map(merge),
);

describe('the line of a mention', () => {
  test('is parsed as the same entry', () => {
    const parser = new EntryParser();
    fc.assert(
      fc.property(entries, (entry) => {
        const line = mentionLine(entry);
        expect(line).not.toContain('\n');
        expect(parser.parse(rawFromText(line))).toEqual(entry);
      }),
      { numRuns: 1000 },
    );
  });

  test('is parsed as the same deletion in a delta, and refused in a full listing', () => {
    fc.assert(
      fc.property(someRaw, (path) => {
        const line = rawFromText(mentionLine({ path, type: 'deleted' }));
        expect(new EntryParser(true, true).parse(line)).toEqual({ path, type: 'deleted' });
        expect(() => new EntryParser().parse(line)).toThrow(/it is a deletion, and a full listing has none/);
      }),
    );
  });

  test('of a deletion has a path and nothing else that means something', () => {
    const parse = (line: string) => new EntryParser(true, true).parse(raw(line));

    expect(parse('{"type":"deleted","later":[1],"path":"a"}')).toEqual({ path: 'a', type: 'deleted' });
    for (const more of ['"size":1', '"mtime":"2025-11-14T09:30:12.123456789Z"', '"user":"u"'])
      expect(() => parse(`{"path":"a","type":"deleted",${more}}`)).toThrow(/it is a deletion and has more than a path/);
    expect(() => parse('{"type":"deleted"}')).toThrow(/it has no 'path'/);
  });
});

const totals = (entries: number): ManifestHead['totals'] => ({
  entries,
  files: 0,
  directories: 0,
  symlinks: 0,
  hardlinks: 0,
  bytes: 0,
  storedBytes: 0,
  chunks: 0,
  skipped: 0,
});
const headOf = (change: Partial<ManifestHead>): ManifestHead => ({
  format: 1,
  type: 'archiver-manifest',
  requires: [],
  tool: 't',
  codec: 'c',
  uploadId: uploadIdOf(1),
  createdAt: 'now',
  listing: 'full',
  datasetId: 'd',
  storage: {},
  shards: [],
  chunks: [chunkOf('c', 0)],
  totals: totals(0),
  source: {
    path: raw('/s\xff'),
    host: 'h',
    mode: 0o755,
    mtime: { seconds: 1, nanos: 2 },
    uid: 0,
    gid: 0,
    user: raw('J\xc3\xb6rg'),
  },
  settings: {
    shardStrategy: 's',
    shardCount: 1,
    frameSize: 0,
    chunkSize: 1,
    fileChecksums: true,
    compression: { algorithm: 'zstd', level: null },
  },
  ...change,
});
const deltaHead = (entries: number, change: Partial<ManifestHead> = {}): ManifestHead =>
  headOf({
    listing: 'delta',
    previous: { uploadId: uploadIdOf(0), sha256: 'a'.repeat(64) },
    chain: { deltas: 1, entries },
    view: totals(9),
    totals: totals(entries),
    ...change,
  });
async function* inBatches<T>(...batches: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  for (const batch of batches) yield await Promise.resolve(batch);
}
const link = (path: string): Entry => ({
  path: raw(path),
  type: 'symlink',
  target: raw('t'),
  size: 0,
  mode: 0,
  uid: 0,
  gid: 0,
  inode: raw('1'),
  chunk: 0,
  mtime: { seconds: 0, nanos: 0 },
  ctime: { seconds: 0, nanos: 0 },
});
const gone = (path: string): Mention => ({ path: raw(path), type: 'deleted' });

describe('a composed manifest', () => {
  test('is read back as it was: head, mentions, digest', async () => {
    const mentions = [link('a'), gone('a-b'), gone('a/\xff'), link('b\n')];
    const head = deltaHead(4, { replaces: ['b'.repeat(64)] });

    const { bytes, sha256 } = await composeManifest(head, inBatches(mentions.slice(0, 3), [], mentions.slice(3)));

    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    const loaded = await loadManifest(uploadIdOf(1), bytes);
    expect(loaded).toMatchObject({ sha256, head });
    const lines: Line[] = [];
    for await (const batch of readLoaded(loaded)) lines.push(...batch);
    expect(lines).toEqual(mentions);
    const text = gunzipSync(bytes).toString();
    expect(Object.keys(JSON.parse(text) as object).slice(7, 13)).toEqual([
      'listing',
      'previous',
      'chain',
      'view',
      'replaces',
      'datasetId',
    ]);
    expect(text.split('\n').slice(-7)).toEqual([
      '"files":[',
      ...mentions.map((mention, index) => mentionLine(mention) + (index < 3 ? ',' : '')),
      ']}',
      '',
    ]);
  });

  test('of nothing is a whole document', async () => {
    const { bytes } = await composeManifest(headOf({}), inBatches());

    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ listing: 'full', files: [] });
  });

  test.each<[string, ManifestHead, readonly Mention[], RegExp]>([
    ['paths out of order', deltaHead(2), [link('b'), gone('a')], /not be in the order of its paths/],
    ['a path twice', deltaHead(2), [link('a'), gone('a')], /not be in the order of its paths/],
    ['too few', deltaHead(2), [link('a')], /announces 2 entries and would hold 1/],
    ['too many', deltaHead(0), [link('a')], /announces 0 entries and would hold 1/],
    ['a deletion in a full listing', headOf({ totals: totals(1) }), [gone('a')], /would hold a deletion/],
  ])('is refused: %s', async (_name, head, mentions, message) => {
    await expect(composeManifest(head, inBatches(mentions))).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringMatching(message),
    });
  });

  test('of half a million entries is written in flat memory', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const live = (): number => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = live();
    let highest = 0;
    async function* many(): AsyncGenerator<readonly Mention[]> {
      for (let at = 0; at < 500_000; at += 1000) {
        yield await Promise.resolve(
          Array.from({ length: 1000 }, (_, index) => link(`file-${String(at + index).padStart(8, '0')}`)),
        );
        if (at % 100_000 === 0) highest = Math.max(highest, live());
      }
    }

    const { bytes } = await composeManifest(headOf({ totals: totals(500_000) }), many());

    expect(bytes.length).toBeGreaterThan(2 ** 20);
    expect(highest - before).toBeLessThan(20 * 2 ** 20);
  });
});

describe('the head of a delta', () => {
  const parsed = async (change: (head: Record<string, unknown>) => void): Promise<unknown> => {
    const head = JSON.parse(JSON.stringify(deltaHead(0))) as Record<string, unknown>;
    change(head);
    const { bytes } = await composeManifest({ ...deltaHead(0), ...head, source: headOf({}).source }, inBatches());
    return (await loadManifest(uploadIdOf(1), bytes)).head;
  };
  test.each<[string, (head: Record<string, unknown>) => void, RegExp]>([
    ['without previous', (head) => (head['previous'] = undefined), /'previous' of the manifest .* is not an object/],
    ['without chain', (head) => (head['chain'] = undefined), /'chain' of the manifest/],
    ['without view', (head) => (head['view'] = undefined), /'view' of the manifest/],
    [
      'on itself',
      (head) => (head['previous'] = { uploadId: uploadIdOf(1), sha256: 'a'.repeat(64) }),
      /is not that of another upload/,
    ],
    [
      'on a path',
      (head) => (head['previous'] = { uploadId: '../../x', sha256: 'a'.repeat(64) }),
      /'uploadId' of .* is not an upload id/,
    ],
    ['on no digest', (head) => (head['previous'] = { uploadId: uploadIdOf(0), sha256: 'x' }), /is not a SHA-256/],
    ['of no deltas', (head) => (head['chain'] = { deltas: 0, entries: 1 }), /'deltas' of .* is not at least 1/],
    ['with a bad replaced digest', (head) => (head['replaces'] = ['x']), /replace 1 of .*SHA-256/],
    [
      'with endless replaced digests',
      (head) => (head['replaces'] = Array.from({ length: 257 }, () => 'a'.repeat(64))),
      /more than 256 replaces/,
    ],
    [
      'with the keys of a delta on a full listing',
      (head) => (head['listing'] = 'full'),
      /'previous' of .* it is a full listing/,
    ],
  ])('is refused %s', async (_name, change, message) => {
    await expect(parsed(change)).rejects.toMatchObject({ code: 'integrity', message: expect.stringMatching(message) });
  });

  test('of a later kind is unsupported, not damaged', async () => {
    await expect(parsed((head) => (head['listing'] = 'squashed'))).rejects.toMatchObject({
      code: 'unsupported',
      hint: 'update archiver',
    });
  });
});

describe('segments of what was read as rows', () => {
  const bare = (path: string, type: Entry['type']): Entry => {
    const { target: _target, chunk: _chunk, ...entry } = link(path);
    return { ...entry, type };
  };
  const plain = (path: string, chunk: number, more: Partial<Entry> = {}): Entry => ({
    ...bare(path, 'file'),
    size: 9,
    md5: 'a'.repeat(32),
    chunk,
    offset: 7,
    ...more,
  });
  const listed = [
    ...Array.from({ length: 9 }, (_, at) => plain(`a${at}`, 11 - at, { user: raw('u') })),
    bare('b', 'directory'),
    plain('c', 2, { group: raw('J\xc3\xb6rg') }),
    link('d'),
    bare('e', 'file'),
    plain('f\xc3\xbc', 0),
    plain('g\xff', 11),
    plain('h"', 10),
  ];
  const head = headOf({
    chunks: Array.from({ length: 12 }, (_, at) => chunkOf(`c${at}`, at)),
    totals: totals(listed.length),
  });
  beforeAll(smallSegments());

  test('are those of the entries, byte for byte', async () => {
    const { bytes } = await composeManifest(head, inBatches(listed));
    let rows = 0;
    async function* batches(): AsyncGenerator<readonly (Mention | WrittenEntry)[]> {
      for await (const batch of rowLines(await loadManifest(uploadIdOf(1), bytes))) {
        if (isRows(batch)) rows += batch.count;
        yield isRows(batch) ? writtenRows(batch) : (batch as readonly Mention[]);
      }
    }
    const ofRows = await composeSegments(head, batches(), { after: 0 });
    const ofEntries = await composeSegments(head, inBatches(listed), { after: 0 });

    expect(rows).toBe(listed.length - ['the link', 'the name that is no text', 'the one with an escape'].length);
    expect(ofRows.segments?.own.map((segment) => gunzipSync(segment.bytes).toString('latin1'))).toEqual(
      ofEntries.segments?.own.map((segment) => gunzipSync(segment.bytes).toString('latin1')),
    );
    expect(ofRows.sha256).toBe(ofEntries.sha256);
  });
});
