import { expect, test } from 'vitest';
import { StoredTally } from '../../../src/core/money/analyze/stored-tally.js';
import { listPrices } from '../../../src/core/cost/price-book.js';
import { Inventories } from '../../../src/core/dataset/inventory/inventory.js';
import { betterClass } from '../../../src/stores/dashboard/analysis.js';
import { newestSums } from '../../../src/stores/dashboard/inventory-list.js';
import { createSource } from '../../../src/stores/dashboard/source.js';
import { createDashboardStore } from '../../../src/stores/dashboard/dashboard-store.js';
import { startRefreshing } from '../../../src/stores/dashboard/refreshing.js';
import type { DashboardSources } from '../../../src/stores/dashboard/sources.js';
import type { ViewModel } from '../../../src/stores/dashboard/view-model.js';
import { memoryReader } from '../../support/memory-reader.js';
import { storedUploads } from '../../support/stored-uploads.js';
import { tempFolder } from '../../support/temp-folder.js';

test('sums are those of the newest version of each dataset: older ones share what is stored', async () => {
  const looks = new Inventories(memoryReader(storedUploads(10, { datasets: 2 })), { folder: await tempFolder() });
  const inventory = await looks.look({ signal: new AbortController().signal });

  expect(newestSums(inventory)).toEqual({ datasets: 2, bytes: 8_000_000_017, storedBytes: 2_000_000_017 });
});

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

function cellsOf(storageClass: string, objects: number) {
  const tally = new StoredTally(NOW);
  const lastModified = new Date(NOW - 400 * DAY_MS);
  for (let at = 0; at < objects; at++)
    tally.add({ sizeBytes: 64 * 2 ** 20, storageClass, lastModified, isCurrent: true, isDeleteMarker: false });
  return tally.current.cells();
}

test('a class where the first year is cheaper is named, with what it saves a month', () => {
  const prices = listPrices({ provider: 'aws', region: 'us-west-2' });
  const { better, savedUsd } = betterClass(cellsOf('STANDARD', 1000), prices);
  expect(better).toBe('DEEP_ARCHIVE');
  expect(savedUsd).toBeGreaterThan(1);
  expect(betterClass(cellsOf('DEEP_ARCHIVE', 1000), prices)).toEqual({ better: null, savedUsd: 0 });
});

test('where no price is known, nothing is said to be saved, and not zero either', () => {
  const prices = listPrices({ provider: 'custom', region: undefined });
  expect(betterClass(cellsOf('STANDARD', 1000), prices)).toEqual({ better: null, savedUsd: null });
});

test('what takes many requests rests longer than a refresh, unless a person asks', async () => {
  let nowMs = 0;
  let reads = 0;
  let asked = 0;
  const now = (): Date => new Date(nowMs);
  const source = createSource<number>({ now, read: () => Promise.resolve(++reads), restMs: () => 60_000 });
  const sources = {} as DashboardSources;
  const view: ViewModel = { id: 'fleet', title: 'Fleet', reads: () => [source], onAsk: () => void asked++ };
  const dashboard = createDashboardStore({ views: [view], view: 'fleet', sources });
  let next: () => void = () => undefined;
  const later = (_ms: number, call: () => void): (() => void) => {
    next = call;
    return () => undefined;
  };
  const stop = startRefreshing({ dashboard, views: [view], sources, everyMs: 5000, now, later });
  const settled = (): Promise<void> => new Promise((done) => void setImmediate(done));
  await settled();
  for (let tick = 0; tick < 24; tick++) {
    nowMs += 5000;
    next();
    await settled();
  }
  expect(reads).toBe(3); // at 0, 60 and 120 s

  dashboard.getState().do.refresh();
  await settled();
  expect([reads, asked]).toEqual([4, 1]);
  stop();
});
