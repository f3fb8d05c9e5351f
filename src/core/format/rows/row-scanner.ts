// Reads lines of a listing into columns (scanner-code.ts), a batch of rows after the other, for whoever needs no object for each entry: none is made of
// a plain file or folder, and no text. All other lines are left, to be parsed.
import { bytesOf, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';
import { instantiate, type WasmMemory } from '../../platform/wasm/web-assembly.js';
import type { Line } from '../manifest/manifest-parser.js';
import type { ChunkRecord, Entry } from '../manifest/manifest-types.js';
import { assembleScanner } from './scanner-code.js';
import type { Columns, RowBatch } from './row-batch.js';
import * as layout from './scanner-layout.js';

const LINE_END = 10;
const COMMA = 44;
/** The limit of a chunk that no row is in: any offset is more. */
const NO_FILE = -1;

const NO_ROWS = { count: 0, files: 0, directories: 0, bytes: 0 };

/** What the lines that come refer to. */
export interface Reference {
  readonly chunks: readonly ChunkRecord[];
  /** Positions in `chunks`, by the number in a line; undefined where they are the same. */
  readonly positions?: Uint32Array | undefined;
  /** Parses a line, which comes without its end. */
  readonly read: (line: RawPath) => Line | undefined;
}

interface Scanner {
  readonly memory: WasmMemory;
  scan(at: number, end: number): void;
}

export class RowScanner {
  private readonly bytes: Buffer;
  private readonly state: DataView;
  private readonly batch: Columns & typeof NO_ROWS & Pick<RowBatch, 'line' | 'entry'>;
  private parse: Reference['read'] = () => undefined;
  private lines: Buffer = Buffer.alloc(0);
  /** Where the next line begins in `lines`, and which part of them is in the memory of the module. */
  private at = 0;
  private from = 0;
  private to = 0;
  /** The last path, if it is longer than those of rows: what of it they are compared with is its beginning. */
  private long: RawPath | undefined;

  private constructor(private readonly scanner: Scanner) {
    const memory = scanner.memory.buffer;
    const { COLUMNS_AT: at, MOST_ROWS: most } = layout;
    this.bytes = Buffer.from(memory);
    this.state = new DataView(memory);
    this.batch = {
      ...NO_ROWS,
      line: (row) => this.lineOf(row),
      entry: (row) => this.parse(this.lineOf(row)) as Entry,
      kind: new Uint8Array(memory, at.kind, most),
      mode: new Uint16Array(memory, at.mode, most),
      uid: new Uint32Array(memory, at.uid, most),
      gid: new Uint32Array(memory, at.gid, most),
      size: new Float64Array(memory, at.size, most),
      mtimeSeconds: new Float64Array(memory, at.mtimeSeconds, most),
      mtimeNanos: new Uint32Array(memory, at.mtimeNanos, most),
      ctimeSeconds: new Float64Array(memory, at.ctimeSeconds, most),
      ctimeNanos: new Uint32Array(memory, at.ctimeNanos, most),
      chunk: new Int32Array(memory, at.chunk, most),
      offset: new Float64Array(memory, at.offset, most),
      hasMd5: new Uint8Array(memory, at.hasMd5, most),
      hasXxh64: new Uint8Array(memory, at.hasXxh64, most),
      md5: Buffer.from(memory, at.md5, most * layout.WIDTHS.md5),
      xxh64: Buffer.from(memory, at.xxh64, most * layout.WIDTHS.xxh64),
      paths: Buffer.from(memory, layout.PATHS_AT, layout.TEXT_BYTES),
      pathEnd: new Uint32Array(memory, at.pathEnd, most),
    };
  }

  /** Undefined where WebAssembly is missing, and on Windows, which has more rules for paths: all lines are parsed there. */
  static open(platform: NodeJS.Platform = process.platform): RowScanner | undefined {
    if (platform === 'win32') return undefined;
    const scanner = instantiate(assembleScanner()) as Scanner | undefined;
    if (scanner === undefined) return undefined;
    layout.writeTables(scanner.memory.buffer);
    return new RowScanner(scanner);
  }

  /** Says what the lines that come refer to. */
  refer({ chunks, positions, read }: Reference): void {
    this.parse = read;
    const count = positions?.length ?? chunks.length;
    // Of more of them, no line with a chunk is a row.
    const taken = count > layout.MOST_CHUNKS ? 0 : count;
    this.state.setInt32(layout.STATE_AT.chunks, taken, true);
    for (let number = 0; number < taken; number++) {
      const position = positions?.[number] ?? number;
      const record = chunks[position];
      const limit = record === undefined || record.content !== undefined ? NO_FILE : record.rawSize;
      this.state.setFloat64(layout.LIMITS_AT + 8 * number, limit, true);
      this.state.setInt32(layout.POSITIONS_AT + 4 * number, position, true);
    }
  }

  /** Whether a path that is none of a row sorts after all before; it is then the last one. */
  follows(path: RawPath): boolean {
    const [from, to] = this.last();
    const last = from === layout.LAST_AT ? this.long : undefined;
    const isAfter = to === 0 || path > (last ?? rawFromBytes(this.bytes, from, to));
    this.keepLast(bytesOf(path.slice(0, layout.MAX_PATH_BYTES)));
    this.long = path.length > layout.MAX_PATH_BYTES ? path : undefined;
    return isAfter;
  }

  private last(): readonly [from: number, to: number] {
    const { lastFrom, lastTo } = layout.STATE_AT;
    return [this.state.getInt32(lastFrom, true), this.state.getInt32(lastTo, true)];
  }

  private keepLast(path: Uint8Array): void {
    this.bytes.set(path, layout.LAST_AT);
    this.state.setInt32(layout.STATE_AT.lastFrom, layout.LAST_AT, true);
    this.state.setInt32(layout.STATE_AT.lastTo, layout.LAST_AT + path.length, true);
  }

  /** Begins with whole lines. */
  load(lines: Buffer): void {
    this.lines = lines;
    this.at = 0;
    this.loadText();
  }

  get isAtEnd(): boolean {
    return this.at >= this.lines.length;
  }

  /** The rows that come next, only those that sort before `bound`; undefined for none. */
  take(bound: RawPath | undefined): RowBatch | undefined {
    if (this.isAtEnd) return undefined;
    if (this.at >= this.to) this.loadText();
    if (this.at >= this.to) return undefined; // a line that is longer than the text may be
    const { state } = this;
    const limit =
      bound === undefined ? 0 : this.bytes.write(bound.slice(0, layout.MAX_PATH_BYTES), layout.BOUND_AT, 'latin1');
    state.setInt32(layout.STATE_AT.boundTo, bound === undefined ? 0 : layout.BOUND_AT + limit, true);
    const shift = layout.TEXT_AT - this.from;
    this.scanner.scan(this.at + shift, this.to + shift);
    this.at = state.getInt32(layout.STATE_AT.next, true) - shift;
    const count = state.getInt32(layout.STATE_AT.rows, true);
    return count === 0 ? undefined : this.batchOf(count);
  }

  /** The text of the next line, without its end. */
  line(): RawPath {
    return rawFromBytes(this.lines, this.at, this.lines.indexOf(LINE_END, this.at));
  }

  /** The path of the next line, if that begins with it and it has no escapes. */
  plainPath(): RawPath | undefined {
    const from = this.at + layout.PATH_KEY.length;
    if (this.lines.toString('latin1', this.at, from) !== layout.PATH_KEY) return undefined;
    const path = rawFromBytes(this.lines, from, this.lines.indexOf('"', from));
    return path.includes('\\') || path.includes('\n') ? undefined : path;
  }

  /** Passes the next line. */
  skip(): void {
    this.at = this.lines.indexOf(LINE_END, this.at) + 1;
  }

  /** Brings as many lines into the memory as fit; none, if the next one does not. */
  private loadText(): void {
    const { lines, at, bytes } = this;
    const [from, to] = this.last();
    // The last path may be among those that are overwritten.
    if (from >= layout.TEXT_AT) this.keepLast(bytes.subarray(from, to));
    const most = at + layout.TEXT_BYTES;
    this.from = at;
    this.to = most >= lines.length ? lines.length : lines.lastIndexOf(LINE_END, most - 1) + 1;
    if (this.to > at) bytes.set(lines.subarray(at, this.to), layout.TEXT_AT);
  }

  private lineOf(row: number): RawPath {
    const from = this.state.getInt32(layout.COLUMNS_AT.lineFrom + row * layout.WIDTHS.lineFrom, true);
    const end = this.bytes.indexOf(LINE_END, from);
    return rawFromBytes(this.bytes, from, this.bytes[end - 1] === COMMA ? end - 1 : end);
  }

  private batchOf(count: number): RowBatch {
    const { state, batch } = this;
    batch.count = count;
    batch.files = state.getInt32(layout.STATE_AT.files, true);
    batch.directories = state.getInt32(layout.STATE_AT.directories, true);
    batch.bytes = state.getFloat64(layout.STATE_AT.bytes, true);
    return batch;
  }
}
