// Two sweeps at once delete the same objects, and a store does not say whose request it was. So that only one of them counts an object, a
// sweep that has deleted all that a mark names puts `manifest.json.gz.swept-<8 hex>` beside it before it removes the mark: the second sweep
// finds either this or no mark. A sweep that is killed in between leaves an object that the next prune takes for a leftover of a rewritten
// manifest; what it has deleted is not counted at all.
import { hash } from 'node:crypto';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectInfo, ObjectStore } from '../../store/object-store.js';
import { type FoundMark, markedUpload } from '../marks.js';
import { putIfAbsent } from '../../store/put-if-absent.js';

const CLAIMS_AT_ONCE = 8;
const CLAIM = /\.swept-[0-9a-f]{8}$/;

export interface Claims {
  /** Keys of the claims that were put, to be deleted after the marks. */
  readonly put: readonly string[];
  /** Keys of objects that this sweep does not count: another one does, or they are claims themselves. */
  readonly others: ReadonlySet<string>;
}

type Mark = Pick<FoundMark, 'object' | 'keys'>;

/** Claims deleted objects, mark by mark; `done` are the marks that are about to be removed. @throws what the store throws */
export async function claimSwept(
  store: ObjectStore,
  done: readonly ObjectInfo[],
  gone: readonly ObjectInfo[],
  marks: readonly Mark[],
  signal: AbortSignal,
): Promise<Claims> {
  const present = new Set(gone.map(({ key }) => key));
  const isDone = new Set(done.map(({ key }) => key));
  const put: string[] = [];
  const others = new Set([...present].filter((key) => CLAIM.test(key)));
  // An object that several marks name belongs to the first of them, in every sweep.
  const seen = new Set<string>();
  const shares = marks
    .toSorted((a, b) => (a.object.key < b.object.key ? -1 : 1))
    .map(({ object, keys }) => {
      const its = keys.filter((key) => present.has(key) && !seen.has(key));
      for (const key of keys) seen.add(key);
      return { object, its };
    });
  await forEachLimit(
    shares.filter(({ object, its }) => its.length > 0 && isDone.has(object.key)),
    CLAIMS_AT_ONCE,
    async ({ object, its }) => {
      const isMine = await claim(store, object.key, put, signal);
      if (!isMine) for (const key of its) others.add(key);
    },
  );
  return { put, others };
}

async function claim(store: ObjectStore, mark: string, put: string[], signal: AbortSignal): Promise<boolean> {
  const uploadId = markedUpload(mark);
  if (uploadId === undefined) return true;
  const key = `${manifestKeyOf(uploadId)}.swept-${hash('sha256', mark, 'hex').slice(0, 8)}`;
  if (!(await putIfAbsent(store, key, Buffer.from(`${mark}\n`), { contentType: 'text/plain', signal }))) return false;
  put.push(key);
  return (await store.head(mark, signal)) !== undefined;
}
