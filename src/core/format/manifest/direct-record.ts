// Records of files that were uploaded directly, each an object of its own (docs/format.md, "Direct files").
import type { ChunkRecord } from './manifest-types.js';

/** Every key of such a file, below the folder of its upload. */
export const DIRECT_KEY = /^files\/[^/]/;

/**
 * Marks in `used` the chunks whose tables of contents list direct files that are used: they belong to them, though no
 * entry points into them. `used` has 1 for each chunk that an entry refers to.
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

/** Adds to `avoid` the direct files of the tables of contents in it: they are not whole without, though nothing points into those. */
export function avoidUnlisted(chunks: readonly ChunkRecord[], avoid: Set<number>): void {
  const tables = new Set<string>();
  chunks.forEach(({ key, chunk, content }, position) => {
    if (content === undefined && avoid.has(position)) tables.add(nameOf(key, chunk));
  });
  chunks.forEach(({ key, listedIn }, position) => {
    if (listedIn !== undefined && tables.has(nameOf(key, listedIn))) avoid.add(position);
  });
}

/** A chunk by the folder of its upload, seen from the manifest, and its number. */
const nameOf = (key: string, chunk: number): string => `${/^\.\.\/[^/]+\//.exec(key)?.[0] ?? ''}${chunk}`;
