// Splits the text of a manifest into its head and the lines of `files` while it streams in. Bytes are latin1 characters here: splitting at
// line ends needs no decoding. Every piece is bounded before it is kept.
import { integrityError } from '../../platform/failures/errors.js';
import { type RawPath, rawFromBytes, TOP, joinParts, withEnd } from '../../platform/paths/raw-path.js';

const FILES = '"files":[';
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
  /** Gets whole lines of `files`, each ended by a newline: in one piece, so that it can be searched before it is split. */
  lines(text: RawPath): void;
}

export class ManifestLines {
  private readonly handlers: LineHandlers;
  private readonly what: string;
  private state: 'head' | 'files' | 'end' = 'head';
  /** The beginning of a line whose end has not arrived: in parts, because searching a joined text copies it. */
  private pending: RawPath[] = [];
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
    if (this.state !== 'head') this.pushFiles(rawFromBytes(piece));
    else {
      const rest = this.pushHead(piece);
      if (rest !== undefined) this.pushFiles(rest);
    }
  }

  private pushHead(piece: Buffer): RawPath | undefined {
    this.headLength += piece.byteLength;
    if (this.headLength > MAX_HEAD_BYTES)
      throw integrityError(`${this.what} has a head of more than ${MAX_HEAD_BYTES} bytes: refused`);
    const seam = withEnd(this.headTail, rawFromBytes(piece));
    const at = seam.indexOf(`${FILES}\n`);
    this.headTail = seam.slice(-FILES.length);
    this.headParts.push(piece);
    if (at < 0) return undefined;
    const end = this.headLength - seam.length + at + FILES.length;
    const rest = seam.slice(at + FILES.length + 1);
    this.handlers.head(this.takeHead(end));
    this.state = 'files';
    return rest;
  }

  /** The first `end` bytes as a document. They are released here: parsing it takes as much memory again. */
  private takeHead(end: number): string {
    const text = Buffer.concat([...this.headParts, Buffer.from(']}')], end + 2);
    this.headParts = [];
    text.write(']}', end, 'latin1');
    return text.toString('utf8');
  }

  private pushFiles(text: RawPath): void {
    if (this.state === 'end') {
      if (text.trim() !== '') throw integrityError(`${this.what} has data after its end`);
      return;
    }
    const last = text.lastIndexOf('\n');
    if (last < 0) {
      this.wait(text);
    } else {
      const whole = withEnd(this.takePending(), text.slice(0, last + 1));
      this.wait(text.slice(last + 1));
      this.emit(whole);
    }
    if (this.state === 'files' && this.isEndPending()) this.finishFiles();
  }

  private wait(text: RawPath): void {
    if (text === '') return;
    this.pending.push(text);
    this.pendingLength += text.length;
    if (this.pendingLength > MAX_LINE_BYTES)
      throw integrityError(`${this.what} has a line of more than ${MAX_LINE_BYTES} bytes: refused`);
  }

  private takePending(): RawPath {
    const text = joinParts(this.pending, '');
    this.pending = [];
    this.pendingLength = 0;
    return text;
  }

  /** True when the pending text begins with the end of the list; its first parts may be single characters. */
  private isEndPending(): boolean {
    const [first = '', second = ''] = this.pending;
    return (first.length > 1 ? first : first + second).startsWith(']}');
  }

  private emit(whole: RawPath): void {
    const end = whole.startsWith(']}') ? 0 : whole.indexOf('\n]}') + 1;
    if (end === 0 && !whole.startsWith(']}')) {
      this.handlers.lines(whole);
      return;
    }
    if (end > 0) this.handlers.lines(whole.slice(0, end));
    const rest = withEnd(whole.slice(end), this.takePending());
    this.wait(rest);
    this.finishFiles();
  }

  private finishFiles(): void {
    const rest = this.takePending().slice(2);
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
