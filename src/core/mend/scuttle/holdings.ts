// Lists the contents of a store, version by version where it keeps versions and these credentials may list them.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ListPage, ObjectStore, ObjectVersion, VersionPage } from '../../store/object-store.js';

export interface Holdings {
  /** True when there may be older versions that these credentials cannot list. */
  readonly versionsHidden: boolean;
  /** True when pages show versions; otherwise they show current objects. */
  readonly showsVersions: boolean;
  /** Yields everything, or everything after a key, page by page, in byte order of the key. */
  pages(after?: string): AsyncIterable<readonly ObjectVersion[]>;
}

export const ONLY_VERSION = 'null';

async function* pagesOf(pages: AsyncIterable<VersionPage>): AsyncGenerator<readonly ObjectVersion[]> {
  for await (const { versions } of pages) yield versions;
}

async function* objectsOf(pages: AsyncIterable<ListPage>): AsyncGenerator<readonly ObjectVersion[]> {
  for await (const { objects } of pages) {
    yield objects.map(({ key, sizeBytes, storageClass, lastModified }) => {
      const flags = { isCurrent: true, isDeleteMarker: false };
      return { key, sizeBytes, storageClass, lastModified, versionId: ONLY_VERSION, ...flags };
    });
  }
}

/** Returns why versions cannot be listed; undefined when they can. */
async function versionsRefused(store: ObjectStore, signal: AbortSignal): Promise<'denied' | 'unknown' | undefined> {
  try {
    await store.listVersions({ signal })[Symbol.asyncIterator]().next();
    return undefined;
  } catch (error) {
    // Listing versions needs a permission of its own, so it is tried once.
    if (isArchiverError(error, 'access-denied')) return 'denied';
    if (isArchiverError(error, 'unsupported')) return 'unknown';
    throw error;
  }
}

/** Finds out whether versions can be listed. @throws errors of the listing */
export async function openHoldings(store: ObjectStore, signal: AbortSignal): Promise<Holdings> {
  const refused = await versionsRefused(store, signal);
  if (refused === undefined) {
    return {
      versionsHidden: false,
      showsVersions: true,
      pages: (key) => pagesOf(store.listVersions({ signal, after: key === undefined ? key : { key, versionId: '' } })),
    };
  }
  return {
    // A store without this request keeps no versions.
    versionsHidden: refused === 'denied',
    showsVersions: false,
    pages: (startAfter) => objectsOf(store.list({ signal, startAfter })),
  };
}
