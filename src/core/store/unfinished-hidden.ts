import { isArchiverError } from '../platform/failures/errors.js';

/**
 * Why unfinished multipart uploads cannot be seen: `denied`: these credentials may not list them; `unsupported`: the store lists none,
 * whatever it holds; `not-asked`: only an inventory was read.
 */
export type UnfinishedHidden = 'denied' | 'unsupported' | 'not-asked';

const REASONS: Readonly<Record<UnfinishedHidden, string>> = {
  denied: 'listing them is denied (s3:ListBucketMultipartUploads)',
  unsupported: 'this store does not list them',
  'not-asked': 'no inventory has them',
};

/** Explains for people that unfinished uploads cannot be seen. */
export const unfinishedHiddenText = (hidden: UnfinishedHidden): string =>
  `unfinished uploads, if there are any, cannot be seen: ${REASONS[hidden]}`;

/** Returns why a listing of them failed. @throws the failure, if it says nothing of the kind */
export function unfinishedHidden(error: unknown): UnfinishedHidden {
  // Listing them needs a permission of its own, and is an operation of its own.
  if (isArchiverError(error, 'access-denied')) return 'denied';
  if (isArchiverError(error, 'unsupported')) return 'unsupported';
  throw error;
}
