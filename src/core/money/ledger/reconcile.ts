// Compares recorded costs with a bill, by bucket and item, and distributes the bill over projects in proportion to the records, because a
// bill knows no projects.
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
  /** Null when a price is not known. */
  readonly recordedUsd: number | null;
  readonly billedUsd: number;
  /** The bill less the recorded cost. */
  readonly differenceUsd: number | null;
}

export interface ReconciledProject {
  readonly project: string | null;
  readonly recordedUsd: number | null;
  /** The project's share of the bill; billed lines without a record belong to no project. */
  readonly billedUsd: number;
}

export interface Reconciled {
  readonly period: Period;
  readonly lines: readonly ReconciledLine[];
  readonly projects: readonly ReconciledProject[];
  readonly recordedUsd: number | null;
  /** Billed for buckets with records. */
  readonly billedUsd: number;
  /** Billed for other buckets. */
  readonly otherBilledUsd: number;
}

const bucketOf = (store: string): string | undefined => /^s3:\/\/([^/]+)/.exec(store)?.[1];
/** A bill counts temporary copies of cold objects, and the monitoring of objects, as storage. */
const billedItem = (item: string): string => (item === 'temporaryCopy' || item === 'monitoring' ? 'storage' : item);
const sum = (parts: readonly number[]): number => nearestUsd(parts.reduce((total, part) => total + part, 0));

/** Compares only what was recorded on AWS. `bill.from` must not be null. */
export function reconcile(records: readonly LedgerRecord[], bill: Bill): Reconciled {
  const period = periodOfBill(bill);
  const ours = records.filter(({ provider }) => provider === 'aws');
  const recorded = spentIn(ours, period)
    .lines.filter(({ costMicros }) => costMicros !== 0)
    .map((line) => {
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
        const ownMicros = its.reduce((total, { costMicros }) => total + (costMicros ?? 0), 0);
        return all === 0 ? 0 : (billedUsd * ownMicros) / all;
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

/** Returns the days that a bill covers; it ends at midnight or a second before it. */
function periodOfBill({ from, until }: Bill): Period {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const end = new Date(Date.parse(until ?? '') + 1000).toISOString();
  return { name: 'all', from: dayIn(from ?? ''), until: dayIn(end), timeZone };
}

/** Returns the local day; a time at midnight UTC, as AWS bills, keeps its UTC date. */
const dayIn = (time: string): string => (/T00:00:0[01]/.test(time) ? time.slice(0, 10) : dayOf(new Date(time)));
