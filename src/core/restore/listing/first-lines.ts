// Reads the first lines of a file: only the frames that hold them are fetched, and nothing from cold storage.
import type { Listing } from './listing.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { FrameCache } from '../frame-cache.js';
import { readFile, type ReadFileOptions } from './read-file.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** The first lines, or why there are none. */
export type Preview =
  | { readonly kind: 'text'; readonly lines: readonly string[]; readonly isCut: boolean }
  | { readonly kind: 'none'; readonly reason: string };

const SCREENFUL: FirstLinesLimits = { bytes: 32 * 1024, lines: 60 };
/** Bytes of a line that are kept. */
const MAX_LINE = 1024;

/** How much is read. */
export interface FirstLinesLimits {
  readonly bytes: number;
  readonly lines: number;
}

export interface FirstLinesOptions extends Pick<ReadFileOptions, 'mayFetch'> {
  readonly reader: ObjectReader;
  readonly cache: FrameCache;
  /** As much as a screen shows, if not given. */
  readonly most?: FirstLinesLimits | undefined;
  readonly signal: AbortSignal;
}

/** Returns the beginning of a file for people. @throws errors of the store; integrity; what `mayFetch` throws */
export async function firstLines(
  { listing, uploadId }: { readonly listing: Listing; readonly uploadId: UploadId },
  index: number,
  { most = SCREENFUL, ...options }: FirstLinesOptions,
): Promise<Preview> {
  const type = listing.type(index);
  if (type !== 'file' && type !== 'hardlink') return { kind: 'none', reason: `a ${type} has no lines` };
  if (listing.sizeBytes(index) === 0) return { kind: 'none', reason: 'an empty file' };
  if (listing.isCold(index))
    return { kind: 'none', reason: `in ${listing.storageClass(index) ?? ''}: not readable until it is restored` };
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of readFile(index, { ...options, mayStop: true, uploadId, listing })) {
    pieces.push(piece.slice(0, most.bytes - bytes));
    bytes += Math.min(piece.byteLength, most.bytes - bytes);
    if (bytes >= most.bytes) break;
  }
  return linesOf(Buffer.concat(pieces), bytes < listing.sizeBytes(index), most.lines);
}

function linesOf(content: Buffer, isCut: boolean, most: number): Preview {
  if (content.includes(0)) return { kind: 'none', reason: 'not text: no lines to show' };
  const all = content.toString('utf8').split(/\r?\n/);
  if (all.at(-1) === '') all.pop();
  const lines = all.slice(0, most).map((line) => line.slice(0, MAX_LINE));
  return { kind: 'text', lines, isCut: isCut || all.length > lines.length };
}
