// The uploads of a store as rows. Pure.
import type { Inventory } from '../../core/dataset/inventory/inventory.js';
import type { StoredUpload } from '../../core/dataset/inventory/stored-upload.js';
import { listModel } from './view-model.js';
import { compareVersions, versionName } from '../../core/dataset/records/version-name.js';

const NONE: readonly StoredUpload[] = [];

const bytesOf = ({ record }: StoredUpload): number => record?.bytes ?? -1;
const storedOf = ({ record }: StoredUpload): number => record?.storedBytes ?? -1;
const sourceOf = ({ record }: StoredUpload): string => record?.source ?? '~';
const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The text that a filter searches. */
function textOf({ datasetId, tags, record, front, problem, ...version }: StoredUpload): string {
  const { uploadId, source, host, writerId, commit, isEncrypted } = record ?? {};
  const { storageClass, project, branch, stage } = front ?? {};
  const words = isEncrypted === true ? 'encrypted' : problem === null ? '' : 'unreadable';
  const named = [uploadId, source, host, writerId, commit, storageClass, project, branch, stage, ...tags, words];
  return `${datasetId} ${versionName(version)} ${named.filter((word) => word !== null && word !== undefined).join(' ')}`;
}

export const inventoryList = listModel<StoredUpload>({
  items: ({ store }) => store?.inventory.getState().value?.uploads ?? NONE,
  text: textOf,
  sorts: [
    ['created', (one, other) => byText(other.createdAt, one.createdAt)],
    ['size', (one, other) => bytesOf(other) - bytesOf(one)],
    ['stored', (one, other) => storedOf(other) - storedOf(one)],
    ['source', (one, other) => byText(sourceOf(one), sourceOf(other))],
  ],
});

export interface NewestSums {
  readonly datasets: number;
  readonly bytes: number;
  readonly storedBytes: number;
}

/** Sums of the newest version of each dataset: older ones share stored data with it. */
export function newestSums({ uploads }: Pick<Inventory, 'uploads'>): NewestSums {
  const newest = new Map<string, StoredUpload>();
  for (const upload of uploads) {
    const before = newest.get(upload.datasetId);
    if (before === undefined || compareVersions(upload, before) > 0) newest.set(upload.datasetId, upload);
  }
  let [bytes, storedBytes] = [0, 0];
  for (const { record } of newest.values()) {
    bytes += record?.bytes ?? 0;
    storedBytes += record?.storedBytes ?? 0;
  }
  return { datasets: newest.size, bytes, storedBytes };
}
