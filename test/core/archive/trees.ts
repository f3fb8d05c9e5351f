// Folders to archive in tests, and what a folder is when two of them are compared.
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { posixSourceFs } from '../../../src/core/archive/scan/source-fs-posix.js';
import { AT_FDCWD, type Libc, loadLibc } from '../../../src/core/platform/libc/libc.js';
import { newStat } from '../../../src/core/platform/libc/stat.js';
import { fsPath, rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { raw } from '../../support/raw.js';

export const MIB = 2 ** 20;
export const isRoot = process.getuid?.() === 0;

/** The Linux calls; tests that need them are only meant for Linux. */
export function libcOrFail(): Libc {
  const libc = loadLibc();
  if (libc === undefined) throw new Error('this test needs koffi');
  return libc;
}

/** Sets the mtime of anything, a link itself, to the nanosecond. */
export function setTime(path: string, seconds: number, nanos: number): void {
  libcOrFail().utimensat(AT_FDCWD, raw(path), seconds, nanos);
}

/** Names that have broken archivers before, as byte strings. */
export const HOSTILE_NAMES: readonly string[] = [
  rawFromText('caf\u00e9'),
  rawFromText('cafe\u0301'),
  'bytes-\xff\xfe\x80',
  'new\nline',
  'ends in newline\n',
  'esc\x1b[31mred',
  '-rf',
  '--checkpoint-action=exec=sh',
  '..x',
  '...',
  ' leading and trailing ',
  'tab\tand \\backslash\\n',
  'quote"\'`$HOME`$(id)',
  '*?[glob]',
  'n'.repeat(255),
  rawFromText('\u{1f600}'.repeat(63)),
  rawFromText('\u202egpj.exe'),
  rawFromText('\ufeffbom'),
  rawFromText('line\u2028separator'),
  rawFromText('\u2029paragraph\u2029'),
  rawFromText('next\u0085line'),
  'carriage\rreturn',
  rawFromText('no\u00a0break'),
  'CON',
  'dot.',
  'UPPER',
  'upper',
  '#hash',
  '!bang',
  '@at',
  '%41=percent',
];

/** Pseudo-random bytes that do not compress. */
export const noise = (bytes: number): Buffer => randomBytes(bytes);

/** Writes a file from pieces `[offset, data]`, holes between them, and gives it `size`. */
export function writeSparse(path: string, size: number, pieces: readonly (readonly [number, Buffer])[]): void {
  const fd = openSync(fsPath(raw(path)), 'w');
  for (const [offset, data] of pieces) writeSync(fd, data, 0, data.length, offset);
  closeSync(fd);
  truncateSync(fsPath(raw(path)), size);
}

/** Everything a file system can hold that an archive must give back. */
export function makeEverything(root: string): void {
  const libc = libcOrFail();
  const at = (path: string): string => `${root}/${path}`;
  const file = (path: string, content: string | Buffer = path): void => writeFileSync(fsPath(raw(at(path))), content);
  const folder = (path: string): void => void mkdirSync(fsPath(raw(at(path))), { recursive: true });

  folder('names');
  for (const name of HOSTILE_NAMES) file(`names/${name}`);
  folder(`long/${'d'.repeat(200)}/${'e'.repeat(200)}`);
  file(`long/${'d'.repeat(200)}/${'e'.repeat(200)}/${'f'.repeat(200)}`);
  for (const length of [99, 100, 101]) file(`names/${'x'.repeat(length - 6)}`);

  folder('links');
  symlinkSync('../names/CON', at('links/to-file'));
  symlinkSync('../names', at('links/to-folder'));
  symlinkSync('/etc/hostname', at('links/outside'));
  symlinkSync('nowhere', at('links/dangling'));
  symlinkSync('loop-b', at('links/loop-a'));
  symlinkSync('loop-a', at('links/loop-b'));
  symlinkSync('self', at('links/self'));
  symlinkSync('t/'.repeat(1999) + 'tt', at('links/long-target'));
  symlinkSync(fsPath(raw('bytes-\xff')), at('links/bytes-target'));
  symlinkSync('t'.repeat(100), at('links/target-100'));
  symlinkSync('t'.repeat(101), at('links/target-101'));
  setTime(at('links/dangling'), 1_000_000_000, 1);

  folder('hard');
  file('hard/first', 'shared');
  linkSync(at('hard/first'), at('hard/second'));
  linkSync(at('hard/first'), at('names/third'));
  linkSync(at('hard/first'), at(`long/${'h'.repeat(120)}`));

  folder('times');
  const times: readonly (readonly [number, number])[] = [
    [1_700_000_000, 123_456_789],
    [0, 0],
    [0, 1],
    [-1, 750_000_000],
    [-86_400 * 365 * 20, 0],
    [4_300_000_000, 999_999_999],
    [8_589_934_591, 0],
    [8_589_934_592, 0],
    [10_000_000_000, 5],
  ];
  times.forEach(([seconds, nanos], index) => {
    file(`times/${index}`);
    setTime(at(`times/${index}`), seconds, nanos);
  });

  folder('modes');
  for (const mode of [0o000, 0o400, 0o755, 0o4755, 0o2755, 0o1644, 0o7777]) {
    file(`modes/${mode.toString(8)}`);
    chmodSync(at(`modes/${mode.toString(8)}`), mode);
  }
  folder('modes/sticky');
  chmodSync(at('modes/sticky'), 0o1777);
  folder('modes/closed');
  file('modes/closed/inside');
  chmodSync(at('modes/closed'), 0o555);
  if (isRoot) {
    for (const [name, uid, gid] of [['small', 1234, 5678] as const, ['huge', 4_294_967_290, 3_000_000] as const]) {
      file(`modes/${name}`);
      chownSync(at(`modes/${name}`), uid, gid);
    }
    symlinkSync('owned', at('links/owned'));
    lchownSync(at('links/owned'), 2_097_152, 2_097_151);
  }

  folder('attributes');
  file('attributes/file');
  folder('attributes/folder');
  const binary = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  for (const name of ['attributes/file', 'attributes/folder']) {
    libc.lsetxattr(raw(at(name)), raw('user.text'), Buffer.from('v\u00e4lue'));
    libc.lsetxattr(raw(at(name)), raw('user.binary'), binary);
    libc.lsetxattr(raw(at(name)), raw('user.empty'), Buffer.alloc(0));
    libc.lsetxattr(raw(at(name)), raw('user.a=b%3D\n'), Buffer.from('odd name'));
  }
  libc.lsetxattr(raw(at('attributes/file')), raw('user.large'), Buffer.alloc(3000, 7));
  trySetAcl(libc, at('attributes/file'));

  folder('empty/nested/deep');
  file('empty/file', '');
  writeContent(root);
}

/** A POSIX ACL (user 1234 may read) as the kernel stores it; left out where the file system has none. */
function trySetAcl(libc: Libc, path: string): void {
  const entry = (tag: number, perm: number, id: number): Buffer => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(perm, 2);
    bytes.writeUInt32LE(id, 4);
    return bytes;
  };
  const none = 0xffff_ffff;
  const entries = [entry(1, 6, none), entry(2, 4, 1234), entry(4, 4, none), entry(16, 4, none), entry(32, 4, none)];
  try {
    libc.lsetxattr(raw(path), raw('system.posix_acl_access'), Buffer.concat([Buffer.from([2, 0, 0, 0]), ...entries]));
  } catch {
    // this file system has no ACLs
  }
}

