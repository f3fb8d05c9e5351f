// Opens the upload, or the version of a dataset, that a shell looks into.
import type { Context } from '../../cli/context.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { resolveVersion } from '../../core/dataset/records/version-selector.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import { loadListing } from '../../core/listing/load-listing.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import { openForSession, type StoreValues } from '../kit/store.js';
import { whileReading } from '../kit/while-reading.js';
import { uploadTarget, type UploadTargetValues, uploadUrl } from '../kit/upload-target.js';
import { datasetTarget } from '../kit/dataset-target.js';
import { versionSelector } from '../kit/dataset-version.js';
import { openFrameCache } from '../kit/frame-cache.js';
import type { OpenArchive } from './archive-session.js';

interface ArchiveValues extends UploadTargetValues, StoreValues {
  readonly datasetId: string | undefined;
  readonly version: string | undefined;
  readonly asOf: string | undefined;
  readonly cacheGb: number;
}

export interface OpenedArchive {
  readonly archive: OpenArchive;
  readonly opened: OpenedStore;
}

/** Loads what the archive lists. @throws usage, what `resolveVersion` and `loadListing` throw */
export async function openArchive(
  values: ArchiveValues,
  url: string | undefined,
  context: Context,
): Promise<OpenedArchive> {
  const isDataset = values.datasetId !== undefined;
  const selector = versionSelector(values);
  const target = isDataset ? { baseUrl: datasetTarget(url, values), uploadId: undefined } : uploadTarget(url, values);
  const { baseUrl } = target;
  const { opened, during } = await openForSession(baseUrl, values, context);
  try {
    const { store } = opened;
    const record =
      values.datasetId === undefined
        ? undefined
        : await resolveVersion(store, checkDatasetId(values.datasetId), selector, context.signal);
    const uploadId = record?.uploadId ?? target.uploadId;
    if (uploadId === undefined) throw new Error('neither an upload nor a dataset is named');
    const manifestSha256 = record === undefined ? undefined : digestsOf(record);
    const location = uploadUrl({ baseUrl, uploadId });
    const { signal } = context;
    const listing = await whileReading(context, location, (emit) =>
      during(emit, () => loadListing(store, { uploadId, sha256: manifestSha256, emit, signal })),
    );
    await remember(baseUrl, opened, context);
    const cache = await openFrameCache(values, context);
    return { archive: { listing, reader: store, uploadId, manifestSha256, location, cache, during }, opened };
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function remember(
  url: string,
  { region, servers }: Pick<OpenedStore, 'region' | 'servers'>,
  context: Context,
): Promise<void> {
  const endpointUrl = servers?.store ?? undefined;
  const trouble = await rememberStore(contextPath(context.userHome), { url, region, endpointUrl });
  if (trouble !== undefined) context.debug(trouble);
}
