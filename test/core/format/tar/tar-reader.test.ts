import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FileIntake } from '../../../../src/core/mend/migrate/file-intake.js';
import { readTar } from '../../../../src/core/mend/migrate/read-tar.js';
import { ignoreEvents } from '../../../../src/core/events/progress-meter.js';
import type { TarMember } from '../../../../src/core/format/tar/tar-member.js';
import type { TarSink } from '../../../../src/core/format/tar/tar-reader.js';
import { headerBlock, makeTar, paxBody, TAR_END, type TarField, tarMember } from '../../mend/migrate/make-tar.js';

interface Seen extends TarMember {
  content?: Buffer;
}

/** Takes every file into memory, one byte less at a time than it could. */
class Collector implements TarSink {
  readonly isBusy = false;
  readonly members: Seen[] = [];
  private parts: Buffer[] = [];
  member(member: TarMember): boolean {
    this.members.push({ ...member });
    this.parts = [];
    return true;
  }
  data(bytes: Buffer): number {
    const took = Math.max(1, bytes.byteLength - 1);
    this.parts.push(Buffer.from(bytes.subarray(0, took)));
    return took;
  }
  end(): void {
    this.members.at(-1)!.content = Buffer.concat(this.parts);
  }
  readonly files = 0;
  readonly bytes = 0;
  settle = (): Promise<void> => Promise.resolve();
}

async function* inPieces(tar: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < tar.length; at += pieceBytes) yield tar.subarray(at, at + pieceBytes);
}

async function read(tar: Buffer, pieceBytes = 1000): Promise<Seen[]> {
  const collector = new Collector();
  await readTar(inPieces(tar, pieceBytes), collector, ignoreEvents, new AbortController().signal);
  return collector.members;
}

const readFields = (...fields: readonly TarField[]): Promise<Seen[]> => read(makeTar(...fields));
const one = async (field: TarField): Promise<Seen> => (await readFields(field))[0]!;

test.each([1, 7, 511, 512, 513, 100_000])('pieces of %i bytes make no difference', async (pieceBytes) => {
  const members = await read(
    makeTar(
      { path: 'a', content: 'first' },
      { path: 'd/', type: '5' },
      { path: 'd/b', content: Buffer.alloc(1300, 7) },
    ),
    pieceBytes,
  );

  expect(members.map(({ path, kind, size, content }) => [path, kind, size, content?.length])).toEqual([
    ['a', 'file', 5, 5],
    ['d/', 'directory', 0, undefined],
    ['d/b', 'file', 1300, 1300],
  ]);
  expect(members[0]!.content!.toString()).toBe('first');
});

test('kinds, owners, modes and times are those of the header', async () => {
  const members = await readFields(
    { path: 'link', type: '2', target: '/etc/passwd' },
    { path: 'hard', type: '1', target: 'a', size: 99 },
    { path: 'fifo', type: '6' },
    { path: 'tty', type: '3' },
    { path: 'disk', type: '4' },
    { path: 'odd', type: 'Q', content: 'passed over' },
    { path: 'f', mode: 0o4755, uid: 7, gid: 8, mtime: 12345 },
  );

  expect(members.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    'link symlink',
    'hard hardlink',
    'fifo special',
    'tty special',
    'disk special',
    'odd unknown',
    'f file',
  ]);
  expect(members[0]!.target).toBe('/etc/passwd');
  expect(members[5]!.what).toContain("'Q'");
  expect(members[6]).toMatchObject({ mode: 0o4755, uid: 7, gid: 8, mtime: { seconds: 12345, nanos: 0 } });
});

