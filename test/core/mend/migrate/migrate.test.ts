import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { inspectArchive } from '../../../../src/core/mend/migrate/inspect-archive.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { openStore, type OpenedStore } from '../../../../src/core/store/open-store.js';
import { frameOf, md5 } from '../../../support/make-archive.js';
import { type Changes, leftIn, migrateAt, migrateMade, type Place, placeWith, uploadsIn } from './migrate-made.js';
import { makeTar, tarMember, TAR_END } from './make-tar.js';

const isRoot = process.geteuid?.() === 0;
const PLAIN = makeTar(
  { path: 'd/', type: '5', mode: 0o755 },
  { path: 'd/a', content: 'hello' },
  { path: 'l', type: '2', target: 'd/a' },
);
const at = (seconds: number, nanos = 0) => ({ seconds, nanos });
const originalIn = ({ archives }: Place): boolean => existsSync(join(archives, 'old.tar'));

/** The destination as the validation sees it, bent. */
function seenBy(place: Place, bend: (store: ObjectStore) => Partial<ObjectStore>): Changes {
  let opened = 0;
  const open = async (): Promise<OpenedStore> => {
    const real = await openStore(`file://${place.store}`, { env: {} });
    if (++opened === 1) return real;
    const bent = Object.create(real.store) as ObjectStore;
    return { ...real, store: Object.assign(bent, bend(real.store)) };
  };
  return { open };
}

test('what the archive says is in the manifest: types, contents, modes, times, links, empty folders', async () => {
  const result = await migrateMade(
    makeTar(
      { path: './', type: '5', mode: 0o755, mtime: 1_500_000_000 },
      { path: './empty/', type: '5', mode: 0o1777, mtime: 1_400_000_000 },
      { path: './d/', type: '5', mode: 0o2750, mtime: 1_300_000_000 },
      { path: './d/file', content: 'content', mode: 0o4755, pax: [['mtime', '1234567890.123456789']] },
      { path: './d/hard', type: '1', target: './d/file' },
      { path: './d/link', type: '2', target: '../\xff', pax: [['mtime', '-1.5']] },
      { path: './name\xff\xfe', content: 'x', mode: 0o400 },
      { path: './implied/by/this', content: '' },
    ),
  );

  const { listed: files, manifest } = result;
  expect([...files.keys()]).toEqual([
    'd',
    'd/file',
    'd/hard',
    'd/link',
    'empty',
    'implied',
    'implied/by',
    'implied/by/this',
    'name\xff\xfe',
  ]);
  expect(files.get('empty')).toMatchObject({ type: 'directory', mode: 0o1777, mtime: at(1_400_000_000) });
  expect(files.get('d')).toMatchObject({ type: 'directory', mode: 0o2750, mtime: at(1_300_000_000) });
  expect(files.get('d/file')).toMatchObject({
    type: 'file',
    size: 7,
    md5: md5('content'),
    mode: 0o4755,
    mtime: at(1_234_567_890, 123_456_789),
  });
  expect(files.get('d/hard')).toMatchObject({ type: 'hardlink', linkGroup: files.get('d/file')!.linkGroup });
  expect(files.get('d/link')).toMatchObject({ type: 'symlink', target: '../\xff', mtime: at(-2, 500_000_000) });
  expect(files.get('name\xff\xfe')).toMatchObject({ mode: 0o400 });
  expect(manifest.head.source).toMatchObject({ mode: 0o755, mtime: at(1_500_000_000) });
  expect(result).toMatchObject({ entries: 9, files: 5, validated: true, partial: false, skipped: [], format: 'tar' });
  expect([result.notKept, leftIn(result.place)]).toEqual([[], []]);
  // Whether it is over only who runs it knows.
  expect(result.events.filter(({ type }) => type === 'end')).toEqual([]);
});

test.runIf(isRoot)('as root, owners and modes that deny everything are kept as well', async () => {
  const { listed, notKept } = await migrateMade(
    makeTar(
      { path: 'd/', type: '5', mode: 0, uid: 12, gid: 34 },
      { path: 'd/file', content: 'x', mode: 0, uid: 1234, gid: 567 },
      { path: 'd/link', type: '2', target: 'x', uid: 5, gid: 6 },
    ),
  );

  expect([...listed.values()].map(({ path, mode, uid, gid }) => [path, mode, uid, gid])).toEqual([
    ['d', 0, 12, 34],
    ['d/file', 0, 1234, 567],
    ['d/link', 0o777, 5, 6],
  ]);
  expect(notKept).toEqual([]);
});

