// Opens the upload, or the version of a dataset, that a shell looks into.
import type { Context } from '../../cli/context.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import { resolveVersion } from '../../core/dataset/records/version-selector.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import { loadListing } from '../../core/listing/load-listing.js';
import type { OpenedStore } from '../../core/object-store/open-store.js';
import { formatCount } from '../../ui/format.js';
import { openForReading, type StoreValues } from '../kit/store.js';
import { uploadTarget, type UploadTargetValues, uploadUrl } from '../kit/upload-target.js';
import { datasetTarget } from '../kit/dataset-target.js';
import { versionSelector } from '../kit/dataset-version.js';
import { openFrameCache } from '../kit/frame-cache.js';
import type { OpenArchive } from './archive-session.js';

interface ArchiveValues extends UploadTargetValues, StoreValues {
  readonly datasetId: string | undefined;
  readonly version: number | undefined;
  readonly asOf: string | undefined;
  readonly cacheGb: number;
}

const TELL_EVERY_MS = 200;

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
  const opened = await openForReading(baseUrl, values, context);
  try {
    const { store } = opened;
    const record =
      values.datasetId === undefined
        ? undefined
        : await resolveVersion(store, checkDatasetId(values.datasetId), selector, context.signal);
    const uploadId = record?.uploadId ?? target.uploadId;
    const manifestSha256 = record === undefined ? undefined : digestsOf(record);
    const progress = loadingNote(context);
    const { listing } = await loadListing(store, {
      uploadId,
      ...(manifestSha256 === undefined ? {} : { sha256: manifestSha256 }),
      onProgress: progress.tell,
      signal: context.signal,
    }).finally(progress.end);
    await remember(baseUrl, opened, context);
    const cache = await openFrameCache(values, context);
    const location = uploadUrl({ baseUrl, uploadId });
    return { archive: { listing, reader: store, uploadId, manifestSha256, location, cache }, opened };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** On a terminal, how far it is: a million entries take some seconds. */
function loadingNote({ stderr, quiet }: Context): {
  readonly tell: (entries: number, of: number) => void;
  readonly end: () => void;
} {
  let nextAt = performance.now() + TELL_EVERY_MS;
  let isShown = false;
  const isWanted = stderr.isTTY === true && !quiet;
  return {
    tell(entries, of) {
      if (!isWanted || performance.now() < nextAt) return;
      nextAt = performance.now() + TELL_EVERY_MS;
      isShown = true;
      stderr.write(`\rReading the manifest: ${formatCount(entries)} of ${formatCount(of)} entries`);
    },
    end: () => void (isShown && stderr.write('\r\u001b[K')),
  };
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
