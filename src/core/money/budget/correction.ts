// What a rebase changes of budgets, as the book notes it until it is counted (settle-corrections.ts).
import * as s from '../../platform/documents/schema.js';

const MOST = { most: 100_000 };

/** What a rebase changes of the usage of a project, on the day that it is of. */
const USE = s.schema(() =>
  s.object({
    project: s.nullable(s.text),
    time: s.time,
    bytes: s.whole,
    monthlyMicros: s.whole,
    isUnpriced: s.flag,
  }),
);
export const CORRECTION = s.schema(() =>
  s.object({
    /** Id of the rebase, as its record in the ledger has it. */
    id: s.matching(/^[0-9a-f]{16}$/, 'the id of a rebase'),
    /** When it was noted, in UTC. */
    notedAt: s.time,
    /** The budgets that it corrects; null for that of all projects. */
    owners: s.listOf(s.nullable(s.text), MOST),
    uses: s.listOf(USE(), MOST),
  }),
);
export type Correction = s.Read<typeof CORRECTION>;
