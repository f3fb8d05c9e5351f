// What an attempt at a part of a plan puts first into its folder, so that others know whose it is (docs/format.md, Plans).
import { undefinedOn } from '../platform/failures/errors.js';
import { checkFormat, readObject, readValue } from '../platform/documents/read-document.js';
import * as s from '../platform/documents/schema.js';
import { integrityError } from '../platform/failures/errors.js';
import { checkedDigest, digestedText } from '../platform/json/digested-json.js';
import { parseBoundedJson } from '../platform/json/json-guard.js';
import { checkRequirements } from '../format/manifest/requirements.js';
import type { ObjectReader } from '../store/object-store.js';
import { readAll } from '../store/read-content.js';
import { splitUploadKey, UPLOAD_ID, uploadFolder, type UploadId } from '../store/ids/upload-id.js';
import { uploadId } from '../store/ids/upload-id-schema.js';

const FORMAT = 1;
const TYPE = 'archiver-attempt';
const MAX_BYTES = 1 << 20;
const MAX_DEPTH = 4;
const NAME = 'attempt.json';

const ATTEMPT = s.schema(() =>
  s.object({
    type: s.literal(TYPE),
    plan: uploadId,
    part: s.count,
    uploadId,
    host: s.text,
    pid: s.count,
    createdAt: s.moment,
    /** Ids of the scheduler's job, by the variables that say them. */
    job: s.texts,
  }),
);
export type Attempt = Omit<s.Read<typeof ATTEMPT>, 'type'>;

/** Names in the folder of a plan, or of an attempt, that no manifest refers to. */
export const PLAN_KEY = new RegExp(
  String.raw`^(?:plan\.json\.gz|plan/(?:\d{6}|changes)-[0-9a-f]{8}\.json\.gz|parts/\d{6}(?:\.${UPLOAD_ID})?\.json|commit-[0-9a-f]{8}\.json|attempt\.json)$`,
);

/** The key of an attempt's first object. */
export const attemptKey = (attempt: UploadId): string => uploadFolder(attempt) + NAME;

/** True for the key of an attempt's first object. */
export const isAttemptKey = (key: string): boolean => splitUploadKey(key)?.name === NAME;

/** What an attempt puts. */
export const attemptBytes = (attempt: Attempt): Buffer =>
  Buffer.from(`${digestedText({ format: FORMAT, type: TYPE, requires: [], ...attempt })}\n`);

/** Reads what an attempt says of itself; undefined for an upload that is none. @throws integrity, unsupported, what the store throws */
export async function readAttempt(
  reader: ObjectReader,
  upload: UploadId,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const key = attemptKey(upload);
  const what = `the attempt ${key}`;
  const content = await reader.get(key, { signal }).catch(undefinedOn('not-found'));
  if (content === undefined) return undefined;
  const bytes = await readAll(content, MAX_BYTES);
  const document = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  checkFormat(document, 'format', FORMAT, what);
  checkRequirements(document, what);
  if (checkedDigest(document, what) === undefined) throw integrityError(`${what} is damaged`);
  const attempt = readValue(ATTEMPT, document, what);
  if (attempt.uploadId !== upload) throw integrityError(`${what} is that of another upload`);
  return attempt;
}
