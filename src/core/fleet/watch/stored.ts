// Looks at what a writer has stored: the newest version record of each of its datasets, by LIST. Records say which dataset and version they
// are by their keys, and the store says when it got them: neither takes a GET, and neither can be said by a heartbeat.
import { listsByKey } from '../../platform/lists-by-key.js';
import { reasonText } from '../../platform/failures/errno.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { isDatasetId } from '../../dataset/records/dataset-id.js';
import { TOMBSTONE_BYTES } from '../../dataset/records/tombstone-bytes.js';
import { ordinalsFrom, placeIn } from '../../dataset/records/version-record.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import { readerBelow } from '../../store/reader-below.js';
import type { Heartbeat } from '../heartbeat.js';
import type { SeenStore, StoredDataset } from './observation.js';

/** A config names at most so many folders, so that no heartbeat makes a look cost more LISTs than this for its writer. */
const MOST_LISTS = 1000;
/** Number of latest records of which the usual time from one to the next is taken. */
const HISTORY = 20;
/** With fewer there is no usual time. */
const LEAST_GAPS = 3;
/** A heartbeat that is ten thousand versions behind is no reason to list a million keys. */
const MOST_PAGES = 10;

/** A version that a heartbeat speaks of. */
export interface Claim {
  readonly datasetId: string;
  readonly version: number;
}

/** Returns the versions that a heartbeat speaks of, with valid ids, one for each dataset: the highest. */
export function claimsOf({ sources }: Pick<Heartbeat, 'sources'>): readonly Claim[] {
  const claims = new Map<string, Claim>();
  for (const { datasetId, version } of sources) {
    if (datasetId === null || version === null || !isDatasetId(datasetId)) continue;
    if (version > (claims.get(datasetId)?.version ?? 0)) claims.set(datasetId, { datasetId, version });
  }
  return [...claims.values()];
}

/**
 * Looks at the records of a writer: one LIST where it has at most a thousand objects below `datasets/`, else two, and one for each
 * dataset that its heartbeat speaks of. What may not be listed is an answer, too. @throws what the listing throws otherwise
 */
export async function readStored(
  store: ObjectReader,
  writerId: string,
  claims: readonly Claim[],
  signal: AbortSignal,
): Promise<SeenStore> {
  const reader = readerBelow(store, `writers/${writerId}`);
  try {
    const first = await listed(reader, { prefix: 'datasets/' }, 1, signal);
    if (first.isWhole) return { kind: 'seen', datasets: datasetsIn(first.records), isWhole: true };
    if (claims.length > MOST_LISTS)
      return { kind: 'unseen', reason: `its heartbeat speaks of ${claims.length} datasets` };
    const records: Placed[] = [];
    for (const claim of claims) records.push(...(await recordsFrom(reader, claim, signal)));
    return { kind: 'seen', datasets: datasetsIn(records), isWhole: false };
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return { kind: 'unseen', reason: reasonText(error) };
  }
}

interface Placed extends Pick<ObjectInfo, 'lastModified'> {
  readonly datasetId: string;
  readonly version: number;
  /** False for a version that was retired: its number is still taken. */
  readonly isLive: boolean;
}

/**
 * The records of a dataset around a version: those before it for their history, and those after it. All of them where there is none, which
 * is where the heartbeat speaks of what was never there.
 */
async function recordsFrom(
  reader: ObjectReader,
  { datasetId, version }: Claim,
  signal: AbortSignal,
): Promise<readonly Placed[]> {
  const near = await listed(reader, ordinalsFrom(datasetId, version - HISTORY), MOST_PAGES, signal);
  if (near.records.length > 0) return near.records;
  return (await listed(reader, { prefix: `datasets/${datasetId}/` }, MOST_PAGES, signal)).records;
}

interface Listed {
  readonly records: readonly Placed[];
  /** False when there are more pages. */
  readonly isWhole: boolean;
}

async function listed(
  reader: ObjectReader,
  where: { readonly prefix: string; readonly startAfter?: string },
  mostPages: number,
  signal: AbortSignal,
): Promise<Listed> {
  const records: Placed[] = [];
  let pages = 0;
  for await (const { objects } of reader.list({ ...where, signal })) {
    if (pages++ === mostPages) return { records, isWhole: false };
    records.push(...objects.flatMap(placedOf));
  }
  return { records, isWhole: true };
}

function placedOf({ key, sizeBytes, lastModified }: ObjectInfo): readonly Placed[] {
  const [, datasetId = '', name = ''] = /^datasets\/([^/]+)\/([^/]+)$/.exec(key) ?? [];
  const place = placeIn(datasetId, name);
  if (place === undefined || !isDatasetId(datasetId)) return [];
  return [{ datasetId, version: place.version, lastModified, isLive: sizeBytes !== TOMBSTONE_BYTES }];
}

const datasetsIn = (records: readonly Placed[]): readonly StoredDataset[] =>
  Array.from(
    listsByKey(records, ({ datasetId }) => datasetId),
    ([datasetId, own]) => datasetOf(datasetId, own),
  );

function datasetOf(datasetId: string, own: readonly Placed[]): StoredDataset {
  const sorted = own.toSorted((a, b) => a.version - b.version);
  const newest = sorted.findLast(({ isLive }) => isLive);
  const storedAt = new Map<number, Date>();
  for (const { version, lastModified } of sorted) storedAt.set(version, lastModified);
  return {
    datasetId,
    version: newest?.version ?? null,
    storedAt: newest?.lastModified ?? null,
    storedEveryMs: usualGapMs(sorted.filter(({ isLive }) => isLive).slice(-HISTORY)),
    recordTimes: storedAt,
  };
}

/** The median time from one record to the next; null when there are too few. */
function usualGapMs(records: readonly Placed[]): number | null {
  const times = records.map(({ lastModified }) => lastModified.getTime()).toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? time));
  if (gaps.length < LEAST_GAPS) return null;
  return gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? null;
}
