// Finds names that would collide in a file system. Pure.
import { type RawPath, comparableText } from './raw-path.js';

/** The differences between names that a file system ignores. */
export interface Folding {
  readonly case: boolean;
  readonly unicode: boolean;
}

/** Returns the name as this file system compares it. */
export function foldName(path: RawPath, folding: Folding): string {
  if (!folding.case && !folding.unicode) return path;
  let text = comparableText(path);
  if (folding.unicode) text = text.normalize('NFC');
  return folding.case ? text.toLowerCase().toUpperCase() : text;
}

export interface Collision {
  readonly index: number;
  /** Index of the first entry with this place. */
  readonly with: number;
}

/** Returns entries whose place is taken by an earlier one. */
export function findCollisions(
  entries: Iterable<number>,
  placeOf: (index: number) => RawPath,
  folding: Folding,
): Collision[] {
  const taken = new Map<string, number>();
  const collisions: Collision[] = [];
  for (const index of entries) {
    const key = foldName(placeOf(index), folding);
    const first = taken.get(key);
    if (first === undefined) taken.set(key, index);
    else collisions.push({ index, with: first });
  }
  return collisions;
}
