// The possible sources of an upload's view: its own chunks, earlier versions, and folders of no version.
import { openView, type View } from '../../dataset/chain/view.js';
import { undefinedOn, isArchiverError } from '../../platform/failures/errors.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { chooseLayers, type Choice } from './choose-layers.js';
import type { FoundRecord, OlderUpload, RecordSearch } from './find-record.js';
import { type FolderObjects, withoutMarked } from './folder-objects.js';
import { manifestLayer, olderLayers, type Layer, type LayerOptions, tableLayer } from './layers.js';
import type { SegmentBase } from './segment-base.js';
import type { RememberedUse } from './remembered-use.js';
import type { RepairOptions, RepairPart } from './repair-result.js';
import { withParts } from './plan-tables.js';
import { KnownObjects, openTables, type TableFolder } from './table-folder.js';
import { expectedIn } from '../../dataset/records/assert-expected.js';
import { loadExpected } from '../../dataset/chain/load-chain.js';
import type { ObjectReader } from '../../store/object-store.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';

export interface ViewSourcesOptions {
  readonly options: RepairOptions;
  readonly search: RecordSearch;
  /** The head of the existing manifest, if it can be read. */
  readonly head: ManifestHead | undefined;
  readonly cache: RememberedUse;
  /** What is left of a listing in segments. */
  readonly base?: SegmentBase | undefined;
}

export class ViewSources {
  /** Filled from every manifest that can be read, before anything is chosen. */
  readonly known = new KnownObjects();
  private readonly options: RepairOptions;
  private readonly search: RecordSearch;
  private readonly head: ManifestHead | undefined;
  private readonly cache: RememberedUse;
  private readonly base: SegmentBase | undefined;
  /** View of the previous version, when it could be opened. */
  private before: View | undefined;

  constructor({ options, search, head, cache, base }: ViewSourcesOptions) {
    this.base = base;
    this.options = options;
    this.search = search;
    this.head = head;
    this.cache = cache;
  }

  private get found(): FoundRecord | undefined {
    return this.search.found;
  }

  private get isDelta(): boolean {
    return (this.found?.record.listing ?? this.head?.listing) === 'delta';
  }

  /**
   * Reads the upload's own chunks. Marked objects of a version are left out, because no version needs them; without a version record all
   * are kept, because everything may be marked.
   */
  async openOwn(objects: FolderObjects): Promise<TableFolder> {
    const { store, requestsAtOnce, emit, signal } = this.options;
    const { base } = this;
    const isKept = this.found === undefined || objects.marked === undefined;
    if (base !== undefined) this.known.add(base.loaded.uploadId, base.loaded.head.chunks);
    const all = await withParts(store, objects, signal);
    const own = await openTables(store, isKept ? all : withoutMarked(all), {
      requestsAtOnce,
      emit,
      signal,
      known: this.known,
    });
    return base?.joined(own) ?? own;
  }

  /** Chooses the layers that the view is merged from. @throws errors of the store */
  async choose(own: TableFolder): Promise<Choice> {
    const { store, uploadId, fromPrevious, requestsAtOnce, emit, signal } = this.options;
    const { head, found, known, cache, search } = this;
    const { base } = this;
    const options = { cache, known, ranges: base?.ranges, requestsAtOnce, emit, signal };
    const tookOver = head?.chunks.some(({ key }) => key.startsWith('../')) === true;
    const { bad, missing, chunks } = own.found;
    const missed = (layers: readonly Layer[]): readonly Layer[] =>
      base === undefined ? layers : layers.map((layer) => base.layer(layer));
    return await chooseLayers({
      uploadId,
      own: { uploadId, level: own.level, isFull: false, tables: own, ...(base && { hasSegments: true as const }) },
      older: async () => {
        const older = await this.older();
        this.before = await this.openBefore(older);
        return missed(this.before?.chain.map(manifestLayer) ?? (await olderLayers(store, older, options)));
      },
      loose: async () => missed(await looseLayers(store, uploadId, search, options)),
      expected: found?.record.totals ?? head?.view ?? head?.totals,
      // What is missing may be anywhere: only the totals tell whether all of it is found.
      buildsOnOthers: base === undefined && (this.isDelta || tookOver),
      isOwnIncomplete: base === undefined && (bad.length > 0 || missing.length > 0 || chunks.length === 0),
      fromPrevious,
      isAlone: search.datasetCount === 1,
    });
  }

