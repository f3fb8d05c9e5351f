// What is stored under `uploads/`, one upload at a time. Folders whose name is not an upload id are foreign and never shown.
import { CHUNK_KEY } from '../../format/manifest/chunk-key.js';
import { DIRECT_KEY } from '../../format/manifest/direct-record.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import { markedUpload } from '../marks.js';
import { manifestKeyOf, splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';
import { isFenceFlag } from '../../format/manifest/fence-flag.js';

/** The probe's objects (docs/format.md, Create-once) stay where a writer may not delete. */
const COMPANION = /^(?:manifest\.json\.gz\.[^/]+|create-once-[0-9a-f]{16})$/;

export interface UploadFolder {
  readonly uploadId: UploadId;
  manifest: ObjectInfo | undefined;
  /** In place of the manifest, or a flag: it was given up. Stays for ever, and is nothing that a prune deletes. */
  fence: ObjectInfo | undefined;
  /** `manifest.json.gz.…`: what replacing a manifest leaves while it is under way; and what asking the store has left. */
  readonly companions: ObjectInfo[];
  /** And files of direct uploads. */
  readonly chunks: ObjectInfo[];
  /** Of earlier prunes. */
  readonly marks: ObjectInfo[];
  /** What this version of archiver does not write. */
  readonly unknown: ObjectInfo[];
}

/** Every upload under the base by its id. One LIST. @throws what the listing throws */
export async function listUploadFolders(
  reader: ObjectReader,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, UploadFolder>> {
  const folders = new Map<string, UploadFolder>();
  for await (const page of reader.list({ prefix: 'uploads/', signal })) {
    for (const object of page.objects) {
      const { uploadId, name } = splitUploadKey(object.key) ?? {};
      if (uploadId === undefined || name === undefined || name === '') continue;
      const folder = folders.get(uploadId) ?? emptyFolder(uploadId);
      folders.set(uploadId, folder);
      place(folder, name, object);
    }
  }
  return folders;
}

/** An upload of which nothing is left. */
export const emptyFolder = (uploadId: UploadId): UploadFolder => ({
  uploadId,
  manifest: undefined,
  fence: undefined,
  companions: [],
  chunks: [],
  marks: [],
  unknown: [],
});

function place(folder: UploadFolder, name: string, object: ObjectInfo): void {
  if (isFenceObject(object) || isFenceFlag(object.key)) folder.fence = newer(folder.fence, object);
  else if (object.key === manifestKeyOf(folder.uploadId)) folder.manifest = object;
  else if (CHUNK_KEY.test(name) || DIRECT_KEY.test(name)) folder.chunks.push(object);
  else if (COMPANION.test(name)) folder.companions.push(object);
  else if (markedUpload(object.key) !== undefined) folder.marks.push(object);
  else folder.unknown.push(object);
}

const newer = (a: ObjectInfo | undefined, b: ObjectInfo): ObjectInfo =>
  a !== undefined && a.lastModified > b.lastModified ? a : b;

/** What uploads and replaced manifests put there: all that a prune may ever delete. */
export function ownObjects({ manifest, companions, chunks }: UploadFolder): readonly ObjectInfo[] {
  return [...(manifest === undefined ? [] : [manifest]), ...companions, ...chunks];
}

/** When a writer last put something there, by the store's clock; undefined where nothing is left. */
export function newestWrite(folder: UploadFolder): Date | undefined {
  let newest: Date | undefined;
  for (const { lastModified } of [...ownObjects(folder), ...folder.unknown])
    if (newest === undefined || lastModified > newest) newest = lastModified;
  return newest;
}
