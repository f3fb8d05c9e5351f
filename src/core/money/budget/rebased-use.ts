// The usage of records for budgets, with what rebases have corrected: budgets keep sums, and a rebase says how much there is. From then on a
// budget has what the ledger has. Pure.
import type { LedgerRecord } from '../ledger/record.js';
import { StoredLevels } from '../ledger/stored-levels.js';
import { type RunUse, useOf } from './day-use.js';

/** Usage that counts for a project, and for all of them. */
export interface ProjectUse extends RunUse {
  readonly project: string | null;
}

/** A change of usage by a record of a rebase. */
export interface RebasedUse extends ProjectUse {
  /** Id of that record: it counts where the ledger has it. */
  readonly id: string;
}

/** Amounts stored of a project: as the ledger has them, and as sums of what was counted. */
interface Stored {
  readonly levels: StoredLevels;
  bytes: number;
  monthlyMicros: number;
}

/** Returns the usage of all records, which must be in order of time; what a rebase changes is dated as it is. */
export function usesOf(records: readonly LedgerRecord[]): readonly ProjectUse[] {
  const projects = new Map<string | null, Stored>();
  return records.map((record) => {
    const { project } = record;
    const stored = projects.get(project) ?? { levels: new StoredLevels(), bytes: 0, monthlyMicros: 0 };
    projects.set(project, stored);
    stored.levels.add(record, record.time.slice(0, 10));
    const use = record.measured === undefined ? useOf(record) : correctionOf(record, stored);
    stored.bytes += use.bytes;
    stored.monthlyMicros += use.monthlyMicros;
    return { ...use, project };
  });
}

function correctionOf({ time, measured }: LedgerRecord, { levels, bytes, monthlyMicros }: Stored): RunUse {
  const now = levels.now();
  return {
    time,
    micros: 0,
    bytes: now.bytes - bytes,
    monthlyMicros: now.knownMonthlyMicros - monthlyMicros,
    isUnpriced: measured?.levels.some((level) => level.monthlyMicros === null) === true,
  };
}

/**
 * Returns what a rebase changes of the usage: what its records correct, and what later corrections no longer have to.
 * @param before the records without those of the rebase, in order of time
 */
export function correctionsBy(rebase: readonly LedgerRecord[], before: readonly LedgerRecord[]): readonly RebasedUse[] {
  const [first] = rebase;
  if (first === undefined) return [];
  const { time, id } = first;
  const after = [
    ...before.filter((record) => record.time <= time),
    ...rebase,
    ...before.filter((record) => record.time > time),
  ];
  const undone = measuredUses(before).map((use) => {
    return { ...use, id, bytes: -use.bytes, monthlyMicros: -use.monthlyMicros, isUnpriced: false };
  });
  const own = new Set(rebase.map(({ id }) => id));
  const made = usesOf(after).flatMap((use, index) => {
    const record = after[index];
    if (record?.measured === undefined) return [];
    return own.has(record.id) ? [{ ...use, id: record.id }] : [{ ...use, id, isUnpriced: false }];
  });
  return merged([...made, ...undone]);
}

const measuredUses = (records: readonly LedgerRecord[]): readonly ProjectUse[] =>
  usesOf(records).filter((_, index) => records[index]?.measured !== undefined);

/** Adds up what is by one record of one project and moment; leaves out what comes to nothing. */
function merged(uses: readonly RebasedUse[]): readonly RebasedUse[] {
  const sums = new Map<string, RebasedUse>();
  for (const use of uses) {
    const name = JSON.stringify([use.id, use.project, use.time]);
    const before = sums.get(name);
    sums.set(name, {
      ...use,
      bytes: use.bytes + (before?.bytes ?? 0),
      monthlyMicros: use.monthlyMicros + (before?.monthlyMicros ?? 0),
      isUnpriced: use.isUnpriced || before?.isUnpriced === true,
    });
  }
  return [...sums.values()].filter(
    ({ bytes, monthlyMicros, isUnpriced }) => bytes !== 0 || monthlyMicros !== 0 || isUnpriced,
  );
}
