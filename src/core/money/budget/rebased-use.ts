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

/**
 * Returns the usage of all records, which must be in order of time. Until the last rebase of a project it is what the ledger makes of its
 * records: deleting what had moved to another class meanwhile takes nothing away from either. Since then it is what each run says.
 */
export function usesOf(records: readonly LedgerRecord[]): readonly ProjectUse[] {
  const measured = new Map(records.map(({ project }) => [project, -1]));
  for (const [index, record] of records.entries())
    if (record.measured !== undefined) measured.set(record.project, index);
  const projects = new Map<string | null, StoredLevels>();
  return records.map((record, index) => {
    const { project } = record;
    const use = { ...useOf(record), project };
    if (index > (measured.get(project) ?? -1)) return use;
    const levels = projects.get(project) ?? new StoredLevels();
    projects.set(project, levels);
    const before = levels.now();
    levels.add(record, record.time.slice(0, 10));
    const now = levels.now();
    return {
      ...use,
      bytes: now.bytes - before.bytes,
      monthlyMicros: now.knownMonthlyMicros - before.knownMonthlyMicros,
      isUnpriced: use.isUnpriced || record.measured?.levels.some((level) => level.monthlyMicros === null) === true,
    };
  });
}

/**
 * Returns what a rebase changes of the usage, dated as it was used: what its records correct, what runs before it are taken for now, and what
 * later corrections no longer have to. Runs before are changed by its first record of their project, later ones by that of their upload.
 * @param before the records without those of the rebase, in order of time
 */
export function correctionsBy(rebase: readonly LedgerRecord[], before: readonly LedgerRecord[]): readonly RebasedUse[] {
  const [first] = rebase;
  if (first === undefined) return [];
  const earlier = before.filter((record) => record.time <= first.time);
  const later = before.filter((record) => record.time > first.time);
  const own = new Set(rebase);
  const byProject = new Map(rebase.toReversed().map((record) => [record.project, record.id]));
  const byUpload = new Map(rebase.map((record) => [uploadOf(record), record.id]));
  const isEarlier = new Set(earlier);
  const causeOf = (record: LedgerRecord): string =>
    (isEarlier.has(record) ? undefined : byUpload.get(uploadOf(record))) ?? byProject.get(record.project) ?? first.id;
  const changes = (records: readonly LedgerRecord[], sign: 1 | -1): readonly RebasedUse[] =>
    usesOf(records).flatMap((use, index) => {
      const record = records[index];
      if (record === undefined) return [];
      const id = own.has(record) ? record.id : causeOf(record);
      const [bytes, monthlyMicros] = [sign * use.bytes, sign * use.monthlyMicros];
      return [{ ...use, id, micros: 0, bytes, monthlyMicros, isUnpriced: use.isUnpriced && own.has(record) }];
    });
  return merged([...changes([...earlier, ...rebase, ...later], 1), ...changes(before, -1)]);
}

const uploadOf = ({ store, project, region, uploadId }: LedgerRecord): string =>
  JSON.stringify([store, project, region, uploadId]);

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