function writeContent(root: string): void {
  const at = (path: string): string => `${root}/${path}`;
  mkdirSync(at('sparse'));
  const data = noise(8192);
  writeSparse(at('sparse/at-start'), 300_000, [[200_704, data]]);
  writeSparse(at('sparse/in-middle'), 308_192, [
    [0, data],
    [303_104, data.subarray(0, 5000)],
  ]);
  writeSparse(at('sparse/at-end'), 1_000_001, [[0, data]]);
  writeSparse(at('sparse/only-hole'), 500_000, []);
  writeSparse(at('sparse/large'), 1024 * MIB + 12_345, [
    [400 * MIB, data],
    [1023 * MIB, data],
  ]);
  writeSparse(at(`sparse/${'s'.repeat(120)}`), 2 * MIB, [[MIB, data]]);
  linkSync(at('sparse/at-start'), at('sparse/at-start-linked'));

  mkdirSync(at('sizes'));
  for (const base of [512, 65_536 - 1536, 65_536 - 1024, 65_536 - 512, 65_536, 131_072, 200_000]) {
    for (const size of [base - 1, base, base + 1]) writeFileSync(at(`sizes/${size}`), noise(size));
  }
  for (const size of [5 * MIB - 1, 5 * MIB, 5 * MIB + 1]) writeFileSync(at(`sizes/${size}`), noise(size));

  mkdirSync(at('cut'));
  const cutName = 'cut/ names that\nhurt \xff\n';
  writeFileSync(fsPath(raw(at(cutName))), noise(12 * MIB + 777));
  chmodSync(fsPath(raw(at(cutName))), 0o440);
  libcOrFail().lsetxattr(raw(at(cutName)), raw('user.kept'), Buffer.from('yes'));
  setTime(at(cutName), 1_600_000_000, 987_654_321);
  writeFileSync(at('cut/shared'), noise(11 * MIB));
  linkSync(at('cut/shared'), at('cut/shared-too'));
  linkSync(at('cut/shared'), at('names/zz-shared-as-well'));
  writeFileSync(at('cut/text'), 'all work and no play makes jack a dull boy\n'.repeat(200_000));
}

