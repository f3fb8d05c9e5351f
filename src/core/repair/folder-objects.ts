// What lies in the folder of an upload, sorted by what it is. Objects that a mark names (commit protocol, Protocol 2) are
// going to be swept: nothing that is written from now on may refer to them.
import { markedKeys, markedUpload } from '../dataset/prune/marks.js';
import { CHUNK_KEY } from '../manifest/chunk-key.js';
import { DIRECT_KEY } from '../manifest/direct-record.js';
import type { ObjectInfo, ObjectReader } from '../object-store/object-store.js';

const MANIFEST = 'manifest.json.gz';

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
  /** Full keys that marks name; undefined when a mark cannot be understood: it may name everything. */
  readonly marked: ReadonlySet<string> | undefined;
}

/** Lists the folder and reads its marks. @throws what the store throws */
export async function listFolder(reader: ObjectReader, uploadId: string, signal: AbortSignal): Promise<FolderObjects> {
  const folder = `uploads/${uploadId}/`;
  const chunks: ObjectInfo[] = [];
  const files = new Map<string, ObjectInfo>();
  const beside: ObjectInfo[] = [];
  const others: string[] = [];
  const marks: ObjectInfo[] = [];
  let hasManifest = false;
  for await (const page of reader.list({ prefix: folder, signal })) {
    for (const object of page.objects) {
      const key = object.key.slice(folder.length);
      if (CHUNK_KEY.test(key)) chunks.push(object);
      else if (DIRECT_KEY.test(key)) files.set(key, object);
      else if (key === MANIFEST) hasManifest = true;
      else if (key.startsWith(`${MANIFEST}.`)) beside.push(object);
      else if (markedUpload(object.key) !== undefined) marks.push(object);
      else others.push(key);
    }
  }
  const marked = await markedKeys(reader, marks, signal);
  const named = marked === 'all' ? undefined : marked;
  return { uploadId, chunks, files, hasManifest, beside, others, marked: named };
}

/** The folder without what marks name; where nobody knows what they name nothing is left. */
export function withoutMarked(objects: FolderObjects): FolderObjects {
  const { marked, chunks, files } = objects;
  const isKept = (key: string): boolean => marked !== undefined && !marked.has(key);
  return {
    ...objects,
    chunks: chunks.filter(({ key }) => isKept(key)),
    files: new Map([...files].filter(([, { key }]) => isKept(key))),
  };
}
