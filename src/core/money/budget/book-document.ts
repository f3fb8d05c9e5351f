// Encodes and parses the book of budgets.
import * as s from '../../platform/documents/schema.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { BUDGET, type Budget, type BudgetBook } from './budget.js';

const BODY = s.schema(() =>
  s.object({ changes: s.listOf(s.text), global: s.nullable(BUDGET()), projects: s.mapOf(BUDGET()) }),
);
const KIND = { type: 'archiver-budgets', format: 1, noun: 'book of budgets', body: BODY };

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
  });

const budgetDocument = ({ days, ...budget }: Budget): object => ({ ...budget, days: Object.fromEntries(days) });

/** Parses the book. `place` is its location, for messages. @throws integrity, unsupported */
export function parseBook(text: string, place: string): SavedBook {
  const hint = 'remove it and set the budgets again';
  const { changes, ...book } = readStateDocument(text, KIND, { path: place, hint });
  return { changes, book };
}
