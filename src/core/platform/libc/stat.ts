// File attributes from statx.

/** Attributes from statx; refilled by each call, so that scanning a million files does not make a million objects. */
export interface Stat {
  mode: number;
  size: number;
  blocks: number;
  nlink: number;
  uid: number;
  gid: number;
  /** Exact for inode numbers below 2^53; larger ones are folded, equality still holds in practice. */
  inode: bigint;
  device: number;
  atimeSeconds: number;
  mtimeSeconds: number;
  mtimeNanos: number;
  ctimeSeconds: number;
  ctimeNanos: number;
}

export function newStat(): Stat {
  return {
    mode: 0,
    size: 0,
    blocks: 0,
    nlink: 0,
    uid: 0,
    gid: 0,
    inode: 0n,
    device: 0,
    atimeSeconds: 0,
    mtimeSeconds: 0,
    mtimeNanos: 0,
    ctimeSeconds: 0,
    ctimeNanos: 0,
  };
}

/** Reads the attributes from `view`, a struct statx: linux/include/uapi/linux/stat.h */
export function readStat(view: DataView, stat: Stat): void {
  stat.nlink = view.getUint32(16, true);
  stat.uid = view.getUint32(20, true);
  stat.gid = view.getUint32(24, true);
  stat.mode = view.getUint16(28, true);
  stat.inode = view.getBigUint64(32, true);
  stat.size = read64(view, 40);
  stat.blocks = read64(view, 48);
  stat.atimeSeconds = readSigned64(view, 64);
  stat.ctimeSeconds = readSigned64(view, 96);
  stat.ctimeNanos = view.getUint32(104, true);
  stat.mtimeSeconds = readSigned64(view, 112);
  stat.mtimeNanos = view.getUint32(120, true);
  stat.device = view.getUint32(136, true) * 0x100000 + view.getUint32(140, true);
}

const read64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
const readSigned64 = (view: DataView, at: number): number =>
  view.getUint32(at, true) + view.getInt32(at + 4, true) * 2 ** 32;
