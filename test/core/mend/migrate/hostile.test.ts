// What is hostile in an archive is refused and named, the rest is migrated, and nothing is written outside.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ArchiveContents } from '../../../../src/core/mend/migrate/archive-contents.js';
import { Extraction, type NotMigrated } from '../../../../src/core/mend/migrate/extraction.js';
import { Losses } from '../../../../src/core/mend/migrate/losses.js';
import { readTar } from '../../../../src/core/mend/migrate/read-tar.js';
import { leftIn, migrateAt, migrateMade, placeWith, uploadsIn } from './migrate-made.js';
import { makeTar, type TarField } from './make-tar.js';

const GOOD: TarField = { path: 'good', content: 'good' };
const paths = ({ listed }: { readonly listed: ReadonlyMap<string, unknown> }): string[] => [...listed.keys()];
describe('names that lead elsewhere', () => {
  const hostile: readonly (readonly [path: string, reason: RegExp])[] = [
    ['../x', /'\.\.' part/],
    ['/abs', /absolute/],
    ['a/../../x', /'\.\.' part/],
    ['a/..', /'\.\.' part/],
    ['..', /'\.\.' part/],
    [String.raw`C:\x`, /drive letter/],
    [String.raw`\\srv\x`, /network share/],
    ['a\0b', /zero byte/],
    ['.', /empty/],
    [`${'d/'.repeat(3000)}x`, /6001 bytes/],
    ['n'.repeat(256), /longer than 255/],
  ];

  test('they are refused and named, and the rest is migrated', async () => {
    const members = hostile.map(([path]): TarField => ({ path: 'x', content: 'evil', pax: [['path', path]] }));

    const result = await migrateMade(makeTar(...members, GOOD, { path: './', type: '2', target: 'good' }));

    expect(paths(result)).toEqual(['good']);
    const reasons = [...hostile.map(([, reason]) => reason), /empty/];
    expect(result.skipped.map(({ reason }) => reason)).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
    for (const { reason } of result.skipped) expect(reason).toMatch(/^refused: /);
    expect([result.partial, result.validated]).toEqual([true, true]);
    expect(readdirSync(result.place.home).sort()).toEqual(['archives', 'store', 'temp']);
  });

  test('odd spellings of a harmless name are that name', async () => {
    const result = await migrateMade(
      makeTar(
        { path: './', type: '5', mode: 0o750 },
        { path: './a//b/./c', content: '1' },
        { path: String.raw`back\slash` },
      ),
    );

    expect(paths(result)).toEqual(['a', 'a/b', 'a/b/c', String.raw`back\slash`]);
    expect(result.manifest.head.source.mode).toBe(0o750);
    expect(result.partial).toBe(false);
  });

  test('an archive of nothing else is an error, and nothing is uploaded', async () => {
    const place = await placeWith(makeTar({ path: '../x' }, { path: '/y' }));

    await expect(migrateAt(place)).rejects.toThrow(
      /nothing in file:.*old\.tar can be migrated: \.\.\/x refused.*\(2 members\)/,
    );
    expect([leftIn(place), uploadsIn(place)]).toEqual([[], []]);
  });
});

