/**
 * Returns a key that nobody has put yet, for an object that is put to ask a store something; if it may not be deleted again, a prune sweeps
 * it.
 */
export const probeKey = (folder: string, randomBytes: (count: number) => Uint8Array): string =>
  `${folder}create-once-${Buffer.from(randomBytes(8)).toString('hex')}`;
