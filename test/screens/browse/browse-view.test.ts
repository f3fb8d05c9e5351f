import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Listing } from '../../../src/core/listing/listing.js';
import { handleKey } from '../../../src/screens/browse/browse-keys.js';
import { browseLines, pageRows } from '../../../src/screens/browse/browse-view.js';
import { type BrowseSettings, refusalOf } from '../../../src/screens/browse/panel-lines.js';
import type { BrowsePorts } from '../../../src/stores/browse/actions.js';
import { type BrowseStore, createBrowseStore } from '../../../src/stores/browse/browse-store.js';
import { KeyDecoder } from '../../../src/ui/key-decoder.js';
import { lineWidth } from '../../../src/ui/toned-line.js';
import { scrollTo } from '../../../src/ui/scroll-window.js';
import { listingOf, openedListing, projectListing } from '../../support/browse-listing.js';
import { sampleSnapshot } from '../progress/sample-snapshot.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;
const LOOK = { unicode: true, color: false };
const SETTINGS: BrowseSettings = {
  outputDir: './out',
  wait: false,
  maxCostUsd: 0.3,
  cost: { region: 'us-east-1', isAws: true, isFolder: false, days: 7 },
};
const PORTS: BrowsePorts = {
  preview: () => Promise.resolve({ kind: 'text', lines: ['alpha: 1', 'beta:\tdata\u001b[31m'], isCut: true }),
  step: () => Promise.reject(new Error('v1 is the oldest version')),
  changes: () => Promise.reject(new Error('not asked for')),
  restore: () =>
    Promise.resolve(['✓ Restored 4 files, 3.3 GiB to /data/out, in 2s', '  fetched   3.3 GiB in 4 requests']),
  now: () => 0,
};

let project: Listing;
beforeAll(async () => {
  project = await projectListing();
});

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const openStore = (listing = project, ports: Partial<BrowsePorts> = {}): BrowseStore =>
  createBrowseStore({
    opened: openedListing(listing, { datasetId: 'run-04xx', version: 12, isHead: true, manifestSha256: [] }),
    tier: 'standard',
    ports: { ...PORTS, ...ports },
    signal: new AbortController().signal,
  });

function press(store: BrowseStore, keys: string, rows = 24): void {
  for (const key of new KeyDecoder().push(Buffer.from(keys))) {
    const view = store.getState();
    const refusal = view.mode.kind === 'confirm' ? refusalOf(view, SETTINGS) : undefined;
    handleKey(key, { view, actions: view.do, pageRows: pageRows({ columns: 80, rows }), refusal });
  }
}

function frameOf(store: BrowseStore, columns: number, rows: number, look = LOOK): string[] {
  const view = store.getState();
  const count = view.tree?.rows.length ?? view.visible.length;
  const top = scrollTo(view.position, { count, height: pageRows({ columns, rows }), top: 0 });
  return browseLines({ view, settings: SETTINGS, size: { columns, rows }, top, look }).map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

const markFour = (store: BrowseStore): void => {
  for (const path of ['part-000', 'part-001', 'part-002', 'run-12/model']) {
    press(store, `/${path}\r `);
    store.getState().do.setSearch({ text: '', cursor: 0 });
  }
};

const SCREENS: readonly [name: string, keys: (store: BrowseStore) => void | Promise<void>][] = [
  ['list', (store) => markFour(store)],
  ['search', (store) => press(store, '/seed')],
  ['nothing-found', (store) => press(store, '/seedling\r')],
  ['tree', (store) => press(store, '/model\rt')],
  ['help', (store) => press(store, '?')],
  [
    'confirm',
    (store) => {
      markFour(store);
      press(store, '\r');
    },
  ],
  [
    'details',
    async (store) => {
      press(store, '/params\ri');
      await settled();
    },
  ],
  [
    'done',
    async (store) => {
      press(store, '/part-000\r \r\r');
      await settled();
    },
  ],
];

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  it.each(SCREENS)('draws %s', async (name, act) => {
    const store = openStore();
    await act(store);

    const frame = frameOf(store, columns, rows);

    expect(frame).toHaveLength(rows - 1);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}-${columns}x${rows}.txt`);
  });

  it('draws a restore that is under way, with what failed', async () => {
    const store = openStore();
    const snapshot = sampleSnapshot({
      operation: 'restore',
      skippedCount: 1,
      skipped: [{ path: 'private/key', reason: 'permission denied (EACCES)' }],
    });
    store.setState({ mode: { kind: 'progress', snapshot } });

    const frame = frameOf(store, columns, rows);

    expect(frame.join('\n')).toContain('private/key: permission denied');
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/progress-${columns}x${rows}.txt`);
  });
});

