// An upload that attempted to write its manifest can only continue under another id: what was put under the old one stays,
// is referred to, and its manifest is never overwritten (commit protocol, Protocol 2, rule 6).
import { newUploadId } from '../manifest/upload-id.js';
import type { UploadRun } from './upload-run.js';
import { type Encryption, encryptionFor } from './upload-encryption.js';

/** The same upload under a new id, which the journal knows of before anything lies under it. */
export async function underNewId(run: UploadRun, settled: Encryption = run.encryption): Promise<UploadRun> {
  run.ledger.leave(run.uploadId);
  const uploadId = newUploadId(run.now(), run.randomBytes(4));
  await run.resume.journal?.movedTo(uploadId);
  return { ...run, uploadId, encryption: encryptionFor(settled, run.store, uploadId, run.signal) };
}
