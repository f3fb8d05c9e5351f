// The record that makes an upload a version of its dataset: `datasets/<id>/v00000012.json`, written last, with
// If-None-Match, so that exactly one of several writers gets an ordinal.
import type { VersionRecord } from '../../manifest/manifest-types.js';
import { digestedText } from '../../json/digested-json.js';
import { ifAllowed } from '../../object-store/abilities.js';
import type { ObjectReader } from '../../object-store/object-store.js';

/** Key of version `version` below the base. */
export function versionKey(datasetId: string, version: number): string {
  return `datasets/${datasetId}/v${String(version).padStart(8, '0')}.json`;
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
        const ordinal = Number(/^v(\d{8,})\.json$/.exec(key.slice(prefix.length))?.[1] ?? 0);
        if (ordinal > highest.version) highest = { version: ordinal, etag };
      }
    }
    return highest;
  });
  // A store that was emptied, or restored from an older copy, is listed from the beginning.
  const isUnknown = listed?.version === 0 && startAfter !== undefined;
  return isUnknown ? await highestVersion(store, datasetId, { signal }) : listed;
}
