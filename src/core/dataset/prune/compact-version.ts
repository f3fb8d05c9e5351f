// Makes the manifest of a kept version a full listing, so that the versions before it can be removed. The view stays the same, entry for
// entry, and an encrypted manifest stays encrypted. Interrupted at any point, the version reads as before, and the next prune does it
// again.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import { fetchManifest, type LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import type { ObjectStore } from '../../store/object-store.js';
import { lostChunks } from '../chain/lost-chunks.js';
import { replaceManifest } from '../replace-manifest.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import { Compactions } from './compactions.js';
import { sealingKey } from './compose-compaction.js';
import { assertShows } from './same-view.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';
import { versionNumber } from '../records/version-name.js';

/**
 * Compacts the version of this record, with what `compactions` have composed for the plan. @throws conflict, integrity, and what the store
 * throws; the version stays readable
 */
export async function compactVersion(
  store: ObjectStore,
  version: ParsedRecord,
  signal: AbortSignal,
  compactions = new Compactions(),
): Promise<void> {
  const { uploadId } = version.record;
  const composed = await compactions.take(store, version, signal);
  if (composed === undefined) return;
  const { view, newest, compacted, head, plain } = composed;
  const kmsKeyId = sealingKey(version.record, view);
  const next =
    kmsKeyId === undefined ? plain : await new ManifestSealer({ store, uploadId, kmsKeyId, signal }).seal(plain);
  const expected = { ...view, uploadId, sha256: next.sha256, totals: head.totals };
  await replaceManifest(store, {
    uploadId,
    label: 'compact',
    replaced: { bytes: await storedBytes(store, newest, signal), sha256: newest.sha256 },
    next,
    records: [version],
    change: { listing: 'full', totals: head.totals },
    verify: async (asItWillBe) => await assertShows(asItWillBe, expected, signal),
    signal,
  });
  // Objects of the versions before it may have been moved and swept while this process was suspended right before the swap.
  const [lost] = await lostChunks(store, { uploadId, chunks: compacted.chunks, fresh: new Set() }, signal);
  if (lost === undefined) return;
  throw integrityError(
    `version ${versionNumber(version.record)} is not whole: its manifest names ${lost}, which is missing`,
    {
      hint: `archiver repair ${uploadUrlOf(store.url, uploadId)}`,
    },
  );
}

/**
 * The stored bytes of a manifest; those of an encrypted one are fetched again, as only its content is loaded. @throws conflict when another
 * process has replaced it
 */
async function storedBytes(
  store: ObjectStore,
  { uploadId, bytes, sha256, sealedBy, key }: LoadedManifest,
  signal: AbortSignal,
): Promise<Buffer> {
  if (sealedBy === undefined) return bytes;
  const stored = await fetchManifest(store, uploadId, signal);
  if (hash('sha256', stored, 'hex') === sha256) return stored;
  throw new ArchiverError('conflict', `${key} was changed meanwhile: something else works on it`, {
    hint: 'it reads as before; run the same command again when the other one has ended',
  });
}