test('the dataset and the source are those of the archive: migrating it again makes the next version', async () => {
  const place = await placeWith(PLAIN);

  const first = await migrateAt(place);
  const second = await migrateAt(place);

  expect([first.version, second.version]).toEqual([1, 2]);
  expect(first.datasetId).toBe(second.datasetId);
  expect(first.datasetId).toMatch(/^old\.tar-[0-9a-f]{8}$/);
  expect((await migrateMade(PLAIN)).manifest.head.source.path).toMatch(/^file:\/\/.*\/archives\/old\.tar$/);
});

test('devices and FIFOs are left out and named, and are no reason for another exit status', async () => {
  const result = await migrateMade(makeTar({ path: 'tty', type: '3' }, { path: 'f', type: '6' }, { path: 'a' }));

  expect(result.skipped).toEqual([
    { path: 'tty', reason: 'is a character device' },
    { path: 'f', reason: 'is a FIFO' },
  ]);
  expect(result.partial).toBe(false);
});

test('the holes of a sparse file stay holes, and its checksum is that of the whole file', async () => {
  const whole = Buffer.alloc(3_000_000);
  whole.write('abc', 2_000_000);
  const data = whole.subarray(1_998_848, 2_002_944);
  const pax: [string, string][] = [
    ['GNU.sparse.size', '3000000'],
    ['GNU.sparse.map', '1998848,4096'],
  ];

  const { listed: files } = await migrateMade(makeTar({ path: 'sparse', content: data, pax }));

  expect(files.get('sparse')).toMatchObject({ size: 3_000_000, md5: md5(whole) });
  expect(files.get('sparse')!.holes?.length).toBeGreaterThan(0);
});

test('what cannot be kept is said once, with how many it concerns', async () => {
  const pax: [string, string][] = [['SCHILY.acl.ace', 'owner@:rw-------------:------:allow']];

  const { notKept, events, partial } = await migrateMade(makeTar({ path: 'a', pax }, { path: 'b', pax }));

  expect(notKept).toContain(
    'an access control list of 2 entries is not kept: it is one of NFS, is damaged, or names an account that this computer does not know',
  );
  expect(events.filter((event) => event.type === 'note' && event.text.includes('access control'))).toHaveLength(1);
  expect(partial).toBe(false);
});

test.each([1, 100])('%i shards', async (shardCount) => {
  const { manifest } = await migrateMade(PLAIN, { upload: { layout: { shardCount } } });

  expect(manifest.head.settings.shardCount).toBe(shardCount);
});

describe('formats are told by their content, not by their name', () => {
  test.each([
    ['tar', PLAIN],
    ['tar.gz', gzipSync(PLAIN)],
    ['tar.gz', Buffer.concat([gzipSync(PLAIN.subarray(0, 700)), gzipSync(PLAIN.subarray(700))])],
    ['tar.zst', frameOf(PLAIN)],
    [
      'tar.zst',
      Buffer.concat([
        frameOf(PLAIN.subarray(0, 700)),
        Buffer.from('502a4d1803000000aabbcc', 'hex'),
        frameOf(PLAIN.subarray(700)),
      ]),
    ],
    ['tar.zst', Buffer.concat([Buffer.from('5f2a4d1801000000aa', 'hex'), frameOf(PLAIN)])],
  ])('%s (%#)', async (format, archive) => {
    const result = await migrateMade(archive);

    expect([result.format, [...result.listed.keys()]]).toEqual([format, ['d', 'd/a', 'l']]);
  });

  test.each([
    ['gzip cut off', gzipSync(PLAIN).subarray(0, -9), /cut off/],
    ['gzip damaged', Buffer.concat([gzipSync(PLAIN).subarray(0, -8), Buffer.alloc(8, 7)]), /cannot be decoded/],
    ['zstd cut off', frameOf(PLAIN).subarray(0, -3), /zstd data is cut off/],
    ['zstd of no tar', frameOf(Buffer.alloc(2000, 'x')), /there is no tar archive in it/],
    ['zstd of nothing', frameOf(Buffer.alloc(0)), /cut off/],
  ])('%s is an error', async (_name, archive, words) => {
    const place = await placeWith(archive);

    await expect(migrateAt(place)).rejects.toThrow(words);
    expect([leftIn(place), uploadsIn(place)]).toEqual([[], []]);
  });
});

