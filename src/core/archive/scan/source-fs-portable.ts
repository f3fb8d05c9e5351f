import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  type BigIntStats,
} from 'node:fs';
import { noLibcReason } from '../../platform/libc/libc.js';
import type { Stat } from '../../platform/libc/stat.js';
import { fsPath, rawFromLatin1, pathBelow } from '../../platform/paths/raw-path.js';
import { withDvcContents } from './dvc-contents.js';
import type { PlainFs, SourceFs } from './source-fs.js';

/** Reads files through Node's fs: times to the nanosecond, without attributes and holes. */
export const portableSourceFs = (): SourceFs => withDvcContents(portableFs());

function portableFs(): PlainFs {
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  return {
    loss: `extended attributes and holes of sparse files are not kept (${noLibcReason()})`,
    readDirectory: portableNames,
    lstat: (path, stat) => fill(stat, lstatSync(fsPath(path), { bigint: true })),
    readLink: (path) => rawFromLatin1(readlinkSync(fsPath(path), { encoding: 'latin1' })),
    openFile: (_root, rootPath, path) => openSync(fsPath(pathBelow(rootPath, path)), flags),
    openRoot: (path) => openSync(fsPath(path), constants.O_RDONLY),
    fstat: (fd, stat) => fill(stat, fstatSync(fd, { bigint: true })),
    close: (fd) => closeSync(fd),
    xattrs: () => undefined,
    xattrsAt: () => undefined,
    extents: () => undefined,
  };
}

/** Returns the names in a folder, all at once. */
export const portableNames: PlainFs['readDirectory'] = (path) =>
  rawFromLatin1(readdirSync(fsPath(path), { encoding: 'latin1' }));

const BILLION = 1_000_000_000n;
const seconds = (ns: bigint): number => Number((ns - nanos(ns)) / BILLION);
const nanos = (ns: bigint): bigint => ((ns % BILLION) + BILLION) % BILLION;

function fill(stat: Stat, from: BigIntStats): void {
  stat.mode = Number(from.mode);
  stat.size = Number(from.size);
  stat.blocks = Number(from.blocks);
  stat.nlink = Number(from.nlink);
  stat.uid = Number(from.uid);
  stat.gid = Number(from.gid);
  stat.inode = BigInt.asUintN(64, from.ino);
  stat.device = Number(from.dev);
  stat.atimeSeconds = seconds(from.atimeNs);
  stat.mtimeSeconds = seconds(from.mtimeNs);
  stat.mtimeNanos = Number(nanos(from.mtimeNs));
  stat.ctimeSeconds = seconds(from.ctimeNs);
  stat.ctimeNanos = Number(nanos(from.ctimeNs));
}
