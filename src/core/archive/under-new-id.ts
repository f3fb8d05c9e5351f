// Continues an upload under another id: what lies under the old one is referred to if it is sound, as everything is that this process has
// not put under its present id (rules.md#looks); what is not sound is packed again. This is for uploads that lost an ordinal, met a fence,
// or find that something was given up or deleted while they slept (rules.md#own-looks, rules.md#fence). An old manifest is never
// overwritten.
import { checkReferences } from '../dataset/check-references.js';
import { integrityError } from '../platform/failures/errors.js';
import { newUploadId } from '../store/ids/upload-id.js';
import type { Stale } from './commit/commitment.js';
import { notWhole, notWholeText } from './commit/commit-checks.js';
import { reopenLost } from './scan/reopen-rows.js';
import type { UploadRun } from './run/upload-run.js';
import { type Encryption, encryptionFor } from './run/upload-encryption.js';

/** Most times that a run goes on although something of it was not sound: a store that loses everything is not worth going on with. */
const MAX_STALE = 3;

/**
 * Returns the upload under a new id, which the journal knows before anything lies under it. Rows whose content is not sound any more are
 * pending again. Costs one LIST for each folder that chunks were sent to. @throws what the store throws
 */
export async function underNewId(run: UploadRun, settled: Encryption = run.encryption): Promise<UploadRun> {
  const { store, ledger, signal } = run;
  // Chunks that an interrupted run has sent and this one did not take over are not checked again, so they are not used.
  const { resumed: _resumed, ...rest } = run;
  ledger.leave(run.uploadId);
  const uploadId = newUploadId(run.now(), run.randomBytes(4));
  const chunks = ledger.chunks();
  const look = await checkReferences(store, { uploadId, objects: chunks }, signal);
  const unsound = chunks.filter((_, position) => look?.unsound.has(position) ?? true); // a writer that may not list refers to nothing
  if (unsound.length > 0) ledger.forget(reopenLost(ledger.table, ledger.extras, ledger.lose(unsound)));
  await run.resume.journal?.movedTo(uploadId);
  return { ...rest, uploadId, encryption: encryptionFor(settled, store, uploadId, signal) };
}

/**
 * Does the same when a manifest, or what it refers to, was not sound, and reports it. @throws integrity when that happens again and again
 */
export async function afterStale(run: UploadRun, { why, version }: Stale, settled?: Encryption): Promise<UploadRun> {
  const { emit, notWhole: before, staleRounds = 0 } = run;
  if (staleRounds >= MAX_STALE) {
    if (version !== undefined) throw notWhole(run, version, why);
    throw integrityError(why, { hint: 'nothing was committed; run the upload again' });
  }
  if (version === undefined) emit({ type: 'note', text: `${why}: what is not sound is sent again` });
  else {
    const text = notWholeText(run, version, why);
    before.push({ uploadId: run.uploadId, version, text });
    emit({ type: 'note', text: `${text}: it follows as the next version` });
  }
  return { ...(await underNewId(run, settled)), staleRounds: staleRounds + 1 };
}
