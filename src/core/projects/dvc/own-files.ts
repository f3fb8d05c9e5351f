// Selects the files of an upload that DVC does not track yet: no stage makes them, and no folder above them is tracked by a `.dvc` file
// beside it. Files that no longer exist locally are left out.
import { lstatSync } from 'node:fs';
import type { Entry } from '../../format/manifest/manifest-types.js';
import { stageOf } from '../../format/manifest/provenance.js';
import { sidecarOf } from './untrackable.js';
import { fsPath, type RawPath, pathBelow } from '../../platform/paths/raw-path.js';

export interface OwnFilesOptions {
  readonly entries: AsyncIterable<readonly Entry[]>;
  /** Absolute path. */
  readonly source: RawPath;
  /** Outputs of stages, relative to the source. */
  readonly outs: ReadonlyMap<RawPath, string>;
}

/** Yields the files that get their own `.dvc` file, in path order. */
export async function* ownFiles({ entries, source, outs }: OwnFilesOptions): AsyncGenerator<Entry> {
  const tracked = new TrackedFolders(source);
  for await (const batch of entries) {
    for (const entry of batch) {
      const isFile = entry.type === 'file' || entry.type === 'hardlink';
      if (!isFile || stageOf(outs, entry.path) !== undefined || tracked.hold(entry.path)) continue;
      if (isFileAt(pathBelow(source, entry.path))) yield entry;
    }
  }
}

const isFileAt = (path: RawPath): boolean => lstatSync(fsPath(path), { throwIfNoEntry: false })?.isFile() === true;

/** Folders that DVC tracks as a whole. */
class TrackedFolders {
  private readonly known = new Map<RawPath, boolean>();

  constructor(private readonly source: RawPath) {}

  /** True when one of the folders above this path is tracked. */
  hold(path: RawPath): boolean {
    const slash = path.lastIndexOf('/');
    if (slash < 0) return false;
    const folder = path.slice(0, slash);
    const known = this.known.get(folder);
    if (known !== undefined) return known;
    const isTracked = this.hold(folder) || isFileAt(pathBelow(this.source, sidecarOf(folder)));
    this.known.set(folder, isTracked);
    return isTracked;
  }
}