describe('an archive whose end is half there', () => {
  // GNU tar pads to 20 blocks: what lies after the first block of zeros is taken away.
  const withoutEnd = (zeros: number): Buffer => {
    let end = PLAIN.length;
    while (PLAIN.subarray(end - 512, end).every((byte) => byte === 0)) end -= 512;
    return Buffer.concat([PLAIN.subarray(0, end), Buffer.alloc(512 * zeros)]);
  };

  test('is migrated, said, partial, and never deleted', async () => {
    const result = await migrateMade(withoutEnd(1), { deleteOriginal: true });

    expect(result).toMatchObject({
      partial: true,
      originalDeleted: false,
      originalKept: expect.stringContaining('one block of zeros'),
    });
    expect(await migrateMade(withoutEnd(1))).toMatchObject({ partial: true });
    expect(await migrateMade(withoutEnd(2), { deleteOriginal: true })).toMatchObject({
      originalDeleted: true,
      partial: false,
    });
  });

  test('or not there at all, is refused, deleted or not', async () => {
    await expect(migrateMade(withoutEnd(0), { deleteOriginal: true })).rejects.toThrow(/cut off/);
    await expect(migrateMade(withoutEnd(0))).rejects.toThrow(/cut off/);
  });
});

describe('--delete-original', () => {
  test('deletes the archive after the validation', async () => {
    const result = await migrateMade(PLAIN, { deleteOriginal: true });

    // Only root can keep the owners of the archive.
    expect([result.originalDeleted, originalIn(result.place), result.partial]).toEqual([true, false, false]);
  });

  test.each([
    ['something was refused', makeTar({ path: '../x' }, { path: 'a' })],
    ['a device was left out', makeTar({ path: 'a' }, { path: 'tty', type: '3' })],
    ['metadata was lost', makeTar({ path: 'a', pax: [['SCHILY.acl.access', 'u']] })],
  ])('keeps it when %s, and says so', async (_name, archive) => {
    const result = await migrateMade(archive, { deleteOriginal: true });

    expect([result.originalDeleted, originalIn(result.place), result.partial]).toEqual([false, true, true]);
    expect(result.originalKept).toContain('could not be migrated');
  });

  test('keeps one that was changed meanwhile', async () => {
    const place = await placeWith(PLAIN);
    const result = await migrateAt(place, {
      deleteOriginal: true,
      emit: (event) => {
        if (event.type === 'phase' && event.phase === 'committing')
          writeFileSync(join(place.archives, 'old.tar'), 'new');
      },
    });

    expect([result.originalDeleted, originalIn(place)]).toEqual([false, true]);
    expect(result.originalKept).toContain('changed while it was being migrated');
  });

  test('keeps one that the store does not delete', async () => {
    const bendArchive = (opened: OpenedStore): OpenedStore => ({
      ...opened,
      deleter: {
        ...opened.deleter,
        delete: (keys) => Promise.resolve([{ key: keys[0] ?? '', reason: 'no right to delete' }]),
      },
    });
    const result = await migrateMade(PLAIN, { deleteOriginal: true, bendArchive });

    expect([result.originalDeleted, result.partial]).toEqual([false, true]);
    expect(result.originalKept).toContain('no right to delete');
  });
});