describe('links', () => {
  test('what lies below a link of the archive is refused, also when the link comes from another name', async () => {
    const home = await placeWith(Buffer.alloc(0));
    const outside = join(home.home, 'outside');
    mkdirSync(outside);

    const result = await migrateMade(
      makeTar(
        GOOD,
        { path: 'd', type: '2', target: outside },
        { path: 'd/evil', content: 'evil' },
        { path: 'd/sub/evil', content: 'evil' },
        { path: 'e', type: '1', target: 'd' },
        { path: 'e/evil', content: 'evil' },
        { path: './d//evil2', type: '5' },
      ),
    );

    expect(readdirSync(outside)).toEqual([]);
    expect(paths(result)).toEqual(['d', 'e', 'good']);
    expect(result.listed.get('e')).toMatchObject({ type: 'symlink', target: outside });
    expect(result.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'd/evil: refused: d above it is a symbolic link in the archive',
      'd/sub/evil: refused: d above it is a symbolic link in the archive',
      'e/evil: refused: e above it is a symbolic link in the archive',
      'd/evil2: refused: d above it is a symbolic link in the archive',
    ]);
  });

  test('a file takes the place of a link of its name and is not written through it', async () => {
    const place = await placeWith(Buffer.alloc(0));
    const victim = join(place.home, 'victim');
    writeFileSync(victim, 'innocent');

    const result = await migrateMade(
      makeTar(
        { path: 'a', type: '2', target: victim },
        { path: 'a', content: 'new' },
        { path: 'b', content: 'old' },
        { path: 'b', type: '2', target: victim },
      ),
    );

    expect(readFileSync(victim, 'utf8')).toBe('innocent');
    expect(result.listed.get('a')).toMatchObject({ type: 'file', size: 3 });
    expect(result.listed.get('b')).toMatchObject({ type: 'symlink', target: victim });
    expect(result.partial).toBe(false);
  });

  test('below a file nothing can lie, and a folder gives way to nothing but a folder', async () => {
    const result = await migrateMade(
      makeTar(
        { path: 'f', content: 'x' },
        { path: 'f/below', content: 'x' },
        { path: 'd/in', content: 'x' },
        { path: 'd', content: 'x' },
        { path: 'd', type: '2', target: 'f' },
        { path: 'd', type: '5', mode: 0o711 },
        { path: 'f', type: '5' },
        { path: 'f/now', content: 'y' },
      ),
    );

    expect(paths(result)).toEqual(['d', 'd/in', 'f', 'f/now']);
    expect(result.listed.get('d')).toMatchObject({ type: 'directory', mode: 0o711 });
    expect(result.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([
      'f/below: refused: f above it is a file in the archive',
      'd: refused: a folder of this name comes before it',
      'd: refused: a folder of this name comes before it',
    ]);
  });
});

describe('hard links and collisions', () => {
  test.each([
    ['/etc/passwd', /its target is absolute/],
    ['../../secret', /its target has a '\.\.' part/],
    ['later', /later, which is not before it/],
    ['d', /to the folder d/],
    ['x', /x, which is not before it/],
  ])('a hard link to %j is refused', async (target, words) => {
    const result = await migrateMade(
      makeTar(GOOD, { path: 'd', type: '5' }, { path: 'x', type: '1', target }, { path: 'later', content: '1' }),
    );

    expect(paths(result)).toEqual(['d', 'good', 'later']);
    expect(result.skipped).toEqual([{ path: 'x', reason: expect.stringMatching(words) }]);
  });

  test('hard links share their file; one that is replaced leaves the others what they are', async () => {
    const result = await migrateMade(
      makeTar(
        { path: 'a', content: 'first' },
        { path: 'b', type: '1', target: './a' },
        { path: 'c', type: '1', target: 'b' },
        { path: 'a', content: 'second' },
        { path: 'd', type: '1', target: 'a' },
        { path: 'd', type: '1', target: 'd' },
      ),
    );

    const { listed: files } = result;
    expect(['a', 'b', 'c', 'd'].map((name) => `${files.get(name)!.type} ${files.get(name)!.size}`)).toEqual([
      'file 6',
      'file 5',
      'hardlink 5',
      'hardlink 6',
    ]);
    expect(files.get('b')!.linkGroup).toBe(files.get('c')!.linkGroup);
    expect(files.get('a')!.linkGroup).toBe(files.get('d')!.linkGroup);
    expect(result.partial).toBe(false);
  });

  const judged = async (folding: { case: boolean; unicode: boolean }, ...fields: TarField[]) => {
    const contents = new ArchiveContents(folding);
    const skipped: NotMigrated[] = [];
    const extraction = new Extraction({
      contents,
      losses: new Losses(),
      accounts: { user: () => undefined, group: () => undefined },
      writer: undefined,
      onSkip: (skip) => skipped.push(skip),
    });
    const pieces = (async function* () {
      yield makeTar(...fields);
    })();
    await readTar(pieces, extraction, () => undefined, new AbortController().signal);
    return {
      linked: extraction.linkedFiles.size,
      kept: [...contents.rows.keys()],
      skipped: skipped.map(({ path, reason }) => `${path}: ${reason}`),
    };
  };

  test('files with several names are known, so that the validation can ask for their groups', async () => {
    const linked = async (...fields: TarField[]) => (await judged({ case: false, unicode: false }, ...fields)).linked;

    expect(
      await linked({ path: 'a' }, { path: 'b', type: '1', target: 'a' }, { path: 'c', type: '1', target: 'a' }),
    ).toBe(1);
    expect(
      await linked({ path: 'a' }, { path: 'l', type: '2', target: 'a' }, { path: 'm', type: '1', target: 'l' }),
    ).toBe(0);
  });

  test('where the file system folds case or Unicode, the later of two names is refused with all below it', async () => {
    const raw = (text: string): string => Buffer.from(text).toString('latin1');

    expect(
      await judged(
        { case: true, unicode: false },
        { path: 'Dir/a' },
        { path: 'dir/b' },
        { path: 'x' },
        { path: 'X', type: '2', target: '/' },
      ),
    ).toMatchObject({
      kept: ['Dir', 'Dir/a', 'x'],
      skipped: [
        'dir/b: refused: to this file system it is the same name as Dir',
        'X: refused: to this file system it is the same name as x',
      ],
    });
    const nfc = raw('\u00e9');
    const nfd = raw('e\u0301');
    expect((await judged({ case: false, unicode: true }, { path: nfc }, { path: nfd })).kept).toEqual([nfc]);
    expect(
      (await judged({ case: false, unicode: false }, { path: nfc }, { path: nfd }, { path: 'x' }, { path: 'X' })).kept,
    ).toHaveLength(4);
  });
});

