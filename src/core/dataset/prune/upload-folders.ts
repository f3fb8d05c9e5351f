// Lists the objects under `uploads/`, one upload at a time. Folders whose name is not an upload ID are foreign and left out.
import { CHUNK_KEY } from '../../format/manifest/chunk-key.js';
import { OWN_SEGMENT_KEY } from '../../format/manifest/segment-key.js';
import { DIRECT_KEY } from '../../format/manifest/direct-record.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { isFenceObject } from '../../format/manifest/fence.js';
import { PLAN_KEY } from '../attempts.js';
import { markedUpload } from '../marks.js';
import { isWellFormedKey } from '../../store/ids/key-form.js';
import { manifestKeyOf, splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';
import { isFenceFlag } from '../../format/manifest/fence-flag.js';

/** The probe's objects (docs/format.md, Create-once) stay where a writer may not delete. */
const COMPANION = /^(?:manifest\.json\.gz\.[^/]+|create-once-[0-9a-f]{16})$/;

export interface UploadFolder {
  readonly uploadId: UploadId;
  manifest: ObjectInfo | undefined;
  /** Fence in place of the manifest, or a flag, of an abandoned upload. It stays for ever; a prune never deletes it. */
  fence: ObjectInfo | undefined;
  /** Segments of manifests; `manifest.json.gz.…`, left while a manifest is being replaced; and those left by probes of the store. */
  readonly companions: ObjectInfo[];
  /** Chunks, and files of direct uploads. */
  readonly chunks: ObjectInfo[];
  /** What makes it a plan, or an attempt at a part of one. */
  readonly parts: ObjectInfo[];
  /** Marks of earlier prunes. */
  readonly marks: ObjectInfo[];
  /** Objects that this version of archiver does not write. */
  readonly unknown: ObjectInfo[];
}

/** Every upload under the base by its ID. One LIST. @throws what the listing throws */
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

/** An upload without objects. */
export const emptyFolder = (uploadId: UploadId): UploadFolder => ({
  uploadId,
  manifest: undefined,
  fence: undefined,
  companions: [],
  chunks: [],
  parts: [],
  marks: [],
  unknown: [],
});

function place(folder: UploadFolder, name: string, object: ObjectInfo): void {
  if (!isWellFormedKey(object.key)) folder.unknown.push(object);
  else if (isFenceObject(object) || isFenceFlag(object.key)) folder.fence = newer(folder.fence, object);
  else if (object.key === manifestKeyOf(folder.uploadId)) folder.manifest = object;
  else if (CHUNK_KEY.test(name) || DIRECT_KEY.test(name)) folder.chunks.push(object);
  else if (COMPANION.test(name) || OWN_SEGMENT_KEY.test(name)) folder.companions.push(object);
  else if (PLAN_KEY.test(name)) folder.parts.push(object);
  else if (markedUpload(object.key) !== undefined) folder.marks.push(object);
  else folder.unknown.push(object);
}

const newer = (a: ObjectInfo | undefined, b: ObjectInfo): ObjectInfo =>
  a !== undefined && a.lastModified > b.lastModified ? a : b;

/** Objects of uploads, plans and replaced manifests: all that a prune may ever delete. */
export function ownObjects({ manifest, companions, chunks, parts }: UploadFolder): readonly ObjectInfo[] {
  return [...(manifest === undefined ? [] : [manifest]), ...companions, ...chunks, ...parts];
}

/** Time of a writer's last write to the folder, by the store's clock; undefined when nothing is left. */
export function newestWrite(folder: UploadFolder): Date | undefined {
  let newest: Date | undefined;
  for (const { lastModified } of [...ownObjects(folder), ...folder.unknown])
    if (newest === undefined || lastModified > newest) newest = lastModified;
  return newest;
}
