// Marks what an attempt has sent and no version needs, because another attempt at its part was first.
import { checkFolder } from '../../dataset/check-references.js';
import { markedUpload, writeMark } from '../../dataset/marks.js';
import type { EventSink } from '../../events/events.js';
import { errorText, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { counted } from '../../platform/text/counted.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { newUploadId, splitUploadKey, uploadFolder, uploadStartMs, type UploadId } from '../../store/ids/upload-id.js';
import { readAttempt } from '../../format/parts/part-documents.js';
import { attemptKey } from '../../format/parts/part-keys.js';

const MAX_ATTEMPT_BYTES = 1 << 20;

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

/** Ids begin with the clock of whoever makes them: one that is a day behind is still seen. */
const CLOCKS_APART_MS = 86_400_000;

/** Marks the folders of attempts at this plan but those that may be needed. Never fails the run. */
export async function markOtherAttempts(
  run: Marking,
  plan: UploadId,
  needed: (attempt: UploadId) => boolean,
): Promise<void> {
  try {
    for (const attempt of await attemptsOf(run.store, plan, needed, run.signal)) await markAttempt(run, attempt);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    run.emit({ type: 'note', text: `other attempts of the plan are not marked: ${errorText(error)}` });
  }
}

/** Finds the attempts at a plan, but for `known` ones. */
async function attemptsOf(
  reader: ObjectReader,
  plan: UploadId,
  known: (attempt: UploadId) => boolean,
  signal: AbortSignal,
): Promise<readonly UploadId[]> {
  const startAfter = `uploads/${idBefore(plan)}`;
  const found: UploadId[] = [];
  for await (const { prefixes } of reader.list({ prefix: 'uploads/', startAfter, delimiter: '/', signal })) {
    for (const prefix of prefixes) {
      const { uploadId } = splitUploadKey(prefix) ?? {};
      if (uploadId === undefined || uploadId === plan || known(uploadId)) continue;
      if ((await planOf(reader, uploadId, signal)) === plan) found.push(uploadId);
    }
  }
  return found;
}

/** An id of the day before this one began. */
const idBefore = (plan: UploadId): string =>
  newUploadId(new Date(uploadStartMs(plan) - CLOCKS_APART_MS), new Uint8Array(4));

/** The plan that the upload is an attempt at a part of; undefined for every other upload. */
async function planOf(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<UploadId | undefined> {
  const key = attemptKey(uploadId);
  const content = await reader.get(key, { signal }).catch(undefinedOn('not-found'));
  if (content === undefined) return undefined;
  return readAttempt(await readAll(content, MAX_ATTEMPT_BYTES), `the attempt ${key}`).plan;
}
