// A command opens its store once, also where the upload has to be looked for: an opening may ask for the region of the bucket,
// and makes connections of its own.
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { program } from '../../src/commands/index.js';
import { DATASET, makeDataset, writeObjects } from '../support/make-dataset.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

/** Stores that were opened, and closed again. */
const { openedUrls, closedUrls } = vi.hoisted(() => ({ openedUrls: [] as string[], closedUrls: [] as string[] }));
vi.mock(import('../../src/core/store/open-store.js'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    async openStore(url, options) {
      openedUrls.push(url);
      const opened = await original.openStore(url, options);
      return { ...opened, close: () => (closedUrls.push(url), opened.close()) };
    },
  };
});

const { objects } = makeDataset([{ files: [{ path: 'a.txt', content: 'alpha' }] }]);
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  await writeObjects(join(folder, 'store'), objects);
  openedUrls.length = 0;
  closedUrls.length = 0;
});

/** Where budgets are kept is another store: who has its module already, from a test before, opens it past this one. */
const counts = (): readonly number[] => {
  const isIt = (url: string): boolean => url === `file://${join(folder, 'store')}`;
  return [openedUrls.filter(isIt).length, closedUrls.filter(isIt).length];
};

test.each([
  ['list', []],
  ['info', []],
  ['verify', []],
  ['repair', []],
  ['balance', []],
  ['restore', ['out', '--all']],
  ['download', ['out']],
  ['dvc stages', []],
  ['dvc export', ['out']],
])('%s', async (path, more) => {
  const argv = [...path.split(' '), './store', ...more, '--dataset', DATASET, '--json'];

  const { stdout } = await runCommand({ root: program(), folder }, argv);

  expect(counts()).toEqual([1, 1]);
  expect(json(stdout)['error']).toBeUndefined();
});

test('a dataset that is not there closes it, too', async () => {
  const { status } = await runCommand({ root: program(), folder }, ['info', './store', '--dataset', 'other']);

  expect([status, ...counts()]).toEqual([1, 1, 1]);
});
