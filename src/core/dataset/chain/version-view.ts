// The effective view of a version, by its record: while a manifest is being rewritten, either digest is accepted.
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { type ExpectedDigests, expectedIn } from '../records/assert-expected.js';
import { digestsIn } from '../records/recorded-digests.js';
import type { LoadOptions } from './load-chain.js';
import { openView, type View } from './view.js';

/** Digests that the manifest of a version may have. */
export const digestsOf = (record: VersionRecord): ExpectedDigests =>
  expectedIn(record.datasetId, digestsIn(record), record.manifestIndex);

/** Opens the view of a version. @throws what `openView` throws */
export async function openVersion(
  reader: ObjectReader,
  record: VersionRecord,
  options: Pick<LoadOptions, 'cache' | 'signal'> = {},
): Promise<View> {
  const { uploadId } = record;
  return await openView(reader, { uploadId, sha256: digestsOf(record), ...options });
}
