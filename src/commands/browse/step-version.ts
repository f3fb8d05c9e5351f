// The versions before and after, and what changed from one to the next.
import { diffViews } from '../../core/dataset/diff.js';
import { digestsOf, openVersion } from '../../core/dataset/chain/version-view.js';
import { listVersions, type ListedVersion, readVersion, readVersions } from '../../core/dataset/records/versions.js';
import { ArchiverError } from '../../core/failures/errors.js';
import { loadListing } from '../../core/listing/load-listing.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import type { ObjectReader } from '../../core/object-store/object-store.js';
import {
  type BrowseVersion,
  CHANGE,
  type OpenedListing,
  type VersionChanges,
} from '../../stores/browse/browse-state.js';
import { isFolderChange } from '../../core/dataset/diff-tally.js';

/** Records read before the next batch, newest first: an upload that is looked at is mostly a new one. */
const BATCH = 16;

/** Opens the version before (-1) or after (1). @throws not-found where there is none, and what reading throws */
export async function stepVersion(
  opened: OpenedListing,
  direction: -1 | 1,
  reader: ObjectReader,
  signal: AbortSignal,
): Promise<OpenedListing> {
  const datasetId = opened.version?.datasetId ?? opened.listing.head.datasetId;
  const listed = await listVersions(reader, datasetId, signal);
  const ordinal = opened.version?.version ?? (await ordinalOf(opened, datasetId, listed, { reader, signal }));
  // A version may have been pruned since: its neighbours are those of its number.
  const after = listed.findIndex(({ version }) => version > ordinal);
  const at = after < 0 ? listed.length : after;
  const isThere = listed[at - 1]?.version === ordinal;
  const next = listed[direction > 0 ? at : at - (isThere ? 2 : 1)];
  if (next === undefined)
    throw new ArchiverError('not-found', `v${ordinal} is the ${direction > 0 ? 'newest' : 'oldest'} version`);
  const record = await readVersion(reader, datasetId, next.version, signal);
  const version = versionOf(record, next === listed.at(-1));
  const { uploadId } = record;
  const { listing } = await loadListing(reader, { uploadId, sha256: version.manifestSha256, signal });
  return { ...opened, listing, uploadId, version };
}

/** A version as the browser has it. */
export const versionOf = (record: VersionRecord, isHead: boolean): BrowseVersion => ({
  datasetId: record.datasetId,
  version: record.version,
  isHead,
  manifestSha256: digestsOf(record),
});

async function ordinalOf(
  { uploadId }: OpenedListing,
  datasetId: string,
  listed: readonly ListedVersion[],
  { reader, signal }: { readonly reader: ObjectReader; readonly signal: AbortSignal },
): Promise<number> {
  const newest = listed.toReversed();
  for (let start = 0; start < newest.length; start += BATCH) {
    const records = await readVersions(reader, datasetId, newest.slice(start, start + BATCH), signal);
    for (const read of records) if ('record' in read && read.record.uploadId === uploadId) return read.record.version;
  }
  throw new ArchiverError('not-found', `upload ${uploadId} is no version of a dataset`);
}

/** What is added, modified and removed since the version before. @throws what reading throws */
export async function changesSince(
  { listing, version }: OpenedListing,
  reader: ObjectReader,
  signal: AbortSignal,
): Promise<VersionChanges> {
  const kinds = new Uint8Array(listing.count);
  const changes = { since: undefined, kinds, added: 0, modified: 0, removed: 0 };
  if (version === undefined) return changes;
  const { datasetId } = version;
  const listed = await listVersions(reader, datasetId, signal);
  const since = listed.findLast((candidate) => candidate.version < version.version)?.version;
  if (since === undefined) return changes;
  const [from, to] = await Promise.all(
    [since, version.version].map(async (ordinal) =>
      openVersion(reader, await readVersion(reader, datasetId, ordinal, signal), signal),
    ),
  );
  if (from === undefined || to === undefined) return changes;
  for await (const batch of diffViews(from, to)) {
    signal.throwIfAborted();
    for (const change of batch.changes) {
      if (isFolderChange(change)) continue;
      changes[change.kind]++;
      const index = change.kind === 'removed' ? undefined : listing.find(change.after.path);
      if (index !== undefined) kinds[index] = change.kind === 'added' ? CHANGE.added : CHANGE.modified;
    }
  }
  return { ...changes, since };
}
