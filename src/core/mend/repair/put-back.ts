// Puts a copy of a manifest back in its place. If possible its bytes are stored unchanged; otherwise the same document is written again and
// replaces every digest that others know it by, because it lists the same.
import { movedManifest } from '../balance/moved-manifest.js';
import { replaceManifest } from '../../dataset/replace-manifest.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import { defined } from '../../platform/defined.js';
import { ManifestSealer } from '../../format/manifest/manifest-sealer.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { CurrentManifest } from './current-manifest.js';
import type { ExactCopy } from './exact-copy.js';
import type { FoundRecord } from './find-record.js';
import { verifyRebuilt } from './verify-rebuilt.js';

export interface PutBackOptions {
  readonly copy: ExactCopy;
  readonly current: CurrentManifest;
  readonly found: FoundRecord | undefined;
  /** Digests that other manifests know it by. */
  readonly named: readonly string[];
  readonly signal: AbortSignal;
}

/** Returns the digest of the written manifest and the key of the replaced one's backup. @throws errors of the store */
export async function putBack(
  store: ObjectStore,
  options: PutBackOptions,
): Promise<{ readonly manifestSha256: string; readonly backupKey: string | null }> {
  const { copy, current, found, signal } = options;
  const { uploadId, head } = copy.loaded;
  const next = await encodedAgain(store, options);
  const backup = await replaceManifest(store, {
    uploadId,
    label: 'repair',
    replaced: current.state === 'missing' ? undefined : current,
    next,
    records: found === undefined || isNamedAlone(found, next.sha256) ? [] : [found],
    lockedAs: found,
    change: { listing: head.listing, totals: head.view ?? head.totals },
    // The manifest that it builds on may be damaged too: that is for another repair.
    verify: (reader) => verifyRebuilt(reader, { uploadId, sha256: next.sha256, totals: undefined, signal }),
    signal,
  });
  return { manifestSha256: next.sha256, backupKey: backup ?? null };
}

const isNamedAlone = ({ record }: FoundRecord, sha256: string): boolean => digestsOf(record).join() === sha256;

async function encodedAgain(
  store: ObjectStore,
  { copy, found, named, signal }: PutBackOptions,
): Promise<EncodedManifest> {
  const { loaded, stored } = copy;
  const { uploadId, head, sha256, sealedBy } = loaded;
  const accepted = [sha256, ...(head.replaces ?? [])];
  const wanted = [...(found === undefined ? [] : [found.record.manifestSha256]), ...named];
  const missing = [...new Set(wanted)].filter((digest) => !accepted.includes(digest));
  const places = head.segments;
  if (stored !== undefined && missing.length === 0)
    return { bytes: stored, sha256, ...defined({ segments: places && { places, own: [] } }) };
  const replaces = [...(head.replaces ?? []), ...missing];
  const plain = await movedManifest({ ...loaded, head: { ...head, replaces } }, head.chunks);
  if (sealedBy === undefined) return plain;
  return await new ManifestSealer({ store, uploadId, kmsKeyId: sealedBy, signal }).seal(plain);
}
