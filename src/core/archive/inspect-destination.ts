// Looks at the place that a dry run's upload would go to: one listing, and nothing is written.
import { highestVersion } from '../dataset/records/version-record.js';
import type { ObjectStore } from '../store/object-store.js';
import { StoreError } from '../store/store-error.js';
import type { OpenedStore } from '../store/open-store.js';
import { parseStoreUrl } from '../store/store-url.js';
import type { Destination } from './upload-result.js';

/**
 * Describes the place of an open store; `version` is the highest of the dataset, as far as that is listed. @throws what listing throws,
 * except that a policy forbids it
 */
export async function destinationOf(
  opened: Pick<OpenedStore, 'store' | 'isAws' | 'runBy'> & { readonly region?: string | undefined },
  { version, isListed }: Pick<Destination, 'version' | 'isListed'>,
  signal: AbortSignal,
): Promise<Destination> {
  const { store, region, isAws, runBy } = opened;
  if (!isListed) await checkCredentials(store, signal);
  const isFolder = parseStoreUrl(store.url).kind === 'file';
  return { version, isListed, provider: runBy, region, isAws, isFolder };
}

/**
 * Lists once more to find missing credentials: an upload without permission to list learns of them with its first chunk, which a dry run
 * does not send.
 */
async function checkCredentials(store: ObjectStore, signal: AbortSignal): Promise<void> {
  try {
    await store.list({ prefix: 'datasets/', signal })[Symbol.asyncIterator]().next();
  } catch (error) {
    if (!(error instanceof StoreError && error.isRefused)) throw error;
  }
}

/** Opens the store, describes it for a dry run and closes it. @throws what both throw */
export async function inspectDestination(
  open: () => Promise<OpenedStore>,
  datasetId: string,
  signal: AbortSignal,
): Promise<Destination> {
  const opened = await open();
  try {
    const highest = await highestVersion(opened.store, datasetId, { signal });
    const seen = { version: highest?.version ?? 0, isListed: highest !== undefined };
    return await destinationOf(opened, seen, signal);
  } finally {
    opened.close();
  }
}
