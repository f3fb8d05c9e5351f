// Writes to a store that does not create a key only once (docs/decisions/060-plain-stores.md). No request has a condition: some servers
// answer 501 to one, others ignore it. A key with an id of this very process in it needs none. Replacing an object that others may replace
// as well is refused, unless the user says that nobody else writes there.
import { ArchiverError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import type { ObjectStore, PlainKeys, PutOptions, PutResult } from './object-store.js';

/** Wraps a store so that it is written to without conditions. */
export function plainStore<S extends ObjectStore>(store: S, plain: PlainKeys): S {
  return {
    ...store,
    plain,
    put: async (key, body, { ifAbsent: _ifAbsent, ifMatch, ...options } = {}) => {
      if (ifMatch === undefined) return await store.put(key, body, options);
      refuseShared({ ...store, plain }, `replacing ${printable(key)}`);
      return await putAndCompare(store, key, body, { ...options, ifMatch });
    },
  };
}

/**
 * Refuses `what` on a plain store that may have other writers. @throws plain-store where nothing keeps two processes from doing `what` at
 * the same time
 */
export function refuseShared({ plain, url }: Pick<ObjectStore, 'plain' | 'url'>, what: string): void {
  if (plain?.isExclusive !== false) return;
  const why = 'it does not create a key only once, and what somebody else writes at the same time could be lost';
  throw new ArchiverError('plain-store', `${what} is not safe in ${printable(url)}: ${why}`, {
    hint: 'when nobody else writes there now, --exclusive does it all the same',
  });
}

/** Puts an object after comparing its ETag, and compares again afterwards. @throws conflict where somebody else has written it */
async function putAndCompare(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  { ifMatch, ...options }: PutOptions & { readonly ifMatch: string },
): Promise<PutResult> {
  const is = async (etag: string): Promise<boolean> => (await store.head(key, options.signal))?.etag === etag;
  if (!(await is(ifMatch))) throw changed(store, key);
  const written = await store.put(key, body, options);
  if (!(await is(written.etag))) throw changed(store, key);
  return written;
}

const changed = ({ url }: ObjectStore, key: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${printable(url)}/${printable(key)} was changed by somebody else in spite of --exclusive`,
    {
      hint: 'see who writes there, then run the same command again',
    },
  );
