import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type BudgetBook, usedIn, withBudget, withUse } from '../../../../src/core/money/budget/budget.js';
import { changeBook, readBook } from '../../../../src/core/money/budget/book-store.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { StoreError } from '../../../../src/core/store/store-error.js';
import { emptyBudget, runUse } from '../../../support/budget.js';
import { tempFolder } from '../../../support/temp-folder.js';

const NOW = new Date('2026-03-04T05:06:07Z');
const { signal } = new AbortController();

const withOwn = (book: BudgetBook): BudgetBook => withBudget(book, 'p', emptyBudget(NOW));
const add = (book: BudgetBook): BudgetBook => withUse(book, 'p', runUse(NOW, { costUsd: 1, bytes: 10 }));
const usedNow = async (store: ObjectStore) => usedIn((await readBook(store, signal)).projects.get('p')!, NOW);

test('twenty writers at once lose nothing', async () => {
  const folder = await tempFolder();
  await changeBook(fileStore(folder), withOwn, signal);

  await Promise.all(Array.from({ length: 20 }, () => changeBook(fileStore(folder), add, signal)));

  expect(await usedNow(fileStore(folder))).toEqual({ micros: 20e6, bytes: 200, unpriced: 0 });
});

test('what was written although the answer was lost is not counted twice', async () => {
  const store = fileStore(await tempFolder());
  await changeBook(store, withOwn, signal);
  let isLost = true;
  const losing: ObjectStore = {
    ...store,
    put: async (key, body, options) => {
      const result = await store.put(key, body, options);
      if (!isLost) return result;
      isLost = false;
      throw new StoreError('conflict', 'changed meanwhile', { afterRetry: true });
    },
  };

  await changeBook(losing, add, signal);

  expect((await usedNow(store)).micros).toBe(1e6);
});

test('a book that is damaged is refused and left as it is', async () => {
  const folder = await tempFolder();
  const path = join(folder, 'budgets.json');
  await changeBook(fileStore(folder), withOwn, signal);
  writeFileSync(path, readFileSync(path, 'utf8').replace('0.8', '0.9'));
  const before = readFileSync(path, 'utf8');

  await expect(changeBook(fileStore(folder), add, signal)).rejects.toThrow(/damaged: it does not match its checksum/);
  expect(readFileSync(path, 'utf8')).toBe(before);
});
