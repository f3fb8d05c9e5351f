import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Listing } from '../../../src/core/restore/listing/listing.js';
import { ownPrices } from '../../../src/core/cost/own-prices.js';
import type { BrowsePorts } from '../../../src/stores/browse/actions.js';
import type { CostPlace } from '../../../src/stores/browse/cost.js';
import { createTransferStore } from '../../../src/stores/transfer-store.js';
import { widthOf } from '../../../src/ui/text.js';
import { listingOf, openedListing, projectListing } from '../../support/browse-listing.js';
import { sampleSnapshot } from '../progress/sample-snapshot.js';
import { type Browser, openBrowser, settled } from './open-browser.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

let project: Listing;
beforeAll(async () => {
  project = await projectListing();
});

const older = (
  files: readonly { path: string; content: string }[],
  version = 11,
): Promise<ReturnType<typeof openedListing>> =>
  listingOf(files).then((listing) =>
    openedListing(listing, { datasetId: 'run-04xx', version, isHead: false, manifestSha256: [] }),
  );

function markFour({ press, store }: Browser): void {
  for (const path of ['part-000', 'part-001', 'part-002', 'run-12/model']) {
    press(`/${path}\r `);
    store.getState().do.setSearch({ text: '', cursor: 0 });
  }
}

const SCREENS: readonly [name: string, act: (browser: Browser) => void | Promise<void>][] = [
  ['list', markFour],
  ['search', ({ press }) => press('/seed')],
  ['nothing-found', ({ press }) => press('/seedling\r')],
  ['tree', ({ press }) => press('/model\rt')],
  ['sizes', ({ press }) => press('ts')],
  ['help', ({ press }) => press('?')],
  [
    'confirm',
    (browser) => {
      markFour(browser);
      browser.press('\r');
    },
  ],
  [
    'details',
    async ({ press, state }) => {
      press('/params\ri');
      await expect.poll(() => [state().about?.preview, state().about?.history]).not.toContain(undefined);
    },
  ],
  [
    'done',
    async ({ press }) => {
      press('/part-000\r \r\r');
      await settled();
    },
  ],
  ['progress', ({ store }) => store.setState({ mode: { kind: 'progress', transfer: PROGRESS } })],
];
const PROGRESS = createTransferStore({ now: () => 0 });
PROGRESS.setState({
  snapshot: sampleSnapshot({
    operation: 'restore',
    read: undefined,
    skippedCount: 1,
    skipped: [{ path: 'private/key', reason: 'permission denied (EACCES)' }],
  }),
});

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  it.each(SCREENS)('draws %s', async (name, act) => {
    const browser = openBrowser(project, { columns, rows });
    await act(browser);

    const frame = browser.frame(columns, rows);

    expect(frame).toHaveLength(rows - 1);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/${name}-${columns}x${rows}.txt`);
  });
});

it('draws a restore that is under way, with what failed', () => {
  const browser = openBrowser(project);
  browser.store.setState({ mode: { kind: 'progress', transfer: PROGRESS } });

  expect(browser.frame(80, 24).join('\n')).toContain('private/key: permission denied');
});

it('draws with ASCII alone where the locale has nothing else', () => {
  const browser = openBrowser(project);
  browser.press(' t');

  const frame = browser.frame(120, 40, { unicode: false, color: false });

  expect(frame.join('')).toMatch(/^[\x20-\x7e]*$/);
});

it('escapes what would act on the terminal', () => {
  const { press, frame } = openBrowser(project);
  press('/evil\r');

  const text = frame(80, 24).join('\n');

  expect(text).toContain('names/evil\\x1b[31m\\xe2\\x80\\xae.txt');
  for (const character of ['\u001b', '\u202e']) expect(text).not.toContain(character);
});

it('says at once what of the manifest is refused', async () => {
  const { frame, state } = openBrowser(
    await listingOf([
      { path: '../../etc/passwd', content: 'x' },
      { path: 'good', content: 'x' },
    ]),
  );

  expect(frame(120, 40).at(-2)).toContain('refused and not shown: ../../etc/passwd');
  expect(state().visible).toHaveLength(1);
});

it('says why there is nothing to see', async () => {
  const { frame, press } = openBrowser(await listingOf([{ path: 'a', type: 'directory' }]));

  expect(frame(80, 24).join('\n')).toContain('this upload has no files');
  press('jk a\r\u001b[FidtsD');
  expect(frame(80, 24)).toHaveLength(23);
});

it('stays within every window, whatever is on the screen', async () => {
  const browsers = await Promise.all(
    SCREENS.map(async ([, act]) => {
      const browser = openBrowser(project);
      await act(browser);
      return browser;
    }),
  );
  const loud = openBrowser(project);
  loud.store.setState({ notice: 'x'.repeat(300), busy: 'opening' });
  fc.assert(
    fc.property(
      fc.integer({ min: 60, max: 200 }),
      fc.integer({ min: 15, max: 60 }),
      fc.constantFrom(loud, ...browsers),
      fc.constantFrom(undefined, 'us-east-1'),
      (columns, rows, { store, frame }, region) => {
        const { settings } = store.getState();
        store.setState({ settings: { ...settings, cost: { ...settings.cost, region } } });
        const lines = frame(columns, rows);
        expect(lines).toHaveLength(rows - 1);
        expect(lines.filter((line) => widthOf(line) > columns)).toEqual([]);
        expect(lines.at(-3)).toBe('─'.repeat(columns));
      },
    ),
    { numRuns: 60 },
  );
});

describe('the confirmation', () => {
  function confirming(cost: Partial<CostPlace>): Browser {
    const browser = openBrowser(project);
    const { settings } = browser.state();
    browser.store.setState({ settings: { ...settings, maxCostUsd: undefined, cost: { ...settings.cost, ...cost } } });
    markFour(browser);
    browser.press('\r');
    return browser;
  }

  it.each(SIZES)('of a store without known prices says at %ix%i which setting states them', (columns, rows) => {
    const { frame } = confirming({ isAws: false, region: undefined, provider: 'ceph' });

    const text = frame(columns, rows).join(' ').replaceAll(/\s+/g, ' ');

    expect(text).toContain('1 in cold storage');
    expect(text).toContain('not known: no list of Ceph is here; costControl.ownPrices says them (docs/providers.md)');
    expect(text).not.toMatch(/\$\d/);
  });

  it.each(SIZES)('shows at %ix%i what most of the price is for, with all digits', (columns, rows) => {
    const own = { 'DEEP_ARCHIVE.restore.standard': '987654321' };
    const { frame } = confirming({ book: ownPrices({ discount: undefined, provider: undefined, own }) });

    const text = frame(columns, rows).join('\n');

    expect(text).toMatch(/TIER +READY BY .*REQUESTS.* TOTAL\n/);
    expect(text).toMatch(/standard .*\$987654\.32.* \$987654\.\d\d\n/);
  });
});

describe('keys', () => {
  it('counts every key of a chunk, and goes no further than the ends', () => {
    const { press, state } = openBrowser(project);
    press('jjjjj');
    expect(state().position).toBe(5);
    press('k\u001b[A');
    expect(state().position).toBe(3);
    press('\u001b[6~');
    expect(state().position).toBe(19);
    press('j'.repeat(500));
    expect(state().position).toBe(32);
    press('\u001b[H');
    expect(state().position).toBe(0);
  });

  it('draws one frame for a chunk of keys', async () => {
    const { press, store } = openBrowser(project);
    let changes = 0;
    store.subscribe(() => changes++);
    press('jjj');
    await settled();
    expect(changes).toBe(3);
  });

  it('names i, t, v and ? on 80 columns, and what the help says is what keys do', () => {
    const { press, frame } = openBrowser(project);
    const keyLine = frame(80, 24).at(-1) ?? '';
    for (const hint of ['i info', 't tree', 'v version', '? help', 'q quit']) expect(keyLine).toContain(hint);
    press('?');
    const help = frame(120, 40).join('\n');
    for (const text of ['search as you type', 'the version before', 'only what changed', 'mark or unmark'])
      expect(help).toContain(text);
    press('x');
    expect(frame(120, 40).join('\n')).not.toContain('search as you type');
  });

  it('keeps marks while filters come and go, and the cursor on its file', () => {
    const { press, state } = openBrowser(project);
    press('jj ');
    press('d'); // prepare
    expect(state().visible).toHaveLength(1);
    press('dddd'); // the three others, then all

    expect(state().filter.stage).toBeUndefined();
    expect(state().marks.files).toBe(1);
    expect(state().position).toBe(2);
  });

  it('marks all that is visible and nothing else, and clears all', () => {
    const { press, state } = openBrowser(project);
    press('/seed-101\ra');
    expect(state().marks.files).toBe(8);
    press('c');
    expect(state().marks.files).toBe(0);
  });

  it('does not take what a running search has found so far for all that matches', async () => {
    const paths = Array.from({ length: 5000 }, (_, n) => `f${String(n).padStart(4, '0')}`);
    const listing = await listingOf(paths.map((path, n) => ({ path, content: '', chunk: n % 50 })));
    let nowMs = 0;
    const { press, state, frame } = openBrowser(listing, { ports: { now: () => (nowMs += 100) } }); // slices end at once
    press('/f\ra');
    expect(state().isSearching).toBe(true);
    expect(frame(80, 24).at(-2)).toContain('still searching');
    await settled();
    press('a');
    expect(state().marks.files).toBe(5000);
  });

  it('types every letter into the search, pastes into it, and edits it', () => {
    const { press, state } = openBrowser(project);
    press('/q?\u001b[200~d \ng\u001b[201~');
    expect(state().filter.text).toBe('q?d  g');
    press('\u0015modem\u0008l');
    expect(state().filter.text).toBe('model');
    press('\u0003');
    expect(state().isOver).toBe(true);
  });

  it('marks what is visible below a folder, and unmarks it again', () => {
    const { press, state } = openBrowser(project);
    press('/model.bin\rt\u001b[H ');
    expect(state().marks.files).toBe(2);
    press(' ');
    expect(state().marks.files).toBe(0);
  });

  it('opens and closes folders, and goes to the folder above', () => {
    const { press, state, frame } = openBrowser(project);
    press('t\u001b[H');
    const closed = state().tree?.rows.length ?? 0;
    press('j\u001b[C');
    expect(state().tree?.rows.length).toBe(closed + 1);
    expect(frame(80, 24)[1]).toMatch(/sort: name$/);
    press('j');
    expect(frame(80, 24)[1]).toMatch(/ data$/);
    press('\u001b[D\u001b[D');
    expect(state().tree?.rows.length).toBe(closed);
  });

  it('puts folders first, flags those that hold cold files, and sorts by size and date with shares', () => {
    const { press, frame } = openBrowser(project);
    press('t');
    const rows = frame(80, 24).slice(4, 11);
    expect(rows[2]).toMatch(/^ \[ \] c ▸ models\/ +3\.6 GiB/);
    expect(rows[6]).toMatch(/^▸\[ \] {5}README\.md/);
    press('s');
    const bySize = frame(80, 24).slice(4, 11);
    expect(bySize[0]).toMatch(/models\/ +3\.6 GiB +━+/);
    expect(bySize[1]).toMatch(/results\/ +1\.7 GiB/);
    expect(frame(80, 24)[1]).toContain('sort: size');
    press('s');
    expect(frame(80, 24)[1]).toContain('sort: date');
    expect(frame(80, 24)[3]).toContain('MODIFIED');
  });

  it('keeps the size near the name however wide the window is', () => {
    const { press, frame } = openBrowser(project);
    press('t');
    const row = frame(200, 50).find((line) => line.includes('models/')) ?? '';
    expect(row.indexOf('3.6 GiB')).toBeLessThan(105);
  });

  it('asks before it restores, and refuses what costs more than the cap', async () => {
    const requests: unknown[] = [];
    const restore: BrowsePorts['restore'] = (request) => {
      requests.push(request.selectors);
      return Promise.resolve(['done']);
    };
    const { press, state, store, frame } = openBrowser(project, { ports: { restore } });
    press('\r');
    expect(frame(80, 24).at(-2)).toContain('nothing is marked');
    press('a\r\r');
    await settled();
    expect(frame(80, 24).at(-2)).toContain('is more than --max-restore-cost $0.30');
    expect(requests).toEqual([]);
    store.getState().do.show('list');
    store.getState().do.clearMarks();
    press('/part-000\r');
    press(' \r\r');
    await settled();
    expect(requests).toEqual([{ paths: ['data/features/part-000.parquet'] }]);
    expect(state().mode).toEqual({ kind: 'done', lines: ['done'] });
  });

  it('stops a restore and is over only when it has ended', async () => {
    let end: (() => void) | undefined;
    const restore: BrowsePorts['restore'] = (_request, emit, signal) =>
      new Promise((_, reject) => {
        emit({ type: 'start', operation: 'restore', source: 's3://acme-archive/lab', target: './out' });
        end = () => reject(signal.reason as Error);
      });
    const { press, state, frame } = openBrowser(project, { ports: { restore } });
    press(' \r\r');
    expect(state().mode.kind).toBe('progress');
    press('q');
    expect(state().isOver).toBe(false);
    expect(frame(80, 24).join('\n')).toContain('stopping');
    end?.();
    await settled();
    expect(state().isOver).toBe(true);
  });

  it('leaves a restore that does not stop when it is asked a second time', () => {
    const { press, state } = openBrowser(project, { ports: { restore: () => new Promise(() => undefined) } });
    press(' \r\rqq');

    expect(state().isOver).toBe(true);
  });

  it('shows what ended a restore', async () => {
    const { press, state } = openBrowser(project, {
      ports: { restore: () => Promise.reject(new Error('the store is gone')) },
    });
    press(' \r\r');
    await settled();

    expect(state().mode).toEqual({ kind: 'done', lines: ['the store is gone'] });
  });
});

describe('the question before a restore', () => {
  it('has a row for each tier with all its parts, marks the chosen one and draws the cap', () => {
    const browser = openBrowser(project);
    markFour(browser);
    browser.press('\r');
    const lines = browser.frame(120, 40);
    const at = lines.findIndex((line) => line.includes('READY BY'));

    expect(lines[at]).toMatch(/TIER +READY BY +RETRIEVAL +REQUESTS +COPY +TRANSFER +TOTAL/);
    expect(lines[at + 1]).toMatch(/expedited +not offered +- +- +- +- +-/);
    expect(lines[at + 2]).toMatch(/▸ ?standard +tomorrow 02:10 +\$\d/);
    expect(lines[at + 3]).toMatch(/bulk +in 2 days 14:10 +\$\d/);
    expect(lines.join('\n')).toMatch(/--max-restore-cost ━+─* +\d+% of \$0\.30/);
    browser.press('t');
    expect(browser.state().tier).toBe('bulk');
    expect(browser.frame(120, 40).join('\n')).toMatch(/▸ ?bulk/);
  });

  it('cuts nothing of where files go to', () => {
    const outputDir = `/data/${'restored-of-the-fourth-campaign/'.repeat(5)}out`;
    const browser = openBrowser(project, { settings: { outputDir } });
    browser.press(' \r');

    const text = browser
      .frame(80, 24)
      .map((line) => line.slice(1))
      .join('');

    expect(text).toContain(`to ${outputDir}?`);
  });
});

describe('details', () => {
  it('reads about a file only once the cursor rests on it, and gives up when it goes on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const read: string[] = [];
    const signals: AbortSignal[] = [];
    const preview: BrowsePorts['preview'] = ({ listing }, index, signal) => {
      read.push(listing.path(index));
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { press } = openBrowser(project, { columns: 120, rows: 40, ports: { preview } });
    for (let step = 0; step < 6; step++) {
      press('j');
      await settled();
    }
    expect(read).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(read).toEqual([project.path(6)]);
    press('j');
    await settled();
    expect(signals[0]?.aborted).toBe(true);
  });

  it('shows everything about a file beside the list, and nothing of one that is cold', async () => {
    const { press, state, store, frame } = openBrowser(project);
    press('/run-12/model\r');
    const index = state().visible[0] ?? 0;
    store.getState().do.readAbout({ opened: state().opened, index });
    await settled();
    const text = frame(120, 40).join('\n');
    for (const part of [
      '1.8 GiB (1 932 525 568 bytes)',
      'DEEP_ARCHIVE (cold)',
      'train',
      '41aa07d',
      'v12',
      '2025-11-14 09:30:12+00:00',
    ])
      expect(text).toContain(part);
  });
});

describe('versions', () => {
  it('says that the store does not answer while a version is opened: since when, which try, and why', async () => {
    const retry = {
      type: 'retry',
      request: 'get x',
      service: 'store',
      attempt: 2,
      maxAttempts: 10,
      waitMs: 9,
    } as const;
    let end: (error: Error) => void = () => undefined;
    const step: BrowsePorts['step'] = (_opened, _direction, _signal, emit) => {
      emit({ ...retry, trouble: 'unreachable', reason: 'connect ECONNREFUSED' });
      return new Promise((_done, failed) => {
        end = (error) => {
          emit({ type: 'settled', request: retry.request });
          failed(error);
        };
      });
    };
    const { press, frame } = openBrowser(project, { ports: { step } });
    press('v');

    expect(frame(80, 24).at(-2)).toMatch(/^ ✗ the store: unreachable since 14:10, try 3 of 10 +1 of 33$/);
    expect(frame(120, 40).at(-2)).toContain('try 3 of 10 · opening the version before · connect ECONNREFUSED');
    end(new Error('given up'));
    await settled();
    expect(frame(80, 24).at(-2)).toContain('▲ given up');
  });

  it('takes marks, filters and cursor to the version before, and marks what changed', async () => {
    const before = await older([
      { path: 'config/params.yaml', content: 'x' },
      { path: 'models/run-12/model.bin', content: 'x' },
    ]);
    const first = await older(
      [
        { path: 'config/params.yaml', content: 'y' },
        { path: 'gone', content: '' },
      ],
      10,
    );
    const steps = [before, first];
    const { press, state, store, frame } = openBrowser(project, {
      ports: { step: () => Promise.resolve(steps.shift() ?? first) },
    });
    press('a/model\r');
    press('v');
    await settled();
    await expect.poll(() => state().busy).toBeUndefined();

    const shown = frame(80, 24);
    expect(shown[0]).toContain('dataset run-04xx v11');
    expect(shown[0]).not.toContain('HEAD');
    expect(shown[4]).toContain('models/run-12/model.bin');
    expect(state().marks.files).toBe(2);
    store.getState().do.setSearch({ text: '', cursor: 0 });
    expect(frame(80, 24).at(-2)).toContain('31 of the marked files are not in this version');
    press('k');
    expect(frame(80, 24)[1]).toContain('+1 ~1 -1 since v10');
    expect(frame(80, 24).slice(4, 6)).toEqual([
      expect.stringContaining('[x]~  config/params.yaml'),
      expect.stringContaining('[x]+  models/run-12/model.bin'),
    ]);
  });

  it('says when there is none', async () => {
    const { press, frame } = openBrowser(project);
    press('v');
    await settled();

    expect(frame(80, 24).at(-2)).toContain('v1 is the oldest version');
    press('j');
    expect(frame(80, 24).at(-2)).not.toContain('oldest');
  });

  it('shows only what changed, what was removed too, and restores that from the older version', async () => {
    const requests: unknown[] = [];
    const restore: BrowsePorts['restore'] = ({ opened, selectors }) => {
      requests.push([opened.version?.version, selectors]);
      return Promise.resolve(['done']);
    };
    const now = await listingOf([
      { path: 'added', content: 'x' },
      { path: 'changed', content: 'now' },
      { path: 'mode', content: 'x', mode: '0600', extra: { uid: 7 } },
      { path: 'same', content: 'x' },
    ]);
    const before = await older([
      { path: 'changed', content: 'then, longer' },
      { path: 'mode', content: 'x' },
      { path: 'removed', content: 'gone' },
      { path: 'same', content: 'x' },
    ]);
    const { press, state, frame } = openBrowser(now, { ports: { restore, step: () => Promise.resolve(before) } });
    press('D');
    await expect.poll(() => state().page).toBe('changes');

    const shown = frame(80, 24);
    expect(shown[0]).toContain('v12 (HEAD), since v11');
    expect(shown[1]).toBe(' + 1 added   ~ 1 changed   - 1 gone   m 1 metadata');
    expect(shown.slice(4, 8)).toEqual([
      expect.stringMatching(/^▸ {4}\+ added +1 B$/),
      expect.stringMatching(/^ \[ \] ~ changed +content +12 B +3 B$/),
      expect.stringMatching(/^ \[ \] m mode +mode, owner +0644 +0600$/),
      expect.stringMatching(/^ \[ \] - removed +4 B +gone$/),
    ]);
    expect(shown[8]).toBe('');
    expect(frame(60, 15)[6]).toMatch(/^ \[ \] m mode +mode, owner +0600$/);
    press(' ');
    expect(frame(80, 24).at(-2)).toContain('only what the older version has');
    press('G ');
    expect(frame(80, 24).at(-2)).toContain('1 selected  4 B from v11');
    press('\r');
    expect(frame(80, 24).join('\n')).toContain('Restore 1 file, 4 B from v11 to ./out?');
    press('\r');
    await settled();
    expect(requests).toEqual([[11, { paths: ['removed'] }]]);
    press('\rD');
    expect(state().page).toBe('files');
    expect(state().marks.files).toBe(0);
  });
});
