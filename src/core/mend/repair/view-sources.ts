// Where the view of an upload may come from: its own chunks, the versions before it, folders of no version.
import { openView, type View } from '../../dataset/chain/view.js';
import { noneOn } from '../../platform/failures/errors.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { chooseLayers, type Choice } from './choose-layers.js';
import type { FoundRecord, OlderUpload, RecordSearch } from './find-record.js';
import { type FolderObjects, withoutMarked } from './folder-objects.js';
import { manifestLayer, olderLayers } from './layers.js';
import { looseLayers } from './loose-folders.js';
import type { RememberedUse } from './remembered-use.js';
import type { RepairOptions, RepairPart } from './repair-result.js';
import { KnownObjects, openTables, type TableFolder } from './table-folder.js';
import { expectedIn } from '../../dataset/records/assert-expected.js';

export interface ViewSourcesOptions {
  readonly options: RepairOptions;
  readonly search: RecordSearch;
  /** What can be read of the existing manifest. */
  readonly head: ManifestHead | undefined;
  readonly cache: RememberedUse;
}

export class ViewSources {
  /** Gets every manifest that can be read, before anything is chosen. */
  readonly known = new KnownObjects();
  private readonly options: RepairOptions;
  private readonly search: RecordSearch;
  private readonly head: ManifestHead | undefined;
  private readonly cache: RememberedUse;
  /** Of the version before, where it could be opened. */
  private before: View | undefined;

  constructor({ options, search, head, cache }: ViewSourcesOptions) {
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

  /** Marked objects of a version are not needed by any version. Of an upload without a version everything may be marked. */
  async openOwn(objects: FolderObjects): Promise<TableFolder> {
    const { store, requestsAtOnce, emit, signal } = this.options;
    const isKept = this.found === undefined || objects.marked === undefined;
    return await openTables(store, isKept ? objects : withoutMarked(objects), {
      requestsAtOnce,
      emit,
      signal,
      known: this.known,
    });
  }

  /** Chooses what the view is merged from. @throws errors of the store */
  async choose(own: TableFolder): Promise<Choice> {
    const { store, uploadId, fromPrevious, requestsAtOnce, emit, signal } = this.options;
    const { head, found, known, cache, search } = this;
    const options = { cache, known, requestsAtOnce, emit, signal };
    const tookOver = head?.chunks.some(({ key }) => key.startsWith('../')) === true;
    const { bad, missing, chunks } = own.found;
    return await chooseLayers({
      uploadId,
      own: { uploadId, level: own.level, isFull: false, tables: own },
      older: async () => {
        const older = await this.older();
        this.before = await this.openBefore(older);
        return this.before?.chain.map(manifestLayer) ?? (await olderLayers(store, older, options));
      },
      loose: async () => await looseLayers(store, uploadId, search, options),
      expected: found?.record.totals ?? head?.view ?? head?.totals,
      buildsOnOthers: this.isDelta || tookOver,
      isOwnIncomplete: bad.length > 0 || missing.length > 0 || chunks.length === 0,
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

  /** The view of the version before, where it is unchanged; otherwise its chain is used layer by layer. @throws errors of the store */
  private async openBefore([newest]: readonly OlderUpload[]): Promise<View | undefined> {
    if (newest === undefined || newest.isRetired) return undefined;
    const { store, signal } = this.options;
    const view = await openView(store, { ...newest, signal }).catch(noneOn('integrity', 'not-found'));
    for (const { uploadId, head } of view?.chain ?? []) this.known.add(uploadId, head.chunks);
    return view;
  }

  /** What a rebuilt delta builds on; undefined for a full listing. */
  deltaBase({ layers }: Choice): View | undefined {
    const { before } = this;
    if (!this.isDelta || before === undefined || layers.length <= before.chain.length) return undefined;
    return layers.at(-1)?.uploadId === before.chain.at(-1)?.uploadId ? before : undefined;
  }

  /** Where each layer was found. */
  partsOf({ layers }: Choice): readonly RepairPart[] {
    return layers.map(({ uploadId, sha256 }) => {
      if (sha256 === undefined) return { uploadId, from: 'chunks' };
      return { uploadId, from: this.cache.gave(sha256) ? 'cache' : 'manifest' };
    });
  }
}
