// Reads of a manifest, or of a segment, with an index what a question needs: its beginning, whose digest something names, and the blocks of
// entries in which the wanted paths would be. What comes is a manifest, or a segment, like any other, with fewer entries.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { isArchiverError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { type IndexedBlock, locatorOf, MAX_BEGINNING_BYTES, parseBeginning } from './manifest-index.js';
import type { ManifestIndex } from './manifest-types.js';
import { openManifest } from './open-manifest.js';
import { holding, type PathRange } from './path-range.js';

export interface ReadBlocksOptions {
  /** Key of the object, relative to the base. */
  readonly key: string;
  readonly index: ManifestIndex;
  readonly ranges: readonly PathRange[];
  readonly signal?: AbortSignal | undefined;
}

export interface BlocksRead {
  readonly bytes: Buffer;
  /** The first path of each block of the whole, in order. */
  readonly firsts: readonly RawPath[];
}

const READS_AT_ONCE = 8;
/** Bytes that are read along where they lie between two wanted blocks: a request takes as long. */
const MAX_GAP = 256 * 1024;
/** More is read as a stream, in flat memory: these are some two million entries. */
const MAX_PART_BYTES = 64 * 1024 * 1024;
/** The end of a manifest whose last block is left out. */
const END = gzipSync(']}\n');

interface Block extends IndexedBlock {
  readonly offset: number;
  /** First path of the next block; undefined for the last one. */
  readonly next: RawPath | undefined;
}

/** Blocks that one request reads. */
type Span = Block[];

/**
 * Reads the entries in these ranges, and possibly more, with the head before them; all of an object whose beginning has no blocks, as the
 * head of segments. Undefined where it has to be read whole: most of it is wanted, or it is not the one that was named, and what it is then
 * only all of it tells. @throws not-found, access-denied, integrity, what the store throws
 */
export async function readBlocks(reader: ObjectReader, options: ReadBlocksOptions): Promise<BlocksRead | undefined> {
  const { key, index, ranges, signal } = options;
  if (index.size > MAX_BEGINNING_BYTES) return undefined;
  const content = await openManifest(reader, key, { range: { start: 0, end: index.size }, signal });
  const beginning = await readAll(content, index.size);
  if (hash('sha256', beginning, 'hex') !== index.sha256) return undefined;
  if (content.totalBytes === index.size && locatorOf(beginning) === undefined) return { bytes: beginning, firsts: [] };
  const { head, blocks } = parseBeginning(beginning, `the manifest ${key}`);
  const wanted = holding(placed(blocks, index.size), ranges);
  const bytesWanted = wanted.reduce((sum, { size }) => sum + size, 0);
  if (bytesWanted > Math.min(MAX_PART_BYTES, content.totalBytes / 2)) return undefined;
  const parts = new Map<Block, Buffer>();
  try {
    await forEachLimit(spansOf(wanted), READS_AT_ONCE, async (span) => {
      const range = { start: span[0]?.offset ?? 0, end: endOf(span.at(-1)) };
      const body = await readAll(
        await reader.get(key, { range, ifMatch: content.etag, signal }),
        range.end - range.start,
      );
      for (const block of span) {
        const part = body.subarray(block.offset - range.start, endOf(block) - range.start);
        if (hash('sha256', part, 'hex') === block.sha256) parts.set(block, part);
      }
    });
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return undefined; // it was replaced meanwhile
    throw error;
  }
  if (parts.size < wanted.length) return undefined;
  const end = wanted.length > 0 && wanted.at(-1)?.next === undefined ? [] : [END];
  const bytes = Buffer.concat([head, ...wanted.map((block) => parts.get(block) ?? END), ...end]);
  return { bytes, firsts: blocks.map(({ first }) => first) };
}

const endOf = (block: Block | undefined): number => (block === undefined ? 0 : block.offset + block.size);

function placed(blocks: readonly IndexedBlock[], start: number): readonly Block[] {
  let offset = start;
  return blocks.map((block, position) => {
    const at = offset;
    offset += block.size;
    return { ...block, offset: at, next: blocks[position + 1]?.first };
  });
}

function spansOf(blocks: readonly Block[]): readonly Span[] {
  const spans: Span[] = [];
  for (const block of blocks) {
    const last = spans.at(-1);
    if (last !== undefined && block.offset - endOf(last.at(-1)) <= MAX_GAP) last.push(block);
    else spans.push([block]);
  }
  return spans;
}
