// The real screen over a store whose ports a test decides, with keys as a terminal sends them.
import { render, renderToString } from 'ink';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import type { ReactElement } from 'react';
import type { LazyListing } from '../../../src/core/restore/listing/lazy-listing.js';
import type { Listing } from '../../../src/core/restore/listing/listing.js';
import { BrowseScreen } from '../../../src/screens/browse/browse-screen.js';
import type { BrowsePorts } from '../../../src/stores/browse/actions.js';
import type { BrowseState } from '../../../src/stores/browse/browse-state.js';
import { sourceText } from '../../../src/commands/kit/cost-lines.js';
import type { BrowseSettings } from '../../../src/stores/browse/cost.js';
import { type BrowseStore, createBrowseStore } from '../../../src/stores/browse/browse-store.js';
import { createKeySource, type KeySource } from '../../../src/ui/keys.js';
import { Kit } from '../../../src/ui/kit.js';
import { fixedSize } from '../../../src/ui/size.js';
import { openedListing } from '../../support/browse-listing.js';

export const SETTINGS: BrowseSettings = {
  outputDir: './out',
  wait: false,
  maxCostUsd: 0.3,
  pricesText: sourceText,
  cost: { region: 'us-east-1', isAws: true, isFolder: false, days: 7 },
};
const PORTS: BrowsePorts = {
  preview: () => Promise.resolve({ kind: 'text', lines: ['alpha: 1', 'beta:\tdata\u001b[31m'], isCut: true }),
  history: () => Promise.resolve({ kind: 'known', versions: [{ version: 12, content: 'same', sizeBytes: 4200 }] }),
  pathHistory: () => Promise.resolve({ versions: 0, problems: [], changes: [] }),
  openVersion: () => Promise.reject(new Error('no such version')),
  step: () => Promise.reject(new Error('v1 is the oldest version')),
  restore: () =>
    Promise.resolve([
      '✓ Restored 4 files, 3.3 GiB to /data/out, in 2s',
      '  fetched   3.3 GiB in 4 requests for content',
    ]),
  now: () => 0,
  clock: () => new Date(2025, 10, 14, 14, 10),
};

export interface Browser {
  readonly store: BrowseStore;
  readonly state: () => BrowseState;
  /** Keys as a terminal sends them, in one chunk. */
  readonly press: (keys: string) => void;
  /** The rows of the screen at this size, without colours and blanks at their ends. */
  readonly frame: (columns: number, rows: number, look?: { unicode: boolean; color: boolean }) => string[];
}

const LOOK = { unicode: true, color: false };
// oxlint-disable-next-line no-control-regex
const CODES = /\u001b\[[\d;]*m/g;

const inKit = (store: BrowseStore, keys: KeySource, columns: number, rows: number, look = LOOK): ReactElement => (
  <Kit keys={keys} size={fixedSize(columns, rows)} look={look}>
    <BrowseScreen store={store} />
  </Kit>
);

export interface BrowserOptions {
  readonly ports?: Partial<BrowsePorts>;
  readonly settings?: Partial<BrowseSettings>;
  /** Reads the rest of the listing. */
  readonly lazy?: LazyListing;
  readonly columns?: number;
  readonly rows?: number;
}

/** Mounts the screen, so that it obeys keys. */
export function openBrowser(listing: Listing, options: BrowserOptions = {}): Browser {
  const { ports, settings, lazy, columns = 80, rows = 24 } = options;
  const store = createBrowseStore({
    opened: {
      ...openedListing(listing, { datasetId: 'run-04xx', version: 12, isHead: true, manifestSha256: [] }),
      ...(lazy && { lazy }),
    },
    settings: { ...SETTINGS, ...settings },
    tier: 'standard',
    ports: { ...PORTS, ...ports },
    signal: new AbortController().signal,
  });
  const keys = createKeySource();
  const stdout = Object.assign(new PassThrough(), { columns, rows });
  stdout.resume();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Ink asks for a WriteStream and uses what a Writable has
  const app = render(inKit(store, keys, columns, rows), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    patchConsole: false,
  });
  onTestFinished(() => app.unmount());
  return {
    store,
    state: () => store.getState(),
    press: (typed) => keys.write(typed),
    frame: (width, height, look) =>
      renderToString(inKit(store, createKeySource(), width, height, look), { columns: width })
        .replaceAll(CODES, '')
        .split('\n')
        .map((line) => line.trimEnd()),
  };
}

/** What was begun has had its turns; real ones, as React needs them. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
}
