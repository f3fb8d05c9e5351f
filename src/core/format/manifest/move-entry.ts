// Moves entries from one list of chunks to another.
import type { Entry } from './manifest-types.js';

/** Returns the position of a chunk in the other list. */
export type Placing = (chunk: number) => number;

/** Of the same list. */
export const inPlace: Placing = (chunk) => chunk;

/** The entry with the positions that its chunks have in the other list; the same object where none differs. */
export function moveEntry(entry: Entry, place: Placing): Entry {
  const moved = moveSegments(entry, place);
  const chunk = entry.chunk === undefined ? undefined : place(entry.chunk);
  return chunk === undefined || chunk === entry.chunk ? moved : { ...moved, chunk };
}

/** The same for segments alone. */
export function moveSegments<T extends Pick<Entry, 'segments'> | undefined>(entry: T, place: Placing): T {
  const segments = entry?.segments;
  return segments?.some(({ chunk }) => place(chunk) !== chunk) === true
    ? { ...entry, segments: segments.map((piece) => ({ ...piece, chunk: place(piece.chunk) })) }
    : entry;
}
