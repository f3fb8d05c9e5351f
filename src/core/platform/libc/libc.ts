// Linux calls that Node's fs lacks or rounds: nanosecond times, xattrs, holes, and opening relative to a folder so that no symbolic link is
// ever followed. Called through koffi, at about 1 µs per call. Every function is synchronous and throws a SystemError with Node's `code`.
// On other systems `loadLibc` returns undefined, and callers fall back to fs.
import { createRequire } from 'node:module';
import { constants, endianness } from 'node:os';
import { type RawPath, CURRENT_FOLDER, rawFromBytes } from '../paths/raw-path.js';
import { readStat, type Stat } from './stat.js';

export const O_RDONLY = 0;
export const O_CREAT = 0o100;
export const O_EXCL = 0o200;
export const O_NONBLOCK = 0o4000;
const ARM = process.arch === 'arm64' || process.arch === 'arm';
// asm-generic numbers, and those that differ on arm: linux/arch/arm64/include/uapi/asm/fcntl.h
export const O_DIRECTORY = ARM ? 0o40000 : 0o200000;
export const O_NOFOLLOW = ARM ? 0o100000 : 0o400000;
export const O_NOATIME = 0o1000000;
export const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
export const AT_FDCWD = -100;
const AT_SYMLINK_NOFOLLOW = 0x100;
const AT_EMPTY_PATH = 0x1000;
/** For `unlinkat`: removes an empty folder. */
export const AT_REMOVEDIR = 0x200;
// linux/fcntl.h
const F_SETLEASE = 1024;
const F_RDLCK = 0;
export const SEEK_DATA = 3;
export const SEEK_HOLE = 4;
const STATX_BASIC_STATS = 0x7ff;
const SYS_GETDENTS64: Partial<Record<NodeJS.Architecture, number>> = { x64: 217, arm64: 61 };

const CODES = new Map(Object.entries(constants.errno).map(([name, number]) => [number, name]));

/** A failed system call; `code` is like Node's (`ENOENT`). */
export class SystemError extends Error {
  override readonly name = 'SystemError';
  readonly code: string;
  readonly errno: number;
  readonly syscall: string;
  constructor(errno: number, syscall: string) {
    const code = CODES.get(errno) ?? `errno ${errno}`;
    super(`${code}: ${syscall} failed`);
    this.code = code;
    this.errno = errno;
    this.syscall = syscall;
  }
}

export interface Libc {
  openat(dir: number, path: RawPath, flags: number, mode: number): number;
  /** Like openat, restricted to paths below `dir` without symbolic links. Undefined when the kernel lacks openat2. */
  openBeneath: ((dir: number, path: RawPath, flags: number) => number) | undefined;
  close(fd: number): void;
  pread(fd: number, into: Uint8Array, length: number, position: number): number;
  pwrite(fd: number, from: Uint8Array, length: number, position: number): number;
  /** Uses `AT_SYMLINK_NOFOLLOW`; an empty path means `dir` itself. */
  statat(dir: number, path: RawPath, stat: Stat): void;
  lseek(fd: number, offset: number, whence: number): number;
  ftruncate(fd: number, length: number): void;
  readlinkat(dir: number, path: RawPath): RawPath;
  /** Returns the next names in an open folder, including `.` and `..`; empty at its end. Undefined on rare processors. */
  getdents: ((fd: number) => RawPath[]) | undefined;
  symlinkat(target: RawPath, dir: number, path: RawPath): void;
  linkat(fromDir: number, from: RawPath, toDir: number, to: RawPath): void;
  mkdirat(dir: number, path: RawPath, mode: number): void;
  renameat(fromDir: number, from: RawPath, toDir: number, to: RawPath): void;
  unlinkat(dir: number, path: RawPath, flags: number): void;
  /**
   * Takes a read lease on a file that is open for reading, until it is closed: EAGAIN while anybody has it open for writing; who opens it
   * for writing later waits, and SIGIO says so. EINVAL and others where the file system has no leases.
   */
  leaseReading(fd: number): void;
  fchmod(fd: number, mode: number): void;
  fchown(fd: number, uid: number, gid: number): void;
  /** Changes the link itself when the path names one. */
  chownat(dir: number, path: RawPath, uid: number, gid: number): void;
  /** Sets mtime and atime to the same value, of a link itself. An empty path means `dir`. */
  utimensat(dir: number, path: RawPath, seconds: number, nanos: number): void;
  futimens(fd: number, seconds: number, nanos: number): void;
  flistxattr(fd: number): RawPath[];
  fgetxattr(fd: number, name: RawPath): Buffer;
  fsetxattr(fd: number, name: RawPath, value: Uint8Array): void;
  /** Extended attributes by path, of a link itself. */
  llistxattr(path: RawPath): RawPath[];
  lgetxattr(path: RawPath, name: RawPath): Buffer;
  lsetxattr(path: RawPath, name: RawPath, value: Uint8Array): void;
  /** Gives memory of the process that is free back to the system, in some milliseconds. Does nothing where the C library cannot. */
  trimMemory(): void;
  /** Ends the process immediately: no exit handler or destructor of native code runs. */
  exit(status: number): void;
}

