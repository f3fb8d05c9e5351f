// Opens the upload, or the version of a dataset, for a shell.
import type { Context } from '../../cli/context.js';
import { contextPath } from '../../core/context/context-file.js';
import { rememberStore } from '../../core/context/remember-store.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { openForSession, type StoreValues } from '../kit/store.js';
import { whileReading } from '../kit/while-reading.js';
import { findTarget, targetOf, type TargetValues, uploadUrl } from '../kit/upload-target.js';
import { fetchGate } from '../kit/fetch-gate.js';
import { openFrameCache } from '../kit/frame-cache.js';
import type { OpenArchive } from './archive-session.js';

interface ArchiveValues extends TargetValues, StoreValues {
  readonly cacheGb: number;
}

export interface OpenedArchive {
  readonly archive: OpenArchive;
  readonly opened: OpenedStore;
}

/** Opens the listing of the archive. @throws usage, what `findTarget` and `LazyListing.open` throw */
export async function openArchive(
  values: ArchiveValues,
  url: string | undefined,
  context: Context,
): Promise<OpenedArchive> {
  if (url === undefined) {
    const hint = 'write its URL or path, or set ARCHIVER_STORE, or storage.url in the config file';
    throw usageError('no store is named', hint);
  }
  const target = await targetOf(url, values, context);
  const { baseUrl } = target;
  const { opened, during } = await openForSession(baseUrl, values, context);
  try {
    const { store } = opened;
    const { signal } = context;
    const { uploadId, manifestSha256 } = await findTarget(store, target, context);
    const location = uploadUrl({ baseUrl, uploadId });
    const lazy = await whileReading(context, location, (emit) =>
      during(emit, () => LazyListing.open(store, { uploadId, sha256: manifestSha256, emit, signal })),
    );
    await remember(baseUrl, opened, context);
    const cache = await openFrameCache(values, context);
    const fetchCheck = () => fetchGate({ values, uploadId, opened, context });
    return {
      archive: { lazy, reader: store, uploadId, manifestSha256, location, cache, during, fetchCheck },
      opened,
    };
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