describe('archives that are not what they say', () => {
  test.each([
    ['cut off', makeTar(GOOD).subarray(0, 700), /cut off/],
    ['without members', Buffer.alloc(100, 'x'), /no tar, tar\.gz or tar\.zst/],
    ['empty', Buffer.alloc(0), /it is empty/],
    ['xz', Buffer.from('fd377a585a0000', 'hex'), /compressed with xz/],
    ['bzip2', Buffer.from('BZh91AY'), /compressed with bzip2/],
    ['zip', Buffer.from('PK\u0003\u0004'), /compressed with zip/],
    ['with a header for a terabyte', makeTar(GOOD, { path: 'big', size: 2 ** 32 }), /cut off/],
  ])('one that is %s is an error; nothing is uploaded, and nothing left behind', async (_name, archive, words) => {
    const place = await placeWith(archive);

    await expect(migrateAt(place)).rejects.toThrow(words);
    await expect(migrateAt(place)).rejects.toThrow(/file:\/\/.*old\.tar cannot be migrated/);
    expect([leftIn(place), uploadsIn(place), existsSync(join(place.archives, 'old.tar'))]).toEqual([[], [], true]);
  });

  test('one without members but with an end is an empty upload', async () => {
    const result = await migrateMade(makeTar());

    expect([result.entries, result.listed.size, result.partial]).toEqual([0, 0, false]);
  });

  test('the patterns of a .archiverignore in it are not obeyed', async () => {
    const result = await migrateMade(makeTar({ path: '.archiverignore', content: '*\n!x\n' }, GOOD));

    expect(paths(result)).toEqual(['.archiverignore', 'good']);
  });

  test('a sparse file larger than any disk is refused and named', async () => {
    const result = await migrateMade(
      makeTar(GOOD, {
        path: 'huge',
        pax: [
          ['GNU.sparse.size', String(2 ** 53 - 1)],
          ['GNU.sparse.map', ''],
        ],
      }),
    );

    expect(paths(result)).toEqual(['good']);
    expect(result.skipped).toEqual([
      { path: 'huge', reason: expect.stringMatching(/larger than the file system or a limit allows|not allow/) },
    ]);
  });
});
