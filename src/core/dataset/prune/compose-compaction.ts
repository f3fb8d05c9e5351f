// The full listing that a version would have without the versions that it builds on. The view stays the same, entry for entry; of an
// encrypted manifest, this is what is encrypted.
import { defined } from '../../platform/defined.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { composeListing, composeSegments } from '../../format/manifest/compose-manifest.js';
import type { LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import { manifestCopyKeyOf, manifestKeys } from '../../format/manifest/manifest-copy.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import { segmentNumber } from '../../format/manifest/segment-key.js';
import { isSegmented } from '../../format/manifest/segmented.js';
import { uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectInfo, ObjectReader } from '../../store/object-store.js';
import type { ManifestCache } from '../cache/manifest-cache.js';
import { compactView } from '../chain/compact-view.js';
import type { MergedView } from '../chain/merged-view.js';
import { summarize, summarized, type Summary } from '../chain/summarize.js';
import { openVersion } from '../chain/version-view.js';
import type { View } from '../chain/view.js';
import { checkFolder } from '../check-references.js';
import { markedKeys, markedUpload } from '../marks.js';
import type { ParsedRecord } from '../records/version-record-parse.js';
import { backupKeyOf } from '../replace-manifest.js';

/** A manifest that lists everything in a version, before it is encrypted. */
export interface Composed {
  readonly view: View;
  /** Newest manifest of the current chain. */
  readonly newest: LoadedManifest;
  readonly compacted: MergedView;
  readonly head: ManifestHead;
  readonly plain: EncodedManifest;
  /** Its segments have higher numbers. */
  readonly after: number;
}

export interface ComposeOptions {
  readonly cache?: ManifestCache | undefined;
  readonly signal: AbortSignal;
}

/** Composes the full listing; undefined for a version that needs no compaction. @throws integrity, and what the store throws */
export async function composeCompaction(
  reader: ObjectReader,
  { record }: Pick<ParsedRecord, 'record'>,
  options: ComposeOptions,
): Promise<Composed | undefined> {
  const view = await openVersion(reader, record, options);
  const [newest] = view.chain;
  // It was swapped by a prune that was killed before it changed the record; records are settled for every version afterwards.
  if (newest === undefined || view.head.listing === 'full') return undefined;
  const isSealed = sealingKey(record, view) !== undefined;
  const after = await numberBefore(reader, view, isSealed, options.signal);
  if (!isSegmented(view.totals.entries, isSealed)) {
    const { head, compacted } = compactedBy(await summarize(view), view, newest);
    return { view, newest, compacted, head, plain: await composeListing(head, compacted.entries(), isSealed), after };
  }
  // Segments have positions of their own, so one pass does for the sums and the lines.
  const { entries, finish } = summarized(view);
  let done: Pick<Composed, 'head' | 'compacted'> | undefined;
  const settled = (): ManifestHead => (done = compactedBy(finish(), view, newest)).head;
  const whole: ManifestHead = { ...view.head, listing: 'full', totals: view.totals, chunks: view.chunks };
  const plain = await composeSegments(whole, entries(), { after, settled });
  return { view, newest, ...(done ?? compactedBy(finish(), view, newest)), plain, after };
}

function compactedBy(summary: Summary, view: View, { sha256 }: LoadedManifest): Pick<Composed, 'head' | 'compacted'> {
  const compacted = compactView(view, summary.used);
  return { compacted, head: headOf(view, sha256, summary, compacted) };
}

/** What the numbers of new segments must be above. @throws what the store throws */
export const numberBefore = async (
  reader: ObjectReader,
  { head: { uploadId }, totals }: Pick<View, 'head' | 'totals'>,
  isSealed: boolean,
  signal: AbortSignal,
): Promise<number> => (isSegmented(totals.entries, isSealed) ? await markedNumber(reader, uploadId, signal) : 0);

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

/** Objects that the compaction will leave beside the manifest, which the prune then marks; sizes are those before encryption. */
export function leftByCompaction({ newest, head, plain }: Composed): readonly Pick<ObjectInfo, 'key' | 'sizeBytes'>[] {
  const { uploadId } = newest;
  const key = manifestCopyKeyOf(uploadId, 'compact', plain.sha256);
  const listed = { ...head, ...defined({ segments: plain.segments?.places }) };
  const isKept = manifestKeys({ uploadId, key: newest.key, sha256: plain.sha256, head: listed }).includes(key);
  const replaced = { key: backupKeyOf(uploadId, 'compact', newest.sha256), sizeBytes: newest.bytes.length };
  return isKept ? [replaced] : [{ key, sizeBytes: plain.bytes.length }, replaced];
}

/** The key of its own manifest; when that one is clear and includes entries of an encrypted one, the key of that one. */
export function sealingKey({ encryption }: ParsedRecord['record'], { chain }: View): string | undefined {
  const recorded = encryption?.manifest === true ? encryption.kmsKeyId : undefined;
  return chain[0]?.sealedBy ?? recorded ?? chain.find(({ sealedBy }) => sealedBy !== undefined)?.sealedBy;
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
