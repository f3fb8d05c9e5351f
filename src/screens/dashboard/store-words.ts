// Texts that the views of a store share.
import type { ErrorCode } from '../../core/platform/failures/errors.js';
import type { StoredUpload } from '../../core/dataset/inventory/stored-upload.js';
import type { Target } from './dashboard-context.js';

/** A hint what to type when no store is given; undefined when there is one. */
export const missingStoreHint = ({ url }: Target): string | undefined =>
  url === undefined
    ? 'archiver dashboard s3://BUCKET/PREFIX shows what is in a store; a folder serves as well'
    : undefined;

/** The reason why an upload cannot be read, in a word or two. */
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

/** An upload as JSON, without what cannot be read. */
export function uploadDocument({ datasetId, version, tags, createdAt, record, front, checks, problem }: StoredUpload) {
  const { source = null, host = null, writerId = null, ...facts } = record ?? {};
  const { branch: _branch, ...about } = front ?? {};
  const named = { source, host, writerId };
  return {
    ...facts,
    ...named,
    datasetId,
    version,
    tags,
    createdAt,
    ...about,
    failedCheckAt: checks?.failure?.endedAt ?? null,
    provenAt: checks?.sound.drill?.endedAt ?? null,
    problem: problem?.message ?? null,
  };
}
