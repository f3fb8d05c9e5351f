// Finds where the data of a sparse member belongs, in the four formats of GNU tar. Pure, and accepted only when it is consistent: runs in
// ascending order, inside the file, together as long as the data.
import { integrityError } from '../../platform/failures/errors.js';
import { BLOCK } from './tar-block.js';
import { headerNumber } from './header-block.js';

/** A run of data: `length` bytes that belong at `offset` of the file. */
export interface SparseRun {
  readonly offset: number;
  readonly length: number;
}

const PAIR_BYTES = 24;
const PAIRS_IN_HEADER = 4;
const PAIRS_IN_EXTENSION = 21;

function readPairs(block: Buffer, at: number, pairs: number, into: number[]): void {
  for (let pair = 0; pair < pairs; pair++) {
    const start = at + pair * PAIR_BYTES;
    if (block[start] === 0) return; // an unused pair ends the list
    into.push(headerNumber(block, start, 12), headerNumber(block, start + 12, 12));
  }
}

/** Reads the old GNU format: pairs in the header itself. Returns true when a block with more follows. */
export function readHeaderPairs(block: Buffer, into: number[]): boolean {
  readPairs(block, 386, PAIRS_IN_HEADER, into);
  return block[482] === 1;
}

/** Reads a block with more pairs of the old GNU format. Returns true when another one follows. */
export function readExtensionPairs(block: Buffer, into: number[]): boolean {
  readPairs(block, 0, PAIRS_IN_EXTENSION, into);
  return block[504] === 1;
}

/** The real size that the old GNU format states. */
export const oldRealSize = (block: Buffer): number => headerNumber(block, 483, 12);

/** Parses the map of a pax record: `offset,length,offset,length`. */
export const numbersOfRecord = (text: string): number[] => text.split(',').map(Number);

/** Reads the map at the start of a member's data (format 1.0), block by block. */
export class SparseMapReader {
  private readonly blocks: Buffer[] = [];
  private lines = 0;
  private pairs: number | undefined;

  get bytes(): number {
    return this.blocks.length * BLOCK;
  }

  /** Adds a block. Returns the numbers when it completes them. @throws integrity */
  add(block: Buffer): number[] | undefined {
    this.blocks.push(Buffer.from(block));
    this.pairs ??= countOfPairs(block);
    for (const byte of block) if (byte === 10) this.lines++;
    if (this.lines < 1 + this.pairs * 2) return undefined;
    const lines = Buffer.concat(this.blocks).toString('latin1').split('\n');
    return lines.slice(1, 1 + this.pairs * 2).map((line) => (/^\d+$/.test(line) ? Number(line) : Number.NaN));
  }
}

function countOfPairs(block: Buffer): number {
  const [, count] = /^(\d{1,15})\n/.exec(block.toString('latin1', 0, 16)) ?? [];
  if (count === undefined) throw integrityError('the map of a sparse file cannot be read');
  return Number(count);
}

/** The runs, without empty ones. @throws integrity when they do not fit the file or its data */
export function sparseRuns(numbers: readonly number[], realSize: number, dataSize: number): SparseRun[] {
  const wrong = (): Error => integrityError('the map of a sparse file does not fit the file');
  const runs: SparseRun[] = [];
  let end = 0;
  let total = 0;
  if (numbers.length % 2 !== 0 || !Number.isSafeInteger(realSize)) throw wrong();
  for (let at = 0; at < numbers.length; at += 2) {
    const [offset = Number.NaN, length = Number.NaN] = [numbers[at], numbers[at + 1]];
    const isSound = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= end && length >= 0;
    if (!isSound || offset + length > realSize) throw wrong();
    end = offset + length;
    total += length;
    if (length > 0) runs.push({ offset, length });
  }
  if (total !== dataSize) throw wrong();
  return runs;
}
