// Collects errors and warnings about a config, each as one sentence that begins with its position.
import type { LineCounter, Node } from 'yaml';
import { printable } from '../../platform/paths/raw-path.js';

/** Limit of sentences, so that a file that is no config at all does not fill the terminal. */
const MAX_SENTENCES = 100;

/** A position: a node of the document, or an offset in characters. */
export type Place = Pick<Node, 'range'> | number;

export class Problems {
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  private readonly lines: LineCounter;

  constructor(lines: LineCounter) {
    this.lines = lines;
  }

  /** True when no more errors are accepted. */
  get isFull(): boolean {
    return this.errors.length >= MAX_SENTENCES;
  }

  /** Adds an error. Returns undefined, the value of what has an error. */
  error(place: Place, message: string): undefined {
    this.add(this.errors, place, message);
  }

  warn(place: Place, message: string): void {
    this.add(this.warnings, place, message);
  }

  /** Adds an error about the file as a whole. */
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

/** Quotes a text from the file for messages. */
export const quoted = (text: string): string => `'${text.length > 200 ? `${text.slice(0, 200)}…` : text}'`;
