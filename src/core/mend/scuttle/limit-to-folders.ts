// Restricts a store to some of its folders, with unchanged keys: what a wipe of one writer may see.
import type { ListPage, ObjectStore, VersionPage } from '../../store/object-store.js';

async function* each<T>(folders: readonly string[], list: (prefix: string) => AsyncIterable<T>): AsyncGenerator<T> {
  for (const prefix of folders) yield* list(prefix);
}

/** Returns the store with listings limited to these folders (each with a trailing slash). */
export function limitToFolders(store: ObjectStore, folders: readonly string[]): ObjectStore {
  const sorted = folders.toSorted();
  return {
    ...store,
    list: (options) => each<ListPage>(sorted, (prefix) => store.list({ ...options, prefix })),
    listVersions: (options) => each<VersionPage>(sorted, (prefix) => store.listVersions({ ...options, prefix })),
    listMultipart: (_prefix, signal, look) => each(sorted, (prefix) => store.listMultipart(prefix, signal, look)),
  };
}