test('a v7 header, a folder named by its slash, and a prefix are understood', async () => {
  const long = `${'p'.repeat(120)}/name`;

  expect(await one({ path: 'old', type: '\0', magic: '', content: 'x' })).toMatchObject({ kind: 'file', path: 'old' });
  expect(await one({ path: 'dir/', type: '0' })).toMatchObject({ kind: 'directory' });
  expect((await one({ path: 'name', bend: (block) => void block.write('p'.repeat(120), 345, 'latin1') })).path).toBe(
    long,
  );
  // GNU tar keeps times there.
  const gnu = { path: 'name', magic: 'ustar  \0', bend: (block: Buffer) => void block.write('13', 345) };
  expect((await one(gnu)).path).toBe('name');
});

describe('extended headers', () => {
  test('say names, links, sizes, owners, times to the nanosecond and attributes, as bytes', async () => {
    const name = `${'n'.repeat(150)}\xff\xfe`;
    const member = await one({
      path: 'short',
      content: 'abc',
      size: 0,
      pax: [
        ['path', name],
        ['linkpath', 't\xff'],
        ['size', '3'],
        ['uid', '3000000'],
        ['mtime', '1700000000.123456789'],
        ['SCHILY.xattr.user.a%3Db', '\x00\xff'],
      ],
    });

    expect(member).toMatchObject({ path: name, target: 't\xff', size: 3, uid: 3_000_000 });
    expect(member.mtime).toEqual({ seconds: 1_700_000_000, nanos: 123_456_789 });
    expect(member.content!.toString()).toBe('abc');
    expect([...member.xattrs!]).toEqual([['user.a=b', Buffer.from([0, 255])]]);
  });

  test.each([
    ['-1.25', { seconds: -2, nanos: 750_000_000 }],
    ['-3', { seconds: -3, nanos: 0 }],
    ['1.5', { seconds: 1, nanos: 500_000_000 }],
    ['1.1234567899', { seconds: 1, nanos: 123_456_789 }],
  ])('the time %s', async (text, mtime) => {
    expect((await one({ path: 'a', pax: [['mtime', text]] })).mtime).toEqual(mtime);
  });

  test('a global one holds for all, one of a member wins over it, and an archive joined to it starts afresh', async () => {
    const body = paxBody([['uid', '5']]);
    const global = Buffer.concat([
      headerBlock({ path: 'g', type: 'g' }, body.length),
      body,
      Buffer.alloc(512 - body.length),
    ]);
    const first = Buffer.concat([
      global,
      tarMember({ path: 'a' }),
      tarMember({ path: 'b', pax: [['uid', '6']] }),
      tarMember({ path: 'c' }),
      TAR_END,
    ]);

    const members = await read(Buffer.concat([first, makeTar({ path: 'd', uid: 9 })]));

    expect(members.map(({ path, uid }) => `${path} ${uid}`)).toEqual(['a 5', 'b 6', 'c 5', 'd 9']);
  });

  test.each([
    ['no length', Buffer.from('path=a\n')],
    ['a length beyond its end', Buffer.from('99 path=a\n')],
    ['a length of nothing', Buffer.from('0 path=a\n')],
    ['no equals sign', Buffer.from('7 abcd\n')],
    ['a size that is none', paxBody([['size', '1e9']])],
    ['a negative size', paxBody([['size', '-5']])],
    ['a time that is none', paxBody([['mtime', 'now']])],
  ])('%s is an error that says where', async (_name, body) => {
    const extended = Buffer.concat([headerBlock({ path: 'x', type: 'x' }, body.length), body]);
    const tar = Buffer.concat([extended, Buffer.alloc(1024 - extended.length), makeTar({ path: 'a' })]);

    await expect(read(tar)).rejects.toThrow(/tar data is wrong at byte \d+: an extended header/);
  });

  test('one of a gigabyte is refused before a byte of it is held', async () => {
    const tar = headerBlock({ path: 'x', type: 'x' }, 2 ** 30);

    await expect(read(tar)).rejects.toThrow('16777216 are allowed');
  });
});

