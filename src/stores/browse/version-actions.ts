// Opens other versions, and compares them.
import { NoSuchVersion } from '../../core/dataset/records/neighbour-version.js';
import { errorText } from '../../core/platform/failures/errors.js';
import type { Listing } from '../../core/restore/listing/listing.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';
import type { BrowseTools, VersionActions } from './actions.js';
import { type BrowseMode, type BrowseState, initialState, type OpenedListing } from './browse-state.js';

import { changesSince, FIRST_VERSION } from './changes.js';
import { carryMarks, Marks } from './marks.js';
import { withVisible } from './rows.js';

/** The actions that open other versions. */
export function versionActions(tools: BrowseTools): VersionActions {
  const { get, set, arrange } = tools;
  return {
    step(direction) {
      const to = direction < 0 ? 'before' : 'after';
      attempt(`opening the version ${to}`, tools, async () => {
        const next = await tools.ports.step(get().opened, direction, tools.signal);
        set(withOpened(get(), next));
        arrange(get());
        await compare(next, next, tools);
      });
    },
    toggleChanges() {
      const { page, changes, opened } = get();
      if (page === 'changes') return set({ page: 'files' });
      if (changes !== undefined) return showChanges(tools);
      attempt('comparing with the version before', tools, async () => {
        await compare(opened, opened, tools);
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

/** Runs a slow task, one at a time, and shows its error. */
function attempt(busy: string, { get, set, notify }: BrowseTools, work: () => Promise<void>): void {
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
  { get, set, ports, signal }: BrowseTools,
  direction: -1 | 1 = -1,
): Promise<void> {
  const since = await ports.step(from, direction, signal).catch((error: unknown) => {
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
  const from = state.opened.listing;
  const fresh = initialState(opened, state.settings, state.tier);
  const marks = carryMarks(state.marks, from, opened.listing);
  const lost = state.marks.files - marks.files;
  const wanted = typeof state.wanted === 'number' ? nearest(opened.listing, from.path(state.wanted)) : state.wanted;
  const { filter, search, sort, tree, busy } = state;
  const mode: BrowseMode = state.mode.kind === 'confirm' ? { kind: 'list' } : state.mode;
  const moved = { ...fresh, filter, search, sort, tree, busy, marks, wanted, mode, markings: state.markings + 1 };
  const notice = lost === 0 ? fresh.notice : `${lost} of the marked files are not in this version`;
  return { ...withVisible(moved, fresh.files, undefined), notice };
}

/** The entry of this path, or the one after its place. */
const nearest = (listing: Listing, path: RawPath): number => listing.find(path) ?? listing.below(path).start;
