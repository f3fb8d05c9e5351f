// What the views of a store have in common.
import type { ErrorCode } from '../../core/platform/failures/errors.js';
import type { StoredUpload } from '../../core/dataset/inventory/stored-upload.js';
import type { Target } from './dashboard-context.js';

/** What to type for a store to look at. */
export const storeLacks = ({ url }: Target): string | undefined =>
  url === undefined
    ? 'archiver dashboard s3://BUCKET/PREFIX shows what is in a store; a folder serves as well'
    : undefined;

/** Why an upload cannot be read, in a word or two. */
export const WHY: Partial<Record<ErrorCode, string>> = {
  'access-denied': 'access denied',
  credentials: 'not signed in',
  integrity: 'damaged',
  'not-found': 'manifest missing',
  unsupported: 'needs a newer archiver',
  stalled: 'no answer',
  store: 'store error',
  io: 'disk error',
  conflict: 'just replaced',
};

/** An upload as JSON; what cannot be read is not in it. */
export function uploadDocument({ datasetId, version, tags, createdAt, record, front, problem }: StoredUpload) {
  const { source = null, host = null, writerId = null, ...facts } = record ?? {};
  const { branch: _branch, ...about } = front ?? {};
  const named = { source, host, writerId };
  return { ...facts, ...named, datasetId, version, tags, createdAt, ...about, problem: problem?.message ?? null };
}
