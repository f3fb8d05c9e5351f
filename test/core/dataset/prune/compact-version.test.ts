// Compaction of one version, without the prune around it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { compactVersion } from '../../../../src/core/dataset/prune/compact-version.js';
import { assertSameView, type ComparedView } from '../../../../src/core/dataset/prune/same-view.js';
import { openVersion } from '../../../../src/core/dataset/chain/version-view.js';
import { readParsedRecord } from '../../../../src/core/dataset/records/versions.js';
import { viewOf } from '../../../../src/core/dataset/chain/view.js';
import { loadManifest } from '../../../support/load-manifest.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { WholeStore } from '../../../../src/core/store/object-store.js';
import type { Json } from '../../../support/make-archive.js';
import { linkId, linkKey } from '../../../support/make-chain.js';
import { allContent, allKeys, DATASET, makeDataset, recordKey } from '../../../support/make-dataset.js';
import { copyOf, datasetFolder, killedBefore, LINKS, onMutation } from './prune-run.js';

const KEY = linkKey(3);
const made = makeDataset(LINKS);
let folder = '';
let before = new Map<number, string[]>();
beforeEach(async () => {
  folder = await datasetFolder(made);
  before = await allContent(fileStore(folder));
});

async function compactIn(at: string, wrap?: (store: WholeStore) => WholeStore): Promise<void> {
  const store = fileStore(at);
  const record = await readParsedRecord(store, { datasetId: DATASET, version: 4 });
  await compactVersion(wrap?.(store) ?? store, record, new AbortController().signal);
}
const manifestIn = async (at: string): Promise<Buffer> => await readFile(join(at, KEY));
const recordIn = async (at: string): Promise<Json> =>
  JSON.parse(await readFile(join(at, recordKey(4)), 'utf8')) as Json;

test('a compacted version and the one that builds on it read as before; nothing is deleted', async () => {
  const all = await allKeys(fileStore(folder));

  await compactIn(folder);

  expect(await allContent(fileStore(folder))).toEqual(before);
  expect(JSON.parse(gunzipSync(await manifestIn(folder)).toString())).toMatchObject({ listing: 'full' });
  expect(await recordIn(folder)).toMatchObject({ listing: 'full' });
  expect(await allKeys(fileStore(folder))).toEqual(expect.arrayContaining(all));
});

test('killed before any change, every version reads as before, and the next compaction ends with the same', async () => {
  const end = await copyOf(folder);
  let length = 0;
  await compactIn(end, (store) => onMutation(store, (call) => void (length = call + 1)));
  expect(length).toBe(5);

  for (let step = 0; step < length; step++) {
    const copy = await copyOf(folder);
    await expect(compactIn(copy, (store) => killedBefore(store, step))).rejects.toThrow('killed');
    expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
    await compactIn(copy);
    expect([step, await allContent(fileStore(copy))]).toEqual([step, before]);
    expect([step, await manifestIn(copy)]).toEqual([step, await manifestIn(end)]);
  }
});

test('two at once: the version is compacted, and whoever was late ends well or says so', async () => {
  const ended = await Promise.allSettled([compactIn(folder), compactIn(folder)]);

  const codes = ended.map((result) => (result.status === 'fulfilled' ? 'done' : (result.reason as Json)['code']));
  expect(codes).toContain('done');
  expect(codes.every((code) => code === 'done' || code === 'conflict')).toBe(true);
  expect(await allContent(fileStore(folder))).toEqual(before);
  expect(JSON.parse(gunzipSync(await manifestIn(folder)).toString())).toMatchObject({ listing: 'full' });
});

test('one that stood still before the swap until what it shows was moved and swept says that its version is not whole', async () => {
  const chunk = `uploads/${linkId(2)}/shard-00/chunk-000000.tar.zst`;
  const sweep = (store: WholeStore): WholeStore =>
    onMutation(store, async (_, what) => {
      if (what === `put ${KEY}`) await store.delete([chunk]);
    });

  await expect(compactIn(folder, sweep)).rejects.toThrow(
    `version 4 is not whole: its manifest names ${chunk}, which is missing`,
  );
});

