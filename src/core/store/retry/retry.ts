// Retries requests that may succeed next time (retrier.ts says when). One answer changes its meaning on a repeated
// request, because the first one may have worked although its answer was lost: a `conflict` of a conditional put is
// passed up with `afterRetry` (the committer checks whether the object is its own).
import type {
  ObjectVersionId,
  WholeStore,
  DeleteFailure,
  ListOptions,
  ListPage,
  ListVersionsOptions,
  ObjectStore,
  UnfinishedMultipart,
  VersionPage,
} from '../object-store.js';
import { Retrier, DEFAULT_RETRY, type RetryOptions, type RetriedRequest } from './retrier.js';
import { StoreError } from '../store-error.js';
import { counted } from '../../platform/text/counted.js';
import { printable } from '../../platform/paths/raw-path.js';
import { refuseCircle } from '../list-guard.js';

/** Wraps a store so that requests are retried. */
export function withRetry(store: WholeStore, options: RetryOptions = DEFAULT_RETRY): WholeStore {
  const retrier = new Retrier(options);
  const run = <T>(
    request: string,
    signal: AbortSignal | undefined,
    send: (attempt: number) => Promise<T>,
  ): Promise<T> => retrier.run({ request, signal }, send);
  return {
    url: store.url,
    get: (key, get) => run(`get ${key}`, get?.signal, () => store.get(key, get)),
    head: (key, signal) => run(`head ${key}`, signal, () => store.head(key, signal)),
    time: (signal) => run('ask for the time', signal, () => store.time(signal)),
    list: (list = {}) => listAgain(store, retrier, list),
    put: (key, body, put) => run(`put ${key}`, put?.signal, () => store.put(key, body, put)),
    abortMultipart: (key, id, signal) => run(`abort ${key}`, signal, () => store.abortMultipart(key, id, signal)),
    listMultipart: (...call) => listMultipartAgain(store, retrier, ...call),
    delete: (items, signal) =>
      deleteAgain(retrier, { items, send: (keys) => store.delete(keys, signal), itemOf: ({ key }) => key }, signal),
    listVersions: (list = {}) => listVersionsAgain(store, retrier, list),
    deleteVersions: (items, signal) =>
      deleteAgain(
        retrier,
        {
          items,
          send: (versions) => store.deleteVersions(versions, signal),
          itemOf: ({ key, versionId = 'null' }): ObjectVersionId => ({ key, versionId }),
        },
        signal,
      ),
    copy: (from, to, write) => run(`copy ${to}`, write?.signal, () => store.copy(from, to, write)),
    thaw: (key, thaw) => run(`restore ${key}`, thaw.signal, () => store.thaw(key, thaw)),
  };
}

// Retries deletes that failed temporarily.

const DELETE_BATCH = 1000;

interface Deletion<T> {
  readonly items: readonly T[];
  /** Deletes one batch. */
  readonly send: (items: readonly T[]) => Promise<readonly DeleteFailure[]>;
  /** Returns the item to delete again. */
  readonly itemOf: (failure: DeleteFailure) => T;
}

async function deleteBatchAgain<T>(
  retrier: Retrier,
  { items, send, itemOf }: Deletion<T>,
  signal?: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  let left = items;
  const final: DeleteFailure[] = [];
  let last: readonly DeleteFailure[] = [];
  const asked: RetriedRequest = { request: `delete ${counted(items.length, 'object')}`, signal };
  try {
    await retrier.run(asked, async () => {
      const failures = await send(left);
      final.push(...failures.filter(({ retriable }) => retriable !== true));
      last = failures.filter(({ retriable }) => retriable === true);
      left = last.map(itemOf);
      if (last.length > 0)
        throw new StoreError('store', `${counted(last.length, 'object')} could not be deleted: ${last[0]?.reason}`, {
          retriable: true,
          reason: 'PartialDelete',
        });
    });
    return final;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'PartialDelete') return [...final, ...last];
    throw error;
  }
}

