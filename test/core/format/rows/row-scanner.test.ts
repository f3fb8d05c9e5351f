// A row says what the parser of any line says of the same one, and no line is a row that somebody has to look at.
import { describe, expect, test } from 'vitest';
import { EntryParser } from '../../../../src/core/format/manifest/entry-json-parse.js';
import { placeProblem } from '../../../../src/core/format/manifest/manifest-check.js';
import type { ChunkRecord, Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { entryOf } from '../../../../src/core/format/rows/row-batch.js';
import { RowScanner } from '../../../../src/core/format/rows/row-scanner.js';
import { MAX_PATH_BYTES, MOST_CHUNKS, MOST_ROWS, TEXT_BYTES } from '../../../../src/core/format/rows/scanner-layout.js';
import { pathProblem } from '../../../../src/core/platform/paths/path-rules.js';
import { rawFromBytes, rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { lineOf, TIME } from '../../../support/listing-lines.js';
import { randomOf } from '../../../support/random.js';

const CHUNK = { rawSize: 1e7 } as ChunkRecord;
/** Number 3 of a line is the fifth chunk here; number 5 is a file as it is, which no row is in. */
const POSITIONS = Uint32Array.from([0, 1, 2, 4, 3, 5]);
const CHUNKS = [CHUNK, CHUNK, CHUNK, CHUNK, CHUNK, { ...CHUNK, content: 'file' } as ChunkRecord];

function opened(positions: Uint32Array | undefined = POSITIONS): RowScanner {
  const scanner = RowScanner.open();
  if (scanner === undefined) throw new Error('there is no WebAssembly');
  const parser = new EntryParser(true, false, positions);
  scanner.refer({ chunks: CHUNKS, positions, read: (line) => parser.parse(line) });
  return scanner;
}

const text = (...lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line},\n`).join(''));

/** The entry that the parser makes of a line, which has nothing wrong then. */
function parsed(line: string, positions: Uint32Array | undefined = POSITIONS): Partial<Entry> {
  new EntryParser(true, false, positions).parse(rawFromText(line)); // what is left out of a row has to be right, too
  const entry = new EntryParser(false, false, positions).parse(rawFromText(line)) as Entry;
  expect([pathProblem(entry.path, 'linux'), placeProblem(entry, CHUNKS)]).toEqual([undefined, undefined]);
  return { ...entry, offset: entry.offset ?? 0 };
}

/** The sentence for what is wrong instead, where something is. */
function attempt(read: () => Partial<Entry>): Partial<Entry> | string {
  try {
    return read();
  } catch (error) {
    return String(error);
  }
}

/** All rows of the lines, and the lines that are none. */
function read(scanner: RowScanner, lines: Buffer, bound?: string): { rows: Partial<Entry>[]; others: string[] } {
  const [rows, others]: [Partial<Entry>[], string[]] = [[], []];
  scanner.load(lines);
  while (!scanner.isAtEnd) {
    const batch = scanner.take(bound === undefined ? undefined : rawFromText(bound));
    if (batch === undefined) {
      others.push(scanner.line());
      scanner.skip();
    } else
      for (let row = 0; row < batch.count; row++) {
        const { seconds, nanos } = batch.entry(row).ctime;
        if (batch.ctimeSeconds[row] !== seconds || batch.ctimeNanos[row] !== nanos)
          others.push(`ctime of ${scanner.line()}`);
        rows.push(entryOf(batch, row));
      }
  }
  return { rows, others };
}

const plain = (path: string, more = ''): string =>
  `{"path":"${path}","type":"file","size":1${more},"mtime":"${TIME}","mode":"0644","uid":0,"gid":0,"chunk":0,"offset":0,"ctime":"${TIME}","inode":"1"}`;

describe.each([
  ['right', 0],
  ['wrong', 2],
])('%s lines', (_, wrongOfHundred) => {
  test.each([[POSITIONS], [undefined]])('say in rows what the parser says', (positions) => {
    const random = randomOf(wrongOfHundred + 7);
    const scanner = opened(positions);
    let count = 0;
    for (let round = 0; round < 20_000; round++) {
      const line = lineOf(random, wrongOfHundred).replace('{"path":"', `{"path":"${String(round).padStart(6, '0')}/`);
      const { rows } = read(scanner, text(line));
      for (const row of rows) expect({ line, row }).toEqual({ line, row: parsed(line, positions) });
      count += rows.length;
    }
    expect(count).toBeGreaterThan(500);
  });
});

test('every time is the one that the parser reads, or is left to it', () => {
  const random = randomOf(3);
  const scanner = opened();
  const two = (most: number): string => String(random(most)).padStart(2, '0');
  let count = 0;
  for (let round = 0; round < 20_000; round++) {
    const year = String(random(3) === 0 ? random(10_000) : 1900 + random(200)).padStart(4, '0');
    const time = `${year}-${two(14)}-${two(33)}T${two(25)}:${two(61)}:${two(61)}.${String(random(1e9)).padStart(9, '0')}Z`;
    const line = plain(String(round).padStart(6, '0')).replace(TIME, time);
    const { rows } = read(scanner, text(line));
    const general = attempt(() => parsed(line));
    const said = typeof general === 'string' ? undefined : general;
    // The year 0 is left to the parser.
    expect({ line, row: rows[0] }).toEqual({ line, row: year === '0000' ? undefined : said });
    count += rows.length;
  }
  expect(count).toBeGreaterThan(10_000);
});

