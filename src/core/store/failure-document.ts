// Returns an object that could not be deleted as data for programs.
import type { DeleteFailure } from './object-store.js';

export const failureDocument = ({ key, versionId, reason }: DeleteFailure) => ({
  key,
  ...(versionId === undefined ? {} : { versionId }),
  reason,
});
