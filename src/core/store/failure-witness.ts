// Tells failures of one store from those of everything else that a run does: only the store that has thrown knows.
import { type ErrorCode, isArchiverError } from '../platform/failures/errors.js';
import type { GetOptions, ListOptions, ObjectStore } from './object-store.js';
import type { OpenedStore } from './open-store.js';

/** Failures for which another store may be better. What was refused, contradicts or is damaged would be so anywhere. */
const OF_STORE: readonly ErrorCode[] = ['store', 'stalled', 'credentials', 'access-denied', 'no-space', 'io'];
const NO_BUCKET = 'not-found';

export class FailureWitness {
  private readonly seen = new WeakSet<object>();

  /** True for a failure of the store, or one that such a failure has caused. */
  isOfStore(error: unknown): boolean {
    for (let at = error; at instanceof Error; at = at.cause) if (this.seen.has(at)) return true;
    return false;
  }

  /** Opens a store whose failures are noted from then on, that of opening it among them. @throws what opening it throws */
  async opened(open: () => Promise<OpenedStore>): Promise<OpenedStore> {
    const opened = await this.of(open(), true);
    return { ...opened, store: this.watched(opened.store) };
  }

  private watched(store: ObjectStore): ObjectStore {
    return {
      ...store,
      get: (key: string, options?: GetOptions) => this.of(store.get(key, options)),
      head: (key, signal) => this.of(store.head(key, signal)),
      put: (...call) => this.of(store.put(...call), true),
      time: (signal) => this.of(store.time(signal)),
      list: (options?: ListOptions) => this.ofPages(store.list(options)),
    };
  }

  private async of<T>(work: Promise<T>, isPlaceNeeded = false): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.note(error, isPlaceNeeded);
      throw error;
    }
  }

  private async *ofPages<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* pages;
    } catch (error) {
      this.note(error, true);
      throw error;
    }
  }

  /** A bucket that is not there is told of by requests that need nothing else to be there. */
  private note(error: unknown, isPlaceNeeded: boolean): void {
    const codes = isPlaceNeeded ? [...OF_STORE, NO_BUCKET as ErrorCode] : OF_STORE;
    if (isArchiverError(error, ...codes)) this.seen.add(error);
  }
}
