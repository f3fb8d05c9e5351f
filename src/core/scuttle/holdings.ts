// What a store holds, version by version where it keeps versions and these credentials may list them.
import { isArchiverError } from '../failures/errors.js';
import type { DeleteFailure, ListPage, ObjectStore, ObjectVersion, VersionPage } from '../object-store/object-store.js';

export interface Holdings {
  /** True when there may be older versions that these credentials cannot list. */
  readonly versionsHidden: boolean;
  /** Everything, or what comes after a key, page by page, in byte order of the key. */
  pages(after?: string): AsyncIterable<readonly ObjectVersion[]>;
  /** Deletes these. A denial is a failure like others. */
  remove(versions: readonly ObjectVersion[]): Promise<readonly DeleteFailure[]>;
}

const ONLY_VERSION = 'null';

async function* pagesOf(pages: AsyncIterable<VersionPage>): AsyncGenerator<readonly ObjectVersion[]> {
  for await (const { versions } of pages) yield versions;
}

async function* objectsOf(pages: AsyncIterable<ListPage>): AsyncGenerator<readonly ObjectVersion[]> {
  for await (const { objects } of pages) {
    yield objects.map(({ key, sizeBytes, storageClass, lastModified }) => {
      const is = { isCurrent: true, isDeleteMarker: false };
      return { key, sizeBytes, storageClass, lastModified, versionId: ONLY_VERSION, ...is };
    });
  }
}

async function denialsAsFailures(
  versions: readonly ObjectVersion[],
  work: () => Promise<readonly DeleteFailure[]>,
): Promise<readonly DeleteFailure[]> {
  try {
    return await work();
  } catch (error) {
    // Every batch is tried: locks and policies differ from object to object, and each failure is reported.
    if (!isArchiverError(error, 'access-denied')) throw error;
    return versions.map(({ key, versionId }) => ({ key, versionId, reason: error.message }));
  }
}

async function removeVersions(
  store: ObjectStore,
  versions: readonly ObjectVersion[],
  signal: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  const failures = await denialsAsFailures(versions, () => store.deleteVersions(versions, signal));
  // Without versioning, deleting the object is enough, and permission to delete versions is rarely granted.
  const current = new Set(
    versions.flatMap(({ key, versionId, isCurrent }) => (isCurrent && versionId === ONLY_VERSION ? [key] : [])),
  );
  const isPlain = ({ key, versionId }: DeleteFailure): boolean => versionId === ONLY_VERSION && current.has(key);
  const again = failures.filter(isPlain);
  if (again.length === 0) return failures;
  const plain = versions.filter((version) => again.some(({ key }) => key === version.key));
  return [...failures.filter((failure) => !isPlain(failure)), ...(await removeObjects(store, plain, signal))];
}

const removeObjects = (
  store: ObjectStore,
  versions: readonly ObjectVersion[],
  signal: AbortSignal,
): Promise<readonly DeleteFailure[]> =>
  denialsAsFailures(versions, () =>
    store.delete(
      versions.map(({ key }) => key),
      signal,
    ),
  );

/** Undefined: the store answers. Otherwise why it does not. */
async function versionsRefused(store: ObjectStore, signal: AbortSignal): Promise<'denied' | 'unknown' | undefined> {
  try {
    await store.listVersions({ signal })[Symbol.asyncIterator]().next();
    return undefined;
  } catch (error) {
    // A separate permission, tried once.
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
      pages: (key) => pagesOf(store.listVersions({ signal, after: key === undefined ? key : { key, versionId: '' } })),
      remove: (versions) => removeVersions(store, versions, signal),
    };
  }
  return {
    // A store without this request keeps no versions.
    versionsHidden: refused === 'denied',
    pages: (startAfter) => objectsOf(store.list({ signal, startAfter })),
    remove: (versions) => removeObjects(store, versions, signal),
  };
}
