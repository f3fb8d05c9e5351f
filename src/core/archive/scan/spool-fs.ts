// Files that were fetched to be packed, each in a file of a flat folder: its content, or a piece of it with holes around, then what is known
// of it as JSON, then the length of that. The root of such a folder is a byte string that no real path can be, so that it goes wherever a
// source goes, also to the threads that pack (docs/decisions/092).
import { createHash } from 'node:crypto';
import { readSync } from 'node:fs';
import { ArchiverError } from '../../platform/failures/errors.js';
import { newStat, type Stat } from '../../platform/libc/stat.js';
import { bytesOf, type RawPath, rawFromText, withEnd } from '../../platform/paths/raw-path.js';
import { NotArchivable } from './skip.js';
import type { SourceFs } from './source-fs.js';

const MARK = rawFromText('spool:');
const LENGTH_BYTES = 4;

/** The times and size by which a file is known again; `ctime` is what `etagNanos` makes of the ETag. */
export interface ObjectStamp {
  readonly size: number;
  readonly seconds: number;
  readonly nanos: number;
  readonly ctimeNanos: number;
}

/** What is known of a fetched file: a problem where it could not be fetched. */
export type SpooledFacts =
  | { readonly stamp: ObjectStamp; readonly xattrs: Readonly<Record<string, string>> }
  | { readonly problem: string };

/** Returns the root of fetched files in `folder`. */
export const spoolRoot = (folder: string): RawPath => withEnd(MARK, rawFromText(folder));

export const isSpool = (root: RawPath): boolean => root.startsWith(MARK);

/** Returns the name that the file at `path` has in the folder. */
export const spoolName = (path: RawPath): RawPath =>
  rawFromText(createHash('sha256').update(bytesOf(path)).digest('hex'));

/** Returns what stands in a fetched file after its content. */
export function spoolTail(facts: SpooledFacts): Buffer {
  const text = Buffer.from(JSON.stringify(facts));
  const tail = Buffer.alloc(text.length + LENGTH_BYTES);
  text.copy(tail);
  tail.writeUInt32LE(text.length, text.length);
  return tail;
}

const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const BLOCK = 512;

/** Fills `stat` for an object, or for a folder without a size; the owner is who runs the upload. */
export function statOfObject(stat: Stat, { seconds, nanos, ctimeNanos, size }: Partial<ObjectStamp>): void {
  Object.assign(stat, newStat());
  stat.mode = size === undefined ? S_IFDIR | FOLDER_MODE : S_IFREG | FILE_MODE;
  stat.size = size ?? 0;
  stat.blocks = Math.ceil(stat.size / BLOCK);
  stat.nlink = 1;
  [stat.uid, stat.gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  stat.mtimeSeconds = stat.ctimeSeconds = stat.atimeSeconds = seconds ?? 0;
  stat.mtimeNanos = nanos ?? 0;
  stat.ctimeNanos = ctimeNanos ?? 0;
}

type Kept = Exclude<SpooledFacts, { problem: string }>;

const notHere = (): never => {
  throw new ArchiverError('internal', 'fetched files have no folders and links');
};

/** Returns the view of fetched files below `root`, for packing. */
export function spoolFs(root: RawPath, fs: SourceFs): SourceFs {
  const folder = root.slice(MARK.length);
  const open = new Map<number, Kept>();
  return {
    loss: undefined,
    readDirectory: notHere,
    lstat: notHere,
    readLink: notHere,
    contentOf: () => undefined,
    isInRepository: () => false,
    openRoot: () => fs.openRoot(folder),
    openFile(rootFd, _rootPath, path) {
      const fd = fs.openFile(rootFd, folder, spoolName(path));
      try {
        const facts = factsOf(fs, fd);
        if ('problem' in facts) throw new NotArchivable(facts.problem);
        open.set(fd, facts);
        return fd;
      } catch (error) {
        fs.close(fd);
        throw error;
      }
    },
    fstat: (fd, stat) => statOfObject(stat, open.get(fd)?.stamp ?? notHere()),
    close(fd) {
      open.delete(fd);
      fs.close(fd);
    },
    xattrs: (fd) =>
      new Map(
        Object.entries(open.get(fd)?.xattrs ?? {}).map(([name, value]) => [rawFromText(name), Buffer.from(value)]),
      ),
    xattrsAt: () => undefined,
    extents: () => undefined,
  };
}

function factsOf(fs: SourceFs, fd: number): SpooledFacts {
  const stat = newStat();
  fs.fstat(fd, stat);
  const end = stat.size - LENGTH_BYTES;
  const length = readAt(fd, end, LENGTH_BYTES).readUInt32LE();
  return JSON.parse(readAt(fd, end - length, length).toString()) as SpooledFacts; // written by this process
}

function readAt(fd: number, at: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  const got = readSync(fd, buffer, 0, bytes, at);
  if (got !== bytes) throw new ArchiverError('io', 'a fetched file is cut off');
  return buffer;
}
