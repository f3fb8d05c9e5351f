// An upload that attempted to write its manifest can only continue under another id: what was put under the old one stays,
// is referred to, and its manifest is never overwritten (commit protocol, Protocol 2, rule 6).
import { newUploadId } from '../manifest/upload-id.js';
import type { Job } from './job.js';
import { type Encryption, encryptionFor } from './upload-encryption.js';

/** The same upload under a new id, which the journal knows of before anything lies under it. */
export async function underNewId(job: Job, settled: Encryption = job.encryption): Promise<Job> {
  job.ledger.leave(job.uploadId);
  const uploadId = newUploadId(job.now(), job.randomBytes(4));
  await job.resume.journal?.movedTo(uploadId);
  return { ...job, uploadId, encryption: encryptionFor(settled, job.store, uploadId, job.signal) };
}
