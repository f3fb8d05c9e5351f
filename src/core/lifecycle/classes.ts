// The order in which lifecycle rules can move objects: each class to later ones only (S3 user guide, "Transitioning objects").
const ORDER = [
  'STANDARD',
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
] as const;

/** Where the class stands in it; undefined for one that rules do not know. */
export function rankOf(storageClass: string): number | undefined {
  const rank = ORDER.findIndex((name) => name === storageClass);
  return rank < 0 ? undefined : rank;
}

/** Classes that a rule can move objects to. */
export const TRANSITION_CLASSES: readonly string[] = ORDER.slice(1);

/** Smaller objects are not moved, unless a filter or the bucket says otherwise. */
export const MIN_MOVED_BYTES = 128 * 1024;

/** An object of this class and size goes there. */
export function canMove(from: string, sizeBytes: number, to: string): boolean {
  const [here, there] = [rankOf(from), rankOf(to)];
  return here !== undefined && there !== undefined && here < there && sizeBytes >= MIN_MOVED_BYTES;
}
