// Reading in the background: what has come is drawn, also where all is over before the first interval at which it is.
import { expect, test } from 'vitest';
import { ignoreEvents } from '../../../src/core/events/progress-meter.js';
import type { LazyListing } from '../../../src/core/restore/listing/lazy-listing.js';
import type { BrowseTools } from '../../../src/stores/browse/actions.js';
import type { BrowseState } from '../../../src/stores/browse/browse-state.js';
import { loader } from '../../../src/stores/browse/loader.js';

test('the share changes when reading fails at once, so that sums that came before are drawn', async () => {
  const lazy = {
    isKept: true,
    sums: { isDone: false },
    readAll: () => Promise.reject(new Error('a segment is damaged')),
  } as unknown as LazyListing;
  let state = {
    opened: { lazy },
    position: 0,
    isOver: false,
    share: undefined,
    tree: undefined,
  } as unknown as BrowseState;
  const shares: (number | undefined)[] = [];
  let notify: BrowseTools['notify'] = () => undefined;
  const said = new Promise<string | undefined>((resolve) => (notify = resolve));
  const tools = {
    get: () => state,
    set: (change: Partial<BrowseState>) => {
      state = { ...state, ...change };
      if ('share' in change) shares.push(change.share);
    },
    notify,
    outage: { take: ignoreEvents },
    signal: new AbortController().signal,
  } as unknown as BrowseTools;

  loader(tools, () => 0).next();

  expect(await said).toBe('a segment is damaged');
  expect(shares).toEqual([0, undefined]);
});
