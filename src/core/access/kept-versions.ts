// Lists the versions of a store and of the writers below it, with the times of their records: one LIST for each place.
import { findPlaces } from '../dataset/records/find-places.js';
import { listDatasets } from '../dataset/records/versions.js';
import type { ObjectReader } from '../store/object-store.js';
import { oddTexts } from '../store/ids/key-form.js';
import { readerBelow } from '../store/reader-below.js';

export interface KeptVersion {
  readonly datasetId: string;
  readonly version: number;
  readonly isNewest: boolean;
  readonly tags: number;
  readonly lastModified: Date;
}

export interface KeptVersions {
  readonly versions: readonly KeptVersion[];
  /** False when there were more folders than are examined. */
  readonly isComplete: boolean;
  /** Sentences about folders that archiver cannot have made. */
  readonly notes: readonly string[];
}

/** Lists the versions. @throws what the listings throw */
export async function keptVersions(reader: ObjectReader, signal: AbortSignal): Promise<KeptVersions> {
  const { places, isComplete, odd } = await findPlaces(reader, signal);
  const versions: KeptVersion[] = [];
  for (const place of ['', ...places]) {
    for (const [datasetId, listed] of (await listDatasets(readerBelow(reader, place), signal)).versions) {
      const newest = listed.at(-1)?.version;
      for (const { version, tags, lastModified } of listed)
        versions.push({ datasetId, version, isNewest: version === newest, tags: tags.length, lastModified });
    }
  }
  return { versions, isComplete, notes: oddTexts(odd) };
}
