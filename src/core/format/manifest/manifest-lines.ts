// Splits the bytes of a manifest into its head and the lines of `files` while they stream in. Every piece is bounded before it is kept.
import { integrityError } from '../../platform/failures/errors.js';
import { rawFromBytes, TOP, withEnd } from '../../platform/paths/raw-path.js';

const FILES = '"files":[';
const FILES_END = ']}';
const LINE_END = 10;
const NOTHING = Buffer.alloc(0);
/** Chunks of 64 MiB with frames of 16 MiB have 700 bytes each: this is 20 TB. Nothing longer is written. */
export const MAX_HEAD_BYTES = 256 * 1024 * 1024;
/**
 * A path of 4096 bytes, escaped, is 24 KiB. A file cut into as many parts as the longest head names chunks has 25 MB of segments; the rest
 * is for the attributes of one file (a value has 64 KiB at most) and for holes. Nothing longer is written.
 */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface LineHandlers {
  /** The head as UTF-8 text, with an empty `files`. */
  head(text: string): void;
  /** Gets whole lines of `files`, each ended by a newline. */
  lines(lines: Buffer): void;
}

export class ManifestLines {
  private readonly handlers: LineHandlers;
  private readonly what: string;
  private state: 'head' | 'files' | 'end' = 'head';
  /** The beginning of a line whose end has not arrived. */
  private pending: Buffer[] = [];
  private pendingLength = 0;
  private headParts: Buffer[] = [];
  private headTail = TOP;
  private headLength = 0;

  constructor(what: string, handlers: LineHandlers) {
    this.what = what;
    this.handlers = handlers;
  }

  /** Takes the next piece of the decompressed manifest. @throws integrity */
  push(piece: Buffer): void {
    const lines = this.state === 'head' ? this.pushHead(piece) : piece;
    if (lines !== undefined) this.pushFiles(lines);
  }

  /** Returns what of the piece comes after the head. */
  private pushHead(piece: Buffer): Buffer | undefined {
    this.headLength += piece.byteLength;
    if (this.headLength > MAX_HEAD_BYTES)
      throw integrityError(`${this.what} has a head of more than ${MAX_HEAD_BYTES} bytes: refused`);
    const seam = withEnd(this.headTail, rawFromBytes(piece));
    const at = seam.indexOf(`${FILES}\n`);
    this.headTail = seam.slice(-FILES.length);
    this.headParts.push(piece);
    if (at < 0) return undefined;
    const left = seam.length - (at + FILES.length);
    this.handlers.head(this.takeHead(this.headLength - left));
    this.state = 'files';
    return piece.subarray(piece.length - left + 1);
  }

  /** The first `end` bytes as a document. They are released here: parsing it takes as much memory again. */
  private takeHead(end: number): string {
    const text = Buffer.concat([...this.headParts, Buffer.from(']}')], end + 2);
    this.headParts = [];
    text.write(']}', end, 'latin1');
    return text.toString('utf8');
  }

  private pushFiles(piece: Buffer): void {
    if (this.state === 'end') {
      if (rawFromBytes(piece).trim() !== '') throw integrityError(`${this.what} has data after its end`);
      return;
    }
    const last = piece.lastIndexOf(LINE_END);
    if (last < 0) {
      this.wait(piece);
    } else {
      const whole = this.withPending(piece.subarray(0, last + 1));
      this.wait(piece.subarray(last + 1));
      this.emit(whole);
    }
    if (this.state === 'files' && this.isEndPending()) this.finishFiles();
  }

  private wait(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.pending.push(bytes);
    this.pendingLength += bytes.length;
    if (this.pendingLength > MAX_LINE_BYTES)
      throw integrityError(`${this.what} has a line of more than ${MAX_LINE_BYTES} bytes: refused`);
  }

  /** The pending bytes, which are no longer pending then, and `bytes`. */
  private withPending(bytes: Buffer): Buffer {
    const { pending } = this;
    this.pending = [];
    this.pendingLength = 0;
    return pending.length === 0 ? bytes : Buffer.concat([...pending, bytes]);
  }

  /** True when the pending bytes begin with the end of the list; the first ones may be single. */
  private isEndPending(): boolean {
    const [first, second] = this.pending;
    return (
      first !== undefined && isEnd(first.length > 1 || second === undefined ? first : Buffer.concat([first, second]))
    );
  }

  private emit(whole: Buffer): void {
    const isAtEnd = isEnd(whole);
    const end = isAtEnd ? 0 : whole.indexOf(`\n${FILES_END}`) + 1;
    if (end === 0 && !isAtEnd) {
      this.handlers.lines(whole);
      return;
    }
    if (end > 0) this.handlers.lines(whole.subarray(0, end));
    this.pending.unshift(whole.subarray(end));
    this.finishFiles();
  }

  private finishFiles(): void {
    const rest = this.withPending(NOTHING).subarray(FILES_END.length);
    this.state = 'end';
    this.pushFiles(rest);
  }

  /** Call when the stream has ended. Returns the whole text if there was no `files`. @throws integrity when the document has not ended */
  end(): string | undefined {
    if (this.state === 'end') return undefined;
    if (this.state === 'head') return Buffer.concat(this.headParts).toString('utf8');
    throw integrityError(`${this.what} is cut off: its list of files has no end`);
  }
}

const isEnd = (bytes: Buffer): boolean => bytes[0] === FILES_END.charCodeAt(0) && bytes[1] === FILES_END.charCodeAt(1);
