import type { UnfinishedMultipart } from './object-store.js';

/** Returns the bytes of unfinished writes, as far as the store tells them. */
export const unfinishedBytes = (writes: readonly UnfinishedMultipart[]): number =>
  writes.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
