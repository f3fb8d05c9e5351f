// What a record of a rebase changes of budgets, as the book notes it until it is counted (settle-corrections.ts).
import * as s from '../../platform/documents/schema.js';

const MOST = { most: 2 };

export const CORRECTION = s.schema(() =>
  s.object({
    /** Id of the record in the ledger. */
    id: s.matching(/^[0-9a-f]{16}$/, 'the id of a record'),
    /** When it was noted, in UTC. */
    notedAt: s.time,
    /** The budgets that it corrects: of the project, and null for that of all projects. */
    owners: s.listOf(s.nullable(s.text), MOST),
    project: s.nullable(s.text),
    /** The moment that it is of. */
    time: s.time,
    bytes: s.whole,
    monthlyMicros: s.whole,
    isUnpriced: s.flag,
  }),
);
export type Correction = s.Read<typeof CORRECTION>;
