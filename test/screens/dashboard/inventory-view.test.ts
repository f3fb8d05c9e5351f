import { describe, expect, test } from 'vitest';
import type { Inventory } from '../../../src/core/dataset/inventory/inventory.js';
import { Inventories } from '../../../src/core/dataset/inventory/inventory.js';
import { createSource } from '../../../src/stores/dashboard/source.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { memoryReader } from '../../support/memory-reader.js';
import { manifestKeyOf, recordKeyOf, storedUploads, uploadIdOf } from '../../support/stored-uploads.js';
import { tempFolder } from '../../support/temp-folder.js';
import { NOW } from './open-dashboard.js';
import { openStoreDashboard, sourceOf, type StoreDashboard } from './open-store-dashboard.js';

const SIZES = [
  [60, 15],
  [80, 24],
  [120, 40],
  [200, 50],
] as const;

async function inventoryOf(objects: ReadonlyMap<string, Buffer>): Promise<Inventory> {
  const looks = new Inventories(memoryReader(objects), { folder: await tempFolder() });
  return await looks.look({ signal: new AbortController().signal });
}

async function opened(inventory: Inventory | Error): Promise<StoreDashboard> {
  const shown = openStoreDashboard('inventory', { inventory: sourceOf(inventory) });
  await shown.refresh();
  return shown;
}

/** Three uploads, the second one with a manifest that cannot be read. */
const three = async (): Promise<Inventory> => {
  const { uploads, ...inventory } = await inventoryOf(storedUploads(3));
  const problem = { code: 'access-denied', message: 'cannot read its manifest: denied' } as const;
  return {
    ...inventory,
    unreadable: 1,
    uploads: uploads.map((one, at) => (at === 1 ? { ...one, front: null, problem } : one)),
  };
};

