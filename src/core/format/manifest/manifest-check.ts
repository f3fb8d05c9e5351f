// Checks that an entry fits the chunks it points into, and that chunks and frames are consistent. `verify` reports every problem; `restore`
// refuses the entries that have one. Pure.
import type { ChunkRecord, Entry, Segment } from './manifest-types.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

/** The places where the content of an entry is stored; empty for entries without content. A sparse file's holes are not stored. */
export function extentsOf(entry: Entry): readonly Segment[] {
  if (entry.segments !== undefined) return entry.segments;
  const { chunk, offset } = entry;
  if ((entry.type !== 'file' && entry.type !== 'hardlink') || chunk === undefined || offset === undefined) return [];
  return [{ chunk, offset, size: entry.size - holeBytes(entry) }];
}

const holeBytes = (entry: Entry): number => (entry.holes ?? []).reduce((sum, [, length]) => sum + length, 0);

/** The reason why the content of this entry cannot be where it says; undefined when it can. */
export function placeProblem(entry: Entry, chunks: readonly ChunkRecord[]): string | undefined {
  const holes = entry.holes === undefined ? undefined : holesProblem(entry);
  if (holes !== undefined) return holes;
  if (entry.segments !== undefined) {
    const total = entry.segments.reduce((sum, { size }) => sum + size, 0);
    if (total !== entry.size) return `its parts have ${total} bytes and the file ${entry.size}`;
  }
  for (const { chunk, offset, size } of extentsOf(entry)) {
    const record = chunks[chunk];
    if (record === undefined) return `it is in chunk ${chunk}, but there are ${chunks.length}`;
    if (offset + size > record.rawSize) return `it ends after the end of ${record.key}`;
    if (record.content === 'file' && (offset > 0 || size < record.rawSize))
      return `${record.key} is a whole file of ${record.rawSize} bytes, and it should be ${size} of them`;
  }
  return undefined;
}

function holesProblem({ holes = [], size }: Entry): string | undefined {
  let end = 0;
  for (const [offset, length] of holes) {
    if (offset < end || length === 0) return 'its holes are not in order';
    end = offset + length;
  }
  return end > size ? 'it has a hole after its end' : undefined;
}

/** Problems of a chunk by itself. */
export function chunkProblems(chunk: ChunkRecord, position: number): string[] {
  const problems: string[] = [];
  const name = `chunk ${position} (${chunk.key})`;
  const stored = chunk.frames.reduce((sum, frame) => sum + frame.size, 0);
  const raw = chunk.frames.reduce((sum, frame) => sum + frame.rawSize, 0);
  if (stored + chunk.tocSize !== chunk.size) {
    problems.push(
      `${name}: its frames and table have ${stored + chunk.tocSize} bytes, and it should have ${chunk.size}`,
    );
  }
  if (raw !== chunk.rawSize)
    problems.push(`${name}: its frames decode to ${raw} bytes, and it should be ${chunk.rawSize}`);
  if (chunk.content === 'file' && (chunk.tocSize > 0 || chunk.frames.some(({ size, rawSize }) => size !== rawSize)))
    problems.push(`${name}: it is a file as it is, and has compressed frames or a table`);
  if (!Number.isSafeInteger(stored) || !Number.isSafeInteger(raw)) problems.push(`${name}: its frames are too large`);
  return problems;
}

/**
 * The key of a chunk relative to the base, from its key relative to the folder of the manifest (`../<other upload>/…` is allowed, for
 * content that an earlier upload stored). Undefined when it would leave `uploads/`.
 */
export function chunkKey(uploadId: UploadId, relative: string): string | undefined {
  const parts: string[] = ['uploads', uploadId];
  for (const part of relative.split('/')) {
    if (part === '..') parts.pop();
    else if (part === '' || part === '.' || part.includes('\0')) return undefined;
    else parts.push(part);
  }
  return parts.length >= 3 && parts[0] === 'uploads' && !relative.includes('\\') ? parts.join('/') : undefined;
}

/** The inverse of `chunkKey`: the name that the manifest of `uploadId` uses for a key below `uploads/`. */
export function relativeChunkKey(uploadId: UploadId, key: string): string {
  const own = uploadFolder(uploadId);
  return key.startsWith(own) ? key.slice(own.length) : `../${key.slice('uploads/'.length)}`;
}
