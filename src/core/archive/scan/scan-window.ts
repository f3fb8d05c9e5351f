// A source may be listed a window at a time, each by a scan of its own: rows come in the order of their paths, so that the next one begins
// after the last path.
import { pathBelow, type RawPath, rawFromText, TOP, withEnd } from '../../platform/paths/raw-path.js';

/** What a scan lists at most. */
export interface ScanWindow {
  /** The path that the scan before has ended with; undefined to begin. */
  readonly after: RawPath | undefined;
  /** Rows after which it ends, as soon as all of them are known to be kept. */
  readonly maxRows: number;
}

/** What lies in a folder comes before its name with the character after the slash. */
const AFTER_SLASH = rawFromText('0');

/** Where a scan is in its window; without a limit it lists everything. */
export class WindowCursor {
  /** Number of folders that are kept only if something below them is, which is not known yet. */
  undecided = 0;
  /** The last path of a scan that has reached its limit. */
  last: RawPath | undefined;

  constructor(private readonly window: ScanWindow | undefined) {}

  get isOver(): boolean {
    return this.last !== undefined;
  }

  /** Called with each path that was listed, and the number of rows so far. */
  reached(path: RawPath, rows: number): void {
    if (this.window !== undefined && rows >= this.window.maxRows && this.undecided === 0) this.last = path;
  }

  /** Whether the scan before has listed this path. */
  isDone(path: RawPath): boolean {
    const after = this.window?.after;
    return after !== undefined && path <= after;
  }

  /** Whether the scan before has begun with what lies in this folder. */
  hasBegun(folder: RawPath): boolean {
    const after = this.window?.after;
    return after !== undefined && (folder === TOP || after > pathBelow(folder, TOP));
  }

  /** Whether the scan before may not have listed everything below a path that it has listed. */
  mayHoldMore(path: RawPath): boolean {
    return (this.window?.after ?? '') < withEnd(path, AFTER_SLASH);
  }
}