test('names and links of GNU tar that are too long for a header come in members of their own', async () => {
  const name = 'n'.repeat(300);
  const target = 't'.repeat(300);
  const members = await readFields(
    { path: '././@LongLink', type: 'L', content: `${name}\0`, magic: 'ustar  \0' },
    { path: '././@LongLink', type: 'K', content: `${target}\0`, magic: 'ustar  \0' },
    { path: name, type: '2', target, magic: 'ustar  \0' },
    { path: 'next', magic: 'ustar  \0' },
  );

  expect(members.map(({ path, target }) => [path, target])).toEqual([
    [name, target],
    ['next', ''],
  ]);
});

describe('sparse files', () => {
  const runs = [
    { offset: 10, length: 3 },
    { offset: 20, length: 2 },
  ];
  const expected = { path: 'sparse', kind: 'file', size: 30, runs };

  test('format 0.0 and 0.1 have their map in the extended header', async () => {
    const pairs: [string, string][] = [10, 3, 20, 2].map((value, index) => [
      index % 2 === 0 ? 'GNU.sparse.offset' : 'GNU.sparse.numbytes',
      String(value),
    ]);
    const size: [string, string] = ['GNU.sparse.size', '30'];

    expect(await one({ path: 'sparse', content: 'abcde', pax: [size, ...pairs] })).toMatchObject(expected);
    expect(
      await one({
        path: 'GNUSparseFile.1/sparse',
        content: 'abcde',
        pax: [size, ['GNU.sparse.name', 'sparse'], ['GNU.sparse.map', '10,3,20,2']],
      }),
    ).toMatchObject({ ...expected, content: Buffer.from('abcde') });
  });

  const version1 = (map: string, data: string, realSize = '30'): TarField => ({
    path: 'GNUSparseFile.0/sparse',
    content: Buffer.concat([Buffer.from(map.padEnd(Math.ceil(map.length / 512) * 512, '\0')), Buffer.from(data)]),
    pax: [
      ['GNU.sparse.major', '1'],
      ['GNU.sparse.minor', '0'],
      ['GNU.sparse.name', 'sparse'],
      ['GNU.sparse.realsize', realSize],
    ],
  });

  test('format 1.0 has it before the data, over several blocks if need be', async () => {
    expect(await one(version1('2\n10\n3\n20\n2\n', 'abcde'))).toMatchObject({
      ...expected,
      content: Buffer.from('abcde'),
    });

    const many = Array.from({ length: 300 }, (_, index) => `${index * 10}\n1\n`).join('');
    const member = await one(version1(`300\n${many}`, 'x'.repeat(300), '3000'));

    expect(member.runs).toHaveLength(300);
    expect(member.content!.length).toBe(300);
  });

  test('the old format has it in the header and in blocks after it', async () => {
    const pair = (block: Buffer, at: number, offset: number, length: number): void => {
      block.write(`${offset.toString(8).padStart(11, '0')}\0${length.toString(8).padStart(11, '0')}\0`, at);
    };
    const extension = Buffer.alloc(512);
    pair(extension, 0, 8, 1);
    pair(extension, 24, 20, 2);
    const header = headerBlock(
      {
        path: 'sparse',
        type: 'S',
        magic: 'ustar  \0',
        bend(block) {
          for (const index of [0, 1, 2, 3]) pair(block, 386 + index * 24, index * 2, 1);
          block[482] = 1;
          block.write(`${(30).toString(8).padStart(11, '0')}\0`, 483);
        },
      },
      7,
    );
    const [member, next] = await read(
      Buffer.concat([header, extension, Buffer.from('abcdefg'.padEnd(512, '\0')), makeTar({ path: 'next' })]),
    );

    expect(member).toMatchObject({ size: 30, content: Buffer.from('abcdefg') });
    expect(member!.runs!.map(({ offset, length }) => `${offset}+${length}`)).toEqual([
      '0+1',
      '2+1',
      '4+1',
      '6+1',
      '8+1',
      '20+2',
    ]);
    expect(next!.path).toBe('next');
  });

  test.each([
    ['runs that overlap', '2\n10\n3\n11\n2\n', 'abcde'],
    ['runs beyond the end', '2\n10\n3\n29\n2\n', 'abcde'],
    ['runs longer than the data', '2\n10\n3\n20\n9\n', 'abcde'],
    ['data that no run takes', '1\n10\n3\n', 'abcde'],
    ['a map that is no map', 'xyz', 'abcde'],
    ['a map with words', '1\nten\n3\n', 'abc'],
    ['a map longer than its data', '9999999\n', ''],
  ])('%s are an error', async (_name, map, data) => {
    await expect(read(makeTar(version1(map, data)))).rejects.toThrow(/map of a sparse file/);
  });
});

