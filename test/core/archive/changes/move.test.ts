// A sync of a dataset that knows nothing of deduplication: what was touched, moved or restored is read, and not sent again;
// and nothing that is new goes unseen.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import type { Json } from '../../../support/make-archive.js';
import { chunkPuts, expectWhole, run, type RunOptions, site, type Site } from '../resume/interrupted.js';
import { MIB, noise, writeSparse } from '../trees.js';

const PHOTO = noise(300_000);
const FILM = noise(2.5 * MIB);
const TIME = 1_700_000_000;
const CHANGES = { trackDeletes: true, allowMassDelete: true };

let place: Site;
const at = (name: string): string => join(place.source, name);
const write = (name: string, content: Buffer | string, seconds = TIME): void => {
  writeFileSync(at(name), content);
  utimesSync(at(name), seconds, seconds);
};

beforeEach(async () => {
  place = await site();
  for (const folder of ['.', 'a', 'a/b']) mkdirSync(at(folder), { recursive: true });
  write('a/photo', PHOTO);
  write('a/b/film', FILM); // is cut
  write('a/b/note', 'a note', TIME + 1);
  write('a/empty', '');
  linkSync(at('a/photo'), at('a/photo linked'));
  writeSparse(at('a/sparse'), 400_000, [[200_704, noise(8192)]]);
});

const sync = (options: RunOptions = {}) => run(place, { changes: CHANGES, chunkBytes: MIB, ...options });
const manifestOf = (uploadId: string): Json & { files: Json[] } =>
  JSON.parse(gunzipSync(readFileSync(join(place.base, 'uploads', uploadId, 'manifest.json.gz'))).toString()) as never;

/** A sync that must send no content; what it says. */
async function sendsNothing(options: RunOptions = {}) {
  const synced = sync(options);
  const result = await synced.result;
  expect(chunkPuts(synced)).toEqual([]);
  expect(result.storedBytes).toBe(0);
  await expectWhole(place, result.uploadId);
  return result;
}

/** A sync that must send something; its version has what the source has. */
async function sends(options: RunOptions = {}) {
  const synced = sync(options);
  const result = await synced.result;
  expect(chunkPuts(synced)).not.toEqual([]);
  await expectWhole(place, result.uploadId);
  return result;
}

describe('nothing is sent', () => {
  const paths = ['a/photo', 'a/b/film', 'a/b/note', 'a/empty', 'a/sparse'];
  test.each<[string, () => void, object]>([
    ['of files that were touched', () => paths.forEach((path) => utimesSync(at(path), 7, 7)), { modified: 6 }],
    ['of a folder that was renamed', () => renameSync(at('a'), at('z')), { added: 6, deleted: 6 }],
    ['of a folder that was renamed to come earlier', () => renameSync(at('a'), at('A')), { added: 6, deleted: 6 }],
    ['of a folder that was renamed, all in it touched', () => touchedAnew(), { added: 6, deleted: 6 }],
    ['where all change times are new', () => chmodAgain(paths), { modified: 5, unchanged: 1 }],
    ['where a name was linked', () => linkSync(at('a/b/note'), at('a/0')), { added: 1, modified: 1 }],
    ['where a name was unlinked', () => rmSync(at('a/photo')), { modified: 1, deleted: 1 }],
  ])('%s', async (_name, change, counts) => {
    await sync().result;
    change();

    const { changes, version } = await sendsNothing();

    expect(version).toBe(2);
    expect(changes).toMatchObject(counts);
    // What was found out is written down: nothing is read again.
    const notes: TransferEvent[] = [];
    const again = await sync({ onEvent: (event) => void notes.push(event) }).result;
    expect(again.changes).toMatchObject({ noChanges: true, referred: { files: 0 } });
    expect(notes.filter((event) => event.type === 'note' && event.text.startsWith('comparing'))).toEqual([]);
  });

  function touchedAnew(): void {
    renameSync(at('a'), at('z'));
    for (const path of paths) utimesSync(at(path.replace('a', 'z')), 7, 7);
  }

  function chmodAgain(names: readonly string[]): void {
    for (const name of names) chmodSync(at(name), statSync(at(name)).mode & 0o7777);
  }

  test('of a tree that was restored in place of the old one', async () => {
    await sync().result;
    renameSync(at('a'), join(place.source, '..', 'old'));
    execFileSync('cp', ['-a', join(place.source, '..', 'old'), at('a')]);

    expect((await sendsNothing()).changes).toMatchObject({ added: 0, deleted: 0 });
  });

  test('of files whose names were rotated', async () => {
    for (let file = 1; file <= 3; file++) write(`log.${file}`, noise(50_000 + file), TIME + file);
    await sync().result;
    for (let file = 3; file >= 1; file--) renameSync(at(`log.${file}`), at(`log.${file + 1}`));

    expect((await sendsNothing()).changes).toMatchObject({ added: 1, modified: 2, deleted: 1, referred: { files: 3 } });
  });

  test('of files that are objects of their own, under their new names as well', async () => {
    const direct = { thresholdBytes: undefined, requests: 4 };
    await sync({ direct }).result;
    renameSync(at('a/b'), at('a/c'));
    utimesSync(at('a/photo'), 7, 7);

    expect((await sendsNothing({ direct })).changes).toMatchObject({ referred: { files: 4 } });
  });

  test('by a dry run either, which reads what may be stored and says what would be sent', async () => {
    await sync().result;
    renameSync(at('a'), at('z'));
    const planned = await sync({ dryRun: true }).result;

    expect(planned).toMatchObject({ changes: { added: 6, referred: { files: 6 } }, chunks: 0, storedBytes: 0 });
  });

  test('through versions that list everything, of what was moved before', async () => {
    await sync().result;
    const listings: unknown[] = [];
    for (const [from, to] of [['a', 'c'] as const, ['c', 'd'] as const, ['d', 'e'] as const]) {
      renameSync(at(from), at(to));
      listings.push(manifestOf((await sendsNothing()).uploadId)['listing']);
    }

    expect(listings).toContain('full');
  });

  test('with --ignore-ctime nothing is read either, and no version is written', async () => {
    await sync().result;
    chmodAgain(paths);
    const changes = { ...CHANGES, ignoreCtime: true };

    expect((await sync({ changes }).result).changes).toMatchObject({ noChanges: true });
    expect((await sync().result).changes).toMatchObject({ noChanges: false, modified: 5 });
  });
});