type Native = (...args: readonly unknown[]) => number;
interface Koffi {
  load(path: string | null): { func(declaration: string): Native };
  errno(): number;
}

let loaded: { readonly libc: Libc | undefined } | undefined;

/** Returns the binding, or undefined when this is not Linux, koffi is not installed or `ARCHIVER_NO_LIBC=1` is set. */
export function loadLibc(): Libc | undefined {
  loaded ??= { libc: bind() };
  return loaded.libc;
}

/** Returns the binding if this thread has already loaded it. */
export const boundLibc = (): Libc | undefined => loaded?.libc;

function bind(): Libc | undefined {
  if (process.platform !== 'linux' || endianness() !== 'LE' || process.env['ARCHIVER_NO_LIBC'] === '1')
    return undefined;
  let koffi: Koffi;
  try {
    koffi = createRequire(import.meta.url)('koffi') as Koffi;
    return bindWith(koffi);
  } catch {
    return undefined; // reported once by the code that then keeps less: source-fs-portable.ts, open-tree.ts
  }
}

/** Explains why there is no binding, with the command that helps if there is one. */
export const noLibcReason = (): string =>
  process.platform === 'linux' ? 'koffi is not available; to get it: npm install -g zstd-archiver' : 'that needs Linux';

const PATH_ROOM = 8192;
const LIST_ROOM = 65536;

