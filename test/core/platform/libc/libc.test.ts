import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { AT_FDCWD, O_DIRECTORY, O_RDONLY, SEEK_DATA, SEEK_HOLE } from '../../../../src/core/platform/libc/libc.js';
import { newStat } from '../../../../src/core/platform/libc/stat.js';
import { collectGarbage } from '../../../../src/core/platform/threads/collect-garbage.js';
import { fsPath } from '../../../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { HOSTILE_NAMES, libcOrFail, MIB, noise, writeSparse } from '../../archive/trees.js';
import { raw } from '../../../support/raw.js';

const elsewhere = process.platform !== 'linux';
const withCode = (code: string): Error => expect.objectContaining({ code }) as Error;

describe.skipIf(elsewhere)('stat', () => {
  test('sees what Node sees, to the nanosecond', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/f`, noise(10_000));
    linkSync(`${root}/f`, `${root}/g`);
    symlinkSync('f', `${root}/l`);
    for (const name of ['f', 'l']) libcOrFail().utimensat(AT_FDCWD, raw(`${root}/${name}`), 1_234_567_890, 987_654_321);
    const stat = newStat();

    for (const name of ['f', 'l', '']) {
      libcOrFail().statat(AT_FDCWD, raw(`${root}/${name}`), stat);
      const expected = lstatSync(`${root}/${name}`, { bigint: true });
      expect(stat).toEqual({
        mode: Number(expected.mode),
        size: Number(expected.size),
        blocks: Number(expected.blocks),
        nlink: Number(expected.nlink),
        uid: Number(expected.uid),
        gid: Number(expected.gid),
        inode: expected.ino,
        device: stat.device,
        atimeSeconds: Number(expected.atimeNs / 1_000_000_000n),
        mtimeSeconds: Number(expected.mtimeNs / 1_000_000_000n),
        mtimeNanos: Number(expected.mtimeNs % 1_000_000_000n),
        ctimeSeconds: Number(expected.ctimeNs / 1_000_000_000n),
        ctimeNanos: Number(expected.ctimeNs % 1_000_000_000n),
      });
    }
  });

  test.each([
    [-1, 999_999_999],
    [-2_000_000_000, 1],
    [4_300_000_000, 123_456_789],
    [10_000_000_000, 0],
  ])('times of %s s and %s ns go in and come out', async (seconds, nanos) => {
    const file = `${await tempFolder()}/f`;
    writeFileSync(file, '');
    const stat = newStat();

    libcOrFail().utimensat(AT_FDCWD, raw(file), seconds, nanos);
    libcOrFail().statat(AT_FDCWD, raw(file), stat);

    expect([stat.mtimeSeconds, stat.mtimeNanos, stat.atimeSeconds]).toEqual([seconds, nanos, seconds]);
  });

  test('takes any name, and refuses one with a zero byte or of 10,000 bytes by name of the error', async () => {
    const root = await tempFolder();
    const stat = newStat();
    for (const name of HOSTILE_NAMES) {
      writeFileSync(fsPath(raw(`${root}/${name}`)), name);
      libcOrFail().statat(AT_FDCWD, raw(`${root}/${name}`), stat);
      expect(stat.size).toBe(Buffer.from(name).length);
    }

    expect(() => libcOrFail().statat(AT_FDCWD, raw('a\0b'), stat)).toThrow(withCode('EINVAL'));
    expect(() => libcOrFail().statat(AT_FDCWD, raw('x'.repeat(10_000)), stat)).toThrow(withCode('ENAMETOOLONG'));
    expect(() => libcOrFail().statat(AT_FDCWD, raw(`${root}/none`), stat)).toThrow(withCode('ENOENT'));
  });
});

describe.skipIf(elsewhere)('opening below a folder', () => {
  test('goes through no symbolic link and not outside', async () => {
    const root = await tempFolder();
    mkdirSync(`${root}/in/real`, { recursive: true });
    writeFileSync(`${root}/in/real/f`, 'inside');
    writeFileSync(`${root}/secret`, 'outside');
    symlinkSync('real', `${root}/in/link`);
    symlinkSync('../secret', `${root}/in/leads-out`);
    const libc = libcOrFail();
    const open = libc.openBeneath as NonNullable<typeof libc.openBeneath>;
    const folder = libc.openat(AT_FDCWD, raw(`${root}/in`), O_RDONLY | O_DIRECTORY, 0);
    try {
      const fd = open(folder, raw('real/f'), O_RDONLY);
      expect(readFileSync(fd, 'utf8')).toBe('inside');
      closeSync(fd);
      for (const path of ['link/f', 'leads-out', 'link'])
        expect(() => open(folder, raw(path), O_RDONLY)).toThrow(withCode('ELOOP'));
      for (const path of ['../secret', `${root}/secret`])
        expect(() => open(folder, raw(path), O_RDONLY)).toThrow(withCode('EXDEV'));
    } finally {
      libc.close(folder);
    }
  });

  test('does not leak descriptors into programs that are started', async () => {
    const root = await tempFolder();
    writeFileSync(`${root}/f`, '');
    const fd = libcOrFail().openat(AT_FDCWD, raw(`${root}/f`), O_RDONLY, 0);

    const { stdout } = spawnSync('ls', ['-l', '/proc/self/fd'], { encoding: 'utf8' });

    closeSync(fd);
    expect(stdout).not.toContain(root);
  });
});

describe.skipIf(elsewhere)('attributes, links and holes', () => {
  test('attributes hold any bytes, also none', async () => {
    const file = `${await tempFolder()}/f`;
    writeFileSync(file, '');
    const libc = libcOrFail();
    const values = new Map([
      ['user.binary', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
      ['user.empty', Buffer.alloc(0)],
    ]);

    for (const [name, value] of values) libc.lsetxattr(raw(file), raw(name), value);

    expect(
      libc
        .llistxattr(raw(file))
        .filter((name) => name.startsWith('user.'))
        .sort(),
    ).toEqual([...values.keys()]);
    for (const [name, value] of values) expect(libc.lgetxattr(raw(file), raw(name))).toEqual(value);
    expect(() => libc.lgetxattr(raw(file), raw('user.none'))).toThrow(withCode('ENODATA'));
    rmSync(file);
    expect(() => libc.llistxattr(raw(file))).toThrow(withCode('ENOENT'));
  });

  test('a target of 4000 bytes that are no UTF-8 comes back', async () => {
    const root = await tempFolder();
    const target = '\xff'.repeat(4000);

    libcOrFail().symlinkat(raw(target), AT_FDCWD, raw(`${root}/l`));

    expect(libcOrFail().readlinkat(AT_FDCWD, raw(`${root}/l`))).toBe(target);
  });

  test('holes are found beyond 4 GiB', async () => {
    const file = `${await tempFolder()}/f`;
    writeSparse(file, 6 * 1024 * MIB, [[5 * 1024 * MIB, noise(4096)]]);
    const fd = openSync(file, 'r');

    const start = libcOrFail().lseek(fd, 0, SEEK_DATA);
    const end = libcOrFail().lseek(fd, start, SEEK_HOLE);

    closeSync(fd);
    expect([start, end]).toEqual([5 * 1024 * MIB, 5 * 1024 * MIB + 4096]);
  });

  test('memory that is free again goes back to the system', async () => {
    const MOST = 60_000; // less than glibc maps on its own
    const kept = Array.from({ length: 1000 }, () => Buffer.allocUnsafeSlow(MOST).fill(1));
    kept.splice(0, 999); // the last one keeps the others from the end of the heap
    collectGarbage();
    const before = process.memoryUsage.rss();

    // V8 frees buffers in the background.
    const returned = (): number => {
      libcOrFail().trimMemory();
      return before - process.memoryUsage.rss();
    };
    await expect.poll(returned, { timeout: 5000 }).toBeGreaterThan(20 * MIB);
    expect(kept).toHaveLength(1);
  });
});
