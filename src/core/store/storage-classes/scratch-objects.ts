// Objects of a few bytes that lie in a store for the time of a question, in the folder of an upload, and which storage classes it
// keeps them in. What these credentials may not delete again is swept by a prune.
import { probeKey } from '../create-once/probe-key.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectDeleter, ObjectStore } from '../object-store.js';
import { StoreError } from '../store-error.js';

export interface ScratchPlace {
  readonly store: ObjectStore;
  /** Of what it has put. */
  readonly deleter: Pick<ObjectDeleter, 'delete'>;
  /** Where it is put, with a slash at its end. */
  readonly folder: string;
  /** The store keeps If-None-Match, and a policy may want it. */
  readonly isCreateOnce: boolean;
  /** Names what nobody has put yet. */
  readonly randomBytes: (count: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** What became of an object that was put in a class. */
export interface TriedClass {
  readonly name: string;
  readonly key: string;
  /** The class that a listing shows; undefined where it was not stored. */
  readonly shown: string | undefined;
  /** Of a store, or a policy, that does not take it. */
  readonly refusal?: StoreError | undefined;
}

export const isKept = ({ name, shown }: TriedClass): boolean => name === shown;

export const BODY = Buffer.from('archiver asks what this store can do\n');
const CLEAN_UP_MS = 5000;

/** The answer of a store, or a policy, that does not take it. @throws what says nothing of that */
function refusalOf(error: unknown): StoreError {
  const isAnswer = error instanceof StoreError && !error.retriable;
  if (!isAnswer || !isArchiverError(error, 'store', 'unsupported', 'access-denied')) throw error;
  return error;
}

export class ScratchObjects {
  private readonly keys: string[] = [];

  constructor(private readonly place: ScratchPlace) {}

  /** Gives the key. @throws what the store throws */
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

  /** Deletes them, as far as that may be. */
  async cleanUp(): Promise<void> {
    const late = AbortSignal.timeout(CLEAN_UP_MS);
    await this.place.deleter.delete(this.keys, late).catch((error: unknown) => errorText(error));
  }
}