function bindWith(koffi: Koffi): Libc {
  const library = koffi.load(null);
  const declare = (declaration: string): Native => library.func(declaration);
  const errno = (): number => koffi.errno();
  const scratch = [Buffer.alloc(PATH_ROOM), Buffer.alloc(PATH_ROOM)] as const;
  const statBuffer = Buffer.alloc(256);
  const statView = new DataView(statBuffer.buffer, statBuffer.byteOffset, 256);
  const timesBuffer = Buffer.alloc(32);
  const timesView = new DataView(timesBuffer.buffer, timesBuffer.byteOffset, 32);
  const list = Buffer.alloc(LIST_ROOM);
  const getdents64 = SYS_GETDENTS64[process.arch];

  const path = (raw: RawPath, which: 0 | 1 = 0): Buffer => {
    const buffer = scratch[which];
    if (raw.length >= PATH_ROOM) throw new SystemError(constants.errno.ENAMETOOLONG, 'open');
    if (raw.includes('\0')) throw new SystemError(constants.errno.EINVAL, 'open');
    buffer.write(raw, 'latin1');
    buffer[raw.length] = 0;
    return buffer;
  };
  const check = (result: number, syscall: string): number => {
    if (result < 0) throw new SystemError(errno(), syscall);
    return result;
  };

  const native = {
    openat: declare('int openat(int, void*, int, unsigned int)'),
    syscall: declare('long syscall(long, int, void*, void*, size_t)'),
    close: declare('int close(int)'),
    pread: declare('int64_t pread64(int, void*, size_t, int64_t)'),
    pwrite: declare('int64_t pwrite64(int, void*, size_t, int64_t)'),
    statx: declare('int statx(int, void*, int, unsigned int, void*)'),
    lseek: declare('int64_t lseek64(int, int64_t, int)'),
    ftruncate: declare('int ftruncate64(int, int64_t)'),
    getdents: declare('long syscall(long, int, void*, size_t)'),
    readlinkat: declare('int64_t readlinkat(int, void*, void*, size_t)'),
    symlinkat: declare('int symlinkat(void*, int, void*)'),
    linkat: declare('int linkat(int, void*, int, void*, int)'),
    mkdirat: declare('int mkdirat(int, void*, unsigned int)'),
    renameat: declare('int renameat(int, void*, int, void*)'),
    unlinkat: declare('int unlinkat(int, void*, int)'),
    fcntl: declare('int fcntl(int, int, int)'),
    fchmod: declare('int fchmod(int, unsigned int)'),
    fchown: declare('int fchown(int, unsigned int, unsigned int)'),
    fchownat: declare('int fchownat(int, void*, unsigned int, unsigned int, int)'),
    utimensat: declare('int utimensat(int, void*, void*, int)'),
    futimens: declare('int futimens(int, void*)'),
    flistxattr: declare('int64_t flistxattr(int, void*, size_t)'),
    fgetxattr: declare('int64_t fgetxattr(int, void*, void*, size_t)'),
    fsetxattr: declare('int fsetxattr(int, void*, void*, size_t, int)'),
    llistxattr: declare('int64_t llistxattr(void*, void*, size_t)'),
    lgetxattr: declare('int64_t lgetxattr(void*, void*, void*, size_t)'),
    lsetxattr: declare('int lsetxattr(void*, void*, void*, size_t, int)'),
    exit: declare('void _exit(int)'),
  };

  const times = (seconds: number, nanos: number): Buffer => {
    for (const at of [0, 16]) {
      timesView.setBigInt64(at, BigInt(seconds), true);
      timesView.setBigInt64(at + 8, BigInt(nanos), true);
    }
    return timesBuffer;
  };
  const names = (length: number): RawPath[] => (length === 0 ? [] : rawFromBytes(list, 0, length - 1).split('\0'));
  const value = (length: number): Buffer => Buffer.from(list.subarray(0, length));

  return {
    openat: (dir, name, flags, mode) => check(native.openat(dir, path(name), flags | O_CLOEXEC, mode), 'open'),
    openBeneath: bindOpenat2(native.syscall, native.close, path, check, errno),
    close: (fd) => void check(native.close(fd), 'close'),
    pread: (fd, into, length, position) => check(native.pread(fd, into, length, position), 'read'),
    pwrite: (fd, from, length, position) => check(native.pwrite(fd, from, length, position), 'write'),
    statat(dir, name, stat) {
      const flags = AT_SYMLINK_NOFOLLOW | (name === '' ? AT_EMPTY_PATH : 0);
      check(native.statx(dir, path(name), flags, STATX_BASIC_STATS, statBuffer), 'stat');
      readStat(statView, stat);
    },
    lseek: (fd, offset, whence) => check(native.lseek(fd, offset, whence), 'lseek'),
    ftruncate: (fd, length) => void check(native.ftruncate(fd, length), 'ftruncate'),
    readlinkat: (dir, name) =>
      rawFromBytes(list, 0, check(native.readlinkat(dir, path(name), list, LIST_ROOM), 'readlink')),
    getdents:
      getdents64 === undefined
        ? undefined
        : (fd) => dirents(list, check(native.getdents(getdents64, fd, list, LIST_ROOM), 'getdents')),
    symlinkat: (target, dir, name) => void check(native.symlinkat(path(target, 1), dir, path(name)), 'symlink'),
    linkat: (fromDir, from, toDir, to) => void check(native.linkat(fromDir, path(from, 1), toDir, path(to), 0), 'link'),
    mkdirat: (dir, name, mode) => void check(native.mkdirat(dir, path(name), mode), 'mkdir'),
    renameat: (fromDir, from, toDir, to) =>
      void check(native.renameat(fromDir, path(from, 1), toDir, path(to)), 'rename'),
    unlinkat: (dir, name, flags) => void check(native.unlinkat(dir, path(name), flags), 'unlink'),
    leaseReading: (fd) => void check(native.fcntl(fd, F_SETLEASE, F_RDLCK), 'lease'),
    fchmod: (fd, mode) => void check(native.fchmod(fd, mode), 'chmod'),
    fchown: (fd, uid, gid) => void check(native.fchown(fd, uid, gid), 'chown'),
    chownat: (dir, name, uid, gid) =>
      void check(native.fchownat(dir, path(name), uid, gid, AT_SYMLINK_NOFOLLOW), 'chown'),
    utimensat: (dir, name, seconds, nanos) =>
      void check(native.utimensat(dir, path(name), times(seconds, nanos), AT_SYMLINK_NOFOLLOW), 'utimensat'),
    futimens: (fd, seconds, nanos) => void check(native.futimens(fd, times(seconds, nanos)), 'futimens'),
    flistxattr: (fd) => names(check(native.flistxattr(fd, list, LIST_ROOM), 'listxattr')),
    fgetxattr: (fd, name) => value(check(native.fgetxattr(fd, path(name), list, LIST_ROOM), 'getxattr')),
    fsetxattr: (fd, name, data) => void check(native.fsetxattr(fd, path(name), data, data.length, 0), 'setxattr'),
    llistxattr: (file) => names(check(native.llistxattr(path(file), list, LIST_ROOM), 'listxattr')),
    lgetxattr: (file, name) => value(check(native.lgetxattr(path(file), path(name, 1), list, LIST_ROOM), 'getxattr')),
    lsetxattr: (file, name, data) =>
      void check(native.lsetxattr(path(file), path(name, 1), data, data.length, 0), 'setxattr'),
    trimMemory: bindTrim(declare),
    exit: (status) => void native.exit(status),
  };
}

