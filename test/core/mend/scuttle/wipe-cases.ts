// What a wipe must do on any store, and what it is tried on.
import type { ObjectStore, ObjectVersion, WholeStore } from '../../../../src/core/store/object-store.js';
import { openHoldings } from '../../../../src/core/mend/scuttle/holdings.js';
import { survey, type Survey } from '../../../../src/core/mend/scuttle/survey.js';
import { wipe, type WipeResult } from '../../../../src/core/mend/scuttle/wipe.js';
import { asUploadId } from '../../../support/as-upload-id.js';

export const ID = asUploadId('20251114-093012-1a2b3c4d');
export const OTHER_ID = '20251115-093012-1a2b3c4d';

export const OURS: readonly string[] = [
  'datasets/d-1/v00000001.json',
  'fleet/nas-01/config.yaml',
  'fleet/nas-01/config.yaml.sig',
  `uploads/${ID}/files/a b+ü.txt`,
  `uploads/${ID}/manifest.json.gz`,
  `uploads/${ID}/manifest.json.gz.pre-compact.bak`,
  `uploads/${ID}/shard-00/chunk-000000.tar.zst`,
  'writers/nas-01/datasets/d-2/v00000001.json',
  'writers/nas-01/status.json',
  `writers/nas-01/uploads/${OTHER_ID}/manifest.json.gz`,
  `writers/nas-01/uploads/${OTHER_ID}/shard-01/chunk-000000.tar.zst`,
];

export const FOREIGN: readonly string[] = [
  'datasets/iris/data.csv',
  'notes.txt',
  'uploads/holiday.jpg',
  'writers/nas-01/notes.txt',
];

const signal = new AbortController().signal;

/** Writes both, and gives them back in byte order. */
export async function fill(store: ObjectStore): Promise<void> {
  for (const key of [...OURS, ...FOREIGN]) await store.put(key, Buffer.from('0123456789'));
}

export async function scuttle(store: WholeStore): Promise<WipeResult & { readonly found: Survey }> {
  const holdings = await openHoldings(store, signal);
  const found = await survey(store, holdings, signal, () => undefined);
  return { ...(await wipe(store, holdings, { found, deleter: store, signal })), found };
}

export async function versionsOf(store: ObjectStore): Promise<readonly ObjectVersion[]> {
  const found: ObjectVersion[] = [];
  for await (const { versions } of store.listVersions()) found.push(...versions);
  return found;
}

export const keysOf = async (store: ObjectStore): Promise<readonly string[]> =>
  (await versionsOf(store)).map(({ key }) => key);