describe('an archive that is not whole', () => {
  const whole = makeTar({ path: 'a', content: Buffer.alloc(2000, 1) }, { path: 'b' });

  test.each([
    ['in a header', 100],
    ['in the data', 1500],
    ['in the padding', 512 + 2010],
    ['between members', 512 + 2048],
    ['before its end marker', whole.length - 1024],
  ])('cut off %s is an error', async (_name, at) => {
    await expect(read(whole.subarray(0, at))).rejects.toThrow('the archive is cut off');
  });

  test('one block of the end marker is enough', async () => {
    expect(await read(whole.subarray(0, whole.length - 512))).toHaveLength(2);
  });

  test('a flipped bit in a header, and something after the end, are errors', async () => {
    const bent = Buffer.from(whole);
    bent[512 + 2048 + 3]! ^= 1;

    await expect(read(bent)).rejects.toThrow('at byte 2560: the checksum of a header is wrong');
    await expect(read(Buffer.concat([whole, Buffer.alloc(512, 'x')]))).rejects.toThrow('follows its end');
    await expect(read(Buffer.alloc(2048, 'x'))).rejects.toThrow('there is no tar archive in it');
  });

  test.each([
    ['more', 2600, /cut off/],
    ['less', 3, /checksum/],
  ])('a size that says %s than there is is found out', async (_name, size, words) => {
    const liar = tarMember({ path: 'a', content: Buffer.alloc(1000, 'x'), size });

    await expect(read(Buffer.concat([liar, makeTar({ path: 'b' })]))).rejects.toThrow(words);
  });

  test('one volume of several is refused', async () => {
    await expect(readFields({ path: 'a', type: 'M' })).rejects.toThrow('one volume of several');
  });
});

describe('the file that is taken in', () => {
  const signal = new AbortController().signal;

  test('has the checksum of its content with holes as zeros, and pays for long holes in slices', async () => {
    const disk = Buffer.alloc(200_000_000);
    const runs = [
      { offset: 5, length: 3 },
      { offset: 150_000_000, length: 2 },
    ];
    const write = (bytes: Uint8Array, position: number): void => disk.set(bytes, position);
    const intake = new FileIntake({ size: disk.length, runs, write });
    let rest = Buffer.from('abcde');
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    for (let steps = 0; rest.length > 0 && steps < 20; steps++) {
      rest = rest.subarray(intake.data(rest));
      if (intake.isBusy) await intake.settle(signal);
    }
    intake.end();
    expect(intake.isBusy).toBe(true);
    await intake.settle(signal);
    clearInterval(others);

    expect(intake.digest()).toBe(createHash('md5').update(disk).digest('hex'));
    expect(disk.subarray(150_000_000, 150_000_002).toString()).toBe('de');
    expect(turns).toBeGreaterThan(0);
  });

  test('can be stopped in a hole of a thousand terabytes', async () => {
    const controller = new AbortController();
    const intake = new FileIntake({ size: 1e15, runs: [], write: () => undefined });
    intake.end();
    setTimeout(() => controller.abort(new Error('stopped')), 20);

    await expect(intake.settle(controller.signal)).rejects.toThrow('stopped');
  });
});
