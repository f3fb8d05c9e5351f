// Repairs records of processes that were killed while they replaced a manifest: such a record has two digests, of which one is right.
import type { ObjectStore } from '../../store/object-store.js';
import { namedManifest } from '../../format/manifest/loaded-manifest.js';
import { changeRecord } from '../records/change-record.js';
import { chainOfVersion, passCache } from './needs.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import { readParsedRecord } from '../records/versions.js';

/** Makes every record name the digest that its manifest has, and no other. @throws conflict, integrity, what the store throws */
export async function settleRecords(
  store: ObjectStore,
  records: readonly Pick<ParsedRecord, 'place' | 'record'>[],
  signal: AbortSignal,
): Promise<void> {
  for (const { place, record } of records) {
    if (record.replacementSha256 === undefined) continue;
    const current = await readParsedRecord(store, place, signal);
    const { manifestSha256, replacementSha256 } = current.record;
    if (replacementSha256 === undefined) continue;
    const [newest] = await chainOfVersion(store, current.record, { cache: passCache(), signal });
    const { sha256, head } = newest;
    const totals = head.view ?? head.totals;
    const manifestIndex = namedManifest(record.uploadId, newest).index;
    const change =
      sha256 === manifestSha256 ? {} : { manifestSha256: sha256, manifestIndex, listing: head.listing, totals };
    await changeRecord(store, current, change, { expected: [manifestSha256], signal });
  }
}
