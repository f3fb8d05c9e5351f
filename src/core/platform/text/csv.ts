// Parses CSV (RFC 4180) as a stream: fields may be quoted, and contain commas, quotes and line ends.
import { integrityError } from '../failures/errors.js';

/** Longest field; a quote that is never closed would otherwise collect the whole file. */
const MAX_FIELD = 2 ** 20;
const MAX_FIELDS = 10_000;

/** Yields the rows of a text that arrives in pieces; empty lines are left out. @throws integrity when a field does not end */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const reader = new RowReader();
  for await (const piece of pieces) yield* reader.take(piece);
  yield* reader.end();
}

const MARK = /["\r\n,]/g;

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from;
  return MARK.test(text) ? MARK.lastIndex - 1 : -1;
}

class RowReader {
  private row: string[] = [];
  private field = '';
  private isQuoted = false;
  /** True after a quote in a quoted field: its end, or the first half of a doubled quote. */
  private hasQuote = false;

  *take(piece: string): Generator<readonly string[]> {
    for (let at = 0; at < piece.length; at++) {
      const end = this.isQuoted && !this.hasQuote ? piece.indexOf('"', at) : nextMark(piece, at);
      const stop = end < 0 ? piece.length : end;
      if (stop > at) this.append(piece.slice(at, stop));
      at = stop;
      const mark = piece[at];
      if (this.isQuoted && !this.hasQuote) this.hasQuote = mark === '"';
      else if (mark === '"') {
        if (this.hasQuote) this.append(mark);
        this.isQuoted = true;
        this.hasQuote = false;
      } else if (mark === ',') this.endField();
      else if (mark === '\n') yield* this.endRow();
    }
  }

  *end(): Generator<readonly string[]> {
    if (this.isQuoted && !this.hasQuote) throw integrityError('the table ends within a quoted field');
    yield* this.endRow();
  }

  private append(letter: string): void {
    this.field += letter;
    if (this.field.length > MAX_FIELD) throw integrityError('a field of the table is longer than 1 MiB');
  }

  private endField(): void {
    this.row.push(this.field);
    if (this.row.length > MAX_FIELDS) throw integrityError(`a row of the table has more than ${MAX_FIELDS} fields`);
    this.field = '';
    this.isQuoted = false;
    this.hasQuote = false;
  }

  private *endRow(): Generator<readonly string[]> {
    const isEmpty = this.row.length === 0 && this.field === '' && !this.isQuoted;
    this.endField();
    const { row } = this;
    this.row = [];
    if (!isEmpty) yield row;
  }
}
