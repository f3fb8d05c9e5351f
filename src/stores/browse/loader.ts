// Reads what the screen needs of a large listing, and then the rest, in the background: names in open folders near the cursor first, sums of
// folders as the rest streams by. One reading for the screen at a time; the background waits for it.
import { errorText } from '../../core/platform/failures/errors.js';
import type { LazyListing } from '../../core/restore/listing/lazy-listing.js';
import { TOP } from '../../core/platform/paths/raw-path.js';
import type { BrowseTools, Loader } from './actions.js';
import { type BrowseState, refusedText } from './browse-state.js';
import { withListing } from './version-actions.js';

/** Rows around the cursor that are to be known: more than a page of the largest terminal. */
const ROWS_AROUND = 120;
/** Interval in milliseconds at which sums are drawn. */
const SHOWN_EVERY_MS = 250;

type LoaderTools = Pick<BrowseTools, 'get' | 'set' | 'notify' | 'outage' | 'signal'>;

export function loader({ get, set, notify, outage, signal }: LoaderTools, now: () => number): Loader {
  const emit = outage.take;
  let reading: Promise<void> | undefined;
  /** The stream of everything: of which listing, and how it goes. */
  let stream: { readonly of: LazyListing; readonly done: Promise<void>; readonly stop: AbortController } | undefined;

  /** Shows what has been read of the listing that is on the screen. */
  const show = (lazy: LazyListing): void => {
    const state = get();
    const { listing } = lazy;
    if (state.opened.lazy !== lazy || state.opened.listing === listing) return;
    const opened = { ...state.opened, listing, lazy: listing.isWhole ? undefined : lazy };
    const shown = withListing(state, opened);
    set(listing.isWhole ? { ...shown, share: undefined, notice: refusedText(listing) ?? shown.notice } : shown);
  };
  const read = async (lazy: LazyListing, work: () => Promise<unknown>): Promise<void> => {
    reading = outage.during(work).then(() => undefined);
    try {
      await reading;
    } finally {
      reading = undefined;
      show(lazy);
    }
  };
  const follow = (lazy: LazyListing): Promise<void> => {
    if (stream?.of === lazy) return stream.done;
    stream?.stop.abort();
    const stop = new AbortController();
    let shownMs = now();
    const onShare = async (share: number): Promise<void> => {
      await reading?.catch(() => undefined); // whoever asked for it says why it failed
      if (now() < shownMs + SHOWN_EVERY_MS || get().opened.lazy !== lazy) return;
      shownMs = now();
      set({ share });
    };
    const options = { onShare, signal: stop.signal, emit };
    const done = (lazy.isKept ? lazy.readAll(options) : lazy.addUp(options)).then(
      () => {
        if (get().opened.lazy === lazy) set({ share: undefined });
        show(lazy);
      },
      (error: unknown) => {
        if (stream?.of === lazy) stream = undefined;
        if (get().opened.lazy === lazy) set({ share: undefined });
        throw error;
      },
    );
    stream = { of: lazy, done, stop };
    // From the beginning: sums that came are drawn when the share changes, however soon the stream ends.
    if (get().opened.lazy === lazy) set({ share: 0 });
    return done;
  };
  const whole = async (): Promise<void> => {
    const { lazy } = get().opened;
    if (lazy === undefined) return;
    if (!lazy.isKept) await lazy.readAll(); // says that it is too much
    await follow(lazy);
  };

  /** The first thing to read for the screen, if there is any. */
  function wanted(lazy: LazyListing): (() => Promise<unknown>) | undefined {
    const { tree, position } = get();
    const isNear = (row: number): boolean => Math.abs(row - position) <= ROWS_AROUND;
    const gap = tree?.gaps.find(({ row }) => isNear(row));
    if (gap !== undefined) return () => lazy.readNames(gap.folder, TOP, { emit });
    if (!lazy.sums.isDone) return undefined;
    // The stream keeps no sums of small folders.
    const unknown = tree?.rows.find(
      (row, at) => isNear(at) && typeof row === 'object' && lazy.listing.sumBelow(row.path) === undefined,
    );
    return typeof unknown === 'object' ? () => lazy.readBelow(unknown.path, { emit }) : undefined;
  }

  let failed: BrowseState['position'] | undefined;
  const next = (): void => {
    const { opened, position, isOver } = get();
    const { lazy } = opened;
    if (lazy === undefined || reading !== undefined || isOver || signal.aborted || failed === position) return;
    const work = wanted(lazy);
    if (work === undefined) return background(lazy);
    read(lazy, work).then(
      () => {
        failed = undefined;
        next();
      },
      (error: unknown) => fail(error),
    );
  };
  /** Nothing is tried again before the cursor moves. */
  const fail = (error: unknown): void => {
    failed = get().position;
    if (!signal.aborted) notify(errorText(error));
  };
  const background = (lazy: LazyListing): void => {
    if (stream?.of === lazy) return;
    follow(lazy).catch((error: unknown) => {
      if (get().opened.lazy === lazy) fail(error);
    });
  };
  return {
    next,
    whole,
    async below(folder) {
      const { lazy } = get().opened;
      if (lazy === undefined) return;
      await outage.during(() => lazy.readBelow(folder, { emit }));
      show(lazy);
    },
  };
}
