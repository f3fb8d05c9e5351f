// A command opens its store once, also where the upload has to be looked for: an opening may ask for the region of the bucket,
// and makes connections of its own.
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { program } from '../../src/commands/index.js';
import { openStore } from '../../src/core/object-store/open-store.js';
import { DATASET, makeDataset, writeObjects } from '../support/make-dataset.js';
import { json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

vi.mock(import('../../src/core/object-store/open-store.js'), async (importOriginal) => {
  const original = await importOriginal();
  const closed = vi.fn<() => void>();
  const open: typeof original.openStore = async (...call) => {
    const opened = await original.openStore(...call);
    return { ...opened, close: () => (closed(), opened.close()) };
  };
  return { ...original, openStore: Object.assign(vi.fn(open), { closed }) };
});
const opening = vi.mocked(openStore) as unknown as ReturnType<typeof vi.fn> & { closed: ReturnType<typeof vi.fn> };

const { objects } = makeDataset([{ files: [{ path: 'a.txt', content: 'alpha' }] }]);
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  await writeObjects(join(folder, 'store'), objects);
  opening.mockClear();
  opening.closed.mockClear();
});

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

  expect([opening.mock.calls.length, opening.closed.mock.calls.length]).toEqual([1, 1]);
  expect(json(stdout)['error']).toBeUndefined();
});

test('a dataset that is not there closes it, too', async () => {
  const { status } = await runCommand({ root: program(), folder }, ['info', './store', '--dataset', 'other']);

  expect([status, opening.mock.calls.length, opening.closed.mock.calls.length]).toEqual([1, 1, 1]);
});
