/** Bytes of every tombstone. A record has more than 500; a tombstone with the longest id of a dataset has 387. */
export const TOMBSTONE_BYTES = 400;