test('a manifest that the store gives back differently does not take the place of the old one', async () => {
  const old = await manifestIn(folder);
  const bent = (store: WholeStore): WholeStore => ({
    ...store,
    get: async (key, options) => await store.get(key.includes('.compact-') ? linkKey(0) : key, options),
  });

  await expect(compactIn(folder, bent)).rejects.toMatchObject({ code: 'integrity' });

  expect(await manifestIn(folder)).toEqual(old);
  expect('replacementSha256' in (await recordIn(folder))).toBe(false);
});

const viewIn = async (text: string): Promise<ComparedView> => ({
  ...viewOf([await loadManifest(linkId(3), gzipSync(text))]),
  uploadId: linkId(3),
});

describe.each(['what it replaces', 'itself, row by row,'])('a rewritten manifest, compared with %s', (what) => {
  const cases: readonly (readonly [string, (text: string) => string])[] = [
    ['lacks an entry', (text) => text.replace(/\n\{"path":"b.txt".*\n/, '\n')],
    ['has another checksum', (text) => text.replace(/("path":"b.txt".*"md5":")../, '$100')],
    ['has another chunk', (text) => text.replace(/("path":"b.txt".*"chunk":)\d/, '$10')],
    ['has another place of a part', (text) => text.replace(/("segments":\[\{[^}]*"offset":)\d+/, '$199')],
    ['has another inode', (text) => text.replace(/("path":"b.txt".*"inode":")/, '$1x')],
    ['has another time', (text) => text.replace(/("path":"b.txt".*"mtime":")\d/, '$11')],
    ['has a value more', (text) => text.replace(/("path":"b.txt".*?"mode":"\d+")/, '$1,"changed":true')],
    ['has a value less', (text) => text.replace(/("path":"b.txt".*),"inode":"[^"]*"/, '$1')],
    ['splits a group of hard links', (text) => text.replace(/("path":"dir\/e.txt".*"linkGroup":)\d+/, '$199')],
  ];

  test.each(cases)('that %s does not show the same', async (_what, change) => {
    const expected = await openVersion(
      fileStore(folder),
      (await readParsedRecord(fileStore(folder), { datasetId: DATASET, version: 4 })).record,
    );
    await compactIn(folder);
    const text = gunzipSync(await manifestIn(folder)).toString();
    expect(change(text)).not.toBe(text);
    const compare = async (found: string): Promise<void> => {
      const wanted = what === 'what it replaces' ? { ...expected, uploadId: linkId(3) } : await viewIn(text);
      await assertSameView(wanted, await viewIn(found), 'it');
    };

    await compare(text);
    await expect(compare(change(text))).rejects.toMatchObject({ code: 'integrity' });
  });
});

test('a rewritten manifest that differs in the last of many rows does not show the same', async () => {
  await compactIn(folder);
  const text = withCopies(gunzipSync(await manifestIn(folder)).toString(), 3000);

  await assertSameView(await viewIn(text), await viewIn(text), 'it');
  const changed = text.replace(/("path":"b0\/2999".*"inode":")/, '$1x');
  await expect(assertSameView(await viewIn(text), await viewIn(changed), 'it')).rejects.toThrow('b0/2999');
});

/** A listing with so many copies of b.txt in a folder behind it. */
function withCopies(text: string, count: number): string {
  const line = /\n(\{"path":"b.txt".*"size":(\d+).*,)\n/.exec(text);
  const copies = Array.from({ length: count }, (_, at) =>
    line?.[1]?.replace('"b.txt"', `"b0/${String(at).padStart(4, '0')}"`),
  );
  return text
    .replace(/\n\{"path":"b.txt".*/, (found) => [found, ...copies].join('\n'))
    .replace(/"totals":(\{[^}]*\})/, (_found, totals: string) => {
      const { entries, files, bytes, ...others } = JSON.parse(totals) as Record<'entries' | 'files' | 'bytes', number>;
      const more = count * Number(line?.[2]);
      return `"totals":${JSON.stringify({ entries: entries + count, files: files + count, bytes: bytes + more, ...others })}`;
    });
}
