// Marks what a run has sent and no version needs in the end: another writer was faster and has the same, or something was sent again. It is
// marked at once, as a prune would mark it once it counts as abandoned, and reported. Nothing is deleted here: only a sweep knows what
// others refer to.
import { checkFolder, type StoredPlace } from '../dataset/check-references.js';
import { writeMark } from '../dataset/marks.js';
import { errorText, isArchiverError } from '../platform/failures/errors.js';
import { listsByKey } from '../platform/lists-by-key.js';
import { chunkKey } from '../format/manifest/manifest-check.js';
import { folderOfKey, manifestKeyOf, splitUploadKey, uploadFolder, type UploadId } from '../store/ids/upload-id.js';
import type { ObjectInfo } from '../store/object-store.js';
import { counted } from '../platform/text/counted.js';
import type { UploadRun } from './run/upload-run.js';

const MIB = 2 ** 20;

type GiveUpInput = Pick<UploadRun, 'store' | 'sender' | 'uploadId' | 'notWhole' | 'emit' | 'signal'>;

/** Marks what this run has sent and its version, which has `chunks`, does not refer to. Never fails the upload. */
export async function markUnneeded(run: GiveUpInput, objects: readonly Pick<StoredPlace, 'key'>[]): Promise<void> {
  const needed = new Set(objects.map(({ key }) => chunkKey(run.uploadId, key)));
  const unneeded = run.sender.stored().filter((key) => !needed.has(key));
  for (const [folder, keys] of listsByKey(unneeded, folderOfKey)) {
    const uploadId = splitUploadKey(folder)?.uploadId;
    if (uploadId !== undefined) await giveUp(run, uploadId, keys);
  }
}

async function giveUp(run: GiveUpInput, uploadId: UploadId, keys: readonly string[]): Promise<void> {
  const { store, emit, signal } = run;
  const tell = (amount: string, then: string): void =>
    emit({ type: 'note', text: `${amount} of upload ${uploadId} that no version needs: ${then}` });
  try {
    const { sound } = await checkFolder(store, uploadFolder(uploadId), signal);
    const found = keys.flatMap((key) => sound.get(key) ?? []); // what is gone or marked needs no further mark
    if (found.length === 0) return;
    await writeMark(
      store,
      { uploadId, reason: 'superseded', objects: [...found, ...unusedManifest(run, uploadId, sound)] },
      signal,
    );
    const bytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    tell(`${counted(found.length, 'chunk')}, ${(bytes / MIB).toFixed(1)} MiB,`, 'marked, a later prune deletes them');
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    tell(
      counted(keys.length, 'chunk'),
      `a prune deletes them when they count as abandoned (not marked: ${errorText(error)})`,
    );
  }
}

/** Returns the manifest of an earlier id of this run that never became a version. */
function unusedManifest(
  { uploadId: own, notWhole }: GiveUpInput,
  uploadId: UploadId,
  sound: ReadonlyMap<string, ObjectInfo>,
): ObjectInfo[] {
  const isRecorded = notWhole.some((version) => version.uploadId === uploadId);
  const manifest = uploadId === own || isRecorded ? undefined : sound.get(manifestKeyOf(uploadId));
  return manifest === undefined ? [] : [manifest];
}
