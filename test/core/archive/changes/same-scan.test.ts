// A scan that looks like one before: nothing is compared again, and whatever differs from it is.
import {
  appendFileSync,
  chmodSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { CachedScan, ScanCache } from '../../../../src/core/dataset/cache/scan-cache.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { uploadFolder, type UploadRunOptions } from '../upload-folder.js';

let source: string;
let base: string;
let kept: CachedScan | undefined;
let puts = 0;
let nextId = 0;
const scans: ScanCache = {
  get: async () => kept,
  put: async (_url, _dataset, body) => {
    kept = body as CachedScan;
    puts++;
  },
};
const at = (name: string): string => join(source, name);

function sync(options: UploadRunOptions = {}) {
  const randomBytes = (): Buffer => Buffer.from([7, 0, ++nextId >> 8, nextId & 0xff]);
  return uploadFolder(source, base, { randomBytes, scans, changes: { trackDeletes: true }, ...options });
}
const changesOf = async (options?: UploadRunOptions) => (await sync(options).result).changes;

beforeEach(async () => {
  const home = await tempFolder();
  [source, base, kept, puts] = [join(home, 'source'), join(home, 'store'), undefined, 0];
  mkdirSync(at('a/b'), { recursive: true });
  for (const name of ['a/b/one', 'a/b/two', 'a/three', 'z']) {
    writeFileSync(at(name), `content of ${name}`);
    utimesSync(at(name), 1_700_000_000, 1_700_000_000);
  }
  linkSync(at('a/three'), at('a/three again'));
  symlinkSync('b/one', at('a/link'));
});

/** Moves no ctime back, so each of these shows at least there; what else shows depends on the change. */
const CHANGES: readonly (readonly [string, () => void, object])[] = [
  ['a byte more', () => appendFileSync(at('z'), '!'), { modified: 1 }],
  ['other content of the same size and mtime', () => sameSizeAndTime(at('a/b/one')), { modified: 1 }],
  ['another mode', () => chmodSync(at('a/b/two'), 0o600), { modified: 1 }],
  ['another time of a folder', () => utimesSync(at('a/b'), 5, 5), { noChanges: false }],
  ['another mode of the folder itself', () => chmodSync(source, 0o700), { noChanges: false }],
  ['one file more', () => writeFileSync(at('a/b/new'), ''), { added: 1 }],
  ['one file less', () => rmSync(at('a/b/two')), { deleted: 1 }],
  ['another name', () => renameSync(at('a/b/two'), at('a/b/tw0')), { added: 1, deleted: 1 }],
  ['a link that leads elsewhere', () => linkElsewhere(), { modified: 1 }],
  ['a name that is a file of its own', () => separate(), { noChanges: false }],
];

function sameSizeAndTime(path: string): void {
  const { mtime, atime } = statSync(path);
  writeFileSync(path, readFileSync(path, 'utf8').toUpperCase());
  utimesSync(path, atime, mtime);
}

function linkElsewhere(): void {
  rmSync(at('a/link'));
  symlinkSync('b/two', at('a/link'));
  lutimesSync(at('a/link'), 5, 5);
}

function separate(): void {
  const content = readFileSync(at('a/three'));
  rmSync(at('a/three again'));
  writeFileSync(at('a/three again'), content);
}

describe('a scan like the one before', () => {
  test('shows what the version holds, whether a comparison or the version itself has told so', async () => {
    await sync().result;
    expect(puts).toBe(1); // of the version
    const bySame = await changesOf();
    expect(puts).toBe(1); // known already
    const same = kept;
    kept = undefined;
    expect(await changesOf()).toEqual(bySame); // compared
    expect(kept).toEqual(same);
    expect(bySame).toMatchObject({ noChanges: true, unchanged: 6, added: 0, modified: 0, deleted: 0, gone: 0 });
  });

  test('is not compared again', async () => {
    await sync().result;
    kept = kept && { ...kept, gone: 41 }; // what no comparison would say
    expect(await changesOf({ changes: { trackDeletes: false } })).toMatchObject({ noChanges: true, gone: 41 });
  });

  test.each(CHANGES)('is not one with %s', async (_what, change, expected) => {
    await sync().result;
    await sync().result;
    change();
    expect(await changesOf()).toMatchObject({ noChanges: false, ...expected });
    expect(await changesOf()).toMatchObject({ noChanges: true });
  });

  test('of another version, or with more to compare, says nothing', async () => {
    await sync().result;
    const first = kept && { ...kept, gone: 41 };
    kept = first && { ...first, manifestSha256: '0'.repeat(64) };
    expect(await changesOf({ changes: { trackDeletes: false } })).toMatchObject({ gone: 0 });
    kept = first;
    expect(await changesOf()).toMatchObject({ deleted: 0, gone: 0 }); // deletions are to be recorded
    kept = first;
    expect(await changesOf({ changes: { trackDeletes: true, isForced: true } })).toMatchObject({
      noChanges: false,
      gone: 0,
    });
  });

  test('says again how many paths are gone, until deletions are recorded', async () => {
    await sync().result;
    rmSync(at('z'));
    utimesSync(source, 5, 5);
    expect(await changesOf({ changes: { trackDeletes: false } })).toMatchObject({ noChanges: false, gone: 1 });
    for (let round = 0; round < 2; round++) {
      expect(await changesOf({ changes: { trackDeletes: false } })).toMatchObject({ noChanges: true, gone: 1 });
      expect(kept).toMatchObject({ gone: 1 });
    }
    expect(await changesOf()).toMatchObject({ noChanges: false, deleted: 1 });
  });

  test('is not remembered where ctimes are ignored: a later sync goes by them', async () => {
    await sync().result;
    sameSizeAndTime(at('a/b/one'));
    const isIgnoring = { changes: { trackDeletes: true, ignoreCtime: true } };
    expect(await changesOf(isIgnoring)).toMatchObject({ noChanges: true });
    writeFileSync(at('new'), '');
    expect(await changesOf(isIgnoring)).toMatchObject({ added: 1, modified: 0 });
    expect(await changesOf()).toMatchObject({ noChanges: false, modified: 1 });
  });

  test('is not remembered of one in which a path could not be read or was too young', async () => {
    await sync().result;
    const before = puts;
    writeFileSync(at('young'), 'so late');
    await sync({ filter: { settledBeforeMs: Date.now() - 3_600_000 } }).result;
    expect(puts).toBe(before);
  });
});
