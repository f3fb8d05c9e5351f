// Which upload a command means: a URL, or --bucket, --prefix and --upload-id.
import { usageError } from '../../core/failures/errors.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl, type UploadLocation } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import { mayBeUploadId, uploadUrlOf, type UploadId } from '../../core/manifest/upload-id.js';

export interface UploadTargetValues {
  readonly bucket: string | undefined;
  readonly prefix: string;
  readonly uploadId: string | undefined;
}

const EXAMPLE = 's3://bucket/prefix/uploads/20251114-093012-1a2b3c4d';

/** The base and id of the upload. @throws usage with what is missing */
export function uploadTarget(url: string | undefined, values: UploadTargetValues): UploadLocation {
  if (url !== undefined && values.bucket !== undefined) throw usageError('give either a URL or --bucket, not both');
  return url === undefined ? fromFlags(values) : fromUrl(url, values.uploadId);
}

/** The store that is meant where no upload is named; undefined otherwise, and where neither is. */
export const storeOf = (
  url: string | undefined,
  { bucket, prefix, uploadId }: UploadTargetValues,
): string | undefined => {
  if (uploadId !== undefined || (url !== undefined && bucket !== undefined)) return undefined;
  if (url !== undefined) return splitUploadUrl(url) === undefined ? joinStoreUrl(url) : undefined;
  return bucket === undefined ? undefined : joinStoreUrl(bucketUrl(bucket), prefix);
};

function fromUrl(url: string, uploadId: string | undefined): UploadLocation {
  const named = splitUploadUrl(url);
  if (named !== undefined) {
    if (uploadId !== undefined && uploadId !== named.uploadId)
      throw usageError('--upload-id and the URL name different uploads');
    return { baseUrl: named.baseUrl, uploadId: checkId(named.uploadId) };
  }
  if (uploadId !== undefined) return { baseUrl: joinStoreUrl(url), uploadId: checkId(uploadId) };
  parseStoreUrl(url);
  throw usageError(
    `${printable(url)} does not name an upload`,
    `write the upload's URL, such as ${EXAMPLE}, or add --upload-id`,
  );
}

function fromFlags({ bucket, prefix, uploadId }: UploadTargetValues): UploadLocation {
  const missing = [...(bucket === undefined ? ['--bucket'] : []), ...(uploadId === undefined ? ['--upload-id'] : [])];
  if (bucket === undefined || uploadId === undefined) {
    throw usageError(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`,
      `or name the upload by its URL: ${EXAMPLE}`,
    );
  }
  return { baseUrl: joinStoreUrl(bucketUrl(bucket), prefix), uploadId: checkId(uploadId) };
}

function checkId(uploadId: string): UploadId {
  if (!mayBeUploadId(uploadId))
    throw usageError(`'${printable(uploadId)}' is not an upload id`, 'it looks like 20251114-093012-1a2b3c4d');
  return uploadId;
}

/** The arguments S3_URL and OUTPUT_DIR; with --bucket the only one is the folder. */
export const urlAndFolder = (
  { bucket }: Pick<UploadTargetValues, 'bucket'>,
  [first, second]: readonly [string | undefined, string | undefined],
): readonly [url: string | undefined, folder: string | undefined] =>
  bucket !== undefined && second === undefined && first?.includes('://') !== true
    ? [undefined, first]
    : [first, second];

/** The URL of the upload itself. */
export const uploadUrl = ({ baseUrl, uploadId }: UploadLocation): string => uploadUrlOf(baseUrl, uploadId);

/** --bucket takes a name or the URL of a place. */
export const bucketUrl = (bucket: string): string => (bucket.includes('://') ? bucket : `s3://${bucket}`);