describe('nothing goes unseen', () => {
  test('a file that was moved over one of equal size and time', async () => {
    const [one, two] = [noise(9000), noise(9001).subarray(0, 9000)];
    write('one', one);
    write('two', two);
    await sync().result;
    renameSync(at('one'), at('two'));

    // It is not sent either: the content is that of a path that is gone.
    expect((await sendsNothing()).changes).toMatchObject({ modified: 1, deleted: 1, referred: { files: 1 } });
  });

  test('one that was copied over with its time, cp -p', async () => {
    write('one', noise(9000));
    await sync().result;
    const other = join(place.source, '..', 'other');
    writeFileSync(other, noise(9001).subarray(0, 9000));
    utimesSync(other, TIME, TIME);
    execFileSync('cp', ['-p', other, at('one')]);

    expect((await sends()).changes).toMatchObject({ modified: 1, referred: { files: 0 } });
  });

  test('an edit that --ignore-ctime does not look at, once ctimes count again, though a mode was recorded meanwhile', async () => {
    await sync().result;
    write('a/photo', Buffer.from(PHOTO).fill(7, 200_000, 200_001));
    chmodSync(at('a/photo'), 0o600);
    chmodSync(at('a/b/note'), 0o600);

    const ignoring = await sync({ changes: { ...CHANGES, ignoreCtime: true } }).result;

    expect(ignoring.changes).toMatchObject({ noChanges: false, referred: { files: 0 } });
    expect((await sends()).changes).toMatchObject({ noChanges: false, referred: { files: 1 } });
    expect((await sync().result).changes).toMatchObject({ noChanges: true });
  });

  test('an edit whose size and time were put back', async () => {
    await sync().result;
    write('a/photo', Buffer.from(PHOTO).fill(7, 200_000, 200_001));

    expect((await sends()).changes).toMatchObject({ modified: 2 });
  });

  // Wang, Feng, Lai, Yu: Collisions for Hash Functions MD4, MD5, HAVAL-128 and RIPEMD (2004).
  const TWIN = Buffer.from(
    'd131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a' +
      '085125e8f7cdc99fd91dbdf280373c5bd8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0' +
      'e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70',
    'hex',
  );
  const OTHER_TWIN = Buffer.from(TWIN);
  for (const byte of [19, 45, 59, 83, 109, 123]) OTHER_TWIN[byte] = (TWIN[byte] ?? 0) ^ 0x80;

  test.each([
    ['touched', TIME + 5],
    ['with its old time', TIME],
  ])('a file that was replaced by another one with the same MD5, %s', async (_name, seconds) => {
    write('twin', TWIN);
    const first = await sync().result;
    write('twin', OTHER_TWIN, seconds);
    const second = await sends();

    const [before, after] = [first, second].map(({ uploadId }) =>
      manifestOf(uploadId).files.find(({ path }) => path === 'twin'),
    );
    expect(before?.['md5']).toBe('79054025255fb1a26e4bc422aef54eb4');
    expect(after?.['md5']).toBe(before?.['md5']);
    expect(after?.['xxh64']).not.toBe(before?.['xxh64']);
  });

  test('one that changes while it is compared', async () => {
    await sync().result;
    renameSync(at('a'), at('z'));
    const onEvent = (event: TransferEvent): void => {
      if (event.type === 'note' && event.text.startsWith('comparing the content')) write('z/b/note', 'b note');
    };

    expect((await sends({ onEvent })).changes).toMatchObject({ referred: { files: 4 } });
  });

  test('without checksums there is nothing to compare with: what has another time is sent', async () => {
    await sync({ fileChecksums: false }).result;
    chmodSync(at('a/b/note'), statSync(at('a/b/note')).mode & 0o7777);

    expect((await sends({ fileChecksums: false })).changes).toMatchObject({ modified: 1 });
  });

  test('a copy is sent without --enable-dedup', async () => {
    await sync().result;
    copyFileSync(at('a/photo'), at('copy'));

    expect((await sends()).changes).toMatchObject({ added: 1, referred: { files: 0 } });
  });
});

test('a renamed folder of 64 MB sends less than 64 KB, manifest and record included', async () => {
  mkdirSync(at('big'));
  for (let file = 0; file < 64; file++) write(`big/${file}`, noise(MIB), TIME + file);
  await sync({ chunkBytes: 8 * MIB }).result;
  const bytesIn = (): number => Number(execFileSync('du', ['-sb', place.base], { encoding: 'utf8' }).split('\t')[0]);
  const before = bytesIn();
  renameSync(at('big'), at('large'));

  const { changes } = await sync({ chunkBytes: 8 * MIB }).result;

  expect(changes).toMatchObject({ added: 64, deleted: 64, referred: { files: 64, bytes: 64 * MIB } });
  expect(bytesIn() - before).toBeLessThan(64 * 1024);
});
