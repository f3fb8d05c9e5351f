// Puts objects of a few bytes into the folder of an upload to ask a store something, and finds the storage classes that it keeps. What
// these credentials may not delete again is swept by a prune.
import { probeKey } from '../create-once/probe-key.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectDeleter, ObjectStore } from '../object-store.js';
import { StoreError } from '../store-error.js';

export interface ScratchPlace {
  readonly store: ObjectStore;
  /** Deletes the objects that were put. */
  readonly deleter: Pick<ObjectDeleter, 'delete'>;
  /** Folder of the objects, with a slash at its end. */
  readonly folder: string;
  /** True if the store keeps If-None-Match, which a policy may require. */
  readonly isCreateOnce: boolean;
  /** Random bytes for keys that nobody has put yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** The outcome for an object that was put in a class. */
export interface TriedClass {
  readonly name: string;
  readonly key: string;
  /** The class that a listing shows; undefined if the object was not stored. */
  readonly shown: string | undefined;
  /** The refusal of the store or of a policy, if there was one. */
  readonly refusal?: StoreError | undefined;
}

export const isKept = ({ name, shown }: TriedClass): boolean => name === shown;

export const BODY = Buffer.from('archiver asks what this store can do\n');
const CLEAN_UP_MS = 5000;

/** Returns the refusal of a store or a policy. @throws any other error */
function refusalOf(error: unknown): StoreError {
  const isAnswer = error instanceof StoreError && !error.retriable;
  if (!isAnswer || !isArchiverError(error, 'store', 'unsupported', 'access-denied')) throw error;
  return error;
}

export class ScratchObjects {
  private readonly keys: string[] = [];

  constructor(private readonly place: ScratchPlace) {}

  /** Puts an object and returns its key. @throws what the store throws */
  async put(storageClass?: string, body: Buffer = BODY): Promise<string> {
    const { store, folder, randomBytes, isCreateOnce, signal } = this.place;
    const key = probeKey(folder, randomBytes);
    this.keys.push(key);
    await store.put(key, body, { storageClass, ifAbsent: isCreateOnce, signal });
    return key;
  }

  /** Puts an object in each class, and lists them: a listing shows classes to writers who may not read, too. @throws what both throw */
  async tryClasses(names: readonly string[]): Promise<readonly TriedClass[]> {
    const put = await Promise.all(
      names.map(async (name) => {
        const outcome = await this.put(name).catch(refusalOf);
        return outcome instanceof StoreError ? { name, key: '', refusal: outcome } : { name, key: outcome };
      }),
    );
    const listed = await this.listed();
    return put.map((one) => ({ ...one, shown: listed.get(one.key) }));
  }

  private async listed(): Promise<ReadonlyMap<string, string>> {
    const { store, folder, signal } = this.place;
    const found = new Map<string, string>();
    for await (const { objects } of store.list({ prefix: folder, signal }))
      for (const { key, storageClass } of objects) found.set(key, storageClass);
    return found;
  }

  /** Deletes the objects, as far as that is allowed. */
  async cleanUp(): Promise<void> {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    await this.place.deleter.delete(this.keys, late).catch((error: unknown) => errorText(error));
  }
}
