// Opens other versions, and compares them.
import { setImmediate as turn } from 'node:timers/promises';
import { NoSuchVersion } from '../../core/dataset/records/neighbour-version.js';
import type { EventSink } from '../../core/events/events.js';
import { errorText } from '../../core/platform/failures/errors.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';
import type { BrowseTools, VersionActions } from './actions.js';
import {
  type BrowseMode,
  type BrowseState,
  initialState,
  type OpenedListing,
  type ChangedFile,
  type ChangeKind,
  type VersionChanges,
} from './browse-state.js';
import { FolderFacts } from './folder-facts.js';
import { carryMarks, Marks } from './marks.js';
import { withVisible } from './rows.js';
import { filesOf } from './search.js';
import { diffViews, type Change, type DiffSide } from '../../core/dataset/diff.js';
import type { Entry } from '../../core/format/manifest/manifest-types.js';

/** The actions that open other versions. */
export function versionActions(tools: BrowseTools): VersionActions {
  const { get, set, arrange, load } = tools;
  return {
    step(direction) {
      const to = direction < 0 ? 'before' : 'after';
      attempt(`opening the version ${to}`, tools, async () => {
        const { ports, outage, signal } = tools;
        const next = await outage.during(async () =>
          withMarked(await ports.step(get().opened, direction, signal, outage.take), get().marks, outage.take),
        );
        set(withOpened(get(), next));
        arrange(get());
        // Two large listings are compared when somebody asks for that.
        if (next.lazy === undefined) await compare(next, next, tools);
      });
    },
    toggleChanges() {
      const { page, changes } = get();
      if (page === 'changes') return set({ page: 'files' });
      if (changes !== undefined) return showChanges(tools);
      attempt('comparing with the version before', tools, async () => {
        await load.whole();
        await compare(get().opened, get().opened, tools);
        showChanges(tools);
      });
    },
    compareWith(direction) {
      const { opened, changes } = get();
      const since = changes?.since;
      if (since === undefined) return;
      const to = direction < 0 ? 'before' : 'after';
      attempt(`comparing with the version ${to}`, tools, async () => {
        await compare(opened, since, tools, direction);
        showChanges(tools);
      });
    },
  };
}

function showChanges({ get, set, notify }: BrowseTools): void {
  const { changes } = get();
  if (changes?.since === undefined) return notify('this is the first version: there is nothing to compare it with');
  set({ page: 'changes' });
}

/** The listing of another version, with all of it that is marked. */
async function withMarked(next: OpenedListing, marks: Marks, emit: EventSink): Promise<OpenedListing> {
  const { lazy } = next;
  if (lazy === undefined) return next;
  const how = { emit };
  for (const path of marks.paths())
    if ((await lazy.readPath(path, how)).isFolder(path)) await lazy.readBelow(path, how);
  return { ...next, listing: lazy.listing };
}

/** Runs a slow task, one at a time, and shows its error. */
export function attempt(busy: string, { get, set, notify }: BrowseTools, work: () => Promise<void>): void {
  if (get().busy !== undefined) return;
  set({ busy });
  work()
    .catch((error: unknown) => notify(errorText(error)))
    .finally(() => set({ busy: undefined }));
}

/** Compares the opened version with the one next to `from`. */
async function compare(
  opened: OpenedListing,
  from: OpenedListing,
  { get, set, ports, outage, signal }: BrowseTools,
  direction: -1 | 1 = -1,
): Promise<void> {
  const since = await outage
    .during(async () => {
      const other = await ports.step(from, direction, signal, outage.take);
      return {
        ...other,
        listing: (await other.lazy?.readAll({ emit: outage.take })) ?? other.listing,
        lazy: undefined,
      };
    })
    .catch((error: unknown) => {
      if (error instanceof NoSuchVersion && from === opened) return undefined;
      throw error;
    });
  const changes = since === undefined ? FIRST_VERSION : await changesSince(since, opened, signal);
  if (get().opened !== opened) return;
  const changeMarks = since === undefined ? get().changeMarks : carriedMarks(get(), since.listing);
  set({ changes, changeMarks, changePosition: 0, markings: get().markings + 1 });
}

const carriedMarks = ({ changes, changeMarks }: BrowseState, to: Listing): Marks =>
  changes?.since === undefined ? new Marks(to) : carryMarks(changeMarks, changes.since.listing, to);

/** Opens another version in the same browser: filters, marks and cursor are kept by path. */
export function withOpened(state: BrowseState, opened: OpenedListing): BrowseState {
  const fresh = initialState(opened, state.settings, state.tier);
  const { filter, search, sort, busy, trouble } = state;
  const mode: BrowseMode = state.mode.kind === 'confirm' ? { kind: 'list' } : state.mode;
  const tree = state.tree ?? fresh.tree;
  const moved = withListing({ ...state, tree }, opened);
  const lost = state.marks.files - moved.marks.files;
  const notice = lost === 0 ? fresh.notice : `${lost} of the marked files are not in this version`;
  const { files, visible, listed, facts, marks, markings, wanted, position } = moved;
  const carried = { files, visible, listed, facts, marks, markings, wanted, position, tree: moved.tree };
  return { ...fresh, filter, search, sort, busy, trouble, mode, ...carried, notice };
}

/** Shows another listing, or more of the same; marks and cursor are kept by path. */
export function withListing(state: BrowseState, opened: OpenedListing): BrowseState {
  const { listing } = opened;
  const from = state.opened.listing;
  const files = filesOf(listing);
  const marks = carryMarks(state.marks, from, listing);
  const wanted = typeof state.wanted === 'number' ? nearest(listing, from.path(state.wanted)) : state.wanted;
  const facts = new FolderFacts(listing);
  const markings = state.markings + 1;
  return withVisible({ ...state, opened, files, facts, marks, markings, wanted }, files, undefined);
}

/** The entry of this path, or the one after its place. */
const nearest = (listing: Listing, path: RawPath): number => listing.find(path) ?? listing.below(path).start;

// Compares two versions by the rules of `archiver dataset diff`, using the listings in memory.

/** Number of entries between two checks for keys. */
const BATCH = 1024;

/** The changes of a version without a predecessor. */
const FIRST_VERSION: VersionChanges = {
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
      files.push({ kind, differs: change.kind === 'modified' ? change.differs : [], before, after });
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
