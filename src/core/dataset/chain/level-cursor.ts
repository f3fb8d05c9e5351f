// The position of a merge on one level: its next line, taken from batches so that only a batch costs a promise.
import { integrityError } from '../../platform/failures/errors.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import type { Level } from './merged-view.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';

/** A position on a level. */
export interface Cursor {
  /** Position of the level; 0 is the newest. */
  readonly index: number;
  /** Undefined at the end of what is there, and at the end of the level. */
  readonly line: Line | undefined;
  /** Path of `line`. */
  readonly path: RawPath | undefined;
  /** True when the next line is only known after `refill`. */
  readonly isDrained: boolean;
  refill(): Promise<void>;
  /** Moves to the next line. @throws integrity when its path does not sort after the one before */
  next(): void;
  close(): Promise<void>;
}

export class LevelCursor implements Cursor {
  line: Line | undefined;
  path: RawPath | undefined;
  private readonly batches: AsyncIterator<readonly Line[]>;
  private batch: readonly Line[] = [];
  private at = -1;
  private last: RawPath | undefined;
  private isEnded = false;

  constructor(
    private readonly level: Pick<Level, 'uploadId' | 'mentions'>,
    readonly index: number,
  ) {
    this.batches = level.mentions()[Symbol.asyncIterator]();
  }

  get isDrained(): boolean {
    return this.line === undefined && !this.isEnded;
  }

  /** Fetches the next batch. */
  async refill(): Promise<void> {
    while (this.isDrained) {
      const { done, value } = await this.batches.next();
      this.isEnded = done === true;
      this.batch = done === true ? [] : value;
      this.at = -1;
      this.next();
    }
  }

  next(): void {
    const line = this.batch[++this.at];
    this.line = line;
    this.path = line?.path;
    if (line === undefined) return;
    if (this.last !== undefined && line.path <= this.last) {
      const where = `the manifest ${manifestKeyOf(this.level.uploadId)}`;
      throw integrityError(`${where} does not list its entries in path order: ${displayPath(line.path)}`);
    }
    this.last = line.path;
  }

  async close(): Promise<void> {
    if (!this.isEnded) await this.batches.return?.();
  }
}
