// Records of files that were uploaded directly, each an object of its own (docs/format.md, "Direct files").
import type { ChunkRecord } from './manifest-types.js';

/** Matches every key of such a file, relative to the folder of its upload. */
export const DIRECT_KEY = /^files\/[^/]/;

/**
 * Marks in `used` the chunks whose tables of contents list direct files that are used: they belong together, though no entry refers to the
 * chunk. `used` has 1 for each chunk that an entry refers to.
 */
export function useTables(chunks: readonly ChunkRecord[], used: Uint8Array): void {
  const tables = new Set<string>();
  chunks.forEach(({ key, listedIn }, position) => {
    if (listedIn !== undefined && used[position] === 1) tables.add(nameOf(key, listedIn));
  });
  if (tables.size === 0) return;
  chunks.forEach(({ key, chunk, content }, position) => {
    if (content === undefined && tables.has(nameOf(key, chunk))) used[position] = 1;
  });
}

/** Adds the direct files whose tables of contents are in `avoid`: they are incomplete without these, though nothing refers to them. */
export function avoidUnlisted(chunks: readonly ChunkRecord[], avoid: Set<number>): void {
  const tables = new Set<string>();
  chunks.forEach(({ key, chunk, content }, position) => {
    if (content === undefined && avoid.has(position)) tables.add(nameOf(key, chunk));
  });
  chunks.forEach(({ key, listedIn }, position) => {
    if (listedIn !== undefined && tables.has(nameOf(key, listedIn))) avoid.add(position);
  });
}

/** Identifies a chunk by the folder of its upload, relative to the manifest, and its number. */
const nameOf = (key: string, chunk: number): string => `${/^\.\.\/[^/]+\//.exec(key)?.[0] ?? ''}${chunk}`;