// struct linux_dirent64, linux/fs/readdir.c: inode and position, the record's length, the type, the name and a zero.
function dirents(list: Buffer, length: number): RawPath[] {
  const names: RawPath[] = [];
  for (let at = 0; at < length; at += list.readUInt16LE(at + 16)) {
    names.push(rawFromBytes(list, at + 19, list.indexOf(0, at + 19)));
  }
  return names;
}

const SYS_OPENAT2 = 437; // the same on every architecture
const RESOLVE_BENEATH_NO_SYMLINKS = 0x08 | 0x04;

/** glibc keeps what is freed, 20 MiB of it in a process that has read a manifest; others have no such function. */
function bindTrim(declare: (declaration: string) => Native): Libc['trimMemory'] {
  try {
    const trim = declare('int malloc_trim(size_t)');
    return () => void trim(0);
  } catch {
    return () => undefined;
  }
}

function bindOpenat2(
  syscall: Native,
  close: Native,
  path: (raw: RawPath) => Buffer,
  check: (result: number, name: string) => number,
  errno: () => number,
): Libc['openBeneath'] {
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(RESOLVE_BENEATH_NO_SYMLINKS), 16);
  const call = (dir: number, name: RawPath, flags: number): number => {
    how.writeUInt32LE(flags | O_CLOEXEC, 0);
    return syscall(SYS_OPENAT2, dir, path(name), how, 24);
  };
  const probe = call(AT_FDCWD, CURRENT_FOLDER, O_DIRECTORY);
  if (probe < 0) {
    const reason = CODES.get(errno());
    if (reason === 'ENOSYS' || reason === 'EPERM' || reason === 'EINVAL') return undefined;
  } else {
    close(probe);
  }
  return (dir, name, flags) => check(call(dir, name, flags), 'open');
}