test.each([
  ['an absolute path', plain('/a')],
  ['no path', plain('')],
  ['an empty part', plain('a//b')],
  ['a part at the end', plain('a/')],
  ['the folder above', plain('a/../b')],
  ['a hidden file, which may be a folder above', plain('a/.b')],
  ['a drive', plain('c:/a')],
  ['a backslash', plain('a\\\\b')],
  ['an escape', plain('a\\u0041')],
  ['a long path', plain('a'.repeat(MAX_PATH_BYTES + 1))],
  ['a symbolic link', plain('a').replace('"file"', '"symlink"')],
  ['a key twice', plain('a', ',"size":1')],
  ['another key', plain('a', ',"holes":[]')],
  ['a chunk that is not there', plain('a').replace('"chunk":0', '"chunk":6')],
  ['a chunk that is a file', plain('a').replace('"chunk":0', '"chunk":5')],
  ['a place behind the end', plain('a').replace('"offset":0', '"offset":10000000')],
  ['no place', plain('a').replace(',"chunk":0,"offset":0', '')],
  ['something behind', `${plain('a')} `],
  ['something before', ` ${plain('a')}`],
  ['a wrong ctime', plain('a').replace(`"ctime":"${TIME}`, '"ctime":"2026-13-21T14:49:31.000000001Z')],
  ['nothing', ''],
])('a line with %s is no row', (_, line) => {
  expect(read(opened(), text(line))).toEqual({ rows: [], others: [`${line},`] });
});

test('chunks beyond those that a scan knows are left to the parser', () => {
  const scanner = opened();
  scanner.refer({ chunks: Array.from({ length: MOST_CHUNKS + 1 }, () => CHUNK), read: () => undefined });
  expect(read(scanner, text(plain('a'))).rows).toEqual([]);
});

describe('many lines', () => {
  const paths = Array.from(
    { length: 3 * MOST_ROWS + 5 },
    (_, at) => `folder/${String(at).padStart(6, '0')}-${'x'.repeat(at % 90)}`,
  );

  test('are rows in their order, however long their text is', () => {
    const lines = text(...paths.map((path) => plain(path)));
    expect(lines.length).toBeGreaterThan(2 * TEXT_BYTES);
    const { rows, others } = read(opened(), lines);

    expect(others).toEqual([]);
    expect(rows.map(({ path }) => path)).toEqual(paths);
  });

  test('are rows up to a bound', () => {
    const scanner = opened();
    scanner.load(text(...['a', 'b', 'b0', 'c'].map((path) => plain(path))));
    const before = (bound: string): number | undefined => scanner.take(rawFromText(bound))?.count;

    expect([before('a'), before('b'), before('b'), before('bz')]).toEqual([undefined, 1, undefined, 2]);
    expect(scanner.plainPath()).toBe('c');
    expect(before(`c${'x'.repeat(MAX_PATH_BYTES + 1)}`)).toBe(1);
  });

  test('are rows only where each sorts after all before, also before what was no row', () => {
    const scanner = opened();
    const pathsOfRows = (...of: readonly string[]): unknown =>
      read(scanner, text(...of.map((path) => plain(path)))).rows.map(({ path }) => path);

    expect(pathsOfRows('b', 'a', 'b', 'c')).toEqual(['b', 'c']);
    expect(pathsOfRows('bb', 'd')).toEqual(['d']);
    expect([scanner.follows(rawFromText('e')), scanner.follows(rawFromText('e'))]).toEqual([true, false]);
    expect(pathsOfRows('dz', 'ea')).toEqual(['ea']);
    const long = 'f'.repeat(MAX_PATH_BYTES + 1);
    expect([`${long}b`, `${long}a`, `${long}c`].map((path) => scanner.follows(rawFromText(path)))).toEqual([
      true,
      false,
      true,
    ]);
    expect(pathsOfRows('f', long.slice(2), 'g')).toEqual(['g']);
  });

  test('pass a line that is longer than a text may be', () => {
    const long = plain('b', `,"holes":[${'[0,1],'.repeat(TEXT_BYTES / 5)}[0,1]]`);
    const { rows, others } = read(opened(), text(plain('a'), long, plain('c')));

    expect(rows.map(({ path }) => path)).toEqual(['a', 'c']);
    expect(others).toEqual([`${long},`]);
  });
});

test('bytes that are no text are taken as they are', () => {
  const line = Buffer.concat([Buffer.from('{"path":"a'), Buffer.of(0xff, 0x80), text(plain('')).subarray(9)]);
  expect(read(opened(), line).rows.map(({ path }) => path)).toEqual([rawFromBytes(Buffer.of(0x61, 0xff, 0x80))]);
});

test('on Windows, which has more rules for paths, all lines are parsed', () => {
  expect(RowScanner.open('win32')).toBeUndefined();
});
