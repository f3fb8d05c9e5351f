// Marks (rules.md#marks, rules.md#looks): `uploads/<id>/sweep-<time>-<random>.json` names objects of that folder that no kept version
// needed when it was written. It is stored where writers look before they refer to anything, so that no new manifest refers to those
// objects from then on; a writer that may list but not read treats every object of a marked folder as marked. The age of a mark comes from
// the store (`lastModified`), never from its name or content.
import { hash } from 'node:crypto';
import { checkFormat, readObject, readValue } from '../platform/documents/read-document.js';
import * as s from '../platform/documents/schema.js';
import { integrityError, isArchiverError } from '../platform/failures/errors.js';
import { checkedDigest, digestedText } from '../platform/json/digested-json.js';
import { parseBoundedJson } from '../platform/json/json-guard.js';
import { ifAllowed } from '../store/abilities.js';
import type { ObjectInfo, ObjectReader, ObjectStore } from '../store/object-store.js';
import { readAll } from '../store/read-content.js';
import { printable } from '../platform/paths/raw-path.js';
import { splitUploadKey, uploadFolder, type UploadId } from '../store/ids/upload-id.js';
import { uploadId } from '../store/ids/upload-id-schema.js';
import { putIfAbsent } from '../store/put-if-absent.js';

/** Name of a mark, relative to the folder of the upload. */
const MARK_NAME = /^sweep-\d{8}T\d{6}Z-[0-9a-f]{8}\.json$/;
const FORMAT = 1;
/** A mark for the million keys of a direct upload takes 70 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_DEPTH = 4;

/** The reason why objects of a folder are no longer needed. */
export type MarkReason = 'retired' | 'superseded' | 'abandoned';

const MARK = s.schema(() =>
  s.object({
    uploadId,
    reason: s.transform(s.text, (one) => one as MarkReason),
    /** Keys relative to the folder of the upload. */
    keys: s.listOfMany(s.text),
  }),
);
export type Mark = s.Read<typeof MARK>;

export interface FoundMark extends Mark {
  readonly object: ObjectInfo;
}

/** The upload whose folder this object marks, or undefined when the object is not a mark. */
export function markedUpload(key: string): UploadId | undefined {
  const { uploadId, name = '' } = splitUploadKey(key) ?? {};
  return MARK_NAME.test(name) ? uploadId : undefined;
}

export interface Marked extends Pick<Mark, 'uploadId' | 'reason'> {
  readonly objects: readonly Pick<ObjectInfo, 'key' | 'lastModified'>[];
}

/**
 * Marks objects of an upload. Returns false when another prune has just marked the same ones: the name of a mark is derived from its
 * content, so that only one of two prunes counts it. `salt` makes the name a different one. @throws what writing throws
 */
export async function writeMark(store: ObjectStore, marked: Marked, signal: AbortSignal, salt = ''): Promise<boolean> {
  const { uploadId, reason, objects } = marked;
  const folder = uploadFolder(uploadId);
  const keys = objects.map(({ key }) => key.slice(folder.length));
  const newest = new Date(objects.reduce((most, { lastModified }) => Math.max(most, lastModified.getTime()), 0));
  const time = newest.toISOString().replace(/[-:]|\.\d+/g, '');
  const body = Buffer.from(`${digestedText({ format: FORMAT, type: 'archiver-sweep', uploadId, reason, keys })}\n`);
  const key = `${folder}sweep-${time}-${hash('sha256', `${salt}${body.toString()}`, 'hex').slice(0, 8)}.json`;
  if (await putIfAbsent(store, key, body, { contentType: 'application/json', signal })) return true;
  const there = await store.head(key, signal);
  if (there === undefined || (await isReadable(store, there, signal))) return false;
  return await writeMark(store, marked, signal, salt + there.etag);
}

/** False for a mark that is damaged or written by a newer archiver: it is ignored. */
async function isReadable(store: ObjectStore, object: ObjectInfo, signal: AbortSignal): Promise<boolean> {
  try {
    await readMark(store, object, signal);
    return true;
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
    return false;
  }
}

/** Reads a mark. @throws integrity, unsupported for a mark that this version cannot read; not-found; access-denied; what the store throws */
export async function readMark(reader: ObjectReader, object: ObjectInfo, signal: AbortSignal): Promise<FoundMark> {
  const { key } = object;
  const what = `the mark ${printable(key)}`;
  const bytes = await readAll(await reader.get(key, { signal }), MAX_BYTES);
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  checkFormat(parsed, 'format', FORMAT, what);
  if (checkedDigest(parsed, what) === undefined) throw integrityError(`${what} is damaged`);
  const mark = readValue(MARK, parsed, what);
  if (mark.uploadId !== markedUpload(key)) throw integrityError(`${what} is damaged: it is that of another upload`);
  return { ...mark, object };
}

/**
 * Full keys that the marks of a folder name, or `all` when this writer cannot read or understand one of them: then nothing of the folder
 * may be referred to. @throws what the store throws
 */
export async function markedKeys(
  reader: ObjectReader,
  marks: readonly ObjectInfo[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | 'all'> {
  const keys = new Set<string>();
  for (const object of marks) {
    try {
      const mark = await ifAllowed(reader, 'read', object.key, () => readMark(reader, object, signal));
      if (mark === undefined) return 'all';
      for (const key of mark.keys) keys.add(uploadFolder(mark.uploadId) + key);
    } catch (error) {
      if (isArchiverError(error, 'not-found')) continue; // swept since it was listed, together with the objects it named
      if (!isArchiverError(error, 'integrity', 'unsupported', 'cold-storage')) throw error;
      return 'all';
    }
  }
  return keys;
}