export interface Described {
  readonly type: string;
  readonly mode: number;
  readonly owner: string;
  readonly time: string;
  readonly size: number;
  readonly content?: string;
  readonly target?: string;
  /** The first path of the same inode. */
  readonly sameAs?: string;
  readonly xattrs?: Readonly<Record<string, string>>;
}

const TYPES = new Map([
  [0o100000, 'file'],
  [0o040000, 'directory'],
  [0o120000, 'symlink'],
]);

/** What there is below `root`, by path. Special files are left out. */
export function describeTree(root: string): Record<string, Described> {
  const libc = libcOrFail();
  const stat = newStat();
  const view = posixSourceFs(libc);
  const found: Record<string, Described> = {};
  const firsts = new Map<bigint, string>();
  const walk = (folder: string): void => {
    for (const name of readdirSync(fsPath(raw(`${root}/${folder}`)), { encoding: 'latin1' }).sort()) {
      const path = folder === '' ? name : `${folder}/${name}`;
      const absolute = `${root}/${path}`;
      libc.statat(AT_FDCWD, raw(absolute), stat);
      const type = TYPES.get(stat.mode & 0o170000);
      if (type === undefined) continue;
      const isShared = type === 'file' && stat.nlink > 1;
      const first = firsts.get(stat.inode) ?? path;
      if (isShared) firsts.set(stat.inode, first);
      const xattrs = view.xattrsAt(raw(absolute));
      found[path] = {
        type,
        mode: stat.mode & 0o7777,
        owner: `${stat.uid}:${stat.gid}`,
        time: `${stat.mtimeSeconds}.${stat.mtimeNanos}`,
        size: type === 'directory' ? 0 : stat.size,
        ...(type === 'file' ? { content: contentOf(absolute, stat.size) } : {}),
        ...(type === 'symlink' ? { target: readlinkSync(fsPath(raw(absolute)), { encoding: 'latin1' }) } : {}),
        ...(isShared ? { sameAs: first } : {}),
        ...(xattrs === undefined
          ? {}
          : {
              xattrs: Object.fromEntries(
                [...xattrs].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, value]) => [key, value.toString('base64')]),
              ),
            }),
      };
      if (type === 'directory') walk(path);
    }
  };
  walk('');
  return found;
}

// Only where there are data, and only blocks that are not zero: holes may lie differently after a round trip.
function contentOf(path: string, size: number): string {
  const view = posixSourceFs(libcOrFail());
  const digest = createHash('sha256');
  const zero = Buffer.alloc(4096);
  const buffer = Buffer.alloc(MIB);
  const fd = openSync(fsPath(raw(path)), 'r');
  try {
    for (const [offset, length] of view.extents(fd, size) ?? [[0, size] as const]) {
      for (let at = offset - (offset % 4096); at < offset + length; at += buffer.length) {
        const got = readSync(fd, buffer, 0, buffer.length, at);
        for (let block = 0; block < got; block += 4096) {
          const bytes = buffer.subarray(block, Math.min(block + 4096, got));
          if (zero.compare(bytes, 0, bytes.length, 0, bytes.length) !== 0)
            digest.update(`${at + block}:`).update(bytes);
        }
      }
    }
  } finally {
    closeSync(fd);
  }
  return digest.digest('hex');
}
