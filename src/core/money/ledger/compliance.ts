// Makes a report to NSF or NIH from the ledger. No agency prescribes a form for storage costs: this is evidence for the budget
// justification and the progress report, and the blanks are for the institution to fill in. Sources: NIH Data Management and Sharing Policy
// and NOT-OD-23-161; NSF PAPPG, budget line G.2; award number formats as eRA gives them.
import { classRule, pricesIn } from '../../cost/price-table.js';
import { dayOf } from './days.js';
import { monthsOf, type Period } from './period.js';
import type { LedgerRecord } from './record.js';
import { amountIn, type SpentGroup, spentBy, spentIn, type SpentReport } from './report.js';

export type Agency = 'NSF' | 'NIH';

export const NOTE =
  'Amounts are estimates from list prices or prices that were agreed on, not invoices. Whether a cost is allowable, and direct, is for the institution to decide.';

const AWARD: Readonly<Record<Agency, RegExp>> = {
  NSF: /^\d{7}$/,
  // Type, activity code, institute, serial number, support year and suffix: `1 R01 CA 123456-01A1`.
  NIH: /^[1-9]? ?[A-Z][A-Z0-9]{2} ?[A-Z]{2} ?\d{6}(?: ?- ?\d{2}(?:[ASX]\d{1,2})*)?$/i,
};

/** Tells whether it has the format of the agency's award numbers; null when none was given. */
const isAwardNumber = (agency: Agency, award: string | undefined): boolean | null =>
  award === undefined ? null : AWARD[agency].test(award.trim());

/** Returns the budget category of an item: a storage cost of sharing and keeping data, or work with it. */
function categoryOf(agency: Agency, item: string | null): string {
  if (agency === 'NSF') return 'G.2 publication, documentation, dissemination';
  return item === 'retrieval' || item === 'transfer' || item === 'temporaryCopy'
    ? 'local data management'
    : 'preserving and sharing data';
}

export interface ComplianceLine extends SpentGroup<string> {
  readonly category: string;
}

export interface Commitment {
  readonly storageClass: string;
  readonly region: string | null;
  readonly bytes: number;
  /** Null when the class, or who stores it, is not known. */
  readonly minimumDays: number | null;
}

export interface ComplianceReport {
  readonly agency: Agency;
  readonly award: string | null;
  readonly isAwardValid: boolean | null;
  readonly report: SpentReport;
  readonly lines: readonly ComplianceLine[];
  /** By calendar month: `2026-03`. */
  readonly months: readonly SpentGroup<string>[];
  readonly commitments: readonly Commitment[];
  readonly stores: readonly string[];
}

export interface ComplianceOptions {
  readonly period: Period;
  readonly agency: Agency;
  readonly award?: string | undefined;
}

/** Makes the report from these records, which must include all until the end of the period. */
export function complianceReport(
  records: readonly LedgerRecord[],
  { period, agency, award }: ComplianceOptions,
): ComplianceReport {
  const report = spentIn(records, period);
  return {
    agency,
    award: award ?? null,
    isAwardValid: isAwardNumber(agency, award),
    report,
    lines: spentBy(report.lines, 'item').map((line) => ({ ...line, category: categoryOf(agency, line.name) })),
    months: (records[0] === undefined ? [] : monthsOf(period, dayOf(new Date(records[0].time)))).map((month) => {
      return { name: month.from.slice(0, 7), ...amountIn(spentIn(records, month)) };
    }),
    commitments: commitmentsOf(report),
    stores: [...new Set(report.stored.map(({ store }) => store))],
  };
}

function commitmentsOf({ stored }: SpentReport): readonly Commitment[] {
  const sums = new Map<string, Commitment>();
  for (const { storageClass, region, bytes } of stored) {
    const name = JSON.stringify([storageClass, region]);
    const rule = region === null ? undefined : classRule(pricesIn(region), storageClass);
    const minimumDays = rule?.minStorageDays ?? null;
    sums.set(name, { storageClass, region, bytes: bytes + (sums.get(name)?.bytes ?? 0), minimumDays });
  }
  return [...sums.values()];
}
