// Verifies what tests made: all content, unless a test asks for less.
import { verifyStore, type VerifyStoreOptions } from '../../src/core/mend/verify/verify-store.js';
import type { StoreVerdict } from '../../src/core/mend/verify/store-verdict.js';
import { verifyUpload, type VerifyOptions, type VerifyResult } from '../../src/core/mend/verify/verify.js';
import type { ObjectReader } from '../../src/core/store/object-store.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';

/** What to check: all. */
export const everything = (): Omit<VerifyOptions, 'reader' | 'uploadId'> => ({
  mode: 'deep',
  sample: 1,
  random: () => 0,
  now: () => new Date(),
  requestsAtOnce: 4,
  emit: () => undefined,
  signal: new AbortController().signal,
});

/** Verifies one upload. */
export const verifyMade = (
  reader: ObjectReader,
  uploadId: UploadId,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyResult> => verifyUpload({ ...everything(), reader, uploadId, ...options });

/** Verifies every version of a store. */
export const verifyMadeStore = (
  reader: ObjectReader,
  options: Partial<VerifyStoreOptions> = {},
): Promise<StoreVerdict> => verifyStore({ ...everything(), reader, ...options });
