// The classes between which lifecycle rules can move objects (S3 user guide, "Transitioning objects using S3 Lifecycle"): each only to
// later ones.
const ORDER = [
  'STANDARD',
  'STANDARD_IA',
  'INTELLIGENT_TIERING',
  'ONEZONE_IA',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
] as const;

/** Returns the position of the class in this order; undefined for one that rules do not know. */
export function rankOf(storageClass: string): number | undefined {
  const rank = ORDER.findIndex((name) => name === storageClass);
  return rank < 0 ? undefined : rank;
}

/** Classes that a rule can move objects to. */
export const TRANSITION_CLASSES: readonly string[] = ORDER.slice(1);

/** Smaller objects are not moved, unless a filter or the bucket says otherwise. */
const MIN_MOVED_BYTES = 128 * 1024;

/** Returns the days that objects must exist before a move to this class (the IA classes), and then stay there. */
export const waitDays = (storageClass: string): number => (/^(?:STANDARD|ONEZONE)_IA$/.test(storageClass) ? 30 : 0);

/** Tells whether rules can move objects from one class to the other. */
export function mayMove(from: string, to: string): boolean {
  const [here, there] = [rankOf(from), rankOf(to)];
  const isApart = from === 'ONEZONE_IA' && to === 'GLACIER_IR';
  return here !== undefined && there !== undefined && here < there && !isApart;
}

/** Tells whether rules can move an object of this class and size. */
export const canMove = (from: string, sizeBytes: number, to: string): boolean =>
  mayMove(from, to) && sizeBytes >= MIN_MOVED_BYTES;
