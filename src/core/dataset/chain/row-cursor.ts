// The position of a merge on its oldest level, which is nearly all of it: lines stay text, and most of them become rows. Only a line that has to be
// looked at is parsed.
import { integrityError } from '../../platform/failures/errors.js';
import type { LinesText } from '../../format/manifest/loaded-manifest.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import { pathOf, type RowBatch } from '../../format/rows/row-batch.js';
import type { RowScanner } from '../../format/rows/row-scanner.js';
import { displayPath, type RawPath } from '../../platform/paths/raw-path.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import type { Cursor } from './level-cursor.js';
import type { Level } from './merged-view.js';

interface RowSource {
  readonly texts: AsyncIterable<LinesText>;
  readonly index: number;
  readonly scanner: RowScanner;
}

export class RowCursor implements Cursor {
  readonly index: number;
  private readonly scanner: RowScanner;
  private readonly texts: AsyncIterator<LinesText>;
  private text: LinesText | undefined;
  private parsed: Line | undefined;
  private isEnded = false;

  constructor(
    private readonly level: Pick<Level, 'uploadId' | 'chunks'>,
    { texts, index, scanner }: RowSource,
  ) {
    this.texts = texts[Symbol.asyncIterator]();
    this.index = index;
    this.scanner = scanner;
  }

  get isDrained(): boolean {
    return this.scanner.isAtEnd && !this.isEnded;
  }

  async refill(): Promise<void> {
    while (this.isDrained) {
      const { done, value } = await this.texts.next();
      if (done === true) {
        this.isEnded = true;
        return;
      }
      const { parser, positions, finish } = value;
      finish?.();
      const { chunks } = this.level;
      if (parser !== this.text?.parser) this.scanner.refer({ chunks, positions, read: (line) => parser.read(line) });
      this.text = value;
      this.scanner.load(value.lines);
    }
  }

  /** The rows that come next, only those that sort before `bound`; undefined where the next line is none. */
  takeRows(bound: RawPath | undefined): RowBatch | undefined {
    if (this.parsed !== undefined) return undefined;
    const rows = this.scanner.take(bound);
    if (rows !== undefined) this.text?.parser.count(rows.count, pathOf(rows, 0));
    return rows;
  }

  get line(): Line | undefined {
    const { scanner, text } = this;
    while (this.parsed === undefined && !scanner.isAtEnd) {
      this.parsed = text?.parser.parse(scanner.line());
      if (this.parsed === undefined) scanner.skip(); // an empty line
    }
    return this.parsed;
  }

  get path(): RawPath | undefined {
    return this.parsed?.path ?? (this.scanner.isAtEnd ? undefined : (this.scanner.plainPath() ?? this.line?.path));
  }

  /** Moves past the next line. @throws integrity when its path does not sort after the one before */
  next(): void {
    const { line } = this;
    if (line === undefined) return;
    this.parsed = undefined;
    this.scanner.skip();
    if (this.scanner.follows(line.path)) return;
    const where = `the manifest ${manifestKeyOf(this.level.uploadId)}`;
    throw integrityError(`${where} does not list its entries in path order: ${displayPath(line.path)}`);
  }

  async close(): Promise<void> {
    if (!this.isEnded) await this.texts.return?.();
  }
}
