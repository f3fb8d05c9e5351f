// An upload whose manifest was tried can only go on under another id: what was put under the old one stays there, is
// referred to, and nobody ever writes its manifest over (commit protocol, Protocol 2, rule 6).
import { newUploadId } from '../dataset/records/identity.js';
import type { Job } from './job.js';
import { type Encryption, encryptionFor } from './upload-encryption.js';

/** The same upload under a new id, which the journal knows of before anything lies under it. */
export async function underNewId(job: Job, settled: Encryption = job.encryption): Promise<Job> {
  job.ledger.leave(job.uploadId);
  const uploadId = newUploadId(job.now(), job.randomBytes(4));
  await job.resume.journal?.movedTo(uploadId);
  return { ...job, uploadId, encryption: encryptionFor(settled, job.store, uploadId, job.signal) };
}