/** Deletes in batches; only temporary failures are retried. */
async function deleteAgain<T>(
  retrier: Retrier,
  deletion: Deletion<T>,
  signal?: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  const failures: DeleteFailure[] = [];
  for (let start = 0; start < deletion.items.length; start += DELETE_BATCH) {
    const items = deletion.items.slice(start, start + DELETE_BATCH);
    failures.push(...(await deleteBatchAgain(retrier, { ...deletion, items }, signal)));
  }
  return failures;
}

// Listings that are continued where they were interrupted.

/** Returns the greatest key or folder of a page, in the byte order of pages. */
function lastOf({ objects, prefixes }: ListPage): string | undefined {
  const object = objects.at(-1)?.key;
  const prefix = prefixes.at(-1);
  if (object === undefined || prefix === undefined) return object ?? prefix;
  return Buffer.compare(Buffer.from(object), Buffer.from(prefix)) > 0 ? object : prefix;
}

// A folded folder that was listed already is listed again when the listing starts inside of it.
const without = (page: ListPage, seen: string | undefined): ListPage =>
  seen?.endsWith('/') === true ? { ...page, prefixes: page.prefixes.filter((prefix) => prefix !== seen) } : page;

/** Lists, and after an interruption continues after the last line it yielded. */
async function* listAgain(store: ObjectStore, retrier: Retrier, options: ListOptions): AsyncGenerator<ListPage> {
  const asked: RetriedRequest = { request: `list ${options.prefix ?? ''}`, signal: options.signal };
  let seen = options.startAfter;
  let pages: AsyncIterator<ListPage> | undefined;
  try {
    for (;;) {
      const step = await retrier.run(asked, async () => {
        if (pages === undefined) {
          const listing = store.list({ ...options, startAfter: seen });
          pages = listing[Symbol.asyncIterator]();
        }
        try {
          return await pages.next();
        } catch (error) {
          pages = undefined;
          throw error;
        }
      });
      if (step.done === true) return;
      const page = without(step.value, seen);
      seen = lastOf(page) ?? seen;
      yield page;
    }
  } finally {
    await pages?.return?.();
  }
}

/** Lists unfinished uploads. */
async function* listMultipartAgain(
  store: ObjectStore,
  retrier: Retrier,
  ...[prefix, signal, look]: Parameters<ObjectStore['listMultipart']>
): AsyncGenerator<UnfinishedMultipart> {
  // They are few enough to hold: an interrupted listing starts again.
  const found = await retrier.run({ request: `list uploads ${prefix}`, signal }, async () => {
    const uploads: UnfinishedMultipart[] = [];
    for await (const upload of store.listMultipart(prefix, signal, look)) uploads.push(upload);
    return uploads;
  });
  yield* found;
}

/** Lists versions, with one listing per page. */
async function* listVersionsAgain(
  store: ObjectStore,
  retrier: Retrier,
  options: ListVersionsOptions,
): AsyncGenerator<VersionPage> {
  const asked: RetriedRequest = { request: `list versions ${options.prefix ?? ''}`, signal: options.signal };
  const name = `versions of ${printable(`${store.url}/${options.prefix ?? ''}`)}`;
  const marks = new Set<string>();
  let { after } = options;
  do {
    const from = after;
    // One page per listing: each says where the next begins, so nothing is lost with an iterator that failed.
    const page = await retrier.run(asked, async () => {
      const listing = store.listVersions({ ...options, after: from });
      for await (const first of listing) return first;
      return undefined;
    });
    if (page === undefined) return;
    yield page;
    after = page.next;
    // Each listing sees only its own page; together they could still go in circles.
    const mark = after === undefined ? undefined : `${after.key}\0${after.versionId}`;
    if (mark !== undefined && marks.has(mark))
      refuseCircle(name, 'the server continues from a place where it was before');
    if (mark !== undefined) marks.add(mark);
  } while (after !== undefined);
}
