import type { UnfinishedMultipart } from './object-store.js';

/** Bytes of unfinished writes, as far as the store says how many. */
export const unfinishedBytes = (writes: readonly UnfinishedMultipart[]): number =>
  writes.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
