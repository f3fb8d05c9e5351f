// The text of the book of budgets.
import { Fields } from '../json/json-fields.js';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { BUDGET_PERIODS, type Budget, type BudgetBook, type DayUse } from './budget.js';

const KIND = { type: 'archiver-budgets', format: 1, noun: 'book of budgets' };
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface SavedBook {
  readonly book: BudgetBook;
  /** Names of the changes that were made last: who lost the answer to a write finds its own here. */
  readonly changes: readonly string[];
}

export const encodeBook = ({ book, changes }: SavedBook): string =>
  encodeStateDocument(KIND, {
    changes,
    global: book.global && budgetDocument(book.global),
    projects: Object.fromEntries([...book.projects].map(([project, budget]) => [project, budgetDocument(budget)])),
  });

const budgetDocument = ({ days, ...budget }: Budget): object => ({ ...budget, days: Object.fromEntries(days) });

/** `place`: where it is, for messages. @throws integrity, unsupported */
export function parseBook(text: string, place: string): SavedBook {
  const { fields } = parseStateDocument(text, KIND, { path: place, hint: 'remove it and set the budgets again' });
  const changes = fields
    .list('changes')
    .map((one) => (typeof one === 'string' ? one : fields.fail('changes', 'texts')));
  const projects = fields.object('projects');
  const global = fields.get('global') === null ? null : readBudget(fields.object('global'));
  const names = Object.keys(projects.own());
  return {
    changes,
    book: { global, projects: new Map(names.map((name) => [name, readBudget(projects.object(name))])) },
  };
}

function readBudget(its: Fields): Budget {
  const period = its.text('period');
  const days = its.object('days');
  return {
    costMicros: its.count('costMicros'),
    volumeBytes: its.count('volumeBytes'),
    costAlert: fraction(its, 'costAlert'),
    volumeAlert: fraction(its, 'volumeAlert'),
    period:
      BUDGET_PERIODS.find((known) => known === period) ?? its.fail('period', `one of ${BUDGET_PERIODS.join(', ')}`),
    since: Number.isNaN(Date.parse(its.text('since'))) ? its.fail('since', 'a time') : its.text('since'),
    days: new Map(
      Object.keys(days.own()).map((day) => [DAY.test(day) ? day : its.fail('days', 'days'), readUse(days.object(day))]),
    ),
  };
}

const readUse = (its: Fields): DayUse => ({
  micros: its.count('micros'),
  bytes: whole(its, 'bytes'),
  unpriced: its.count('unpriced'),
});

function fraction(its: Fields, key: string): number {
  const value = its.get(key);
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : its.fail(key, 'a number from 0 to 1');
}

function whole(its: Fields, key: string): number {
  const value = its.get(key);
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : its.fail(key, 'a whole number');
}
