// What is known of files together: how much they are, and how much of it is old.

export interface Sums {
  /** Everything but folders; each name counts. */
  readonly files: number;
  /** Apparent size, as an upload holds it; a file with several names counts once. */
  readonly bytes: number;
  /** On disk; of large sparse files what is not a hole. */
  readonly allocatedBytes: number;
  readonly oldFiles: number;
  readonly oldAllocatedBytes: number;
  readonly oldBytes: number;
  /** Old bytes times their age in days. */
  readonly heat: number;
  /** Least age, in days; infinite where there is no file. */
  readonly newestDays: number;
}

export const NOTHING: Sums = {
  files: 0,
  bytes: 0,
  allocatedBytes: 0,
  oldFiles: 0,
  oldAllocatedBytes: 0,
  oldBytes: 0,
  heat: 0,
  newestDays: Infinity,
};

/** Returns the sums of both. */
export const plus = (one: Sums, other: Sums): Sums => ({
  files: one.files + other.files,
  bytes: one.bytes + other.bytes,
  allocatedBytes: one.allocatedBytes + other.allocatedBytes,
  oldFiles: one.oldFiles + other.oldFiles,
  oldAllocatedBytes: one.oldAllocatedBytes + other.oldAllocatedBytes,
  oldBytes: one.oldBytes + other.oldBytes,
  heat: one.heat + other.heat,
  newestDays: Math.min(one.newestDays, other.newestDays),
});

export const sumOf = (all: Iterable<Sums>): Sums => {
  let sum = NOTHING;
  for (const one of all) sum = plus(sum, one);
  return sum;
};
