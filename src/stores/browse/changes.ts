// Compares two versions by the rules of `archiver dataset diff`, using the listings in memory.
import { setImmediate as turn } from 'node:timers/promises';
import { diffViews, type Change, type DiffSide } from '../../core/dataset/diff.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { Entry } from '../../core/format/manifest/manifest-types.js';
import type { ChangedFile, ChangeKind, OpenedListing, VersionChanges } from './browse-state.js';

/** Number of entries between two checks for keys. */
const BATCH = 1024;

/** The changes of a version without a predecessor. */
export const FIRST_VERSION: VersionChanges = {
  since: undefined,
  files: [],
  kinds: new Map(),
  counts: { added: 0, modified: 0, metadata: 0, deleted: 0 },
};

/** Compares the opened listing with an older version; folders are left out. @throws when `signal` is aborted */
export async function changesSince(
  since: OpenedListing,
  { listing }: OpenedListing,
  signal: AbortSignal,
): Promise<VersionChanges> {
  const files: ChangedFile[] = [];
  const kinds = new Map<number, ChangeKind>();
  const counts: Record<ChangeKind, number> = { added: 0, modified: 0, metadata: 0, deleted: 0 };
  for await (const { changes } of diffViews(sideOf(since.listing, signal), sideOf(listing, signal))) {
    for (const change of changes) {
      if (isOfFolder(change)) continue;
      const kind = kindOf(change);
      const before = change.kind === 'added' ? undefined : since.listing.find(change.before.path);
      const after = change.kind === 'deleted' ? undefined : listing.find(change.after.path);
      counts[kind]++;
      files.push({ kind, before, after });
      if (after !== undefined) kinds.set(after, kind);
    }
  }
  return { since, files, kinds, counts };
}

const sideOf = (listing: Listing, signal: AbortSignal): DiffSide => ({
  chunks: listing.head.chunks,
  async *entries() {
    for (let start = 0; start < listing.count; start += BATCH) {
      await turn();
      signal.throwIfAborted();
      const length = Math.min(BATCH, listing.count - start);
      yield Array.from({ length }, (_, at): Entry => listing.entry(start + at));
    }
  },
});

const kindOf = (change: Change): ChangeKind =>
  change.kind === 'modified' && change.what === 'metadata' ? 'metadata' : change.kind;

function isOfFolder(change: Change): boolean {
  if (change.kind === 'modified') return change.before.type === 'directory' && change.after.type === 'directory';
  return (change.kind === 'added' ? change.after : change.before).type === 'directory';
}
