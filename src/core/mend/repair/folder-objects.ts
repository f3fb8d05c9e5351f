// The objects in an upload's folder, by kind. Objects that a mark names (rules.md#marks) will be swept, so nothing written from now on may
// refer to them.
import { markedKeys, markedUpload } from '../../dataset/marks.js';
import { CHUNK_KEY } from '../../format/manifest/chunk-key.js';
import { DIRECT_KEY } from '../../format/manifest/direct-record.js';
import { OWN_SEGMENT_KEY } from '../../format/manifest/segment-key.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { MANIFEST_NAME, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';

export interface FolderObjects {
  readonly uploadId: UploadId;
  readonly chunks: readonly ObjectInfo[];
  /** Direct files by key relative to the folder. */
  readonly files: ReadonlyMap<string, ObjectInfo>;
  /** Objects written beside the manifest: `manifest.json.gz.…`. */
  readonly beside: readonly ObjectInfo[];
  /** Segments of listings. */
  readonly segments: readonly ObjectInfo[];
  /** Keys of all other objects, relative to the folder. */
  readonly others: readonly string[];
  /** Full keys that marks name; undefined when a mark cannot be read, because it may name everything. */
  readonly marked: ReadonlySet<string> | undefined;
  /** Of a plan: the folders of what its parts have stored, in order, and files of which some piece is left out. */
  readonly parts?: { readonly folders: readonly FolderObjects[]; readonly leftOut: ReadonlySet<RawPath> };
}

/** Lists the folder and reads its marks. @throws what the store throws */
export async function listFolder(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<FolderObjects> {
  const folder = uploadFolder(uploadId);
  const chunks: ObjectInfo[] = [];
  const files = new Map<string, ObjectInfo>();
  const beside: ObjectInfo[] = [];
  const segments: ObjectInfo[] = [];
  const others: string[] = [];
  const marks: ObjectInfo[] = [];
  for await (const page of reader.list({ prefix: folder, signal })) {
    for (const object of page.objects) {
      const key = object.key.slice(folder.length);
      if (!isWellFormedKey(key)) others.push(key);
      else if (CHUNK_KEY.test(key)) chunks.push(object);
      else if (DIRECT_KEY.test(key)) files.set(key, object);
      else if (OWN_SEGMENT_KEY.test(key)) segments.push(object);
      else if (key.startsWith(`${MANIFEST_NAME}.`)) beside.push(object);
      else if (markedUpload(object.key) !== undefined) marks.push(object);
      else if (key !== MANIFEST_NAME) others.push(key);
    }
  }
  const marked = await markedKeys(reader, marks, signal);
  const named = marked === 'all' ? undefined : marked;
  return { uploadId, chunks, files, beside, segments, others, marked: named };
}

/** Returns the folder without marked objects; without any chunks and files when a mark cannot be read. */
export function withoutMarked(objects: FolderObjects): FolderObjects {
  const { marked, chunks, files, parts } = objects;
  const isKept = (key: string): boolean => marked !== undefined && !marked.has(key);
  return {
    ...objects,
    chunks: chunks.filter(({ key }) => isKept(key)),
    files: new Map([...files].filter(([, { key }]) => isKept(key))),
    ...(parts === undefined ? {} : { parts: { ...parts, folders: parts.folders.map(withoutMarked) } }),
  };
}
