// Makes the manifest of a kept version a full listing, so that the versions before it can be removed. The view stays the same, entry for
// entry, and an encrypted manifest stays encrypted. Interrupted at any point, the version reads as before, and the next prune does it
// again.
import { hash } from 'node:crypto';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import { composeListing } from '../../format/manifest/compose-manifest.js';
import { fetchManifest, type LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { defined } from '../../platform/defined.js';
import { manifestCopyKeyOf, manifestKeys } from '../../format/manifest/manifest-copy.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ObjectInfo, ObjectReader, ObjectStore } from '../../store/object-store.js';
import { compactView } from '../chain/compact-view.js';
import { lostChunks } from '../chain/lost-chunks.js';
import type { MergedView } from '../chain/merged-view.js';
import { backupKeyOf, replaceManifest } from '../replace-manifest.js';
import { summarize, type Summary } from '../chain/summarize.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import { openVersion } from '../chain/version-view.js';
import type { View } from '../chain/view.js';
import { assertShows } from './same-view.js';
import { isSegmented } from '../../format/manifest/segmented.js';
import { segmentNumber } from '../../format/manifest/segment-key.js';
import { uploadFolder, type UploadId, uploadUrlOf } from '../../store/ids/upload-id.js';
import { checkFolder } from '../check-references.js';
import { markedKeys, markedUpload } from '../marks.js';
import { versionNumber } from '../records/version-name.js';

/** A manifest that lists everything in a version, before it is encrypted. */
interface Composed {
  readonly view: View;
  /** Newest manifest of the current chain. */
  readonly newest: LoadedManifest;
  readonly compacted: MergedView;
  readonly head: ManifestHead;
  readonly plain: EncodedManifest;
}

/** Composes the full listing; undefined for a version that needs no compaction. @throws integrity, and what the store throws */
async function compose(
  reader: ObjectReader,
  { record }: Pick<ParsedRecord, 'record'>,
  signal: AbortSignal,
): Promise<Composed | undefined> {
  const view = await openVersion(reader, record, signal);
  const [newest] = view.chain;
  // It was swapped by a prune that was killed before it changed the record; records are settled for every version afterwards.
  if (newest === undefined || view.head.listing === 'full') return undefined;
  const summary = await summarize(view);
  const compacted = compactView(view, summary.used);
  const head = headOf(view, newest.sha256, summary, compacted);
  const isSealed = sealingKey(record, view) !== undefined;
  const after = isSegmented(head.totals.entries, isSealed) ? await markedNumber(reader, head.uploadId, signal) : 0;
  return { view, newest, compacted, head, plain: await composeListing(head, compacted.entries(), isSealed, after) };
}

/**
 * The highest number of a marked segment in the folder: a killed compaction leaves segments, and a sweep may be about to delete what lies
 * under their keys.
 */
async function markedNumber(reader: ObjectReader, uploadId: UploadId, signal: AbortSignal): Promise<number> {
  const { objects } = await checkFolder(reader, uploadFolder(uploadId), signal);
  const marks = objects.filter(({ key }) => markedUpload(key) !== undefined);
  const marked = await markedKeys(reader, marks, signal);
  // Where a mark cannot be read, every key counts as marked, and nothing is replaced.
  return marked === 'all' ? 0 : [...marked].reduce((most, key) => Math.max(most, segmentNumber(key)), 0);
}

/**
 * Objects that a compaction will leave beside the manifest, which the prune then marks; for an encrypted manifest, the size of the new one
 * is that before encryption. @throws as `compactVersion`
 */
export async function leftByCompaction(
  reader: ObjectReader,
  version: Pick<ParsedRecord, 'record'>,
  signal: AbortSignal,
): Promise<readonly Pick<ObjectInfo, 'key' | 'sizeBytes'>[]> {
  const { uploadId } = version.record;
  const composed = await compose(reader, version, signal);
  if (composed === undefined) return [];
  const { newest, head, plain } = composed;
  const key = manifestCopyKeyOf(uploadId, 'compact', plain.sha256);
  const listed = { ...head, ...defined({ segments: plain.segments?.places }) };
  const isKept = manifestKeys({ uploadId, key: newest.key, sha256: plain.sha256, head: listed }).includes(key);
  const replaced = { key: backupKeyOf(uploadId, 'compact', newest.sha256), sizeBytes: newest.bytes.length };
  return isKept ? [replaced] : [{ key, sizeBytes: plain.bytes.length }, replaced];
}

/** Compacts the version of this record. @throws conflict, integrity, and what the store throws; the version stays readable */
export async function compactVersion(store: ObjectStore, version: ParsedRecord, signal: AbortSignal): Promise<void> {
  const { uploadId } = version.record;
  const composed = await compose(store, version, signal);
  if (composed === undefined) return;
  const { view, newest, compacted, head, plain } = composed;
  const kmsKeyId = sealingKey(version.record, view);
  const next =
    kmsKeyId === undefined ? plain : await new ManifestSealer({ store, uploadId, kmsKeyId, signal }).seal(plain);
  const expected = { uploadId, sha256: next.sha256, totals: head.totals, ...compacted };
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

/** The key of its own manifest; when that one is clear and includes entries of an encrypted one, the key of that one. */
function sealingKey({ encryption }: ParsedRecord['record'], { chain }: View): string | undefined {
  const recorded = encryption?.manifest === true ? encryption.kmsKeyId : undefined;
  return chain[0]?.sealedBy ?? recorded ?? chain.find(({ sealedBy }) => sealedBy !== undefined)?.sealedBy;
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

function headOf(view: View, sha256: string, { totals, shards }: Summary, { chunks }: MergedView): ManifestHead {
  const { previous: _previous, chain: _chain, view: _view, replaces = [], ...rest } = view.head;
  return {
    ...rest,
    listing: 'full',
    replaces: [...replaces, sha256],
    totals: { ...totals, skipped: view.totals.skipped },
    shards,
    chunks,
  };
}
