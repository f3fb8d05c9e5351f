// Where lifecycle rules can move objects (S3 user guide, "Transitioning objects using S3 Lifecycle"): each class to later ones only.
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
const MIN_MOVED_BYTES = 128 * 1024;

/** Objects go to the IA classes only so many days after they were made, and stay there as long. */
export const waitDays = (storageClass: string): number => (/^(?:STANDARD|ONEZONE)_IA$/.test(storageClass) ? 30 : 0);

/** Objects of this class go there. */
export function mayMove(from: string, to: string): boolean {
  const [here, there] = [rankOf(from), rankOf(to)];
  const isApart = from === 'ONEZONE_IA' && to === 'GLACIER_IR';
  return here !== undefined && there !== undefined && here < there && !isApart;
}

/** An object of this class and size goes there. */
export const canMove = (from: string, sizeBytes: number, to: string): boolean =>
  mayMove(from, to) && sizeBytes >= MIN_MOVED_BYTES;
