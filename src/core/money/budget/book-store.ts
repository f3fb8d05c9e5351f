// Keeps the book of budgets in a store: one object that is replaced only if it is still the one that was read, so that concurrent writers
// do not lose each other's changes. Works the same in a folder and in a bucket.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { StoreError, throwIfCancelled } from '../../store/store-error.js';
import { type BudgetBook, EMPTY_BOOK } from './budget.js';
import { encodeBook, parseBook, type SavedBook } from './book-document.js';
import { refuseShared } from '../../store/plain-store.js';

/** Key below the store that --budget-store names. */
export const BOOK_KEY = 'budgets.json';

const MAX_BYTES = 64 * 1024 * 1024;
const TRIES = 100;
const CHANGES_KEPT = 100;
const [FIRST_WAIT_MS, MAX_WAIT_MS] = [20, 1000];

interface FoundBook extends SavedBook {
  /** Undefined when there is no book yet. */
  readonly etag: string | undefined;
}

async function findBook(store: ObjectStore, signal: AbortSignal): Promise<FoundBook> {
  try {
    const content = await store.get(BOOK_KEY, { signal });
    const text = (await readAll(content, MAX_BYTES)).toString();
    return { ...parseBook(text, `${store.url}/${BOOK_KEY}`), etag: content.etag };
  } catch (error) {
    const isPlaceMissing = error instanceof StoreError && error.reason === 'NoSuchBucket';
    if (!isArchiverError(error, 'not-found') || isPlaceMissing) throw error;
    return { book: EMPTY_BOOK, changes: [], etag: undefined };
  }
}

/**
 * Reads the book; returns an empty one when there is none. @throws not-found for a bucket that is not there, integrity, unsupported,
 * access-denied, store
 */
export const readBook = async (store: ObjectStore, signal: AbortSignal): Promise<BudgetBook> =>
  (await findBook(store, signal)).book;

/**
 * Changes the book, which others may change at the same time: `change` is called again with their result. A change with the same `name` is
 * made only once; without a name each call is a new change.
 * @throws plain-store where changes could be lost; what `change` throws; conflict when others are always faster; integrity, unsupported,
 * access-denied, store
 */
export async function changeBook(
  store: ObjectStore,
  change: (book: BudgetBook) => BudgetBook,
  signal: AbortSignal,
  name = randomBytes(8).toString('hex'),
): Promise<BudgetBook> {
  refuseShared(store, 'counting in one book of budgets');
  for (let tries = 0; tries < TRIES; tries++) {
    throwIfCancelled(signal);
    const { book, changes, etag } = await findBook(store, signal);
    if (changes.includes(name)) return book; // it was written, but the answer was lost
    const changed = change(book);
    const text = encodeBook({ book: changed, changes: [...changes, name].slice(-CHANGES_KEPT) });
    try {
      const condition = etag === undefined ? { ifAbsent: true } : { ifMatch: etag };
      await store.put(BOOK_KEY, Buffer.from(text), { ...condition, contentType: 'application/json', signal });
      return changed;
    } catch (error) {
      if (!isArchiverError(error, 'conflict')) throw error;
    }
    await sleep(Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** tries), undefined, { signal }).catch(
      () => undefined,
    );
  }
  throw new ArchiverError('conflict', `the budgets in ${store.url} are changed by others all the time`, {
    hint: 'run the command again',
  });
}
