// The record that makes an upload a version of its dataset, written last. On a store that creates a key only once it is
// `datasets/<id>/v00000012.json`, so that exactly one of several writers gets an ordinal. On a plain store it is
// `datasets/<id>/v00000012.<upload id>.json`: no two writers have one key, and an ordinal may have several records.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { UPLOAD_ID, type UploadId } from '../../store/ids/upload-id.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { digestedText } from '../../platform/json/digested-json.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectReader } from '../../store/object-store.js';
import { defined } from '../../platform/defined.js';
import { TOMBSTONE_BYTES } from './tombstone-bytes.js';

/** The parts of a record's key. */
export interface RecordPlace {
  readonly datasetId: string;
  readonly version: number;
  /** Set when it is part of the key. */
  readonly uploadId?: UploadId | undefined;
}

type Ordinal = Omit<RecordPlace, 'datasetId'>;

const ordinalText = (version: number): string => `v${String(version).padStart(8, '0')}`;

/** Name of a record without its ending; keys of its tags begin with it, too. */
export const recordName = ({ version, uploadId }: Ordinal): string =>
  uploadId === undefined ? ordinalText(version) : `${ordinalText(version)}.${uploadId}`;

/** The key of a record, relative to the base. */
export const recordKey = (place: RecordPlace): string => `datasets/${place.datasetId}/${recordName(place)}.json`;

// Limited digits keep the number after the highest one exact: numbers that are not would hide what is committed.
const NAME = new RegExp(String.raw`^v(\d{8,15})(?:\.(${UPLOAD_ID}))?\.json$`);
const LAST_ORDINAL = 10 ** 15 - 1;

/** Parses the name of an object in the folder of a dataset; undefined for every name that is not that of a record. */
export function placeIn(datasetId: string, name: string): RecordPlace | undefined {
  const [, digits, uploadId] = NAME.exec(name) ?? [];
  if (digits === undefined || (digits.length > 8 && digits.startsWith('0'))) return undefined;
  return { datasetId, version: Number(digits), ...defined({ uploadId: uploadId as UploadId | undefined }) };
}

/** Sorts records: within an ordinal the one without an upload ID in its key comes first, then by upload ID. */
export const comparePlaces = (a: Ordinal, b: Ordinal): number =>
  a.version - b.version || ((a.uploadId ?? '') < (b.uploadId ?? '') ? -1 : Number(a.uploadId !== b.uploadId));

/** Refuses an ordinal whose record would not be seen. @throws conflict */
export function assertOrdinal(datasetId: string, version: number): void {
  if (version <= LAST_ORDINAL) return;
  throw new ArchiverError('conflict', `dataset ${datasetId} has version ${LAST_ORDINAL}, and none can follow it`, {
    hint: `no archiver made it: have somebody who may do so remove ${recordKey({ datasetId, version: LAST_ORDINAL })}`,
  });
}

/** The record as it is stored, its digest filled in. */
export const encodeVersionRecord = (record: Omit<VersionRecord, 'digest'>): Buffer =>
  Buffer.from(`${digestedText(record)}\n`, 'utf8');

/** Above this ordinal, byte order of the keys is no longer the order of ordinals. */
const LAST_IN_ORDER = 99_000_000;

/** Listing options that return the ordinals of a dataset from this one on. */
export function ordinalsFrom(
  datasetId: string,
  version: number,
): { readonly prefix: string; readonly startAfter?: string } {
  const prefix = `datasets/${datasetId}/`;
  if (version <= 1 || version > LAST_IN_ORDER) return { prefix };
  return { prefix, startAfter: `${prefix}${ordinalText(version - 1)}.json` };
}

export interface HighestOptions {
  readonly signal?: AbortSignal | undefined;
  /** An ordinal that existed once: the listing starts there, and at the beginning only when that finds nothing. */
  readonly known?: number | undefined;
}

/** The newest record of a dataset; a tombstone when nothing else has its ordinal. */
export interface HighestVersion extends RecordPlace {
  /** Ordinal; 0 for none. */
  readonly version: number;
  /** ETag of its object; '' for none. */
  readonly etag: string;
}

interface Seen extends HighestVersion {
  readonly isLive: boolean;
}

const compareSeen = (a: Seen, b: Seen): number =>
  a.version - b.version || Number(a.isLive) - Number(b.isLive) || comparePlaces(a, b);

/** Finds the newest record. One LIST; undefined for a writer without permission to list. @throws what the store throws */
export async function highestVersion(
  store: ObjectReader,
  datasetId: string,
  { signal, known = 0 }: HighestOptions = {},
): Promise<HighestVersion | undefined> {
  const { prefix, startAfter } = ordinalsFrom(datasetId, known);
  const listed = await ifAllowed(store, 'list', prefix, async () => {
    let highest: Seen = { datasetId, version: 0, etag: '', isLive: false };
    for await (const page of store.list({ prefix, startAfter, signal })) {
      for (const { key, etag, sizeBytes } of page.objects) {
        const place = placeIn(datasetId, key.slice(prefix.length));
        if (place === undefined) continue;
        const seen = { ...place, etag, isLive: sizeBytes !== TOMBSTONE_BYTES };
        if (compareSeen(seen, highest) > 0) highest = seen;
      }
    }
    const { isLive: _isLive, ...found } = highest;
    return found;
  });
  // A store that was emptied, or restored from an older copy, is listed from the beginning.
  const isUnknown = listed?.version === 0 && startAfter !== undefined;
  return isUnknown ? await highestVersion(store, datasetId, { signal }) : listed;
}
