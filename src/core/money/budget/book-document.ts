// Encodes and parses the book of budgets. Format 2 has the changes of the monthly price of what is stored, and reservations; in format 1 each
// run was charged a month of storage when it ended, so that its amounts are what counting begins with.
import * as s from '../../platform/documents/schema.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { BUDGET, type Budget, type BudgetBook } from './budget.js';
import { CORRECTION } from './correction.js';
import { RESERVATION } from './reservation.js';

const MOST_RESERVATIONS = { most: 100_000 };
const MOST_CORRECTIONS = { most: 100_000 };

const BODY = s.schema(() =>
  s.object({
    format: s.count,
    changes: s.listOf(s.text),
    global: s.nullable(BUDGET()),
    projects: s.mapOf(BUDGET()),
    reservations: s.orElse(s.listOf(RESERVATION(), MOST_RESERVATIONS), []),
    corrections: s.orElse(s.listOf(CORRECTION(), MOST_CORRECTIONS), []),
  }),
);
const KIND = { type: 'archiver-budgets', format: 2, oldestFormat: 1, noun: 'book of budgets', body: BODY };

export interface SavedBook {
  readonly book: BudgetBook;
  /** Names of the latest changes: a writer that lost the answer to a write finds its own here. */
  readonly changes: readonly string[];
}

export const encodeBook = ({ book, changes }: SavedBook): string =>
  encodeStateDocument(KIND, {
    changes,
    global: book.global && budgetDocument(book.global),
    projects: Object.fromEntries([...book.projects].map(([project, budget]) => [project, budgetDocument(budget)])),
    reservations: book.reservations,
    corrections: book.corrections,
  });

const budgetDocument = ({ days, ...budget }: Budget): object => ({ ...budget, days: Object.fromEntries(days) });

/** Parses the book. `place` is its location, for messages. @throws integrity, unsupported */
export function parseBook(text: string, place: string): SavedBook {
  const hint = 'remove it and set the budgets again';
  const { changes, format, ...book } = readStateDocument(text, KIND, { path: place, hint });
  if (format === KIND.format) return { changes, book };
  const projects = new Map([...book.projects].map(([project, budget]) => [project, asBase(budget)]));
  return { changes, book: { ...book, global: book.global && asBase(book.global), projects } };
}

const asBase = (budget: Budget): Budget => ({ ...budget, baseUntil: [...budget.days.keys()].sort().at(-1) ?? null });