describe.each(SIZES)('at %dx%d', (columns, rows) => {
  const whole = (frame: readonly string[]): void => {
    expect(frame).toHaveLength(rows - 1);
    for (const line of frame) expect(line.length).toBeLessThanOrEqual(columns);
  };

  test('rows, sums and what cannot be read', async () => {
    const frame = (await opened(await three())).frame(columns, rows);

    whole(frame);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/inventory-${columns}x${rows}.txt`);
  });

  test('details of an upload', async () => {
    const shown = await opened(await inventoryOf(storedUploads(9)));
    shown.press('\r');

    const frame = shown.frame(columns, rows);

    whole(frame);
    await expect(`${frame.join('\n')}\n`).toMatchFileSnapshot(`golden/inventory-details-${columns}x${rows}.txt`);
  });

  test.each([
    ['empty', { uploads: [], unread: 0, unreadable: 0, note: null }, 'There is no finished upload right below'],
    ['denied', new StoreError('access-denied', 'listing is denied'), 'listing is denied'],
  ] as const)('%s is said in a sentence', async (_name, inventory, words) => {
    const frame = (await opened(inventory)).frame(columns, rows);
    whole(frame);
    expect(frame.map((line) => line.trim()).join(' ')).toContain(words);
  });
});

test('5,000 uploads: the last one, a filter, an order, and the same place after a refresh', async () => {
  const shown = await opened(await inventoryOf(storedUploads(5000, { datasets: 12 })));
  shown.press('G');
  expect(shown.frame(80, 24).at(-2)).toMatch(/5 000 uploads.*5 000 of 5 000$/);
  expect(shown.frame(80, 24).join('\n')).toContain(`▸${uploadIdOf(0)}`);
  await shown.refresh();
  expect(shown.frame(80, 24).join('\n')).toContain(`▸${uploadIdOf(0)}`);

  shown.press('/run-499');
  expect(shown.frame(80, 24).at(-2)).toMatch(/of 11, 5 000 in all$/);
  shown.press('\r');
  shown.press('s');
  expect(shown.frame(80, 24)[4]).toContain('/data/run-4999');
  expect(shown.frame(80, 24).at(-2)).toMatch(/by size/);
});

test('keys that come in one chunk: a filter, its end, details; and back', async () => {
  const shown = await opened(await inventoryOf(storedUploads(9)));
  shown.press('/run-7\r\r');
  expect(shown.frame(80, 24).join('\n')).toContain('/data/run-7 on lab');
  shown.press('\r');
  expect(shown.frame(80, 24)[3]).toContain('UPLOAD');
});

test('b browses the upload under the cursor, and says why where it cannot', async () => {
  const { dashboard, press, frame } = await opened(await three());
  press('b');
  const { wish } = dashboard.store.getState();
  expect(wish).toEqual({ url: `s3://acme-archive/lab/uploads/${uploadIdOf(2)}` });

  const broken = storedUploads(1);
  broken.set(recordKeyOf(0), Buffer.from('half'));
  const other = await opened(await inventoryOf(broken));
  other.press('b');
  expect(other.frame(80, 24).at(-2)).toContain('its record cannot be read');
  expect(frame(80, 24)).toHaveLength(23);
});

test('what is damaged is a row with a word, and details say what', async () => {
  const objects = storedUploads(3);
  objects.set(manifestKeyOf(2), Buffer.from('garbage'));
  objects.set(recordKeyOf(1), Buffer.from('{"half'));
  const shown = await opened(await inventoryOf(objects));

  const frame = shown.frame(120, 40).join('\n');
  expect(frame).toMatch(/data-00000001 v1 .*damaged/);
  expect(frame).toContain('▲ 2 unreadable (damaged) · 3 uploads');
  shown.press('/run-2\r\r');
  expect(shown.frame(120, 40).join('\n')).toMatch(/problem +the manifest uploads\/.* is damaged/);
});

test('a later read that fails leaves the rows, and says so', async () => {
  let count = 0;
  const inventory = createSource<Inventory>({
    now: () => NOW,
    read: () => (count++ === 0 ? three() : Promise.reject(new StoreError('store', 'the store answered 503'))),
  });
  const shown = openStoreDashboard('inventory', { inventory });
  await shown.refresh();
  await shown.refresh();
  const frame = shown.frame(80, 24);
  expect(frame.join('\n')).toContain(uploadIdOf(2));
  expect(frame[3]).toBe(' the store answered 503');
  expect(frame.at(-2)).toMatch(/^ ✗ cannot be read since 12:04, figures of 12:04/);
});

test('a first read that ends after its beginning does not tell that there is nothing', async () => {
  const inventory = createSource<Inventory>({
    now: () => NOW,
    read: (_signal, _before, show) => {
      show({ uploads: [], unread: 1, unreadable: 0, note: null });
      return Promise.reject(new StoreError('store', 'the connection was cut'));
    },
  });
  const shown = openStoreDashboard('inventory', { inventory });
  await shown.refresh();
  const frame = shown.frame(80, 24).join('\n');
  expect(frame).toContain('The uploads of s3://acme-archive/lab cannot be read.');
  expect(frame).not.toContain('There is no finished upload');
});

test('rows come while the rest is read', async () => {
  const { uploads } = await three();
  const inventory = createSource<Inventory>({
    now: () => NOW,
    read: (_signal, _before, show) => {
      show({ uploads, unread: 4997, unreadable: 0, note: null });
      return new Promise(() => undefined);
    },
  });
  const shown = openStoreDashboard('inventory', { inventory });
  void shown.refresh();
  await Promise.resolve();
  await Promise.resolve();
  expect(shown.frame(80, 24).at(-2)).toContain('3 of 5 000 uploads read');
});

test('names cannot act on the terminal, and ASCII is enough', async () => {
  const { uploads, ...rest } = await three();
  const [first] = uploads;
  const evil = uploads.map((one) => ({ ...one, datasetId: 'evil\u001b[31m', record: first?.record ?? null }));
  const shown = await opened({ ...rest, uploads: evil.map((one) => ({ ...one, problem: null })) });
  const frame = shown.frame(200, 50, { unicode: false, color: false }).join('');
  expect(frame).toMatch(/^[\x20-\x7e]*$/);
  expect(frame).toContain('evil\\x1b[31m');
});
