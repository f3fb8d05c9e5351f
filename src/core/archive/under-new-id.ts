// An upload whose manifest was tried can only go on under another id: what was put under the old one stays there, is
// referred to, and nobody ever writes its manifest over (commit protocol, Protocol 2, rule 6).
import { newUploadId } from '../dataset/records/identity.js';
import { type Encryption, encryptionFor } from './upload-encryption.js';
import type { UploadJob } from './upload-job.js';

/** The same upload under a new id, which the journal knows of before anything lies under it. */
export async function underNewId(job: UploadJob, settled: Encryption = job.encryption): Promise<UploadJob> {
  const { options, opened, ledger } = job;
  ledger.leave(job.uploadId);
  const uploadId = newUploadId(options.now(), options.randomBytes(4));
  await options.journal?.movedTo(uploadId);
  const encryption = encryptionFor(settled, opened.store, uploadId, options.signal);
  return { ...job, uploadId, encryption, location: `${opened.store.url}/uploads/${uploadId}` };
}
