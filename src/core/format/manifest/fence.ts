// A fence (rules.md#fence): a sweep puts it in place of the manifest of an upload that no version record names, before it deletes anything
// of it. Either manifest or fence wins, so that a writer that slept cannot commit into a folder that is being swept. It stays for ever. A
// fence has exactly `FENCE_BYTES`, which no manifest has, so that a listing is enough to skip the folder; whoever reads the object checks
// its bytes.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectInfo } from '../../store/object-store.js';
import { MANIFEST_NAME, type UploadId } from '../../store/ids/upload-id.js';

const FORMAT = 1;
const FENCE_TYPE = 'archiver-fence';
/** IDs and times always have the same length. The smallest manifest is more than twice as long. */
export const FENCE_BYTES = 113;
/** Limit for fences, including those of later formats. */
export const MAX_FENCE_BYTES = 4096;

/** Encodes a fence; `now` is the time of the store. */
export const encodeFence = (uploadId: UploadId, now: Date): Buffer =>
  Buffer.from(
    `${JSON.stringify({ format: FORMAT, type: FENCE_TYPE, uploadId, fencedAt: now.toISOString() })}\n`,
    'utf8',
  );

/** True for a fence of this or a later format; false for manifests and anything else. */
export function isFence(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x7b || bytes.length > MAX_FENCE_BYTES) return false;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed && parsed.type === FENCE_TYPE;
  } catch {
    return false; // text that is no JSON is no fence
  }
}

/** True for an object of a listing that is a fence. */
export const isFenceObject = ({ key, sizeBytes }: Pick<ObjectInfo, 'key' | 'sizeBytes'>): boolean =>
  sizeBytes === FENCE_BYTES && key.endsWith(`/${MANIFEST_NAME}`);

/** The error for a fence found in place of a manifest. */
export class SweptUpload extends ArchiverError {
  constructor(uploadId: UploadId, url: string) {
    super('not-found', `upload ${uploadId} was given up before it became a version, and a prune swept it`, {
      hint: `archiver list ${url} shows the uploads that there are`,
    });
  }
}
