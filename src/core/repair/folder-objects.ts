// What lies in the folder of an upload, sorted by what it is. Objects that a mark names (commit protocol, Protocol 2) are
// going to be swept: nothing that is written from now on may refer to them.
import { isArchiverError } from '../errors.js';
import { DIRECT_KEY } from '../manifest/direct-record.js';
import { Fields } from '../manifest/json-fields.js';
import { parseBoundedJson } from '../manifest/json-guard.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';
import { readAll } from '../object-store/read-content.js';

export const CHUNK = /^shard-(\d{2,})\/chunk-(\d{6,})(?:-[0-9a-f]{8})?\.tar\.zst$/;
const MANIFEST = 'manifest.json.gz';
const MARK = /^sweep-[^/]*\.json$/;
const MAX_MARK_BYTES = 256 * 1024 * 1024;
const MAX_MARK_DEPTH = 4;

export interface FolderObjects {
  readonly uploadId: string;
  readonly chunks: readonly ObjectInfo[];
  /** Direct files by their keys in the folder. */
  readonly files: ReadonlyMap<string, ObjectInfo>;
  readonly hasManifest: boolean;
  /** `manifest.json.gz.…`: what was written beside the manifest. */
  readonly beside: readonly ObjectInfo[];
  /** Keys in the folder of what is none of these. */
  readonly others: readonly string[];
  /** Keys in the folder that marks name; undefined when a mark cannot be understood: it may name everything. */
  readonly marked: ReadonlySet<string> | undefined;
}

/** Lists the folder and reads its marks. @throws what the store throws */
export async function listFolder(reader: ObjectReader, uploadId: string, signal: AbortSignal): Promise<FolderObjects> {
  const folder = `uploads/${uploadId}/`;
  const chunks: ObjectInfo[] = [];
  const files = new Map<string, ObjectInfo>();
  const beside: ObjectInfo[] = [];
  const others: string[] = [];
  const marks: string[] = [];
  let hasManifest = false;
  for await (const page of reader.list({ prefix: folder, signal })) {
    for (const object of page.objects) {
      const key = object.key.slice(folder.length);
      if (CHUNK.test(key)) chunks.push(object);
      else if (DIRECT_KEY.test(key)) files.set(key, object);
      else if (key === MANIFEST) hasManifest = true;
      else if (key.startsWith(`${MANIFEST}.`)) beside.push(object);
      else if (MARK.test(key)) marks.push(object.key);
      else others.push(key);
    }
  }
  return { uploadId, chunks, files, hasManifest, beside, others, marked: await readMarks(reader, marks, signal) };
}

async function readMarks(
  reader: ObjectReader,
  marks: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const keys = new Set<string>();
  for (const mark of marks) {
    try {
      const bytes = await readAll(await reader.get(mark, { signal }), MAX_MARK_BYTES);
      const fields = new Fields(parseBoundedJson(bytes.toString('utf8'), MAX_MARK_DEPTH, mark), mark);
      for (const key of fields.list('keys')) keys.add(String(key));
    } catch (error) {
      if (isArchiverError(error, 'not-found')) continue; // swept since it was listed
      if (isArchiverError(error, 'integrity')) return undefined;
      throw error;
    }
  }
  return keys;
}

/** The folder without what marks name; where nobody knows what they name nothing is left. */
export function withoutMarked(objects: FolderObjects): FolderObjects {
  const { uploadId, marked, chunks, files } = objects;
  const isKept = (key: string): boolean => marked !== undefined && !marked.has(key);
  return {
    ...objects,
    chunks: chunks.filter(({ key }) => isKept(key.slice(`uploads/${uploadId}/`.length))),
    files: new Map([...files].filter(([key]) => isKept(key))),
  };
}

/** The folder with chunks and direct files of these full keys alone. */
export const onlyThese = (objects: FolderObjects, keys: ReadonlySet<string>): FolderObjects => ({
  ...objects,
  chunks: objects.chunks.filter(({ key }) => keys.has(key)),
  files: new Map([...objects.files].filter(([, { key }]) => keys.has(key))),
});
