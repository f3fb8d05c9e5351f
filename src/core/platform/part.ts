import { createHash } from 'node:crypto';

/** One of several parts of a work that as many calls do. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly of: number;
}

/**
 * Tells whether a name is one of a part, by nothing but the name: parts that list names at different times, while others come and go, never
 * take the same one, and leave none.
 */
export function isNameOfPart(name: string, { number, of }: Part): boolean {
  return createHash('sha256').update(name).digest().readUIntBE(0, 6) % of === number - 1;
}
