import type { ObjectStore } from '../object-store/object-store.js';
import { printable } from '../paths/raw-path.js';

export interface DeleteOptions {
  readonly store: ObjectStore;
  readonly key: string;
  /** Of the object that was migrated. */
  readonly etag: string;
  /** Everything in it was migrated as it was. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

export interface Deletion {
  readonly isDeleted: boolean;
  /** Why it was kept. */
  readonly kept: string | undefined;
}

const kept = (why: string): Deletion => ({ isDeleted: false, kept: why });

/** Deletes the archive, unless it holds what the upload does not, or is no longer what was migrated. */
export async function deleteOriginal({ store, key, etag, isWhole, signal }: DeleteOptions): Promise<Deletion> {
  if (!isWhole) return kept('it holds what could not be migrated as it is');
  const now = await store.head(key, signal);
  if (now === undefined) return kept('it is not there any more');
  if (now.etag !== etag) return kept('it was changed while it was being migrated');
  const [failure] = await store.delete([key], signal);
  return failure === undefined ? { isDeleted: true, kept: undefined } : kept(printable(failure.reason));
}
