// Permissions of the credentials at a store, learned from its answers alone: nothing is ever asked only to find out, and what was refused
// once is not asked for again as long as the store is open, by callers that can do without it. Only the verdict of a policy counts
// (`isRefused`): expired credentials, a wrong clock or a file's mode say nothing about the next request.
//
// Policies speak of folders, so a refusal holds for one: a listing for one upload or one dataset (a look at one upload must
// never be left out because of another), reading for the folder of the object, because chunks, manifests and records may be
// open to different readers (and have different keys).
import { undefinedOn } from '../platform/failures/errors.js';
import type {
  Ability,
  DeleteFailure,
  GetOptions,
  ListOptions,
  ObjectDeleter,
  ObjectReader,
  ObjectStore,
  StoreAbilities,
} from './object-store.js';
import { StoreError } from './store-error.js';

/** Returns the folder that a verdict on `key` is about. */
function folderOf(ability: Ability, key: string): string {
  if (ability === 'read') return key.slice(0, key.lastIndexOf('/') + 1);
  const [top = '', name] = key.split('/');
  return name === undefined ? top : `${top}/${name}`;
}

/** Whether an error is the verdict of a policy, which the next request would meet as well. */
const isRefusal = (error: unknown): boolean => error instanceof StoreError && error.isRefused;

/** Remembers what a store has refused. When the store is opened again with the same refusals, it is not asked again. */
export class StoreRefusals implements StoreAbilities {
  private readonly places = new Set<string>();

  may(ability: Ability, key: string): boolean {
    return !this.places.has(`${ability} ${folderOf(ability, key)}`);
  }

  add(ability: Ability, key: string): void {
    this.places.add(`${ability} ${folderOf(ability, key)}`);
  }

  /** Passes on the result of a request, and remembers a refusal. */
  async of<T>(ability: Ability, key: string, request: Promise<T>): Promise<T> {
    try {
      return await request;
    } catch (error) {
      if (isRefusal(error)) this.add(ability, key);
      throw error;
    }
  }

  async *ofPages<T>(key: string, pages: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* pages;
    } catch (error) {
      if (isRefusal(error)) this.add('list', key);
      throw error;
    }
  }

  /** Remembers failed deletes as refused only if all of them were: single objects may be refused for reasons of their own. */
  ofDeletes(failures: readonly DeleteFailure[], keys: readonly string[]): readonly DeleteFailure[] {
    const isAll = keys.length > 0 && failures.length === keys.length && failures.every((one) => one.isRefused === true);
    if (isAll) for (const key of keys) this.add('delete', key);
    return failures;
  }
}

/** Wraps a store so that its refusals are remembered. Sends nothing by itself and withholds nothing. */
export function withAbilities<S extends ObjectStore>(store: S, refusals = new StoreRefusals()): S {
  return {
    ...store,
    abilities: refusals,
    get: (key: string, options?: GetOptions) => refusals.of('read', key, store.get(key, options)),
    list: (options?: ListOptions) => refusals.ofPages(options?.prefix ?? '', store.list(options)),
  };
}

/** Does the same for the deleter of a store. */
export function rememberRefusals(deleter: ObjectDeleter, refusals: StoreRefusals): ObjectDeleter {
  return {
    ...deleter,
    delete: async (keys, signal) => {
      const deleting = refusals.of('delete', keys[0] ?? '', deleter.delete(keys, signal));
      return refusals.ofDeletes(await deleting, keys);
    },
  };
}

/**
 * Runs `work` for a caller that can do without it. Returns its result, or undefined if the credentials may not do it; after one refusal it
 * is not started again. `key` is what is listed, read or deleted first. @throws whatever else `work` throws
 */
export async function ifAllowed<T>(
  { abilities }: Pick<ObjectReader, 'abilities'>,
  ability: Ability,
  key: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (abilities?.may(ability, key) === false) return undefined;
  return await work().catch(undefinedOn('access-denied'));
}
