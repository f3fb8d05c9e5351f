// Keeps two commits of one plan apart on a store that cannot create a key only once: there both would write one manifest and one record.
// Each puts a flag of its own and then looks for others, so that at least one of them sees the other and lets go.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore } from '../../store/object-store.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

/** A commit ends long before: an older flag is that of one that was killed. */
const FLAG_VALID_MS = 3_600_000;

const prefixOf = (plan: UploadId): string => `${uploadFolder(plan)}commit-`;

/** Puts the flag of this commit, where one is needed. `random` are four random bytes. @throws conflict while another commit may be at work */
export async function flagCommit(
  store: ObjectStore,
  plan: UploadId,
  random: Uint8Array,
  signal: AbortSignal,
): Promise<void> {
  if (store.plain === undefined) return;
  const own = `${prefixOf(plan)}${Buffer.from(random).toString('hex')}.json`;
  await store.put(own, Buffer.from('{"type":"archiver-commit"}\n'), { contentType: 'application/json', signal });
  const nowMs = (await store.time(signal)).getTime();
  for await (const { objects } of store.list({ prefix: prefixOf(plan), signal })) {
    const other = objects.find(
      ({ key, lastModified }) => key !== own && nowMs - lastModified.getTime() < FLAG_VALID_MS,
    );
    if (other === undefined) continue;
    const until = new Date(other.lastModified.getTime() + FLAG_VALID_MS).toISOString();
    throw new ArchiverError('conflict', `another commit of ${plan} is at work, or was killed (${other.key})`, {
      hint: `see whether it is a version by then: archiver commit again, after ${until} at the latest`,
    });
  }
}
