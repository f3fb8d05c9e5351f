// The layers that a rebuilt view may be merged from, one per upload: from its manifest where that can be read, otherwise from the tables of
// contents of the chunks in its folder.
import type { EventSink } from '../../events/events.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import type { Level } from '../../dataset/chain/merged-view.js';
import { levelOf } from '../../dataset/chain/view.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import type { PathRange } from '../../format/manifest/path-range.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { OlderUpload } from './find-record.js';
import { listFolder, withoutMarked } from './folder-objects.js';
import { withParts } from './plan-tables.js';
import { type KnownObjects, openTables, type TableFolder } from './table-folder.js';
import type { UploadId } from '../../store/ids/upload-id.js';

export interface Layer {
  readonly uploadId: UploadId;
  readonly level: Level;
  /** True when it hides every layer below. */
  readonly isFull: boolean;
  /** Digest of the manifest that it comes from. */
  readonly sha256?: string;
  /** Set when it comes from tables of contents. */
  readonly tables?: TableFolder;
  /** Set when segments that are whole are part of it. */
  readonly hasSegments?: true;
}

export interface LayerOptions {
  readonly cache: ManifestCache | undefined;
  readonly known: KnownObjects;
  /** Where entries are wanted; undefined for everywhere. */
  readonly ranges?: readonly PathRange[] | undefined;
  readonly requestsAtOnce: number;
  readonly emit?: EventSink | undefined;
  readonly signal: AbortSignal;
}

/** Returns the uploads before a version as layers, newest first, down to a full listing. @throws errors of the store and its keys */
export async function olderLayers(
  reader: ObjectReader,
  older: readonly OlderUpload[],
  options: LayerOptions,
): Promise<readonly Layer[]> {
  const links: (LoadedManifest | UploadId)[] = [];
  for (const { uploadId, sha256 } of older) {
    const loaded = await loadExpected(reader, uploadId, sha256, options).catch(undefinedOn('not-found', 'integrity'));
    links.push(loaded ?? uploadId);
    if (loaded === undefined) continue;
    options.known.add(loaded.uploadId, loaded.head.chunks);
    if (loaded.head.listing === 'full') break;
  }
  const layers: Layer[] = [];
  for (const link of links) {
    const layer = typeof link === 'string' ? await tableLayer(reader, link, options) : manifestLayer(link);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

export const manifestLayer = (loaded: LoadedManifest): Layer => ({
  uploadId: loaded.uploadId,
  sha256: loaded.sha256,
  level: levelOf(loaded),
  isFull: loaded.head.listing === 'full',
});

/** Makes a layer from tables of contents; undefined when the folder has no chunk left that may be referred to. */
export async function tableLayer(
  reader: ObjectReader,
  uploadId: UploadId,
  options: LayerOptions,
): Promise<Layer | undefined> {
  const listed = await listFolder(reader, uploadId, options.signal);
  const objects = withoutMarked(await withParts(reader, listed, options.signal));
  if (objects.chunks.length === 0 && objects.parts === undefined) return undefined;
  const tables = await openTables(reader, objects, options);
  return { uploadId, level: tables.level, isFull: false, tables };
}
