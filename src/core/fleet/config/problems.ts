// What is wrong or odd in a config, each in one sentence that begins with its place.
import type { LineCounter, Node } from 'yaml';
import { printable } from '../../platform/paths/raw-path.js';

/** A file that is no config at all does not fill the terminal. */
const MAX_SENTENCES = 100;

/** Where something stands: a part of the document, or characters from its beginning. */
export type Place = Pick<Node, 'range'> | number;

export class Problems {
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  private readonly lines: LineCounter;

  constructor(lines: LineCounter) {
    this.lines = lines;
  }

  /** No more are taken. */
  get isFull(): boolean {
    return this.errors.length >= MAX_SENTENCES;
  }

  /** Gives undefined, as what has an error is read as. */
  error(place: Place, message: string): undefined {
    this.add(this.errors, place, message);
  }

  warn(place: Place, message: string): void {
    this.add(this.warnings, place, message);
  }

  /** About the file and not about one place in it. */
  ofFile(message: string): undefined {
    this.errors.push(printable(message));
  }

  private add(sentences: string[], place: Place, message: string): void {
    if (sentences.length >= MAX_SENTENCES) return;
    const offset = typeof place === 'number' ? place : (place.range?.[0] ?? 0);
    const { line, col } = this.lines.linePos(offset);
    sentences.push(printable(`line ${line} column ${col}: ${message}`));
  }
}

/** A text from the file as messages quote it. */
export const quoted = (text: string): string => `'${text.length > 200 ? `${text.slice(0, 200)}…` : text}'`;
