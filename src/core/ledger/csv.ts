// Reads CSV (RFC 4180) as it comes: fields may be quoted, and hold commas, quotes and line ends.
import { integrityError } from '../failures/errors.js';

/** No bill has longer fields: a quote that is never closed would gather the whole file. */
const MAX_FIELD = 2 ** 20;
const MAX_FIELDS = 10_000;

/** The rows of a text in pieces; empty lines are left out. @throws integrity where a field does not end */
export async function* csvRows(pieces: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  const reader = new RowReader();
  for await (const piece of pieces) yield* reader.take(piece);
  yield* reader.end();
}

class RowReader {
  private row: string[] = [];
  private field = '';
  private isQuoted = false;
  /** A quote in a quoted field: its end, or the first half of a quote. */
  private hasQuote = false;

  *take(piece: string): Generator<readonly string[]> {
    for (const letter of piece) {
      if (this.isQuoted && !this.hasQuote) {
        if (letter === '"') this.hasQuote = true;
        else this.append(letter);
      } else if (letter === '"') {
        if (this.hasQuote) this.append(letter);
        this.isQuoted = true;
        this.hasQuote = false;
      } else if (letter === ',') this.endField();
      else if (letter === '\n') yield* this.endRow();
      else if (letter !== '\r') this.append(letter);
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
