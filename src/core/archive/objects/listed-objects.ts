// The keys below a prefix as paths: what lies between slashes are folders. Keys that cannot be paths are left out and named, all by this
// rule: a key with an empty, `.` or `..` part, or with a slash at its beginning, is no path; an empty object whose key ends in a slash is a
// folder, one with content is left out; where `a` and keys below `a/` exist, `a` is left out.
import { createHash } from 'node:crypto';
import { pathProblem } from '../../platform/paths/path-rules.js';
import { parentOf, type RawPath, rawFromText, TOP } from '../../platform/paths/raw-path.js';
import { isColdClass } from '../../store/cold-class.js';
import type { ObjectInfo } from '../../store/object-store.js';
import type { ObjectStamp } from '../scan/spool-fs.js';
import type { Skip } from '../scan/skip.js';

/** An object to be read. */
export interface ListedObject {
  readonly key: string;
  readonly etag: string;
  readonly storageClass: string;
  /** True if it has to be restored from cold storage before it can be read. */
  readonly isCold: boolean;
  readonly stamp: ObjectStamp;
}

export interface ListedObjects {
  readonly files: ReadonlyMap<RawPath, ListedObject>;
  /** Folders, the top one included, with the newest time of what lies below them, in seconds. */
  readonly folders: ReadonlyMap<RawPath, number>;
  readonly skipped: readonly Skip[];
}

/** Collects objects, in the order of the listing. */
export class ObjectCollector {
  private readonly files = new Map<RawPath, ListedObject>();
  private readonly folders = new Map<RawPath, number>([[TOP, 0]]);
  private readonly skipped: Skip[] = [];

  get count(): number {
    return this.files.size;
  }

  add(info: ObjectInfo): void {
    const path = rawFromText(info.key);
    const isFolder = path.endsWith('/');
    const named = isFolder ? path.slice(0, -1) : path;
    const problem = pathProblem(named, 'linux');
    const seconds = Math.floor(info.lastModified.getTime() / 1000);
    if (problem !== undefined) this.leave(path, `its key cannot be a path: ${problem}`);
    else if (isFolder && info.sizeBytes > 0)
      this.leave(path, 'its key ends in a slash like that of a folder, and it has content');
    else if (isFolder) this.touch(named, seconds);
    else {
      this.files.set(path, listed(info));
      this.touch(parentOf(path), seconds);
    }
  }

  finish(): ListedObjects {
    for (const path of this.files.keys()) {
      if (!this.folders.has(path)) continue;
      this.files.delete(path);
      this.leave(path, 'it is a folder as well: keys below it exist');
    }
    const { files, folders, skipped } = this;
    return { files, folders, skipped };
  }

  private leave(path: RawPath, reason: string): void {
    this.skipped.push({ path, reason, special: false });
  }

  /** Makes a folder and those above it, as new as what lies in it. */
  private touch(folder: RawPath, seconds: number): void {
    for (let at = folder; (this.folders.get(at) ?? -1) < seconds; at = parentOf(at)) {
      this.folders.set(at, seconds);
      if (at === TOP) return;
    }
  }
}

function listed({ key, etag, sizeBytes, lastModified, storageClass, restore }: ObjectInfo): ListedObject {
  const ms = lastModified.getTime();
  const seconds = Math.floor(ms / 1000);
  const isCold = isColdClass(storageClass) && (restore === undefined || restore.inProgress);
  const stamp = { size: sizeBytes, seconds, nanos: (ms - seconds * 1000) * 1_000_000, ctimeNanos: etagNanos(etag) };
  return { key, etag, storageClass, isCold, stamp };
}

const NANOS = 1_000_000_000n;

/** Returns what stands for an ETag in the nanoseconds of the change time, so that another ETag is another change. */
export const etagNanos = (etag: string): number =>
  Number(createHash('sha256').update(etag).digest().readBigUInt64BE() % NANOS);
