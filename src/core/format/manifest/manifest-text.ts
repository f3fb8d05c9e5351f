// The text of a manifest, gzipped while it is made: entries in blocks of some thousand, each a gzip member, and before them the head and an
// index of the blocks. A manifest of one block has no index: reading all of it costs no more.
import { hash } from 'node:crypto';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { firstPath } from './first-path.js';
import { GzipText, gzipText } from './gzip-text.js';
import { encodeBeginning, type IndexedBlock, MAX_INDEXED_PATH } from './manifest-index.js';

/** Entries of a block: some 140 KB gzipped, and an index of 25 KB for a million. */
export const BLOCK_ENTRIES = 4096;
/** Characters of a block, unless one line has more. */
const BLOCK_CHARACTERS = 2 * 1024 * 1024;
/** Blocks that may wait for their compression. */
const MAX_WAITING = 4;

/** How a manifest is laid out. A repair that wants the very bytes that were recorded writes as older versions did. */
export interface ManifestLayout {
  /** Entries of a block; `Infinity` for no blocks and no index. */
  readonly blockEntries?: number;
  /** True for a head that is in one gzip member with the entries. */
  readonly isOneMember?: boolean;
}

export class ManifestText {
  private block = new GzipText();
  /** The first line of the block, as far as it was added. */
  private begun = '';
  private lines = 0;
  private characters = 0;
  private isAtLine = false;
  private isEnded = false;
  private readonly blocks: { readonly first: RawPath; readonly bytes: Promise<Buffer> }[] = [];
  private waiting = 0;

  /** @param blockEntries Entries of a block; `Infinity` for no blocks */
  constructor(private readonly blockEntries = BLOCK_ENTRIES) {}

  /** Adds text of `files`, cut anywhere. When it returns false, wait for `drained` before adding more. */
  add(text: string): boolean {
    let start = 0;
    for (let end = this.isCut ? text.indexOf('\n') : -1; end >= 0; end = text.indexOf('\n', end + 1)) {
      this.pass(text.slice(start, end + 1));
      this.lines++;
      this.isAtLine = true;
      start = end + 1;
    }
    return this.pass(text.slice(start)) && this.waiting < MAX_WAITING;
  }

  private get isCut(): boolean {
    return this.blockEntries !== Infinity;
  }

  private get isFull(): boolean {
    return this.lines >= this.blockEntries || this.characters >= BLOCK_CHARACTERS;
  }

  /** Adds at most one line. */
  private pass(text: string): boolean {
    if (text === '') return true;
    // A block ends before an entry that it has no room for, so that the end of the list is no block.
    if (this.isAtLine && this.isFull && text.startsWith('{')) this.cut();
    if (this.isCut && this.lines === 0) this.begun += text;
    this.characters += text.length;
    this.isAtLine = false;
    return this.block.add(text);
  }

  private cut(): void {
    this.endBlock();
    this.block = new GzipText();
    this.begun = '';
    this.lines = 0;
    this.characters = 0;
  }

  private endBlock(): void {
    this.waiting++;
    const bytes = this.block.finish().finally(() => this.waiting--);
    bytes.catch(() => undefined); // awaited at the end
    this.blocks.push({ first: firstPath(this.begun), bytes });
  }

  async drained(): Promise<void> {
    await this.block.drained();
    if (this.waiting >= MAX_WAITING) await this.blocks.at(-MAX_WAITING)?.bytes;
  }

  /** Says that no more text comes: what is left is compressed meanwhile, and takes no more memory than its bytes. */
  end(): void {
    if (!this.isEnded) this.endBlock();
    this.isEnded = true;
  }

  /** Waits until all blocks that have ended are compressed. */
  async written(): Promise<void> {
    await Promise.all(this.blocks.map(({ bytes }) => bytes));
  }

  /** The manifest with this head; without one, its text was added first. Called once: of a million entries this is 40 MB, and is not kept. */
  async finish(head?: string): Promise<Buffer> {
    this.end();
    const ended = this.blocks.splice(0);
    const blocks = await Promise.all(ended.map(async ({ first, bytes }) => ({ first, bytes: await bytes })));
    const all = blocks.map(({ bytes }) => bytes);
    if (head === undefined) return Buffer.concat(all);
    const gzipped = await gzipText(head);
    const isIndexed = blocks.length > 1 && blocks.every(({ first }) => first.length <= MAX_INDEXED_PATH);
    return Buffer.concat([isIndexed ? encodeBeginning(gzipped, indexOf(blocks)) : gzipped, ...all]);
  }

  /** Frees the memory of the compressor when the text is no longer wanted. */
  destroy(): void {
    this.block.destroy();
  }
}

const indexOf = (blocks: readonly { readonly first: RawPath; readonly bytes: Buffer }[]): readonly IndexedBlock[] =>
  blocks.map(({ first, bytes }) => ({ size: bytes.length, sha256: hash('sha256', bytes, 'hex'), first }));
