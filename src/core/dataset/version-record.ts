// The record that makes an upload a version of its dataset: `datasets/<id>/v00000012.json`, written last, with
// If-None-Match, so that of rival writers exactly one gets an ordinal.
import { createHash } from 'node:crypto';
import type { VersionRecord } from '../manifest/manifest-types.js';
import { isArchiverError } from '../errors.js';
import type { ObjectReader } from '../object-store/object-store.js';

/** Key of version `version` below the base. */
export function versionKey(datasetId: string, version: number): string {
  return `datasets/${datasetId}/v${String(version).padStart(8, '0')}.json`;
}

/** The record as it is stored, its digest filled in. */
export function encodeVersionRecord(record: Omit<VersionRecord, 'digest'>): Buffer {
  const digest = createHash('sha256').update(JSON.stringify(record)).digest('hex');
  return Buffer.from(`${JSON.stringify({ ...record, digest })}\n`, 'utf8');
}

/** The highest ordinal listed for a dataset, 0 for none; undefined when this writer may not list. */
export async function highestVersion(
  store: ObjectReader,
  datasetId: string,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const prefix = `datasets/${datasetId}/`;
  let highest = 0;
  try {
    for await (const page of store.list({ prefix, ...(signal === undefined ? {} : { signal }) })) {
      for (const { key } of page.objects) {
        const ordinal = /^v(\d{8,})\.json$/.exec(key.slice(prefix.length))?.[1];
        if (ordinal !== undefined) highest = Math.max(highest, Number(ordinal));
      }
    }
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return undefined;
    throw error;
  }
  return highest;
}