  private async older(): Promise<readonly OlderUpload[]> {
    const { found, head, search } = this;
    if (found !== undefined) return await search.older();
    const named = head?.previous;
    if (head === undefined || named === undefined) return [];
    const sha256 = expectedIn(head.datasetId, [named.sha256]);
    return [{ uploadId: named.uploadId, sha256, isRetired: false }];
  }

  /** Opens the view of the previous version, if it is unchanged; otherwise its chain is used layer by layer. @throws errors of the store */
  private async openBefore([newest]: readonly OlderUpload[]): Promise<View | undefined> {
    if (newest === undefined || newest.isRetired) return undefined;
    const { store, signal } = this.options;
    const view = await openView(store, { ...newest, ranges: this.base?.ranges, signal }).catch(
      undefinedOn('integrity', 'not-found'),
    );
    for (const { uploadId, head } of view?.chain ?? []) this.known.add(uploadId, head.chunks);
    return view;
  }

  /** Returns the view that a rebuilt delta builds on; undefined for a full listing. */
  deltaBase({ layers }: Choice): View | undefined {
    const { before } = this;
    if (!this.isDelta || before === undefined || layers.length <= before.chain.length) return undefined;
    return layers.at(-1)?.uploadId === before.chain.at(-1)?.uploadId ? before : undefined;
  }

  /** Tells where each layer was found. */
  partsOf({ layers }: Choice): readonly RepairPart[] {
    return layers.map(({ uploadId, sha256, hasSegments }) => {
      if (hasSegments === true) return { uploadId, from: 'segments' };
      if (sha256 === undefined) return { uploadId, from: 'chunks' };
      return { uploadId, from: this.cache.gave(sha256) ? 'cache' : 'manifest' };
    });
  }
}

// Loose folders are named by no version record and no tombstone: when an upload was resumed under a new id, its old folder holds chunks to
// which only the new manifest refers; prunes of old versions of archiver left such folders too.

/** Limit of loose folders that are read, newest first; usually there are few. */
const MAX_FOLDERS = 64;

/** Returns layers of loose folders that are older than `uploadId`, newest first. @throws errors of the store */
async function looseLayers(
  reader: ObjectReader,
  uploadId: UploadId,
  search: RecordSearch,
  options: LayerOptions,
): Promise<readonly Layer[]> {
  const claimed = await search.claimed();
  const loose: UploadId[] = [];
  for await (const page of reader.list({ prefix: 'uploads/', delimiter: '/', signal: options.signal })) {
    for (const prefix of page.prefixes) {
      const id = splitUploadKey(prefix)?.uploadId;
      if (id !== undefined && id < uploadId && !claimed.has(id)) loose.push(id);
    }
  }
  const layers: Layer[] = [];
  for (const id of loose.sort().toReversed().slice(0, MAX_FOLDERS)) {
    if (await isOfAnother(reader, id, search.found?.record.datasetId, options.signal)) continue;
    const layer = await tableLayer(reader, id, options);
    if (layer !== undefined) layers.push(layer);
  }
  return layers;
}

/** True when its readable manifest names another dataset, or when we may not read it. */
async function isOfAnother(
  reader: ObjectReader,
  uploadId: UploadId,
  datasetId: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { head } = await loadExpected(reader, uploadId, [], { signal });
    return head.datasetId !== datasetId;
  } catch (error) {
    if (isArchiverError(error, 'not-found', 'integrity')) return false;
    // A manifest that we may not read belongs to somebody else.
    if (isArchiverError(error, 'access-denied', 'unsupported')) return true;
    throw error;
  }
}
