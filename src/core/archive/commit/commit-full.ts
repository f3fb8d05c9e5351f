// The end of an upload that lists everything it stored. A plain upload takes the first ordinal that is free. A sync whose
// dataset had no version takes the first one and no other: beaten to it, it has to be compared with the version that won, or
// what only that one has would be missing from the next (commit protocol, Protocol 2, rule 9).
import { rememberHead } from '../changes/baseline.js';
import type { UploadJob } from '../upload-job.js';
import type { UploadResult } from '../upload.js';
import { commitAt, commitNext, type Commitment, type PreparedManifest, staleError } from './commit-upload.js';

export interface Ordinal {
  /** The highest one that is known; 0 for none. */
  readonly highest: number;
  /** False for a writer that may not list. */
  readonly isListed: boolean;
}

/** `beaten`: what was sent stays there, and the manifest was tried. */
export type FullOutcome = { readonly result: UploadResult } | { readonly beaten: UploadJob };

/** Commits the listing and tells what came of it. @throws as `commitAt` and `commitNext` do */
export async function commitFull(
  job: UploadJob,
  prepared: PreparedManifest,
  { highest, isListed }: Ordinal,
  resultOf: (version: number) => UploadResult,
): Promise<FullOutcome> {
  job.options.emit({ type: 'phase', phase: 'committing' });
  const encoded = await prepared.encoded;
  const commitment: Commitment = { ...prepared, encoded, listing: 'full' };
  const mustBeFirst = job.options.changes !== undefined && isListed;
  const committed = mustBeFirst
    ? await commitAt(job, commitment, highest + 1)
    : await commitNext(job, commitment, highest);
  if (committed === 'stale') throw staleError(job);
  if (committed === 'taken') return { beaten: job };
  await rememberHead(job, encoded, committed);
  return { result: resultOf(committed.version) };
}
