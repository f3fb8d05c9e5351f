import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { EntryTableBuilder, KIND, openEntryTable, STATUS } from '../../../../src/core/format/columns/entry-table.js';
import type { AccountNames } from '../../../../src/core/format/manifest/entry-line.js';
import type { ManifestHead } from '../../../../src/core/format/manifest/manifest-types.js';
import { ManifestWriter } from '../../../../src/core/format/manifest/manifest-writer.js';
import { HOSTILE_NAMES } from '../../archive/trees.js';
import { raw } from '../../../support/raw.js';
import { asUploadId } from '../../../support/as-upload-id.js';

const names: AccountNames = { user: (uid) => (uid === 0 ? raw('root') : undefined), group: () => undefined };

const chunk = (number: number) => ({
  chunk: number,
  key: `shard-00/chunk-00000${number}.tar.zst`,
  shard: 0,
  size: 10,
  rawSize: 20,
  entries: 1,
  level: 3,
  storageClass: 'STANDARD',
  sha256: 'ab',
  tocSize: 5,
  frames: [{ size: 5, rawSize: 20, sha256: 'cd' }],
});

const head: ManifestHead = {
  format: 1,
  type: 'archiver-manifest',
  requires: [],
  tool: 'archiver test',
  codec: 'zstd 1.5.7',
  uploadId: asUploadId('20260101-000000-00000000'),
  createdAt: '2026-01-01T00:00:00.000Z',
  listing: 'full',
  datasetId: 'data-00000000',
  source: { path: raw('/da\xffta'), host: 'ho"st', mode: 0o755, mtime: { seconds: 1, nanos: 2 }, uid: 0, gid: 5 },
  storage: { folder: '/store' },
  settings: {
    shardStrategy: 'round-robin',
    shardCount: 4,
    compression: { algorithm: 'zstd', level: null },
    frameSize: 0,
    chunkSize: 1,
    fileChecksums: true,
  },
  totals: {
    entries: 0,
    files: 0,
    directories: 0,
    symlinks: 0,
    hardlinks: 0,
    bytes: 0,
    storedBytes: 0,
    chunks: 0,
    skipped: 0,
  },
  shards: [],
  chunks: [chunk(0), chunk(1)],
};

function tableOf(paths: readonly string[]) {
  const builder = new EntryTableBuilder();
  for (const path of paths) builder.columns.status[builder.add(raw(path))] = STATUS.stored;
  return { builder, open: () => openEntryTable(builder.finish()) };
}

const encode = (paths: readonly string[], changes: Partial<ManifestHead> = {}) =>
  new ManifestWriter(tableOf(paths).open(), names, new Map()).finish({ ...head, ...changes });

describe('a manifest', () => {
  test('is valid JSON with one entry a line, whatever the names', async () => {
    const paths = [...HOSTILE_NAMES].sort();

    const { bytes } = await encode(paths);

    const text = gunzipSync(bytes).toString('utf8');
    const document = JSON.parse(text) as { files: { path?: string; pathBase64?: string }[]; chunks: object[] };
    const found = document.files.map(({ path, pathBase64 }) =>
      Buffer.from(path ?? pathBase64 ?? '', path === undefined ? 'base64' : 'utf8').toString('latin1'),
    );
    expect(found).toEqual(paths);
    const lines = text.split('\n');
    const begin = lines.findIndex((line) => line.endsWith('"files":['));
    expect(
      lines.slice(begin + 1, begin + 1 + paths.length).map((line) => JSON.parse(line.replace(/,$/, '')) as object),
    ).toEqual(document.files);
    expect(lines.slice(begin + 1 + paths.length)).toEqual([']}', '']);
    expect(lines.filter((line) => line.startsWith('{"chunk":'))).toHaveLength(2);
    expect(document.chunks).toEqual(head.chunks);
  });

  test('says everything of its head, the source with nanoseconds and names', async () => {
    const { bytes } = await encode([], { writerId: 'w', project: 'p"1', tags: { a: 'b\n', 'key two': '' } });

    const { source, chunks, ...rest } = JSON.parse(gunzipSync(bytes).toString()) as Record<string, unknown>;
    const { source: _source, chunks: wanted, ...others } = head;
    expect(rest).toEqual({ ...others, writerId: 'w', project: 'p"1', tags: { a: 'b\n', 'key two': '' }, files: [] });
    expect(chunks).toEqual(wanted);
    expect(source).toEqual({
      pathBase64: Buffer.from('/da\xffta', 'latin1').toString('base64'),
      host: 'ho"st',
      mode: '0755',
      mtime: '1970-01-01T00:00:01.000000002Z',
      uid: 0,
      gid: 5,
      user: 'root',
    });
  });

  test('of nothing is a whole document too', async () => {
    const { bytes, sha256 } = await encode([], { chunks: [] });

    expect(JSON.parse(gunzipSync(bytes).toString())).toMatchObject({ chunks: [], files: [] });
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('leaves out what was dropped or skipped', async () => {
    const { builder, open } = tableOf(['a', 'b', 'c', 'd']);
    builder.columns.kind[0] = KIND.dropped;
    builder.columns.status[2] = STATUS.skipped;
    builder.columns.status[3] = STATUS.changed;

    const { bytes } = await new ManifestWriter(open(), names, new Map()).finish(head);

    const { files } = JSON.parse(gunzipSync(bytes).toString()) as { files: { path: string; changed?: boolean }[] };
    expect(files.map(({ path, changed }) => [path, changed])).toEqual([
      ['b', undefined],
      ['d', true],
    ]);
  });

  test('written bit by bit while entries become final is the same document', async () => {
    const paths = Array.from({ length: 300 }, (_, index) => `file-${String(index).padStart(3, '0')}`);
    const table = tableOf(paths).open();
    const writer = new ManifestWriter(table, names, new Map());
    const whole = await encode(paths);

    for (const final of [0, 7, 7, 250, 3]) writer.advance((index) => index < final);
    const { bytes, sha256 } = await writer.finish(head);

    expect(gunzipSync(bytes).equals(gunzipSync(whole.bytes))).toBe(true);
    expect(sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('does not write an entry before it is final', async () => {
    const { builder, open } = tableOf(['a', 'b']);
    const writer = new ManifestWriter(open(), names, new Map());

    writer.advance((index) => index < 1);
    builder.columns.size[1] = 7;
    const { bytes } = await writer.finish(head);

    const { files } = JSON.parse(gunzipSync(bytes).toString()) as { files: { size: number }[] };
    expect(files.map(({ size }) => size)).toEqual([0, 7]);
  });

  test('of half a million entries is written in flat memory', async () => {
    const builder = new EntryTableBuilder();
    for (let index = 0; index < 500_000; index++) {
      const row = builder.add(raw(`folder-${index % 100}/file-${index}`));
      builder.columns.status[row] = STATUS.stored;
      builder.columns.chunk[row] = 0;
    }
    const table = openEntryTable(builder.finish());
    let highest = 0;
    const before = process.memoryUsage().heapUsed;
    const timer = setInterval(() => (highest = Math.max(highest, process.memoryUsage().heapUsed)), 5);

    const chunks = [{ chunk: 0, key: 'c', frames: [] }] as unknown as ManifestHead['chunks'];
    const { segments } = await new ManifestWriter(table, names, new Map()).finish({ ...head, chunks });
    clearInterval(timer);

    expect(segments?.own.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeGreaterThan(2 ** 20);
    // The text has more than 100 MB; the collector lets some garbage stand.
    expect(highest - before).toBeLessThan(80 * 2 ** 20);
    expect(highest).toBeGreaterThan(0);
  });
});
