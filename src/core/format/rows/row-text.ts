// The text of rows: lines as archiver writes them, without escapes, so that a key in quotes is nowhere else in them.
import type { RawPath } from '../../platform/paths/raw-path.js';
import { KIND } from '../columns/entry-table.js';
import type { WrittenEntry } from '../manifest/compose-manifest.js';
import type { Entry } from '../manifest/manifest-types.js';
import { pathOf, type RowBatch } from './row-batch.js';

const CHUNK_KEY = ',"chunk":';
/** What is the same text as bytes and as characters. */
// eslint-disable-next-line no-control-regex
const ASCII = /^[\0-\x7f]*$/;

/** What comes before the number of the chunk in the line of a row, and what comes after it; all of it, and nothing, where there is none. */
export function aroundChunk(line: RawPath): readonly [before: string, after: string] {
  const key = line.indexOf(CHUNK_KEY);
  if (key < 0) return [line, ''];
  const number = key + CHUNK_KEY.length;
  return [line.slice(0, number), line.slice(line.indexOf(',', number))];
}

/** The entries of rows, to be written again: most with their lines, which need not be parsed. */
export const writtenRows = (batch: RowBatch): readonly (WrittenEntry | Entry)[] =>
  Array.from({ length: batch.count }, (_, row) => writtenRow(batch, row));

function writtenRow(batch: RowBatch, row: number): WrittenEntry | Entry {
  const text = batch.line(row);
  if (!ASCII.test(text)) return batch.entry(row);
  const chunk = batch.chunk[row] ?? -1;
  const [before, after] = aroundChunk(text);
  return {
    path: pathOf(batch, row),
    type: batch.kind[row] === KIND.file ? 'file' : 'directory',
    size: batch.size[row] ?? 0,
    line: chunk < 0 ? () => text : (place) => before + place(chunk) + after,
  };
}
