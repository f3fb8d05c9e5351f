// The record that makes an upload a version of its dataset: `datasets/<id>/v00000012.json`, written last, with
// If-None-Match, so that exactly one of several writers gets an ordinal.
import type { VersionRecord } from '../../manifest/manifest-types.js';
import { ArchiverError } from '../../failures/errors.js';
import { digestedText } from '../../json/digested-json.js';
import { ifAllowed } from '../../object-store/abilities.js';
import type { ObjectReader } from '../../object-store/object-store.js';

/** Key of version `version` below the base. */
export function versionKey(datasetId: string, version: number): string {
  return `datasets/${datasetId}/v${String(version).padStart(8, '0')}.json`;
}

// So many digits that the number after the highest one is exact: numbers that are not would hide what is committed.
const NAME = /^v(\d{8,15})\.json$/;
const LAST_ORDINAL = 10 ** 15 - 1;

/** The version that a name in the folder of its dataset is the record of; undefined for every other name. */
export function ordinalIn(name: string): number | undefined {
  const digits = NAME.exec(name)?.[1];
  return digits === undefined || (digits.length > 8 && digits.startsWith('0')) ? undefined : Number(digits);
}

/** @throws conflict where no record of this version would be seen */
export function assertOrdinal(datasetId: string, version: number): void {
  if (version <= LAST_ORDINAL) return;
  throw new ArchiverError('conflict', `dataset ${datasetId} has version ${LAST_ORDINAL}, and none can follow it`, {
    hint: `no archiver made it: have somebody who may do so remove ${versionKey(datasetId, LAST_ORDINAL)}`,
  });
}

/** The record as it is stored, its digest filled in. */
export const encodeVersionRecord = (record: Omit<VersionRecord, 'digest'>): Buffer =>
  Buffer.from(`${digestedText(record)}\n`, 'utf8');

/** Above this, byte order of the keys is no longer the order of ordinals. */
const LAST_IN_ORDER = 99_000_000;

/** What to list to see the ordinals of a dataset from this one on. */
export function ordinalsFrom(
  datasetId: string,
  version: number,
): { readonly prefix: string; readonly startAfter?: string } {
  const prefix = `datasets/${datasetId}/`;
  if (version <= 1 || version > LAST_IN_ORDER) return { prefix };
  return { prefix, startAfter: versionKey(datasetId, version - 1) };
}

export interface HighestOptions {
  readonly signal?: AbortSignal | undefined;
  /** An ordinal that existed once: the listing starts there, and at the beginning only when that shows nothing. */
  readonly known?: number | undefined;
}

/** The highest ordinal of a dataset, retired ones included. */
export interface HighestVersion {
  /** 0 for none. */
  readonly version: number;
  /** Of the object there; '' for none. */
  readonly etag: string;
}

/** One LIST; undefined for a writer without permission to list. @throws what the store throws */
export async function highestVersion(
  store: ObjectReader,
  datasetId: string,
  { signal, known = 0 }: HighestOptions = {},
): Promise<HighestVersion | undefined> {
  const { prefix, startAfter } = ordinalsFrom(datasetId, known);
  const listed = await ifAllowed(store, 'list', prefix, async () => {
    let highest: HighestVersion = { version: 0, etag: '' };
    const options = { prefix, startAfter, signal };
    for await (const page of store.list(options)) {
      for (const { key, etag } of page.objects) {
        const ordinal = ordinalIn(key.slice(prefix.length)) ?? 0;
        if (ordinal > highest.version) highest = { version: ordinal, etag };
      }
    }
    return highest;
  });
  // A store that was emptied, or restored from an older copy, is listed from the beginning.
  const isUnknown = listed?.version === 0 && startAfter !== undefined;
  return isUnknown ? await highestVersion(store, datasetId, { signal }) : listed;
}
