// Cuts the text of a manifest into its head and the lines of `files` while it streams in. Bytes are latin1 characters
// here: cutting at line ends needs no decoding. Bounds every piece before it is kept.
import { integrityError } from '../errors.js';

const FILES = '"files":[';
/** 100 TB in 200 MB chunks with 16 MiB frames has a head of 700 MB; ten times less is already far from usual. */
const MAX_HEAD = 256 * 1024 * 1024;
const MAX_LINE = 64 * 1024 * 1024;

export interface LineHandlers {
  /** The head as UTF-8 text, with an empty `files`. */
  head(text: string): void;
  /** Whole lines of `files`, each ended by a newline: one piece, so that it can be searched before it is cut. */
  lines(text: string): void;
}

export class ManifestLines {
  private readonly handlers: LineHandlers;
  private readonly what: string;
  private state: 'head' | 'files' | 'end' = 'head';
  private pending = '';
  private headParts: string[] = [];
  private headTail = '';
  private headLength = 0;

  constructor(what: string, handlers: LineHandlers) {
    this.what = what;
    this.handlers = handlers;
  }

  /** Takes the next piece of the decompressed manifest. @throws integrity */
  push(piece: Buffer): void {
    let text = piece.toString('latin1');
    if (this.state === 'head') {
      const rest = this.pushHead(text);
      if (rest === undefined) return;
      text = rest;
    }
    this.pushFiles(text);
  }

  private pushHead(text: string): string | undefined {
    this.headLength += text.length;
    if (this.headLength > MAX_HEAD) throw integrityError(`${this.what} has a head of more than ${MAX_HEAD} bytes`);
    const seam = this.headTail + text;
    const at = seam.indexOf(`${FILES}\n`);
    this.headTail = seam.slice(-FILES.length);
    this.headParts.push(text);
    if (at < 0) return undefined;
    const whole = this.headParts.join('');
    const end = whole.length - seam.length + at + FILES.length;
    this.headParts = [];
    this.handlers.head(Buffer.from(`${whole.slice(0, end)}]}`, 'latin1').toString('utf8'));
    this.state = 'files';
    return whole.slice(end + 1);
  }

  private pushFiles(text: string): void {
    if (this.state === 'end') {
      if (text.trim() !== '') throw integrityError(`${this.what} goes on after its end`);
      return;
    }
    const last = text.lastIndexOf('\n');
    if (last < 0) {
      this.pending += text;
      if (this.pending.length > MAX_LINE)
        throw integrityError(`${this.what} has a line of more than ${MAX_LINE} bytes`);
      if (this.pending.startsWith(']}')) this.finishFiles();
      return;
    }
    const whole = this.pending + text.slice(0, last + 1);
    this.pending = text.slice(last + 1);
    this.emit(whole);
    if (this.pending.startsWith(']}')) this.finishFiles();
  }

  private emit(whole: string): void {
    const end = whole.startsWith(']}') ? 0 : whole.indexOf('\n]}') + 1;
    if (end === 0 && !whole.startsWith(']}')) {
      this.handlers.lines(whole);
      return;
    }
    if (end > 0) this.handlers.lines(whole.slice(0, end));
    this.pending = whole.slice(end) + this.pending;
    this.finishFiles();
  }

  private finishFiles(): void {
    const rest = this.pending.slice(2);
    this.pending = '';
    this.state = 'end';
    this.pushFiles(rest);
  }

  /** Call when the stream has ended. @throws integrity when the document has not; gives the whole text if no `files` came */
  end(): string | undefined {
    if (this.state === 'end') return undefined;
    if (this.state === 'head') return Buffer.from(this.headParts.join(''), 'latin1').toString('utf8');
    throw integrityError(`${this.what} is cut off: its list of files has no end`);
  }
}
