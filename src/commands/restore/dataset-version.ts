// `restore --dataset-id`: from a dataset and a version or day to the upload that holds it.
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/failures/errors.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { parseVersionSelector, resolveVersion, type VersionSelector } from '../../core/dataset/version-selector.js';
import { digestsOf } from '../../core/dataset/version-view.js';
import { joinStoreUrl, type UploadLocation } from '../../core/object-store/store-url.js';
import { datasetBase } from '../dataset/dataset-base.js';
import { openForReading, type StoreValues } from '../inspect/upload-target.js';

export interface DatasetVersion {
  readonly datasetId: string;
  readonly version: number;
  /** Digests that its manifest may have. */
  readonly manifestSha256: readonly string[];
  readonly target: UploadLocation;
}

interface SelectorValues {
  readonly datasetId: string | undefined;
  readonly version: number | undefined;
  readonly asOf: string | undefined;
}

/** The version that --version or --as-of name, else the newest. @throws usage for a day that is none */
export function versionSelector({ version, asOf }: SelectorValues): VersionSelector {
  if (version !== undefined) return { kind: 'ordinal', version };
  if (asOf === undefined) return { kind: 'head' };
  const selector = parseVersionSelector(asOf);
  if (selector.kind !== 'day')
    throw usageError('--as-of wants a day such as 2026-03-31', 'a version goes to --version');
  return selector;
}

/** The base that the dataset lies under. @throws usage when it is not named, or an upload is named instead */
export function datasetTarget(
  url: string | undefined,
  { bucket, prefix }: { readonly bucket: string | undefined; readonly prefix: string },
): string {
  if (url !== undefined && bucket !== undefined) throw usageError('give either a URL or --bucket, not both');
  if (url !== undefined) return datasetBase(url, undefined);
  if (bucket === undefined) throw usageError('S3_URL is missing: the bucket and prefix that the dataset lies under');
  return joinStoreUrl(bucket.includes('://') ? bucket : `s3://${bucket}`, prefix);
}

/** Asks the store which upload the version is. @throws what `resolveVersion` throws */
export async function findVersion(
  values: SelectorValues & StoreValues,
  baseUrl: string,
  selector: VersionSelector,
  context: Context,
): Promise<DatasetVersion> {
  const datasetId = checkDatasetId(values.datasetId ?? '');
  const opened = await openForReading(baseUrl, values, context);
  try {
    const record = await resolveVersion(opened.store, datasetId, selector, context.signal);
    const { uploadId, version } = record;
    return { datasetId, version, manifestSha256: digestsOf(record), target: { baseUrl, uploadId } };
  } finally {
    opened.close();
  }
}
