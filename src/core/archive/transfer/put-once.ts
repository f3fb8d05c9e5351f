// One PutObject that never overwrites anything (If-None-Match), and what to do about a 412: the object there may be our own
// from a request whose answer was lost.
import { createHash } from 'node:crypto';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectStore, PutOptions } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { isUncertainConflict } from '../../store/store-error.js';

export interface PutOnceOptions extends PutOptions {
  /**
   * True if no other process ever writes this key, because it is under our own upload id. Not so for a version's record, even under a
   * writer's own prefix: the existing one may be an older version that this writer does not remember. Nor for a manifest: a sweep puts its
   * fence there.
   */
  readonly exclusive: boolean;
}

/** `found`: the object there was accepted as our own. Its bytes are ours; who put them is not known. */
export type PutOutcome = 'put' | 'found';

/** Writes `body` under a key that must not exist yet; an object there is accepted if it is our own. @throws conflict */
export async function putOnce(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  { exclusive, ...options }: PutOnceOptions,
): Promise<PutOutcome> {
  const sha256 = options.sha256 ?? digestOf('sha256', body);
  try {
    await store.put(key, body, { ...options, sha256, ifAbsent: true });
    return 'put';
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    const isAlone = exclusive && isUncertainConflict(error);
    if (!(await isOurs({ store, key, body, sha256, isAlone, signal: options.signal }))) throw error;
    return 'found';
  }
}

interface Doubt {
  readonly store: ObjectStore;
  readonly key: string;
  readonly body: Uint8Array;
  readonly sha256: string;
  /** True if the request was repeated and no other process writes this key: the object can only be ours. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal | undefined;
}

// GET and compare the digest; where this writer may not read, size and ETag by LIST (the ETag of a plain PUT is its MD5;
// records of rivals have the same size more often than not); where it may not list either, only `isAlone` is left.
async function isOurs(doubt: Doubt): Promise<boolean> {
  const { store, key, isAlone } = doubt;
  const isSame = await ifAllowed(store, 'read', key, () => hasOurBytes(doubt));
  return isSame ?? (await ifAllowed(store, 'list', key, () => isListedAsOurs(doubt))) ?? isAlone;
}

async function hasOurBytes({ store, key, body, sha256, signal }: Doubt): Promise<boolean> {
  const comparing = store.get(key, { signal }).then(async (content) => {
    if (content.totalBytes === body.length) return digestOf('sha256', await readAll(content, body.length)) === sha256;
    content.body.destroy();
    return false;
  });
  return (await comparing.catch(undefinedOn('not-found'))) ?? false;
}

async function isListedAsOurs({ store, key, body, isAlone, signal }: Doubt): Promise<boolean> {
  for await (const page of store.list({ prefix: key, signal })) {
    const found = page.objects.find((object) => object.key === key);
    if (found !== undefined)
      return found.sizeBytes === body.length && (isAlone || found.etag === digestOf('md5', body));
  }
  return false;
}

const digestOf = (algorithm: 'md5' | 'sha256', bytes: Uint8Array): string =>
  createHash(algorithm).update(bytes).digest('hex');
