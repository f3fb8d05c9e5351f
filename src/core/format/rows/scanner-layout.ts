// Where things lie in the memory of the module that reads lines (scanner-code.ts).

/** What a line begins with. */
export const PATH_KEY = '{"path":"';
/** Most rows of one scan. */
export const MOST_ROWS = 1024;
/** Most chunks that lines may refer to. */
export const MOST_CHUNKS = 4096;
/** Most bytes of text, and of its paths. */
export const TEXT_BYTES = 1 << 18;
/** Longer paths are no rows. */
export const MAX_PATH_BYTES = 4096;

/** Of each column of the rows, the bytes of a value. */
export const WIDTHS = {
  kind: 1,
  hasMd5: 1,
  hasXxh64: 1,
  mode: 2,
  uid: 4,
  gid: 4,
  mtimeNanos: 4,
  ctimeNanos: 4,
  chunk: 4,
  /** Where the line is in the memory. */
  lineFrom: 4,
  /** Where the path ends in those of all rows. */
  pathEnd: 4,
  size: 8,
  mtimeSeconds: 8,
  ctimeSeconds: 8,
  offset: 8,
  md5: 16,
  xxh64: 8,
} as const;
export type Column = keyof typeof WIDTHS;

/** What a scan is told and tells, in the beginning of the memory. */
export const STATE_AT = {
  /** Number of rows. */
  rows: 0,
  /** Where the first line is that was not taken. */
  next: 4,
  files: 8,
  directories: 12,
  /** Bytes of the files together. */
  bytes: 16,
  /** The path before, which the first one has to sort after; `lastTo` is 0 for none. */
  lastFrom: 24,
  lastTo: 28,
  /** Number of chunks. */
  chunks: 32,
  /** Where the path ends that all have to sort before; 0 for none. */
  boundTo: 36,
  /** Results of functions. */
  count: 40,
  seconds: 48,
  nanos: 56,
} as const;
const STATE_BYTES = 64;

const columns: Partial<Record<Column, number>> = {};
let end = STATE_BYTES;
for (const [name, width] of Object.entries(WIDTHS) as [Column, number][]) {
  end = Math.ceil(end / 8) * 8;
  columns[name] = end;
  end += width * MOST_ROWS;
}
/** Address of each column. */
export const COLUMNS_AT = columns as Readonly<Record<Column, number>>;
const NO_DIGIT = 16;
/** The value of each byte as a digit of hex, or `NO_DIGIT`. */
export const HEX_AT = end;
export const UNUSED_AT = HEX_AT + 256;
/** Of each chunk, the most that an offset and a size may be together (-1: no file is a row), and its position in the view. */
export const LIMITS_AT = UNUSED_AT + 32;
export const POSITIONS_AT = LIMITS_AT + MOST_CHUNKS * 8;
/** The path before that of the first line. */
export const LAST_AT = POSITIONS_AT + MOST_CHUNKS * 4;
/** The path that all have to sort before. */
export const BOUND_AT = LAST_AT + MAX_PATH_BYTES;
export const PATHS_AT = BOUND_AT + MAX_PATH_BYTES;
export const TEXT_AT = PATHS_AT + TEXT_BYTES;
/** What is compared at once may lie behind the text. */
export const MEMORY_BYTES = TEXT_AT + TEXT_BYTES + STATE_BYTES;

/** Writes the values of digits; called once. */
export function writeTables(memory: ArrayBufferLike): void {
  const values = new Uint8Array(memory, HEX_AT, 256);
  values.fill(NO_DIGIT);
  for (const [value, digit] of Buffer.from('0123456789abcdef').entries()) values[digit] = value;
}
