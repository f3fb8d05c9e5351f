// Amounts that a run has reserved, and for how long. Pure, and without the schemas that the book is read by: every start of the program loads it.

/** A run renews its reservation as long as it lives, so that one of a dead run does not block others for long. */
export const RESERVED_MS = 15 * 60_000;

/** What a run has reserved: micro-dollars (0 where the cost is not known) and bytes. */
export interface Reserved {
  readonly micros: number;
  readonly bytes: number;
}

/** Returns the sum of reserved amounts. */
export const sumOfReserved = (all: Iterable<Reserved>): Reserved => {
  let [micros, bytes] = [0, 0];
  for (const one of all) [micros, bytes] = [micros + one.micros, bytes + one.bytes];
  return { micros, bytes };
};
