// What can be said of a store without asking a server, for the completion of shells: of a folder of this computer what is in it, of any
// other store what this computer saw last.
import { matchDataset } from '../dataset/records/match-dataset.js';
import { type RawPath, TOP } from '../platform/paths/raw-path.js';
import { typedPath } from '../platform/text/typed-path.js';
import type { UploadId } from '../store/ids/upload-id.js';
import { parseStoreUrl } from '../store/store-url.js';
import { datasetIdsIn, datasetInFolder } from './folder-names.js';
import { datasetsIn, seenAt, type SeenDataset } from './seen-names.js';
import type { ReadableUpload } from './seen-entries.js';

/** An upload, or a version of a dataset; of the only dataset, and the newest version, where they are not given. */
export interface WantedUpload {
  readonly uploadId: UploadId | undefined;
  readonly dataset: string | undefined;
  readonly version: string | undefined;
}

export interface SeenChild {
  readonly path: RawPath;
  readonly isFolder: boolean;
}

export interface SeenPlaceView {
  datasets(): Promise<readonly Pick<SeenDataset, 'datasetId'>[]>;
  /** The dataset of this name, id or beginning, or the only one. */
  dataset(given: string | undefined): Promise<SeenDataset | undefined>;
  /** What is in the folder of a path that begins with what is typed. @throws what reading throws */
  children(wanted: WantedUpload, typed: string, signal: AbortSignal): Promise<readonly SeenChild[]>;
}

/** The store at a URL; `cacheFolder` is where this computer remembers. @throws usage for an invalid URL */
export function seenPlace(url: string, cacheFolder: string): SeenPlaceView {
  const place = parseStoreUrl(url);
  const view = place.kind === 'file' ? viewOfFolder(url, place.folder) : viewOfCache(url, cacheFolder);
  return {
    ...view,
    async children(wanted, typed, signal) {
      const upload = await view.upload(wanted, signal);
      if (upload === undefined) return [];
      const { entriesBelow } = await import('./seen-entries.js');
      const path = typedPath(typed);
      const end = path.lastIndexOf('/') + 1;
      const folder = path.slice(0, Math.max(0, end - 1));
      const found = await entriesBelow(upload, [folder, path.slice(end)], signal);
      return found.map(({ name, isFolder }) => ({
        path: end === 0 ? name : below(path.slice(0, end), name),
        isFolder,
      }));
    },
  };
}

const below = (start: RawPath, name: RawPath): RawPath => [start, name].join(TOP) as RawPath;

interface View extends Pick<SeenPlaceView, 'datasets' | 'dataset'> {
  upload(wanted: WantedUpload, signal: AbortSignal): Promise<ReadableUpload | undefined>;
}

function idOf(ids: readonly string[], given: string | undefined): string | undefined {
  if (given === undefined) return ids.length === 1 ? ids[0] : undefined;
  return ids.includes(given) ? given : matchDataset(ids, given);
}

function viewOfFolder(url: string, folder: string): View {
  const find = async (given: string | undefined): Promise<string | undefined> =>
    idOf(await datasetIdsIn(folder), given);
  return {
    datasets: async () => (await datasetIdsIn(folder)).map((datasetId) => ({ datasetId })),
    async dataset(given) {
      const datasetId = await find(given);
      return datasetId === undefined ? undefined : await datasetInFolder(folder, datasetId);
    },
    async upload({ uploadId, dataset, version }, signal) {
      const { readerOfFolder, uploadInFolder } = await import('./seen-entries.js');
      const reader = readerOfFolder(url, folder);
      if (uploadId !== undefined) return { reader, uploadId };
      const datasetId = await find(dataset);
      return datasetId === undefined ? undefined : await uploadInFolder(reader, { datasetId, version }, signal);
    },
  };
}

function viewOfCache(url: string, cacheFolder: string): View {
  const stores = (): readonly { readonly server: string | undefined; readonly datasets: readonly SeenDataset[] }[] =>
    seenAt(cacheFolder, url).map(({ server, keys }) => ({ server, datasets: datasetsIn(keys) }));
  const datasets = (): readonly SeenDataset[] => stores().flatMap((store) => store.datasets);
  return {
    datasets: () => Promise.resolve(datasets()),
    dataset(given) {
      const all = datasets();
      const datasetId = idOf([...new Set(all.map((one) => one.datasetId))], given);
      return Promise.resolve(all.find((one) => one.datasetId === datasetId));
    },
    async upload({ uploadId, dataset }) {
      const { keptUpload } = await import('./seen-entries.js');
      for (const { server, datasets } of stores()) {
        const ids = datasets.map(({ datasetId }) => datasetId);
        const found = uploadId === undefined ? idOf(ids, dataset) : undefined;
        for (const datasetId of uploadId === undefined ? (found === undefined ? [] : [found]) : ids) {
          const kept = await keptUpload(cacheFolder, { url, server }, datasetId);
          if (kept !== undefined && (uploadId === undefined || kept.uploadId === uploadId)) return kept;
        }
      }
      return undefined;
    },
  };
}
