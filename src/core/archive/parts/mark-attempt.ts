// Marks what an attempt has sent and no version needs, because another attempt at its part was first.
import { checkFolder } from '../../dataset/check-references.js';
import { markedUpload, writeMark } from '../../dataset/marks.js';
import type { EventSink } from '../../events/events.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import { counted } from '../../platform/text/counted.js';
import type { ObjectStore } from '../../store/object-store.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import { findAttempts } from './attempts.js';

interface Marking {
  readonly store: ObjectStore;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Marks all that lies in the folder of an attempt, and says so. Never fails the run. */
export async function markAttempt({ store, emit, signal }: Marking, attempt: UploadId): Promise<void> {
  const note = (text: string): void => emit({ type: 'note', text });
  try {
    const { sound } = await checkFolder(store, uploadFolder(attempt), signal);
    const objects = [...sound.values()].filter(({ key }) => markedUpload(key) === undefined);
    if (objects.length === 0) return;
    await writeMark(store, { uploadId: attempt, reason: 'superseded', objects }, signal);
    note(`${counted(objects.length, 'object')} of attempt ${attempt}: marked, a later prune deletes them`);
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    note(`attempt ${attempt} stays until a prune takes it for abandoned (not marked: ${errorText(error)})`);
  }
}

/** Marks the folders of attempts at this plan but those that may be `needed`. Never fails the run. */
export async function markOtherAttempts(run: Marking, plan: UploadId, needed: ReadonlySet<string>): Promise<void> {
  try {
    for (const { uploadId } of await findAttempts(run.store, plan, run.signal))
      if (!needed.has(uploadFolder(uploadId))) await markAttempt(run, uploadId);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    run.emit({ type: 'note', text: `other attempts of the plan are not marked: ${errorText(error)}` });
  }
}
