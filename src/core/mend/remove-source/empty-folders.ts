// Folders of the version: removed when they are empty, else looked into for what has come since.
import { readdirSync } from 'node:fs';
import { reasonText } from '../../platform/failures/errno.js';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import type { Failures } from '../../platform/failures/failure-list.js';
import { AT_REMOVEDIR, type Libc } from '../../platform/libc/libc.js';
import { newStat } from '../../platform/libc/stat.js';
import { baseName, joinPath, parentOf, pathBelow, rawFromBytes, type RawPath } from '../../platform/paths/raw-path.js';
import type { Removal } from './remove-entry.js';
import type { SourceTree } from './source-tree.js';

/** Times of files are behind the clock by up to a tick of the kernel. */
const TICK_MS = 10;
const IN_THE_WAY: ReadonlySet<string> = new Set(['ELOOP', 'ENOTDIR', 'EXDEV']);

export interface EmptyFoldersOptions {
  readonly libc: Libc;
  readonly tree: SourceTree;
  readonly source: RawPath;
  readonly leaves: readonly RawPath[];
  readonly begunMs: number;
  readonly kept: Failures;
}

export class EmptyFolders {
  /** What is there and was left out of the upload. */
  leftOut = 0;
  /** Names of the version that stay, by folder. */
  private readonly names = new Map<RawPath, Set<RawPath>>();
  private readonly stat = newStat();
  private readonly leaves: ReadonlySet<RawPath>;

  constructor(private readonly options: EmptyFoldersOptions) {
    this.leaves = new Set(options.leaves);
  }

  /** Notes that something of the version stays, perhaps under another name. */
  keep(path: RawPath, name: RawPath = baseName(path)): void {
    const folder = parentOf(path);
    const names = this.names.get(folder) ?? new Set();
    this.names.set(folder, names.add(name).add(baseName(path)));
  }

  /** Why something stays whose removal failed. */
  refused(error: unknown): Removal {
    const code = systemCode(error) ?? '';
    if (code === 'ENOENT') return { outcome: 'gone' };
    const reason = IN_THE_WAY.has(code)
      ? 'refused: a link or a file is in the place of one of its folders'
      : systemCode(error) === undefined
        ? errorText(error)
        : reasonText(error);
    return { outcome: 'kept', reason };
  }

  /** Removes a folder if it is empty; undefined if it is not. */
  remove(path: RawPath): Removal | undefined {
    try {
      const { folder, name } = this.options.tree.place(path);
      this.options.libc.unlinkat(folder, name, AT_REMOVEDIR);
      return { outcome: 'removed' };
    } catch (error) {
      const code = systemCode(error);
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') return this.refused(error);
    }
    this.keep(path);
    this.look(path);
    return undefined;
  }

  /** Names what is in a folder and has come since. */
  look(path: RawPath): void {
    const { libc, tree, source, begunMs, kept } = this.options;
    let fd: number;
    try {
      fd = tree.open(path);
    } catch (error) {
      const removal = this.refused(error);
      if (removal.outcome === 'kept') kept.add(path, removal.reason, true);
      return;
    }
    try {
      const known = this.names.get(path);
      for (const bytes of readdirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' })) {
        const name = rawFromBytes(bytes);
        const below = joinPath(path, name);
        if (known?.has(name) === true || this.leaves.has(pathBelow(source, below))) continue;
        libc.statat(fd, name, this.stat);
        const changedMs = this.stat.ctimeSeconds * 1000 + this.stat.ctimeNanos / 1e6;
        if (changedMs >= begunMs - TICK_MS) kept.add(below, 'is not in the version: it has come or changed since');
        else this.leftOut++;
      }
    } catch (error) {
      kept.add(
        path,
        this.refused(error).outcome === 'gone' ? 'changes while it is looked at' : reasonText(error),
        true,
      );
    } finally {
      libc.close(fd);
    }
  }
}
