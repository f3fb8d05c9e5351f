// Coordinates prunes with processes that tag versions: `datasets/<id>/prune-<8 hex>.json` exists while versions are being retired. A prune
// puts it and then looks at the tags; a tagging process puts the tag and then looks for it. So at least one of the two sees the other, and
// the tag is refused or the version stays, also when one of them is killed in between.
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { digestedText } from '../../platform/json/digested-json.js';
import type { ObjectDeleter, ObjectReader, ObjectStore } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { CHECK_VALID_MS } from '../check-references.js';
import type { ReadRecord } from '../records/versions.js';
import { listVersions } from '../records/versions.js';
import { versionNumber } from '../records/version-name.js';

const NOTICE = /^prune-[0-9a-f]{8}\.json$/;
/** A prune retires nothing later than an hour after its notice; the other hour allows for clocks and slow requests. */
const GONE_MS = 2 * CHECK_VALID_MS;

const folderOf = (datasetId: string): string => `datasets/${datasetId}/`;

/** Keys of notices, split into live ones and those left by killed prunes. @throws what the store throws */
async function notices(store: ObjectStore, datasetId: string, signal: AbortSignal) {
  const folder = folderOf(datasetId);
  const live: string[] = [];
  const dead: string[] = [];
  let now: Date | undefined;
  for await (const page of store.list({ prefix: `${folder}prune-`, signal })) {
    for (const { key, lastModified } of page.objects) {
      if (!NOTICE.test(key.slice(folder.length))) continue;
      now ??= await store.time(signal);
      (now.getTime() - lastModified.getTime() < GONE_MS ? live : dead).push(key);
    }
  }
  return { live, dead };
}

/** Refuses while a prune retires versions of the dataset. @throws conflict */
export async function refuseWhilePruned(store: ObjectStore, datasetId: string, signal: AbortSignal): Promise<void> {
  const { live } = await notices(store, datasetId, signal);
  if (live.length === 0) return;
  throw new ArchiverError('conflict', `dataset ${printable(datasetId)} is being pruned`, {
    hint: 'run the same command again when the prune has ended; one that was killed is waited for two hours',
  });
}

export interface NoticeOptions {
  readonly datasetId: string;
  /** Versions that are to be retired. */
  readonly versions: readonly ReadRecord[];
  /** Four bytes. */
  readonly random: Uint8Array;
  readonly deleter: ObjectDeleter;
  readonly signal: AbortSignal;
}

/** Runs `work`, which retires versions, under a notice. @throws conflict when one of them was tagged since the prune was planned */
export async function underNotice(
  store: ObjectStore,
  noticed: NoticeOptions,
  work: () => Promise<void>,
): Promise<void> {
  const { datasetId, random, deleter, signal } = noticed;
  const { dead } = await notices(store, datasetId, signal);
  const key = `${folderOf(datasetId)}prune-${Buffer.from(random).toString('hex')}.json`;
  const body = Buffer.from(`${digestedText({ format: 1, type: 'archiver-prune' })}\n`);
  await store.put(key, body, { contentType: 'application/json', ifAbsent: true, signal });
  try {
    await refuseTagged(store, noticed);
    await work();
  } finally {
    // Also after a cancellation. A notice that stays, as when nothing may be deleted, counts as dead two hours later.
    await deleter.delete([key, ...dead]).catch((error: unknown) => {
      if (!isArchiverError(error)) throw error;
    });
  }
}

async function refuseTagged(reader: ObjectReader, { datasetId, versions, signal }: NoticeOptions): Promise<void> {
  const retired = new Set(versions.map(({ listed }) => listed.key));
  for (const listed of await listVersions(reader, datasetId, signal)) {
    const [tag] = listed.tags;
    if (tag === undefined || !retired.has(listed.key)) continue;
    const what = `version ${versionNumber(listed)} of dataset ${printable(datasetId)} was tagged '${printable(tag)}' meanwhile`;
    throw new ArchiverError('conflict', `${what}: no version was retired, and nothing was deleted`, {
      hint: 'run the same command again',
    });
  }
}
