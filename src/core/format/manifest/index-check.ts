// Compares the index of a manifest with its blocks while the stored bytes pass: who looks up a path believes the index.
import { hash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { isArchiverError } from '../../platform/failures/errors.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { firstPath } from './first-path.js';
import {
  type IndexedBlock,
  LOCATOR_BYTES,
  locatorOf,
  manifestIndexOf,
  MAX_BEGINNING_BYTES,
  parseBeginning,
} from './manifest-index.js';
import type { ManifestIndex } from './manifest-types.js';

/** More than a block of whole lines has, unless one line has more; a larger one is compared by its digest alone. */
const MAX_BLOCK_TEXT = 128 * 1024 * 1024;

const INCOMPLETE = 'its index does not list all of its blocks, or more than there are';

export class IndexCheck {
  /** What the version record should name; undefined for a manifest without an index, or before its beginning has passed. */
  index: ManifestIndex | undefined;
  private pending: Buffer[] = [];
  private pendingBytes = 0;
  private wanted = LOCATOR_BYTES;
  private state: 'locator' | 'beginning' | 'blocks' | 'done' = 'locator';
  private blocks: readonly IndexedBlock[] = [];
  private next = 0;
  private problem: string | undefined;

  /** Takes the next stored bytes. */
  push(piece: Uint8Array): void {
    if (this.state === 'done') return;
    // What follows the last block is not kept: there may be much of it.
    if (this.isAtEnd) return this.end(INCOMPLETE);
    this.pending.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    this.pendingBytes += piece.byteLength;
    while (this.mayTake) this.take();
  }

  private get mayTake(): boolean {
    return this.state !== 'done' && this.pendingBytes >= this.wanted && !this.isAtEnd;
  }

  private get isAtEnd(): boolean {
    return this.state === 'blocks' && this.next === this.blocks.length;
  }

  private take(): void {
    const [only = Buffer.alloc(0)] = this.pending;
    const all = this.pending.length === 1 ? only : Buffer.concat(this.pending);
    const bytes = all.subarray(0, this.wanted);
    if (this.state === 'locator') {
      const { size } = locatorOf(bytes) ?? {};
      if (size === undefined) return this.end();
      if (size > MAX_BEGINNING_BYTES) return this.end('its index is said to be where no writer puts one');
      this.wanted = size;
      this.state = 'beginning';
      this.pending = [all];
      return;
    }
    this.pending = [all.subarray(this.wanted)];
    this.pendingBytes -= this.wanted;
    if (this.state === 'beginning') this.begin(bytes);
    else this.block(bytes);
    this.wanted = this.blocks[this.next]?.size ?? 0;
  }

  private begin(bytes: Buffer): void {
    this.index = manifestIndexOf(bytes);
    this.state = 'blocks';
    try {
      this.blocks = parseBeginning(bytes, 'it').blocks;
    } catch (error) {
      if (!isArchiverError(error)) throw error;
      this.end(error.message);
    }
  }

  private block(bytes: Buffer): void {
    const block = this.blocks[this.next++];
    if (block === undefined) return;
    const about = `its index says that a block begins with ${displayPath(block.first)}`;
    if (hash('sha256', bytes, 'hex') !== block.sha256)
      return this.end(`${about}, and the block there has another digest`);
    const first = firstOf(bytes);
    if (first !== undefined && first !== block.first) this.end(`${about}, and it begins with ${displayPath(first)}`);
  }

  private end(problem?: string): void {
    this.problem = problem;
    this.state = 'done';
    this.pending = [];
  }

  /** Call after the last piece. Returns how the index contradicts the blocks; undefined for one that does not, and for none. */
  finish(): string | undefined {
    if (this.state === 'beginning' || (this.state === 'blocks' && (!this.isAtEnd || this.pendingBytes > 0)))
      return INCOMPLETE;
    return this.problem;
  }
}

/** The path of the first entry in a block; undefined where the block cannot be read, which whoever reads all of it says. */
function firstOf(block: Buffer): IndexedBlock['first'] | undefined {
  try {
    return firstPath(gunzipSync(block, { maxOutputLength: MAX_BLOCK_TEXT }).toString('utf8'));
  } catch {
    return undefined;
  }
}