describe('a version that is to be the first', () => {
  const first: Changes = { upload: { dataset: { host: 'here', after: 0 } } };
  const versionsIn = ({ store }: Place): string[] =>
    readdirSync(join(store, 'datasets'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    );

  test('is refused where there is one', async () => {
    const place = await placeWith(PLAIN);
    await migrateAt(place);

    await expect(migrateAt(place, first)).rejects.toMatchObject({ code: 'conflict' });
    expect([versionsIn(place).length, leftIn(place)]).toEqual([1, []]);
  });

  test('is made by one of two that begin at once, and what the other has sent is marked', async () => {
    const place = await placeWith(PLAIN);
    let asked = 0;
    let release = (): void => undefined;
    const begun = new Promise<void>((resolve) => (release = resolve));
    // Neither sends before both have looked.
    const changes = {
      ...first,
      upload: {
        ...first.upload,
        uploadGate: async () => {
          if (++asked === 2) release();
          await begun;
        },
      },
    };
    const both = await Promise.allSettled([migrateAt(place, changes), migrateAt(place, changes)]);

    const reasons = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    expect(reasons).toEqual([expect.objectContaining({ code: 'conflict' })]);
    expect(versionsIn(place)).toHaveLength(1);
    expect(uploadsIn(place).filter((name) => name.includes('sweep-'))).toHaveLength(1);
  });
});

describe('the validation', () => {
  test('fails when a chunk is gone, and the original stays', async () => {
    const place = await placeWith(PLAIN);
    const changes = seenBy(place, (store) => ({
      async *list(options) {
        for await (const page of store.list(options)) {
          yield { ...page, objects: page.objects.filter(({ key }) => !key.includes('chunk-')) };
        }
      },
    }));

    await expect(migrateAt(place, { ...changes, deleteOriginal: true })).rejects.toThrow(
      /does not hold what .*old\.tar holds: chunk 0 is not in the store/,
    );
    expect([originalIn(place), leftIn(place)]).toEqual([true, []]);
  });

  test('fails when what was extracted is not what the archive said', async () => {
    const place = await placeWith(PLAIN);
    const changes: Changes = {
      emit: (event) => {
        // Somebody gets at the extracted files before they are uploaded.
        if (event.type !== 'scan' && event.type !== 'phase') return;
        for (const folder of readdirSync(place.temp)) {
          const file = join(place.temp, folder, 'data/d/a');
          if (existsSync(file) && lstatSync(file).size === 5 && event.type === 'phase') {
            writeFileSync(file, 'HELLO');
            writeFileSync(join(place.temp, folder, 'data/more'), '');
          }
        }
      },
    };

    await expect(migrateAt(place, { ...changes, deleteOriginal: true })).rejects.toThrow(
      /d\/a has another content than in the archive; more is not in the archive/,
    );
    expect(originalIn(place)).toBe(true);
    expect(uploadsIn(place).filter((name) => name.includes('/'))).toEqual([]); // found out before it was a version
  });

  test('is left out when asked', async () => {
    const place = await placeWith(PLAIN);
    const changes = seenBy(place, () => ({ get: () => Promise.reject(new Error('must not be read')) }));

    expect(await migrateAt(place, { ...changes, validate: false })).toMatchObject({ validated: false });
  });
});

describe('the temporary folder', () => {
  test('is entered by nobody else, whatever the archive says of its root', async () => {
    const place = await placeWith(
      makeTar({ path: './', type: '5', mode: 0o777 }, { path: 'a', content: 'x', mode: 0o4755 }),
    );
    const modes = new Set<string>();
    await migrateAt(place, {
      emit: () => {
        for (const name of readdirSync(place.temp))
          modes.add((lstatSync(join(place.temp, name)).mode & 0o777).toString(8));
      },
    });

    expect([...modes]).toEqual(['700']);
  });

  test('stays with --keep-temp, without setuid and setgid bits, which the upload has', async () => {
    const result = await migrateMade(
      makeTar({ path: 'a', content: 'x', mode: 0o6755 }, { path: 'b', type: '1', target: 'a' }),
      { keepTemp: true },
    );

    const data = join(result.tempFolder!, 'data');
    expect(readdirSync(data).sort()).toEqual(['a', 'b']);
    expect(['a', 'b'].map((name) => lstatSync(join(data, name)).mode & 0o7777)).toEqual([0o755, 0o755]);
    expect(result.listed.get('a')!.mode).toBe(0o6755);
    expect(result.events).toContainEqual({ type: 'note', text: expect.stringContaining(data) });
  });

  test('goes away when the upload fails', async () => {
    const place = await placeWith(PLAIN);

    await expect(migrateAt(place, { open: () => Promise.reject(new Error('no such bucket')) })).rejects.toThrow(
      'no such bucket',
    );
    expect([leftIn(place), originalIn(place)]).toEqual([[], true]);
  });

  test.each(['extracting', 'transferring'])('goes away when it is interrupted while %s', async (moment) => {
    const big = tarMember({ path: 'big', content: Buffer.alloc(20_000_000, 7) });
    const place = await placeWith(Buffer.concat([big, TAR_END]));
    const controller = new AbortController();
    const stopped = migrateAt(place, {
      deleteOriginal: true,
      signal: controller.signal,
      emit: (event) => {
        const isNow =
          moment === 'extracting' ? event.type === 'scan' : event.type === 'phase' && event.phase === moment;
        if (isNow) controller.abort(new Error('interrupted'));
      },
    });

    await expect(stopped).rejects.toThrow(/interrupted|cancelled/);
    expect([leftIn(place), originalIn(place), uploadsIn(place).filter((key) => key.endsWith('.gz'))]).toEqual([
      [],
      true,
      [],
    ]);
  });

  test.runIf(isRoot)('that is too small ends the migration with a sentence, and is empty again', async () => {
    const place = await placeWith(
      frameOf(makeTar({ path: 'd/', type: '5' }, { path: 'big', content: Buffer.alloc(30_000_000) })),
    );
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', place.temp]);
    if (mounted.status !== 0) {
      process.stderr.write('left out: no tmpfs can be mounted here\n');
      return;
    }
    onTestFinished(() => void spawnSync('umount', [place.temp]));

    // The frame states its size, so it is refused before it is decoded.
    await expect(migrateAt(place)).rejects.toThrow(
      /does not fit into .*: it needs at least 28\.6 MiB, and 7\.6 MiB can be used/,
    );
    // A bomb that states nothing is stopped while it is written.
    writeFileSync(
      join(place.archives, 'old.tar'),
      gzipSync(makeTar({ path: 'big', content: Buffer.alloc(30_000_000) })),
    );
    await expect(migrateAt(place)).rejects.toMatchObject({
      code: 'no-space',
      message: expect.stringMatching(/does not fit into .*archiver-migrate-/),
      hint: expect.stringContaining('--temp-dir'),
    });
    expect([readdirSync(place.temp), uploadsIn(place)]).toEqual([[], []]);
  });

  test('must be possible: a parent that is not there, or not a folder, is named', async () => {
    const place = await placeWith(PLAIN);

    await expect(migrateAt(place, { tempParent: join(place.home, 'none') })).rejects.toThrow(
      /none: there is no such folder/,
    );
    await expect(migrateAt(place, { tempParent: join(place.archives, 'old.tar') })).rejects.toThrow(
      /there is no such folder/,
    );
  });

  test('with folders that deny their owner goes away as well', async () => {
    const place = await placeWith(
      makeTar({ path: 'd/', type: '5', mode: 0 }, { path: 'd/e/', type: '5', mode: 0o500 }, { path: 'd/e/f' }),
    );

    expect(await migrateAt(place)).toMatchObject({ entries: 3 });
    expect(leftIn(place)).toEqual([]);
  });
});

test('a dry run says what is in it and what it takes, and writes nothing', async () => {
  const archive = makeTar(
    { path: 'a', content: Buffer.alloc(5000) },
    { path: 'b', type: '1', target: 'a' },
    { path: 'x/y', pax: [['SCHILY.acl.access', 'user::rw-,user:nobody-knows-me:r--,group::r--,mask::r--,other::---']] },
    { path: '/z' },
  );
  const place = await placeWith(frameOf(archive));
  chmodSync(place.archives, 0o500);
  onTestFinished(() => chmodSync(place.archives, 0o700));
  mkdirSync(join(place.home, 'untouched'));
  const opened = await openStore(`file://${place.archives}`, { env: {} });
  const url = `file://${place.archives}/old.tar`;

  const found = await inspectArchive({
    archive: { opened, key: 'old.tar', url, owner: 'here' },
    emit: () => undefined,
    signal: new AbortController().signal,
  });

  expect([...found.contents.rows.keys()]).toEqual(['a', 'b', 'x', 'x/y']);
  expect(found).toMatchObject({ format: 'tar.zst', files: 3, bytes: 10_000, tempBytes: 4 * 4096 + 8192 });
  expect(found.notKept).toEqual([expect.stringMatching(/^an access control list of 1 entry is not kept/)]);
  expect(found.skipped).toHaveLength(1);
  expect(found.datasetId).toBe((await migrateAt(place)).datasetId);
  expect(readdirSync(place.archives)).toEqual(['old.tar']);
});
