// The commands about budgets, which can be called as `budget …` and as `cost budget …`.
import { budgetList } from './list.js';
import { budgetRemove } from './remove.js';
import { budgetSet } from './set.js';
import { budgetStatus } from './status.js';

/** Declares all of them below these words. */
export const budgetCommands = (words: 'budget' | 'cost budget') =>
  [
    budgetStatus(`${words} status`),
    budgetSet(`${words} set`),
    budgetList(`${words} list`),
    budgetRemove(`${words} remove`),
  ] as const;
