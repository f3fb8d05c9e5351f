// Puts checks. Whoever may not write there has verified all the same: what keeps a check from being put is said and never fails the work.
import { ArchiverError, errorText, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { newUploadId } from '../../store/ids/upload-id.js';
import type { ObjectStore } from '../../store/object-store.js';
import { putIfAbsent } from '../../store/put-if-absent.js';
import { type Check, encodeCheck, MAX_VERSIONS } from './check-document.js';
import { checkKey } from '../records/check-key.js';

/** Versions of a document that may name what is wrong with each of them: with three sentences of 300 characters it has 3 MiB at most. */
const MAX_FAILED = 1000;

export interface PutCheckOptions {
  /** Where the store of the dataset lies below this one, with a slash at its end; '' for this one itself. */
  readonly above?: string | undefined;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly signal: AbortSignal;
}

/** Puts a check, one of more versions than a document takes as several; returns the keys. @throws what the store throws */
export async function putCheck(
  store: ObjectStore,
  check: Check,
  { above = '', randomBytes, signal }: PutCheckOptions,
): Promise<readonly string[]> {
  const keys: string[] = [];
  const { versions, datasetId, kind } = check;
  const most = check.ok ? MAX_VERSIONS : MAX_FAILED;
  for (let start = 0; start < versions.length; start += most) {
    const some = versions.slice(start, start + most);
    const ok = check.ok || some.every(({ errorCount }) => errorCount === 0);
    const id = newUploadId(new Date(check.endedAt), randomBytes(4));
    const body = encodeCheck({ ...check, ok, versions: some });
    const key = above + checkKey({ datasetId, id, kind, ok });
    const isNew = await putIfAbsent(store, key, body, { contentType: 'application/json', signal });
    if (!isNew) throw new ArchiverError('conflict', 'another check has the same key');
    keys.push(key);
  }
  return keys;
}

/** Runs `put`; returns why nothing could be put, or undefined. @throws cancelled, and what is a failure of neither store nor system */
export async function whyNotPut(put: () => Promise<void>): Promise<string | undefined> {
  try {
    await put();
    return undefined;
  } catch (error) {
    if (isArchiverError(error, 'cancelled', 'internal')) throw error;
    if (isArchiverError(error)) return error.message;
    if (systemCode(error) === undefined) throw error;
    return errorText(error);
  }
}