it('draws with ASCII alone where the locale has nothing else', () => {
  const store = openStore();
  press(store, ' ');

  const frame = frameOf(store, 80, 24, { unicode: false, color: false });

  expect(frame.join('')).toMatch(/^[\x20-\x7e]*$/);
});

it('escapes what would act on the terminal', () => {
  const store = openStore();
  press(store, '/evil\r');

  const frame = frameOf(store, 80, 24).join('\n');

  expect(frame).toContain('names/evil\\x1b[31m\\u{202e}.txt');
  for (const character of ['\u001b', '\u202e']) expect(frame).not.toContain(character);
});

it('says at once what of the manifest is refused', async () => {
  const store = openStore(
    await listingOf([
      { path: '../../etc/passwd', content: 'x' },
      { path: 'good', content: 'x' },
    ]),
  );

  expect(frameOf(store, 120, 40)[1]).toContain('refused and not shown: ../../etc/passwd');
  expect(store.getState().visible).toHaveLength(1);
});

it('says why there is nothing to see', async () => {
  const empty = openStore(await listingOf([{ path: 'a', type: 'directory' }]));

  expect(frameOf(empty, 80, 24)[4]).toContain('this upload has no files');
  press(empty, 'jk a\r\u001b[Fid');
  expect(frameOf(empty, 80, 24)).toHaveLength(23);
});

it('stays within every window, whatever is on the screen', () => {
  const stores = SCREENS.filter(([name]) => name !== 'done' && name !== 'details').map(([, act]) => {
    const store = openStore();
    void act(store);
    return store;
  });
  stores.push(openStore());
  stores.at(-1)?.setState({ notice: 'x'.repeat(300), busy: 'opening' });
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 200 }),
      fc.integer({ min: 15, max: 60 }),
      fc.constantFrom(...stores),
      fc.constantFrom(undefined, 'us-east-1'),
      (columns, rows, store, region) => {
        const settings = { ...SETTINGS, cost: { ...SETTINGS.cost, region } };
        const view = store.getState();
        const lines = browseLines({ view, settings, size: { columns, rows }, top: 0, look: LOOK });
        expect(lines).toHaveLength(rows - 1);
        const wide = lines.filter((line) => lineWidth(line) > columns);
        expect(wide.map((line) => line.map(({ text }) => text).join(''))).toEqual([]);
      },
    ),
  );
});

