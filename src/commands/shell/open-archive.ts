// Opens the upload, or the version of a dataset, that a shell looks into.
import type { Context } from '../../cli/context.js';
import { runWithProgress } from '../../cli/progress.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { resolveVersion } from '../../core/dataset/records/version-selector.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import type { EventSink } from '../../core/events.js';
import { ignoreEvents } from '../../core/progress-meter.js';
import { loadListing } from '../../core/listing/load-listing.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import { openForReading, type StoreValues } from '../kit/store.js';
import { uploadTarget, type UploadTargetValues, uploadUrl } from '../kit/upload-target.js';
import { datasetTarget } from '../kit/dataset-target.js';
import { versionSelector } from '../kit/dataset-version.js';
import { openFrameCache } from '../kit/frame-cache.js';
import type { OpenArchive } from './archive-session.js';

/** What is there sooner needs no display. */
const SHOW_AFTER_MS = 200;

interface ArchiveValues extends UploadTargetValues, StoreValues {
  readonly datasetId: string | undefined;
  readonly version: number | undefined;
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
  const target = isDataset ? { baseUrl: datasetTarget(url, values), uploadId: '' } : uploadTarget(url, values);
  const { baseUrl } = target;
  // The store outlives the loading, and only that is followed.
  let follow: EventSink = ignoreEvents;
  const opened = await openForReading(baseUrl, values, context, { onEvent: (event) => follow(event) });
  try {
    const { store } = opened;
    const record =
      values.datasetId === undefined
        ? undefined
        : await resolveVersion(store, checkDatasetId(values.datasetId), selector, context.signal);
    const uploadId = record?.uploadId ?? target.uploadId;
    const manifestSha256 = record === undefined ? undefined : digestsOf(record);
    const location = uploadUrl({ baseUrl, uploadId });
    // Off a terminal a script waits for its own output alone.
    const progressFormat = context.stderr.isTTY === true ? undefined : 'none';
    const { listing } = await runWithProgress(context, { progressFormat, showAfterMs: SHOW_AFTER_MS }, (emit) => {
      follow = emit;
      emit({ type: 'start', operation: 'load', source: location, target: '' });
      return loadListing(store, {
        uploadId,
        ...(manifestSha256 === undefined ? {} : { sha256: manifestSha256 }),
        emit,
        signal: context.signal,
      });
    });
    follow = ignoreEvents;
    await remember(baseUrl, opened, context);
    const cache = await openFrameCache(values, context);
    return { archive: { listing, reader: store, uploadId, manifestSha256, location, cache }, opened };
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
