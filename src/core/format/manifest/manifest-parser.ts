// Parses the bytes of a manifest, which arrive in pieces, into its head and its entries. Everything is bounded and typed before it is
// passed on, and every failure is one sentence that names the manifest's key. The totals are only compared at the end: whoever acts on
// entries waits for `finish`.
import { integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { type RawPath, printable, rawFromBytes, rawFromText } from '../../platform/paths/raw-path.js';
import { EntryParser, type ForeignEntry } from './entry-json-parse.js';
import { parseHead, type ParsedHead } from './manifest-head-parse.js';
import { ManifestLines } from './manifest-lines.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Mention } from './manifest-types.js';
import { isWithin, type PathRange } from './path-range.js';

/** A line of `files`. */
export type Line = Mention | ForeignEntry;

export interface ManifestParserOptions {
  readonly key: string;
  readonly uploadId: UploadId;
  /** A head that was parsed before: it is not parsed again. */
  readonly head?: ParsedHead;
  /** Gets the head before the first line comes. */
  readonly onHead?: (head: ParsedHead) => void;
  /** Gets lines in the order of the file. */
  readonly onLine: (line: Line) => void;
  /** Gets whole lines as they are, instead of `onLine`: whoever reads them uses `parse` and `count`. */
  readonly onText?: ((lines: Buffer) => void) | undefined;
  /**
   * Only lines that hold one of these byte strings (or an escape, which could hide one) are parsed. Their count is
   * then not compared with the totals.
   */
  readonly needles?: readonly RawPath[] | undefined;
  /** The manifest has only some of its entries: their count is not compared with the totals. */
  readonly isPart?: boolean | undefined;
  /** Only lines with paths in these ranges, in order and none touching, are parsed; of others the order is checked, and they are counted. */
  readonly ranges?: readonly PathRange[] | undefined;
  /** Positions of chunks in another list, for entries that refer to it. */
  readonly positions?: Uint32Array | undefined;
  /** Leaves out ctime, inode and the names of owners: faster. */
  readonly withoutNames?: boolean | undefined;
}

const COMMA = 44;
const PATH_BEGIN = rawFromText('{"path":"');
const QUOTE = rawFromText('"');
const BACKSLASH = rawFromText('\\');

/** Text that may hide a needle: an escape, and base64. */
const HIDING = ['\\', '"pathBase64"'].map(rawFromText);

export class ManifestParser {
  /** Number of lines that were parsed. */
  entries = 0;
  /** The path of the first one. */
  first: RawPath | undefined;
  /** A path that was not in byte order, or a duplicate. */
  firstUnordered: RawPath | undefined;
  private readonly lines: ManifestLines;
  private readonly what: string;
  private parser: EntryParser | undefined;
  private parsed: ParsedHead | undefined;
  private previous: RawPath | undefined;
  private isSkipping = false;

  constructor(private readonly options: ManifestParserOptions) {
    this.what = `the manifest ${options.key}`;
    this.lines = new ManifestLines(this.what, {
      head: (text) => this.onHead(text),
      lines: (lines) => this.onLines(lines),
    });
  }

  /** Undefined until it was read. */
  get head(): ParsedHead | undefined {
    return this.parsed;
  }

  /** Takes the next piece of the text. @throws integrity, unsupported */
  push(piece: Buffer): void {
    this.lines.push(piece);
  }

  /** Ignores the lines that follow. */
  skipEntries(): void {
    this.isSkipping = true;
  }

  private onHead(text: string): void {
    this.parsed = this.options.head ?? parseHead(text, this.options.key);
    const { uploadId, listing } = this.parsed.head;
    if (uploadId !== this.options.uploadId)
      throw integrityError(`${this.what} belongs to another upload (${printable(uploadId)})`);
    const { withoutNames, positions } = this.options;
    this.parser = new EntryParser(withoutNames !== true, listing === 'delta', positions);
    this.options.onHead?.(this.parsed);
  }

  private onLines(lines: Buffer): void {
    if (this.isSkipping) return;
    const { needles, onText } = this.options;
    if (onText !== undefined) onText(lines);
    else if (needles === undefined) this.parseAll(rawFromBytes(lines));
    else this.parseCandidates(rawFromBytes(lines), needles);
  }

  private parseAll(text: RawPath): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.parseLine(text, start, end);
      start = end + 1;
    }
  }

  private parseCandidates(text: RawPath, needles: readonly RawPath[]): void {
    const starts = new Set<number>();
    for (const needle of [...needles, ...HIDING]) {
      for (let at = text.indexOf(needle); at >= 0;) {
        const end = text.indexOf('\n', at);
        starts.add(text.lastIndexOf('\n', at) + 1);
        at = end < 0 ? -1 : text.indexOf(needle, end);
      }
    }
    for (const start of [...starts].sort((a, b) => a - b)) this.parseLine(text, start, text.indexOf('\n', start));
  }

  private parseLine(text: RawPath, start: number, end: number): void {
    const { ranges } = this.options;
    const path = ranges === undefined ? undefined : plainPath(text, start, end);
    if (ranges !== undefined && path !== undefined && !isWithin(path, ranges)) return this.pass(path);
    const line = this.parse(text.slice(start, end));
    if (line !== undefined) this.options.onLine(line);
  }

  /** Parses and counts a line without its end; undefined for an empty one. @throws integrity */
  parse(text: RawPath): Line | undefined {
    const entry = this.read(text);
    if (entry === undefined) return undefined;
    this.pass(entry.path);
    return entry;
  }

  /** Checks the order of a line with this path, and counts it. */
  private pass(path: RawPath): void {
    if (this.previous !== undefined && path <= this.previous) this.firstUnordered ??= path;
    this.previous = path;
    this.count(1, path);
  }

  /** Parses a line that is counted elsewhere. @throws integrity */
  read(text: RawPath): Line | undefined {
    const body = text.charCodeAt(text.length - 1) === COMMA ? text.slice(0, -1) : text;
    if (body === '' || this.parser === undefined) return undefined;
    try {
      return this.parser.parse(body);
    } catch (error) {
      if (!isArchiverError(error)) throw error;
      throw integrityError(`${this.what}, entry ${this.entries + 1}: ${error.message}`, { cause: error });
    }
  }

  /** Counts lines, of which the first one has this path. */
  count(lines: number, first: RawPath): void {
    this.entries += lines;
    this.first ??= first;
  }

  /** Call after the last piece; returns the head. @throws integrity when the text is incomplete */
  finish(): ParsedHead {
    const leftOver = this.lines.end();
    if (leftOver !== undefined) this.refuseForeign(leftOver);
    if (this.parsed === undefined) throw integrityError(`${this.what} has no head`);
    const expected = this.parsed.head.totals.entries;
    const { needles, isPart = false } = this.options;
    // Entries of segments are counted where they are parsed.
    const isElsewhere = this.options.head === undefined && this.parsed.head.segments !== undefined;
    if (!isPart && !isElsewhere && needles === undefined && expected !== this.entries)
      throw integrityError(`${this.what} announces ${expected} entries and has ${this.entries}`);
    return this.parsed;
  }

  /** Refuses text without a list of files, and says what it is instead. */
  private refuseForeign(text: string): never {
    if (text.trim() === '') throw integrityError(`${this.what} is empty`);
    if (text.includes('"archiver-manifest"')) {
      const { head } = parseHead(text, this.options.key); // a newer format is named as such
      throw integrityError(`${this.what} does not have its files one on a line (upload ${printable(head.uploadId)})`);
    }
    throw integrityError(`${this.options.key} is not a manifest of archiver`);
  }
}

/** The path of a line, where that is the first thing in it and has no escapes; undefined where it takes parsing to know it. */
function plainPath(text: RawPath, start: number, end: number): RawPath | undefined {
  if (!text.startsWith(PATH_BEGIN, start)) return undefined;
  const close = text.indexOf(QUOTE, start + PATH_BEGIN.length);
  if (close < 0 || close > end) return undefined;
  const path = text.slice(start + PATH_BEGIN.length, close);
  return path.includes(BACKSLASH) ? undefined : path;
}
