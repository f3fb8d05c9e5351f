// What a caller without a command line needs to archive a folder.
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { archiveFolder } from '../../../src/core/archive/archive-folder.js';
import { resolveSource } from '../../../src/core/archive/scan/source-folder.js';
import { listPrices } from '../../../src/core/cost/price-book.js';
import type { PlannedAmounts } from '../../../src/core/archive/run/upload-gate.js';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { openStore } from '../../../src/core/store/open-store.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../support/open-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { restored } from './resume/interrupted.js';
import { describeTree } from './trees.js';

interface Place {
  readonly folder: string;
  readonly home: string;
  readonly base: string;
}

async function place(): Promise<Place> {
  const above = realpathSync(await tempFolder());
  const folder = join(above, 'data');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'a'), 'content of a');
  writeFileSync(join(folder, 'sub', 'b'), 'content of b');
  return { folder, home: join(above, 'home'), base: join(above, 'store') };
}

/** The ten lines. */
async function archive(path: string, base: string, home: string, trackDeletes?: boolean) {
  const events: TransferEvent[] = [];
  const { signal } = new AbortController();
  const store = await openStore(`file://${base}`, { env: {} });
  const source = resolveSource(path);
  const dataset = trackDeletes === undefined ? {} : { changes: { trackDeletes } };
  const emit = (event: TransferEvent): void => void events.push(event);
  const done = await archiveFolder({ store, source, home, dataset, signal, emit });
  store.close();
  return { ...done, events };
}

test('a folder is archived, synced and restored with a store, a source and a home', async () => {
  const { folder, base, home } = await place();

  const first = await archive(folder, base, home);
  rmSync(join(folder, 'a'));
  writeFileSync(join(folder, 'new'), 'new');
  const second = await archive(folder, base, home, true);
  const third = await archive(folder, base, home, true);

  expect(first).toMatchObject({ version: 1, files: 2, partial: false, skipped: [] });
  expect(second).toMatchObject({ version: 2, changes: { added: 1, modified: 0, deleted: 1, unchanged: 1 } });
  expect(third).toMatchObject({ version: 2, changes: { noChanges: true } });
  expect(second.datasetId).toBe(first.datasetId);
  expect(await restored(base, second.uploadId)).toEqual(describeTree(rawFromText(folder)));
  expect(first.events).toContainEqual({ type: 'phase', phase: 'committing' });
});

test('what the home remembers spares a sync all but two listings: of the versions, and in a folder of the newest one', async () => {
  const { folder, base, home } = await place();
  await archive(folder, base, home);

  const { requests } = await archive(folder, base, home, false);

  expect(requests).toMatchObject({ put: 0, get: 0, list: 2 });
});

test('the store and the home are left out where they lie in the source', async () => {
  const { folder } = await place();

  const { files, skipped } = await archive(folder, join(folder, 'store'), join(folder, '.archiver'));
  const again = await archive(folder, join(folder, 'store'), join(folder, '.archiver'));

  expect([files, skipped]).toEqual([2, []]);
  expect(again.skipped).toEqual([
    { path: '.archiver/manifest-cache/', reason: 'belongs to archiver itself' },
    { path: 'store/', reason: 'belongs to archiver itself' },
  ]);
  expect([again.files, again.partial]).toEqual([2, false]);
});

test('a store stays open for the next folder, also after a failure', async () => {
  const { folder, base, home } = await place();
  const store = await openStore(`file://${base}`, { env: {} });
  const { signal } = new AbortController();
  const common = { store, home, signal, emit: () => undefined };

  const failed = archiveFolder({ ...common, source: rawFromText(`${folder}/none`) });
  await expect(failed).rejects.toMatchObject({ code: 'not-found' });
  const done = await archiveFolder({ ...common, source: resolveSource(folder), dryRun: true });

  expect(done).toMatchObject({ version: null, files: 2 });
});

test('before anything is sent it is asked whether that may be, with the bytes and the cost of a month', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3();
  onTestFinished(() => s3.close());
  s3.buckets.set('bucket', new Map());
  const { folder, home } = await place();
  writeFileSync(join(folder, 'large'), Buffer.alloc(2e6, 'x'));
  const opened = await openTestS3(s3.endpoint, 'bucket');
  const asked: { readonly bytes: number; readonly costUsd: number | null }[] = [];
  const options = { source: resolveSource(folder), home, signal: new AbortController().signal, emit: () => undefined };
  const uploadGate = ({ bytes, billAt }: PlannedAmounts): Promise<void> => {
    asked.push({ bytes, costUsd: billAt({ provider: undefined, book: listPrices }).costUsd });
    return Promise.reject(new Error('it may not'));
  };

  const onAws = archiveFolder({ ...options, store: { ...opened, isAws: true }, uploadGate });
  await expect(onAws).rejects.toThrow('it may not');
  await expect(archiveFolder({ ...options, store: opened, uploadGate })).rejects.toThrow('it may not');

  // STANDARD at $0.023 for each GiB, and for each PUT, of which there are a few, $0.000005.
  const [{ bytes = 0, costUsd } = {}, elsewhere] = asked;
  const puts = ((costUsd ?? 0) - (bytes / 2 ** 30) * 0.023) / 0.000005;
  expect([bytes > 2e6, bytes < 2.1e6]).toEqual([true, true]);
  expect([puts > 2.9, puts < 10, Math.abs(puts - Math.round(puts)) < 0.01]).toEqual([true, true, true]);
  expect(elsewhere).toEqual({ bytes, costUsd: null });
  expect(s3.requests.filter(({ operation }) => operation.startsWith('Put'))).toEqual([]);
});
