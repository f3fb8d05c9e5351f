import type { UnfinishedHidden } from '../../core/object-store/unfinished-hidden.js';

/** Why unfinished uploads are not told of. */
const REASONS: Readonly<Record<UnfinishedHidden, string>> = {
  denied: 'listing them is denied (s3:ListBucketMultipartUploads)',
  unsupported: 'this store does not list them',
  'not-asked': 'no inventory has them',
};

/** What cannot be said of unfinished uploads, for a person. */
export const unfinishedHiddenText = (hidden: UnfinishedHidden): string =>
  `unfinished uploads, if there are any, cannot be seen: ${REASONS[hidden]}`;
