// The position of a merge on one level: its next line, taken from batches so that only a batch costs a promise.
import { integrityError } from '../../platform/failures/errors.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import type { Level } from './merged-view.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';

export class LevelCursor {
  /** Undefined at the end of a batch and at the end of the level. */
  line: Line | undefined;
  /** Path of `line`. */
  path: RawPath | undefined;
  private readonly batches: AsyncIterator<readonly Line[]>;
  private batch: readonly Line[] = [];
  private at = -1;
  private last: RawPath | undefined;
  private isEnded = false;

  constructor(
    private readonly level: Pick<Level, 'uploadId' | 'mentions'>,
    /** Position of the level; 0 is the newest. */
    readonly index: number,
  ) {
    this.batches = level.mentions()[Symbol.asyncIterator]();
  }

  /** True when the next line is only known after `refill`. */
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

  /** Moves to the next line of the batch. @throws integrity when its path does not sort after the one before */
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
