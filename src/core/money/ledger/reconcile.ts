// Ours against the bill: what was recorded in the time of a bill beside what it charges, by bucket and line, and the bill
// shared out over projects as the records say. A bill knows no projects.
import type { Bill } from './bill.js';
import { dayOf } from './days.js';
import type { Period } from './period.js';
import type { LedgerRecord } from './record.js';
import { spentIn, type SpentLine } from './report.js';
import { nearestUsd, sumOf } from '../../cost/money.js';
import { usdOf } from './micros.js';

export interface ReconciledLine {
  readonly bucket: string;
  readonly item: string;
  /** Null where a price is not known. */
  readonly recordedUsd: number | null;
  readonly billedUsd: number;
  /** The bill less what was recorded. */
  readonly differenceUsd: number | null;
}

export interface ReconciledProject {
  readonly project: string | null;
  readonly recordedUsd: number | null;
  /** Its share of the bill; of lines without a record nobody has one. */
  readonly billedUsd: number;
}

export interface Reconciled {
  readonly period: Period;
  readonly lines: readonly ReconciledLine[];
  readonly projects: readonly ReconciledProject[];
  readonly recordedUsd: number | null;
  /** Of buckets with records. */
  readonly billedUsd: number;
  /** Of buckets without. */
  readonly otherBilledUsd: number;
}

const bucketOf = (store: string): string | undefined => /^s3:\/\/([^/]+)/.exec(store)?.[1];
/** The copy that cold storage keeps is storage on a bill; watching objects is, too. */
const billedItem = (item: string): string => (item === 'temporaryCopy' || item === 'monitoring' ? 'storage' : item);
const sum = (parts: readonly number[]): number => nearestUsd(parts.reduce((total, part) => total + part, 0));

/** `bill.from` must be there. Only what was recorded on AWS is compared. */
export function reconcile(records: readonly LedgerRecord[], bill: Bill): Reconciled {
  const period = periodOfBill(bill);
  const ours = records.filter(({ provider }) => provider === 'aws');
  const recorded = spentIn(ours, period).lines.map((line) => {
    return { ...line, item: billedItem(line.item), bucket: bucketOf(line.store) ?? '' };
  });
  const buckets = new Set(ours.map(({ store }) => bucketOf(store) ?? ''));
  const billed = bill.lines.filter(({ bucket }) => buckets.has(bucket));
  const names = new Set([...recorded, ...billed].map(({ bucket, item }) => JSON.stringify([bucket, item])));
  const billedOf = (bucket: string, item: string): number =>
    sum(billed.filter((line) => line.bucket === bucket && line.item === item).map(({ costUsd }) => costUsd));
  const recordedOf = (bucket: string, item: string): readonly (SpentLine & { readonly bucket: string })[] =>
    recorded.filter((line) => line.bucket === bucket && line.item === item);
  const lines = Array.from(names, (name) => {
    const [bucket = '', item = ''] = JSON.parse(name) as [string, string];
    const recordedUsd = usdSum(recordedOf(bucket, item));
    const billedUsd = billedOf(bucket, item);
    const differenceUsd = recordedUsd === null ? null : nearestUsd(billedUsd - recordedUsd);
    return { bucket, item, recordedUsd, billedUsd, differenceUsd };
  }).sort((one, other) => other.billedUsd - one.billedUsd || one.item.localeCompare(other.item, 'en'));
  return {
    period,
    lines,
    projects: [...new Set(recorded.map(({ project }) => project))].map((project) => {
      const own = recorded.filter((line) => line.project === project);
      const shares = lines.map(({ bucket, item, billedUsd }) => {
        const all = recordedOf(bucket, item).reduce((total, { costMicros }) => total + (costMicros ?? 0), 0);
        const its = own.filter((line) => line.bucket === bucket && line.item === item);
        const mine = its.reduce((total, { costMicros }) => total + (costMicros ?? 0), 0);
        return all === 0 ? 0 : (billedUsd * mine) / all;
      });
      return { project, recordedUsd: usdSum(own), billedUsd: sum(shares) };
    }),
    recordedUsd: usdSum(recorded),
    billedUsd: sum(billed.map(({ costUsd }) => costUsd)),
    otherBilledUsd: sum(bill.lines.filter(({ bucket }) => !buckets.has(bucket)).map(({ costUsd }) => costUsd)),
  };
}

const usdSum = (lines: readonly Pick<SpentLine, 'costMicros'>[]): number | null =>
  usdOf(sumOf(lines.map(({ costMicros }) => costMicros)));

/** The days that a bill is about, which ends at midnight or a second before it. */
function periodOfBill({ from, until }: Bill): Period {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const end = new Date(Date.parse(until ?? '') + 1000).toISOString();
  return { name: 'all', from: dayIn(from ?? ''), until: dayIn(end), timeZone };
}

/** A day of UTC, as AWS bills, stands beside the local day of its date. */
const dayIn = (time: string): string => (/T00:00:0[01]/.test(time) ? time.slice(0, 10) : dayOf(new Date(time)));