describe('keys', () => {
  it('counts every key of a chunk, and goes no further than the ends', () => {
    const store = openStore();
    press(store, 'jjjjj');
    expect(store.getState().position).toBe(5);
    press(store, 'k\u001b[A');
    expect(store.getState().position).toBe(3);
    press(store, '\u001b[6~');
    expect(store.getState().position).toBe(19);
    press(store, 'j'.repeat(500));
    expect(store.getState().position).toBe(32);
    press(store, '\u001b[H');
    expect(store.getState().position).toBe(0);
  });

  it('keeps marks while filters come and go, and the cursor on its file', () => {
    const store = openStore();
    press(store, 'jj ');
    press(store, 'd'); // prepare
    expect(store.getState().visible).toHaveLength(1);
    press(store, 'dddd'); // the three others, then all

    expect(store.getState().filter.stage).toBeUndefined();
    expect(store.getState().marks.files).toBe(1);
    expect(store.getState().position).toBe(2);
  });

  it('marks all that is visible and nothing else, and clears all', () => {
    const store = openStore();
    press(store, '/seed-101\ra');
    expect(store.getState().marks.files).toBe(8);
    press(store, 'c');
    expect(store.getState().marks.files).toBe(0);
  });

  it('does not take what a running search has found so far for all that matches', async () => {
    const paths = Array.from({ length: 5000 }, (_, n) => `f${String(n).padStart(4, '0')}`);
    const listing = await listingOf(paths.map((path, n) => ({ path, content: '', chunk: n % 50 })));
    let nowMs = 0;
    const store = openStore(listing, { now: () => (nowMs += 100) }); // every slice ends at once
    press(store, '/f\ra');
    expect(store.getState().isSearching).toBe(true);
    expect(store.getState().notice).toContain('still searching');
    await settled();
    press(store, 'a');
    expect(store.getState().marks.files).toBe(5000);
  });

  it('types every letter into the search, pastes into it, and edits it', () => {
    const store = openStore();
    press(store, '/q?\u001b[200~d \ng\u001b[201~');
    expect(store.getState().filter.text).toBe('q?d  g');
    press(store, '\u0015modem\u0008l');
    expect(store.getState().filter.text).toBe('model');
    press(store, '\u0003');
    expect(store.getState().isOver).toBe(true);
  });

  it('marks what is visible below a folder, and unmarks it again', () => {
    const store = openStore();
    press(store, '/model.bin\rt\u001b[H ');
    expect(store.getState().marks.files).toBe(2);
    press(store, ' ');
    expect(store.getState().marks.files).toBe(0);
  });

  it('opens and closes folders, and goes to the folder above', () => {
    const store = openStore();
    press(store, 't\u001b[H');
    const closed = store.getState().tree?.rows.length ?? 0;
    press(store, 'j\u001b[C');
    expect(store.getState().tree?.rows.length).toBe(closed + 1);
    press(store, 'j\u001b[D\u001b[D');
    expect(store.getState().tree?.rows.length).toBe(closed);
  });

  it('asks before it restores, and refuses what costs more than the cap', async () => {
    const requests: unknown[] = [];
    const restore: BrowsePorts['restore'] = (request) => {
      requests.push(request.selectors);
      return Promise.resolve(['done']);
    };
    const store = openStore(project, { restore });
    press(store, '\r');
    expect(store.getState().notice).toContain('nothing is marked');
    press(store, 'a\r\r');
    await settled();
    expect(store.getState().notice).toContain('is more than --max-restore-cost $0.30');
    expect(requests).toEqual([]);
    store.getState().do.show('list');
    store.getState().do.clearMarks();
    press(store, '/part-000\r');
    press(store, ' \r\r');
    await settled();
    expect(requests).toEqual([{ paths: ['data/features/part-000.parquet'] }]);
    expect(store.getState().mode).toEqual({ kind: 'done', lines: ['done'] });
  });

  it('stops a restore and is over only when it has ended', async () => {
    let end: (() => void) | undefined;
    const restore: BrowsePorts['restore'] = (_request, emit, signal) =>
      new Promise((_, reject) => {
        emit({ type: 'start', operation: 'restore', source: 's3://acme-archive/lab', target: './out' });
        end = () => reject(signal.reason as Error);
      });
    const store = openStore(project, { restore });
    press(store, ' \r\r');
    expect(store.getState().mode.kind).toBe('progress');
    press(store, 'q');
    expect(store.getState().isOver).toBe(false);
    expect(frameOf(store, 80, 24).join('\n')).toContain('stopping');
    end?.();
    await settled();
    expect(store.getState().isOver).toBe(true);
  });

  it('leaves a restore that does not stop when it is asked a second time', () => {
    const store = openStore(project, { restore: () => new Promise(() => undefined) });
    press(store, ' \r\rqq');

    expect(store.getState().isOver).toBe(true);
  });

  it('shows what ended a restore', async () => {
    const store = openStore(project, { restore: () => Promise.reject(new Error('the store is gone')) });
    press(store, ' \r\r');
    await settled();

    expect(store.getState().mode).toEqual({ kind: 'done', lines: ['the store is gone'] });
  });
});

describe('versions', () => {
  it('takes marks, filters and cursor to the version before, and marks what changed', async () => {
    const older = await listingOf(
      ['config/params.yaml', 'models/run-12/model.bin'].map((path) => ({ path, content: 'x' })),
    );
    const before = openedListing(older, { datasetId: 'run-04xx', version: 11, isHead: false, manifestSha256: [] });
    const changes = { since: 10, kinds: Uint8Array.of(2, 1), added: 1, modified: 1, removed: 3 };
    const store = openStore(project, {
      step: () => Promise.resolve(before),
      changes: () => Promise.resolve(changes),
    });
    press(store, 'a/model\r');
    press(store, 'v');
    await settled();

    const frame = frameOf(store, 80, 24);
    expect(frame[0]).toContain('dataset run-04xx v11');
    expect(frame[0]).not.toContain('HEAD');
    expect(frame[4]).toContain('models/run-12/model.bin');
    expect(store.getState().marks.files).toBe(2);
    store.getState().do.setSearch({ text: '', cursor: 0 });
    expect(frameOf(store, 80, 24)[1]).toContain('31 of the marked files are not in this version');
    press(store, 'k');
    expect(frameOf(store, 80, 24)[1]).toContain('+1 ~1 -3 since v10');
    expect(frameOf(store, 80, 24).slice(4, 6)).toEqual([
      expect.stringContaining('[x]~  config/params.yaml'),
      expect.stringContaining('[x]+  models/run-12/model.bin'),
    ]);
  });

  it('says when there is none', async () => {
    const store = openStore();
    press(store, 'v');
    await settled();

    expect(frameOf(store, 80, 24)[1]).toContain('v1 is the oldest version');
    press(store, 'j');
    expect(frameOf(store, 80, 24)[1]).not.toContain('oldest');
  });
});
