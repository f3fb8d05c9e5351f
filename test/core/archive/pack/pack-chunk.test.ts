/* eslint-disable vitest/no-conditional-expect -- one table for members of different kinds */
// What a chunk is: sound tar members, content where the entries say, and a table of contents at its end.
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { headerBytes, paxFor, writeHeader, type NewMember } from '../../../../src/core/format/tar/write-header.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import type { Codec } from '../../../../src/core/platform/codec/codec-type.js';
import { PROGRESS } from '../../../../src/core/archive/pack/pack-state.js';
import type { SourceFs } from '../../../../src/core/archive/scan/source-fs.js';
import { fsPath, rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { encodeTable } from '../../../../src/core/format/chunk/table-frame.js';
import { tempFolder } from '../../../support/temp-folder.js';
import type { JsonEntry } from '../../../e2e/upload-cli.js';
import { md5, packTree, tampered, tarMembers } from '../pack-tree.js';
import { HOSTILE_NAMES, libcOrFail, makeEverything, MIB, noise, setTime, writeSparse } from '../trees.js';
import { raw } from '../../../support/raw.js';

const codec = loadCodec();

describe('tar headers', () => {
  const member: NewMember = {
    path: raw('p'),
    type: '0',
    size: 0,
    mode: 0o644,
    uid: 0,
    gid: 0,
    user: raw(''),
    group: raw(''),
    mtimeSeconds: 0,
    mtimeNanos: 0,
  };
  const read = (changes: Partial<NewMember>) => {
    const made = { ...member, ...changes };
    const pax = paxFor(made);
    const bytes = Buffer.alloc(headerBytes(pax) + 512 + 1024, 0xff);
    expect(writeHeader(bytes, 512, made, pax)).toBe(512 + headerBytes(pax));
    bytes.fill(0, 512 + headerBytes(pax));
    const [found] = tarMembers(bytes.subarray(512));
    return { ...found, hasPax: pax !== '' };
  };

  test.each<[string, Partial<NewMember>, boolean]>([
    ['path of 100 bytes', { path: raw('x'.repeat(100)) }, false],
    ['path of 101 bytes', { path: raw('x'.repeat(101)) }, true],
    ['target of 100 bytes', { type: '2', target: raw('x'.repeat(100)) }, false],
    ['target of 101 bytes', { type: '2', target: raw('x'.repeat(101)) }, true],
    ['uid of seven octal digits', { uid: 0o7777777 }, false],
    ['uid of eight octal digits', { uid: 0o10000000 }, true],
    ['largest uid', { uid: 4_294_967_294, gid: 4_294_967_294 }, true],
    ['whole second', { mtimeSeconds: 1_700_000_000 }, false],
    ['year 2106', { mtimeSeconds: 4_300_000_000 }, false],
    ['last second of ustar', { mtimeSeconds: 8_589_934_591 }, false],
    ['second after ustar', { mtimeSeconds: 8_589_934_592 }, true],
    ['nanosecond', { mtimeNanos: 1 }, true],
    ['second before 1970', { mtimeSeconds: -1 }, true],
  ])('a %s needs a pax header: %#', (_name, changes, hasPax) => {
    const found = read(changes);

    expect(found.hasPax).toBe(hasPax);
    const wanted = { ...member, ...changes };
    expect(found).toMatchObject({ path: wanted.path, type: wanted.type, uid: wanted.uid });
    expect(found.target).toBe(changes.target ?? '');
  });

  test.each([
    [0, 1, '0.000000001'],
    [1_700_000_000, 123_456_789, '1700000000.123456789'],
    [-1, 0, '-1'],
    [-1, 750_000_000, '-0.250000000'],
    [-2, 750_000_000, '-1.250000000'],
    [-2, 999_999_999, '-1.000000001'],
    [10_000_000_000, 5, '10000000000.000000005'],
  ])('%s s and %s ns are written as %s', (mtimeSeconds, mtimeNanos, text) => {
    expect(read({ mtimeSeconds, mtimeNanos }).pax?.['mtime']).toBe(text);
  });

  test('the length of a pax record counts itself, also where that makes it longer', () => {
    for (let length = 80; length < 120; length++) {
      const value = raw('v'.repeat(length));
      expect(read({ pax: new Map([['key', value]]) }).pax?.['key']).toBe(value);
    }
    for (const length of [980, 985, 986, 987, 988, 989, 990, 991, 992, 9980, 9985, 9990]) {
      const value = raw(`\n${'\xff\0='.repeat(length)}`.slice(0, length));
      expect(read({ pax: new Map([['key', value]]) }).pax?.['key']).toBe(value);
    }
  });

  test('a file of 8 GiB and more says its size in the pax header', () => {
    const made = { ...member, size: 8 * 2 ** 30 };

    expect(paxFor(made)).toBe('19 size=8589934592\n');
    expect(paxFor({ ...member, size: 8 * 2 ** 30 - 1 })).toBe('');
  });
});

describe('a chunk', () => {
  test('holds everything: each entry has the content and the checksum of its file', async () => {
    const root = await tempFolder();
    makeEverything(root);

    const packed = packTree(root, { plan: { chunkBytes: 5 * MIB } });

    const bytesOf = new Map<string, Buffer>();
    for (const { raw, packed: chunk } of packed.chunks.values()) {
      expect(raw.length).toBe(chunk.rawSize);
      for (const member of tarMembers(raw)) bytesOf.set(member.path, member.data);
    }
    for (const [path, entry] of packed.entries) {
      if (entry.type !== 'file' && entry.type !== 'hardlink') continue;
      if ((entry.size ?? 0) > 64 * MIB) continue;
      const content = packed.content(path);
      expect([path, content.length, md5(content)]).toEqual([path, entry.size, entry.md5]);
    }
    expect(packed.skipped).toEqual([]);
  });

  test('finds its table of contents by one read of its last 32 bytes, and it says what the manifest says', async () => {
    const root = await tempFolder();
    for (const name of HOSTILE_NAMES) writeFileSync(fsPath(raw(`${root}/${name}`)), noise(300));
    mkdirSync(`${root}/sub`);
    symlinkSync('nowhere', `${root}/sub/link`);
    linkSync(`${root}/CON`, `${root}/sub/linked`);
    writeSparse(`${root}/sub/sparse`, 500_000, [[200_000, noise(100)]]);

    const packed = packTree(root, { plan: { shards: 1 } });

    for (const { stored, packed: chunk } of packed.chunks.values()) {
      const footer = stored.subarray(-32);
      expect(footer.toString('latin1', 24)).toBe('ARCHTOC1');
      const total = footer.readUInt32LE(4);
      const frame = stored.subarray(stored.length - total);
      expect([total, frame.readUInt32LE(0), frame.readUInt32LE(4)]).toEqual([chunk.tocSize, 0x184d2a50, total - 8]);
      const body = frame.subarray(8, 8 + footer.readUInt32LE(0));
      expect(body.length).toBe(total - 8 - 32);
      expect(createHash('sha256').update(body).digest().subarray(0, 16)).toEqual(footer.subarray(8, 24));
      const text = Buffer.alloc(codec.frameContentSize(body) ?? 0);
      codec.decompressFrame(text, body);
      const document = JSON.parse(text.toString()) as { uploadId: string; chunk: object; files: JsonEntry[] };
      expect(document).toMatchObject({ format: 1, uploadId: '20260101-000000-00000000' });
      expect(document.chunk).toMatchObject({ chunk: chunk.chunk, rawSize: chunk.rawSize, frames: chunk.frames });
      expect(document.files).toEqual([...packed.entries.values()].filter((entry) => entry.chunk === chunk.chunk));
      expect(text.toString().split('\n')).toHaveLength(document.files.length + 3);
    }
  });

  test('has a digest and frames that cover it up to the table of contents', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/a`, noise(500_000));

    const [{ packed, stored } = expect.fail('no chunk')] = packTree(root).chunks.values();

    expect(packed.sha256).toBe(createHash('sha256').update(stored).digest('hex'));
    const framed = packed.frames.reduce((sum, { size }) => sum + size, 0);
    expect(framed + packed.tocSize).toBe(stored.length);
    for (const { rawSize } of packed.frames) expect(rawSize).toBeLessThanOrEqual(65_536);
  });

  test('the table of contents of an empty list is sound', () => {
    const toc = encodeTable(codec, Buffer.from('{}'));

    expect(toc.readUInt32LE(toc.length - 28)).toBe(toc.length);
  });

  test('without checksums has no MD5 and all the content', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/small`, noise(100));
    writeFileSync(`${root}/large`, noise(300_000));
    writeFileSync(`${root}/cut`, noise(5 * MIB));
    writeSparse(`${root}/sparse`, 500_000, [[200_000, noise(100)]]);

    const packed = packTree(root, { settings: { fileChecksums: false } });

    expect([...packed.entries.values()].map(({ md5: sum }) => sum)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(packed.content('sparse').length).toBe(500_000);
  });

  test('attributes reach the tar member and the manifest, those of the machine do not', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/f`, 'f');
    const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    libcOrFail().lsetxattr(raw(`${root}/f`), raw('user.b=%'), binary);

    const packed = packTree(root, {
      wrap: (fs) =>
        tampered(fs, {
          xattrs: (fd) =>
            fs.xattrs(fd)?.set(raw('security.selinux'), Buffer.from('label')).set(raw('user.\xff'), Buffer.from('x')),
        }),
    });

    const [member] = [...packed.chunks.values()].flatMap(({ raw }) => tarMembers(raw));
    expect(member?.pax['SCHILY.xattr.user.b%3D%25']).toBe(binary.toString('latin1'));
    expect(Object.keys(member?.pax ?? {}).some((key) => key.includes('selinux'))).toBe(false);
    expect(packed.entries.get('f')?.xattrs).toEqual({
      'user.b=%': binary.toString('base64'),
      [`base64:${Buffer.from('user.\xff', 'latin1').toString('base64')}`]: Buffer.from('x').toString('base64'),
    });
  });

  test('one attribute that may not be read does not take the others away', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/f`, 'f');
    const libc = libcOrFail();
    for (const name of ['user.a', 'user.b', 'user.c']) libc.lsetxattr(raw(`${root}/f`), raw(name), Buffer.from(name));
    const { posixSourceFs } = await import('../../../../src/core/archive/scan/source-fs-posix.js');

    const view = posixSourceFs({
      ...libc,
      fgetxattr: (fd, name) => {
        if (name === 'user.a') throw Object.assign(new Error('no'), { code: 'EACCES', errno: 13 });
        return libc.fgetxattr(fd, name);
      },
    });
    const packed = packTree(root, { wrap: () => view });

    expect(Object.keys(packed.entries.get('f')?.xattrs ?? {})).toEqual(['user.b', 'user.c']);
  });

  test('reading leaves the access time alone, also after a file of somebody else', async () => {
    const root = await tempFolder();
    for (const name of ['a', 'b', 'c']) {
      writeFileSync(`${root}/${name}`, name);
      utimesSync(`${root}/${name}`, 1, 2_000_000_000);
    }
    const libc = libcOrFail();
    const noatime: boolean[] = [];
    const { posixSourceFs } = await import('../../../../src/core/archive/scan/source-fs-posix.js');

    const view = posixSourceFs({
      ...libc,
      openBeneath: (dir, path, flags) => {
        const asks = (flags & 0o1000000) !== 0;
        noatime.push(asks);
        if (asks && path === 'a') throw Object.assign(new Error('not yours'), { code: 'EPERM', errno: 1 });
        return libc.openBeneath?.(dir, path, flags) ?? -1;
      },
    });
    packTree(root, { wrap: () => view });

    expect(noatime).toEqual([true, false, true, true]);
  });

  test('an encoder that loses data fails the upload and does not pass for an unreadable file', async () => {
    const root = await tempFolder();
    for (const name of ['a', 'b', 'c']) writeFileSync(`${root}/${name}`, noise(50_000));
    const broken: Codec = {
      ...codec,
      compressFrame: (target, source, level) => codec.compressFrame(target, Buffer.alloc(source.length), level),
    };

    expect(() => packTree(root, { codec: broken, settings: { level: 12 } })).toThrow('lost data at level 12');
  });

  test('a group of links has one member with data, the others name it', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/m`, noise(1000));
    linkSync(`${root}/m`, `${root}/a`);
    linkSync(`${root}/m`, `${root}/z`);
    setTime(`${root}/m`, 1_500_000_000, 42);

    const packed = packTree(root);

    const members = [...packed.chunks.values()].flatMap(({ raw }) => tarMembers(raw));
    expect(members.map(({ path, type, target, size }) => [path, type, target, size])).toEqual([
      ['a', '0', '', 1000],
      ['m', '1', 'a', 0],
      ['z', '1', 'a', 0],
    ]);
    const [first, ...others] = packed.entries.values();
    for (const entry of others) {
      const { size, md5: sum, chunk, offset, linkGroup, mtime } = first ?? expect.fail('no entry');
      expect(entry).toMatchObject({ type: 'hardlink', size, md5: sum, chunk, offset, linkGroup, mtime });
    }
  });
});

test('whoever is told to stop does so in the middle of a chunk, and of a file', async () => {
  const root = rawFromText(await tempFolder());
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(`${root}/${name}`, noise(MIB));
  writeFileSync(`${root}/large`, noise(3 * MIB));
  const stopAt = (path: string): (() => unknown) => {
    const progress = new Float64Array(4);
    const opened: string[] = [];
    const wrap = (fs: SourceFs): SourceFs => ({
      ...fs,
      openFile: (...at) => {
        opened.push(at[2]);
        if (at[2] === path) progress[PROGRESS.isStopping] = 1;
        return fs.openFile(...at);
      },
    });
    return () => {
      expect(() => packTree(root, { wrap, progress, settings: { frameBytes: MIB } })).toThrow('stopped');
      return opened;
    };
  };

  expect(stopAt('b')()).toEqual(['a', 'b']);
  expect(stopAt('large')()).toEqual(['a', 'b', 'c', 'd', 'large']);
});
