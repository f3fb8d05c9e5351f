import { expect, test } from 'vitest';
import { createDashboardStore, type DashboardStore } from '../../../src/stores/dashboard/dashboard-store.js';
import { startRefreshing } from '../../../src/stores/dashboard/refreshing.js';
import { createSource, type Source } from '../../../src/stores/dashboard/source.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import type { ViewModel } from '../../../src/stores/dashboard/view-model.js';

const EVERY_MS = 5000;

class FakeTime {
  private ms = 0;
  private readonly calls = new Map<object, { readonly at: number; readonly call: () => void }>();
  readonly now = (): Date => new Date(this.ms);
  readonly later = (ms: number, call: () => void): (() => void) => {
    const key = {};
    this.calls.set(key, { at: this.ms + ms, call });
    return () => void this.calls.delete(key);
  };

  get waiting(): number {
    return this.calls.size;
  }

  /** Calls what is due until then, one after another. */
  async pass(ms: number): Promise<void> {
    for (const until = this.ms + ms; ;) {
      await settle();
      const [next] = [...this.calls].toSorted(([, one], [, other]) => one.at - other.at);
      if (next === undefined || next[1].at > until) {
        this.ms = until;
        return;
      }
      this.calls.delete(next[0]);
      this.ms = next[1].at;
      next[1].call();
    }
  }
}

/** Reads of fakes end within some microtasks. */
async function settle(): Promise<void> {
  for (let at = 0; at < 10; at++) await Promise.resolve();
}

function open(view: 'overview' | 'costs' | 'uploads' = 'overview') {
  const time = new FakeTime();
  const counts = { spend: 0, shared: 0, uploads: 0 };
  const state = { isRunning: false };
  const counting = (name: keyof typeof counts): Source<number> =>
    createSource({ now: time.now, read: () => Promise.resolve(++counts[name]) });
  const [spend, shared, uploads] = [counting('spend'), counting('shared'), counting('uploads')];
  const views: readonly ViewModel[] = [
    { id: 'overview', title: '', reads: () => [spend, uploads], live: () => (state.isRunning ? [uploads] : []) },
    { id: 'costs', title: '', reads: () => [spend], asks: () => [shared] },
    { id: 'uploads', title: '', reads: () => [uploads] },
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- these views read nothing else
  const sources = {} as DashboardSources;
  const dashboard: DashboardStore = createDashboardStore({ views, view, sources });
  const stop = startRefreshing({ dashboard, views, sources, everyMs: EVERY_MS, now: time.now, later: time.later });
  return { time, counts, state, dashboard, stop, spend };
}

/** A view of one source that rests for a minute. */
function openResting() {
  const time = new FakeTime();
  const counts = { reads: 0, probes: 0 };
  const fleet = createSource<number>({
    now: time.now,
    read: () => Promise.resolve(++counts.reads),
    probe: () => Promise.resolve(void counts.probes++),
    restMs: () => 60_000,
  });
  const views: readonly ViewModel[] = [{ id: 'overview', title: '', reads: () => [fleet] }];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this view reads nothing else
  const sources = {} as DashboardSources;
  const dashboard = createDashboardStore({ views, view: 'overview', sources });
  startRefreshing({ dashboard, views, sources, everyMs: EVERY_MS, now: time.now, later: time.later });
  return { time, reads: () => counts.reads, probes: () => counts.probes };
}

test('the sources of the view that is shown are read at once, and then once in an interval', async () => {
  const { time, counts } = open();
  await time.pass(0);
  expect(counts).toEqual({ spend: 1, shared: 0, uploads: 1 });
  await time.pass(EVERY_MS - 1);
  expect(counts.spend).toBe(1);
  await time.pass(1);
  expect(counts.spend).toBe(2);
  await time.pass(86_400_000 - EVERY_MS);

  expect(counts).toEqual({ spend: 17_281, shared: 0, uploads: 17_281 });
  expect(time.waiting).toBe(1);
});

test('a view that is shown reads what is older than an interval, and what asks a store once', async () => {
  const { time, counts, dashboard } = open();
  await time.pass(1000);
  dashboard.getState().do.show('costs');
  await time.pass(0);
  expect(counts).toEqual({ spend: 1, shared: 1, uploads: 1 });
  await time.pass(20 * EVERY_MS);
  expect(counts).toEqual({ spend: 21, shared: 1, uploads: 1 });
  dashboard.getState().do.show('uploads');
  await time.pass(0);
  expect(counts.uploads).toBe(2);
  dashboard.getState().do.show('costs');
  dashboard.getState().do.refresh();
  await time.pass(0);

  expect(counts.shared).toBe(2);
});

test('what runs here is looked at twice a second, as long as it runs and is shown', async () => {
  const { time, counts, state, dashboard } = open();
  await time.pass(EVERY_MS);
  expect(counts.uploads).toBe(2);
  state.isRunning = true;
  await time.pass(EVERY_MS + 2000);
  expect(counts.uploads).toBe(3 + 4);
  expect(counts.spend).toBe(3);
  dashboard.getState().do.show('costs');
  await time.pass(EVERY_MS);
  expect(counts.uploads).toBe(7);
  dashboard.getState().do.show('overview');
  state.isRunning = false;
  await time.pass(4000);

  expect(counts.uploads).toBe(8);
});

test('what rests between reads is probed at each interval', async () => {
  const { time, probes, reads } = openResting();
  await time.pass(60_000 - 1);
  expect([reads(), probes()]).toEqual([1, 11]);
  await time.pass(EVERY_MS + 1);

  expect([reads(), probes()]).toEqual([2, 12]);
});

test('nothing is read and nothing waits once it is stopped', async () => {
  const { time, counts, stop, state, spend } = open();
  state.isRunning = true;
  await time.pass(0);
  void spend.getState().refresh();
  stop();
  expect(spend.getState().isReading).toBe(false);
  await time.pass(10 * EVERY_MS);

  expect(counts.uploads).toBe(1);
  expect(time.waiting).toBe(0);
});

test('what changes by itself is looked at while another source of the view takes long', async () => {
  const time = new FakeTime();
  let reads = 0;
  const uploads = createSource({ now: time.now, read: () => Promise.resolve(++reads) });
  const plans = createSource<number>({ now: time.now, read: () => new Promise(() => undefined) });
  const views: readonly ViewModel[] = [
    {
      id: 'uploads',
      title: '',
      reads: () => [uploads, plans],
      live: () => (uploads.getState().value === undefined ? [] : [uploads]),
    },
  ];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this view reads nothing else
  const sources = {} as DashboardSources;
  const dashboard = createDashboardStore({ views, view: 'uploads', sources });
  const stop = startRefreshing({ dashboard, views, sources, everyMs: EVERY_MS, now: time.now, later: time.later });
  await time.pass(2000);

  expect(reads).toBe(5); // at once, and each half second
  stop();
});
