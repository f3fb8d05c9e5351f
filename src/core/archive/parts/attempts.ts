// Finds the attempts at a plan: uploads that began after it, whose first object says so.
import { type Attempt, isAttemptKey, readAttempt } from '../../dataset/attempts.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { ObjectReader } from '../../store/object-store.js';
import { newUploadId, splitUploadKey, type UploadId, uploadStartMs } from '../../store/ids/upload-id.js';

const READS_AT_ONCE = 16;
/** Ids begin with the clock of whoever makes them: one that is a day behind is still seen. */
const CLOCKS_APART_MS = 86_400_000;

/** An attempt, and what lies in its folder. */
export interface FoundAttempt extends Attempt {
  readonly objects: number;
  readonly storedBytes: number;
  /** When its first and its newest object were stored, in ms since 1970 by the clock of the store. */
  readonly begunMs: number;
  readonly newestMs: number;
}

type Sums = { -readonly [K in Exclude<keyof FoundAttempt, keyof Attempt>]: number } & { isAttempt: boolean };

/** What uploads say of themselves, undefined for one that is no attempt: that never changes, and need not be read twice. */
export type KnownAttempts = Map<UploadId, Attempt | undefined>;

/** Lists what was stored since the plan, and reads which of it are attempts at this plan. @throws what the store throws */
export async function findAttempts(
  reader: ObjectReader,
  plan: UploadId,
  signal: AbortSignal,
  known: KnownAttempts = new Map(),
): Promise<readonly FoundAttempt[]> {
  const sums = new Map<UploadId, Sums>();
  for await (const { objects } of reader.list({
    prefix: 'uploads/',
    startAfter: `uploads/${idAt(uploadStartMs(plan) - CLOCKS_APART_MS)}`,
    signal,
  })) {
    for (const { key, sizeBytes, lastModified } of objects) {
      const { uploadId } = splitUploadKey(key) ?? {};
      if (uploadId === undefined || uploadId === plan) continue;
      const at = lastModified.getTime();
      const sum = sums.get(uploadId) ?? { objects: 0, storedBytes: 0, begunMs: at, newestMs: at, isAttempt: false };
      sum.objects++;
      sum.storedBytes += sizeBytes;
      sum.begunMs = Math.min(sum.begunMs, at);
      sum.newestMs = Math.max(sum.newestMs, at);
      sum.isAttempt ||= isAttemptKey(key);
      sums.set(uploadId, sum);
    }
  }
  const found: FoundAttempt[] = [];
  await forEachLimit(sums, READS_AT_ONCE, async ([uploadId, { isAttempt, ...sum }]) => {
    const attempt = isAttempt ? await knownAttempt(reader, uploadId, signal, known) : undefined;
    if (attempt?.plan === plan) found.push({ ...attempt, ...sum });
  });
  return found.toSorted((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
}

/** Reads what an upload says of itself, unless that is known. @throws as {@link readAttempt} */
export async function knownAttempt(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
  known: KnownAttempts,
): Promise<Attempt | undefined> {
  if (!known.has(uploadId)) known.set(uploadId, await readAttempt(reader, uploadId, signal));
  return known.get(uploadId);
}

/** The first id of a moment, in ms since 1970. */
export const idAt = (ms: number): UploadId => newUploadId(new Date(ms), new Uint8Array(4));
