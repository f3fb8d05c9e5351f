// Names that would collide in a file system. Pure.
import { ArchiverError } from '../failures/errors.js';
import { displayPath, type RawPath, comparableText } from './raw-path.js';

/** Which names a file system treats as the same. */
export interface Folding {
  readonly case: boolean;
  readonly unicode: boolean;
}

/** The name as this file system compares it. */
export function foldName(path: RawPath, folding: Folding): string {
  if (!folding.case && !folding.unicode) return path;
  let text = comparableText(path);
  if (folding.unicode) text = text.normalize('NFC');
  return folding.case ? text.toLowerCase().toUpperCase() : text;
}

export interface Collision {
  readonly index: number;
  /** The first one. */
  readonly with: number;
}

/** Entries whose place is taken by an earlier one. */
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

const SHOWN = 10;

/** The refusal of `--flatten`: nothing is written when two files would get one name. */
export function flattenRefusal(collisions: readonly Collision[], pathOf: (index: number) => RawPath): ArchiverError {
  const shown = collisions
    .slice(0, SHOWN)
    .map((c) => `${displayPath(pathOf(c.with))} and ${displayPath(pathOf(c.index))}`);
  const more = collisions.length > SHOWN ? `; and ${collisions.length - SHOWN} more` : '';
  return new ArchiverError('conflict', `with --flatten these would get the same name: ${shown.join('; ')}${more}`, {
    hint: 'restore without --flatten, or choose fewer files',
  });
}
