import { isArchiverError } from '../platform/failures/errors.js';

/**
 * Why nobody knows which multipart uploads are unfinished: `denied`: these credentials may not list them; `unsupported`: the store
 * lists none, whatever it holds; `not-asked`: only an inventory was read.
 */
export type UnfinishedHidden = 'denied' | 'unsupported' | 'not-asked';

const REASONS: Readonly<Record<UnfinishedHidden, string>> = {
  denied: 'listing them is denied (s3:ListBucketMultipartUploads)',
  unsupported: 'this store does not list them',
  'not-asked': 'no inventory has them',
};

/** What cannot be said of unfinished uploads, for a person. */
export const unfinishedHiddenText = (hidden: UnfinishedHidden): string =>
  `unfinished uploads, if there are any, cannot be seen: ${REASONS[hidden]}`;

/** What a failed listing of them means. @throws the failure, where it says nothing of the kind */
export function unfinishedHidden(error: unknown): UnfinishedHidden {
  // A right of its own, and an operation of its own.
  if (isArchiverError(error, 'access-denied')) return 'denied';
  if (isArchiverError(error, 'unsupported')) return 'unsupported';
  throw error;
}
