// Interrupted listings are continued where they stopped.
import type {
  ListOptions,
  ListPage,
  ListVersionsOptions,
  ObjectStore,
  UnfinishedMultipart,
  VersionPage,
} from '../object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { refuseCircle } from '../list-guard.js';
import type { RetriedRequest, Retrier } from './retrier.js';

/** The greatest key or folder of a page, in the byte order of pages. */
function lastOf({ objects, prefixes }: ListPage): string | undefined {
  const object = objects.at(-1)?.key;
  const prefix = prefixes.at(-1);
  if (object === undefined || prefix === undefined) return object ?? prefix;
  return Buffer.compare(Buffer.from(object), Buffer.from(prefix)) > 0 ? object : prefix;
}

// A folded folder that was listed already is listed again when the listing starts inside of it.
const without = (page: ListPage, seen: string | undefined): ListPage =>
  seen?.endsWith('/') === true ? { ...page, prefixes: page.prefixes.filter((prefix) => prefix !== seen) } : page;

/** A listing that continues after the last line it yielded. */
export async function* listAgain(store: ObjectStore, retrier: Retrier, options: ListOptions): AsyncGenerator<ListPage> {
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

/** Unfinished uploads. */
export async function* listMultipartAgain(
  store: ObjectStore,
  retrier: Retrier,
  ...[prefix, signal, look]: Parameters<ObjectStore['listMultipart']>
): AsyncGenerator<UnfinishedMultipart> {
  // Few enough to hold: an interrupted listing starts again.
  const found = await retrier.run({ request: `list uploads ${prefix}`, signal }, async () => {
    const uploads: UnfinishedMultipart[] = [];
    for await (const upload of store.listMultipart(prefix, signal, look)) uploads.push(upload);
    return uploads;
  });
  yield* found;
}

/** Versions, a page a listing. */
export async function* listVersionsAgain(
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
