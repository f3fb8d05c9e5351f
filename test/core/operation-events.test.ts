// What long operations tell of their way: phases, plans with totals, and progress that comes to them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { balance } from '../../src/core/mend/balance/balance.js';
import { planPrune } from '../../src/core/dataset/prune/plan-prune.js';
import { prune } from '../../src/core/dataset/prune/prune.js';
import type { TransferEvent } from '../../src/core/events/events.js';
import { loadListing } from '../../src/core/restore/listing/load-listing.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { openHoldings } from '../../src/core/mend/scuttle/holdings.js';
import { survey } from '../../src/core/mend/scuttle/survey.js';
import { wipe } from '../../src/core/mend/scuttle/wipe.js';
import { makeArchive } from '../support/make-archive.js';
import { linkId } from '../support/make-chain.js';
import { DATASET } from '../support/make-dataset.js';
import { restoreMade } from '../support/restore-made.js';
import { tempFolder } from '../support/temp-folder.js';
import { uploadFolder } from './archive/upload-folder.js';
import { folderWith, lonely } from './mend/balance/balance-run.js';
import { datasetFolder } from './dataset/prune/prune-run.js';
import { loseManifest, repair, uploaded } from './mend/repair/repair-cases.js';
import { asUploadId } from '../support/as-upload-id.js';

const { signal } = new AbortController();

/** For each plan its phase, its totals, and the last progress before the next one. */
function stretches(events: readonly TransferEvent[]) {
  const found: { phase: string; items: number; bytes: number; done?: readonly [items: number, bytes: number] }[] = [];
  let phase = '';
  for (const event of events) {
    const last = found.at(-1);
    if (event.type === 'phase') phase = event.phase;
    if (event.type === 'plan') found.push({ phase, items: event.items, bytes: event.bytes });
    if (event.type === 'progress' && last !== undefined) last.done = [event.items, event.bytes];
  }
  return found;
}

const phasesOf = (events: readonly TransferEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'phase' ? [event.phase] : []));

test('a prune reads versions, makes full listings, and deletes', async () => {
  const store = fileStore(await datasetFolder());
  const events: TransferEvent[] = [];
  const settings = {
    datasetId: DATASET,
    keep: { last: 2 },
    abandonedAfterMs: 0,
    graceMs: 0,
    now: new Date(),
    emit: (event: TransferEvent) => void events.push(event),
    signal,
  };

  const plan = await planPrune(store, settings);
  const { deletedObjects } = await prune(store, { ...settings, plan, deleter: store, randomBytes });

  const all = stretches(events);
  expect(all[0]).toEqual({ phase: 'reading', items: 2, bytes: 0, done: [2, 0] });
  expect(all.find(({ phase }) => phase === 'rebuilding')).toEqual({
    phase: 'rebuilding',
    items: plan.compacted.length,
    bytes: 0,
    done: [plan.compacted.length, 0],
  });
  expect(all.at(-1)).toEqual({ phase: 'deleting', items: deletedObjects, bytes: 0, done: [deletedObjects, 0] });
});

test('a scuttle counts, and deletes what it has counted', async () => {
  const store = fileStore(await datasetFolder());
  const events: TransferEvent[] = [];
  const emit = (event: TransferEvent): void => void events.push(event);

  const holdings = await openHoldings(store, signal);
  const found = await survey(store, holdings, signal, emit);
  await wipe(store, holdings, { found, deleter: store, emit, signal });

  expect(phasesOf(events)).toEqual(['listing', 'deleting']);
  expect(events.find(({ type }) => type === 'scan')).toMatchObject({ items: found.objects });
  expect(stretches(events)).toEqual([{ phase: 'deleting', items: found.objects, bytes: 0, done: [found.objects, 0] }]);
});

test('a balance copies chunks, by their bytes', async () => {
  const store = fileStore(await folderWith(lonely()));
  const events: TransferEvent[] = [];
  const emit = (event: TransferEvent): void => void events.push(event);

  const asked = { uploadId: linkId(0), threshold: 1.5, randomBytes, requestsAtOnce: 2, emit, signal };
  const { moves } = await balance(store, { ...asked, lock: undefined });

  const bytes = moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  expect(phasesOf(events)).toEqual(['reading', 'copying', 'committing']);
  expect(stretches(events)).toEqual([{ phase: 'copying', items: moves.length, bytes, done: [moves.length, bytes] }]);
});

async function sourceFolder(): Promise<string> {
  const source = join(await tempFolder(), 'source');
  mkdirSync(source);
  for (const name of ['a', 'b', 'c']) writeFileSync(join(source, name), `content of ${name}`.repeat(1000));
  return source;
}

test('a repair reads tables of contents, then chunks', async () => {
  const base = join(await tempFolder(), 'store');
  const id = await uploaded(await sourceFolder(), base);
  loseManifest(base, asUploadId(id));
  const events: TransferEvent[] = [];

  const { readBytes } = await repair(base, asUploadId(id), { emit: (event) => void events.push(event) });

  const [tables, chunks] = stretches(events);
  expect(tables).toMatchObject({ phase: 'listing', bytes: 0, done: [tables?.items, 0] });
  expect(chunks).toMatchObject({ phase: 'reading', bytes: readBytes, done: [chunks?.items, readBytes] });
  expect(phasesOf(events).at(-1)).toBe('committing');
});

test('loading an archive counts its entries and the bytes of its manifest', async () => {
  const base = join(await tempFolder(), 'store');
  const uploadId = await uploaded(await sourceFolder(), base);
  const events: TransferEvent[] = [];

  const listing = await loadListing(fileStore(base), {
    uploadId: asUploadId(uploadId),
    emit: (event) => void events.push(event),
  });

  const [items, bytes] = [listing.count, statSync(join(base, `uploads/${uploadId}/manifest.json.gz`)).size];
  expect(stretches(events)).toEqual([{ phase: 'reading', items, bytes, done: [items, bytes] }]);
});

test('an upload has sent all that it planned when it commits', async () => {
  const base = join(await tempFolder(), 'store');

  const { events, result } = uploadFolder(await sourceFolder(), base);
  await result;

  const plan = events.find((event) => event.type === 'plan');
  const sent = events.findLast((event) => event.type === 'sent');
  expect(sent?.bytes).toBe(plan?.bytes);
  expect(sent?.storedBytes).toBeGreaterThan(0);
  const commits = events.findIndex((event) => event.type === 'phase' && event.phase === 'committing');
  expect(events.findLastIndex(({ type }) => type === 'sent')).toBeLessThan(commits);
});

test('a restore has done what it planned at its end, links included', async () => {
  const events: TransferEvent[] = [];
  const files = [
    { path: 'a', content: 'alpha', linkGroup: 1 },
    { path: 'b', type: 'hardlink' as const, linkTo: 'a', linkGroup: 1 },
    { path: 'link', type: 'symlink' as const, target: 'a' },
  ];

  const { files: count, bytes } = await restoreMade(makeArchive({ files }), {
    emit: (event) => void events.push(event),
  });

  expect(stretches(events)).toMatchObject([{ items: count, bytes, done: [count, bytes] }]);
});
