// Which upload a command means, and how to reach its store: a URL, or --bucket, --prefix and --upload-id.
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/failures/errors.js';
import type { EventSink } from '../../core/events.js';
import { openStore, type OpenedStore } from '../../core/object-store/open-store.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl, type UploadLocation } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';

export interface UploadTargetValues {
  readonly bucket: string | undefined;
  readonly prefix: string;
  readonly uploadId: string | undefined;
}

export interface StoreValues {
  readonly region: string;
  readonly profile: string | undefined;
  readonly endpointUrl: string | undefined;
  readonly limitDownload?: number | undefined;
  /** Of commands that may also write there. */
  readonly storeMode?: number | undefined;
}

const UPLOAD_ID = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const EXAMPLE = 's3://bucket/prefix/uploads/20251114-093012-1a2b3c4d';

/** The base and id of the upload. @throws usage with what is missing */
export function uploadTarget(url: string | undefined, values: UploadTargetValues): UploadLocation {
  if (url !== undefined && values.bucket !== undefined) throw usageError('give either a URL or --bucket, not both');
  return url === undefined ? fromFlags(values) : fromUrl(url, values.uploadId);
}

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
  const base = bucket.includes('://') ? bucket : `s3://${bucket}`;
  return { baseUrl: joinStoreUrl(base, prefix), uploadId: checkId(uploadId) };
}

function checkId(uploadId: string): string {
  if (!UPLOAD_ID.test(uploadId))
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
export const uploadUrl = ({ baseUrl, uploadId }: UploadLocation): string => `${baseUrl}/uploads/${uploadId}`;

/** Opens the store of a base for reading. */
export async function openForReading(
  baseUrl: string,
  values: StoreValues,
  context: Context,
  options: { readonly requestsAtOnce?: number; readonly onEvent?: EventSink } = {},
): Promise<OpenedStore> {
  return await openStore(baseUrl, {
    env: context.env,
    region: values.region,
    regionGiven: context.origins['region'] !== 'default',
    defaultRegion: values.region,
    profile: values.profile,
    endpointUrl: values.endpointUrl,
    limitDownloadBytesPerSecond: values.limitDownload,
    storeMode: values.storeMode,
    ...(options.requestsAtOnce === undefined ? {} : { maxSockets: options.requestsAtOnce + 2 }),
    onEvent: options.onEvent,
    signal: context.signal,
  });
}
