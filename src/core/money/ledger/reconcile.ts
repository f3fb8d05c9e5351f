// Compares recorded costs with a bill, by bucket and item, and distributes the bill over projects, because a bill knows no projects. Every
// billed line goes to one place, so that the parts add up to the bill: to projects by what was recorded for the line; where nothing was, to
// the projects that used the bucket, by what they used of it; or to nobody's, in buckets where nothing was recorded. Credits, refunds and
// taxes stay apart. Days are those of UTC, as bills have them.
import { nearestUsd, sumOf } from '../../cost/money.js';
import type { Bill, BilledLine, Charge } from './bill.js';
import { plusDays } from './days.js';
import { usdOf } from './micros.js';
import type { Period } from './period.js';
import type { LedgerRecord } from './record.js';
import { spentIn, type SpentLine } from './report.js';

export type GoesTo = 'projects' | 'shared' | 'notOurs';

export interface ReconciledLine {
  readonly bucket: string;
  readonly item: string;
  readonly goesTo: GoesTo;
  /** Null when a price is not known. */
  readonly recordedUsd: number | null;
  readonly billedUsd: number;
  /** The bill less the recorded cost. */
  readonly differenceUsd: number | null;
}

export interface ReconciledProject {
  readonly project: string | null;
  readonly recordedUsd: number | null;
  /** Its part of the billed lines that were recorded. */
  readonly billedUsd: number;
  /** Its part of the other lines of buckets that it uses. */
  readonly sharedUsd: number;
}

export interface Reconciled {
  readonly period: Period;
  readonly lines: readonly ReconciledLine[];
  readonly projects: readonly ReconciledProject[];
  readonly recordedUsd: number | null;
  /** The bill: all that follows together. */
  readonly totalUsd: number;
  /** Billed for buckets with records; the sum of the projects. */
  readonly billedUsd: number;
  /** Billed for other buckets, or for none. */
  readonly otherBilledUsd: number;
  readonly creditsUsd: number;
  readonly refundsUsd: number;
  readonly taxesUsd: number;
}

type Recorded = SpentLine & { readonly bucket: string };

interface Part {
  readonly project: string | null;
  readonly isShared: boolean;
  readonly usd: number;
}

const bucketOf = (store: string): string | undefined => /^s3:\/\/([^/]+)/.exec(store)?.[1];
/** A bill counts temporary copies of cold objects, and the monitoring of objects, as storage. */
const billedItem = (item: string): string => (item === 'temporaryCopy' || item === 'monitoring' ? 'storage' : item);
const exactSum = (lines: readonly { readonly costUsd: number }[]): number =>
  lines.reduce((total, { costUsd }) => total + costUsd, 0);

/** Compares only what was recorded on AWS; days are those of the local calendar, which must be UTC. `bill.from` must not be null. */
export function reconcile(records: readonly LedgerRecord[], bill: Bill): Reconciled {
  const period = periodOfBill(bill);
  const ours = records.filter(({ provider }) => provider === 'aws');
  const recorded = spentIn(ours, period)
    // Requests to KMS are on the bill of another service.
    .lines.filter(({ item, costMicros }) => item !== 'kms' && costMicros !== 0)
    .map((line) => ({ ...line, item: billedItem(line.item), bucket: bucketOf(line.store) ?? '' }));
  const usage = bill.lines.filter(({ charge }) => charge === 'usage');
  const byName = new Map(usage.map((line) => [nameOf(line), line]));
  for (const { bucket, item } of recorded) {
    const line: BilledLine = { charge: 'usage', bucket, item, costUsd: 0 };
    if (!byName.has(nameOf(line))) byName.set(nameOf(line), line);
  }
  const placed = [...byName.values()]
    .map((line) => ({ line, ...placeOf(line, recorded) }))
    .sort((one, other) => {
      const [a, b] = [one, other].map(({ goesTo }) => Number(goesTo === 'notOurs'));
      return (
        (a ?? 0) - (b ?? 0) || other.line.costUsd - one.line.costUsd || one.line.item.localeCompare(other.line.item)
      );
    });
  const amounts = roundedParts(placed.map(({ line }) => line.costUsd));
  const lines = placed.map(({ line: { bucket, item }, goesTo, own }, index): ReconciledLine => {
    const recordedUsd = usdSum(own);
    const billedUsd = amounts[index] ?? 0;
    const differenceUsd = recordedUsd === null ? null : nearestUsd(billedUsd - recordedUsd);
    return { bucket, item, goesTo, recordedUsd, billedUsd, differenceUsd };
  });
  const sumTo = (isOurs: boolean): number =>
    nearestUsd(
      lines.reduce((sum, { goesTo, billedUsd }) => sum + ((goesTo !== 'notOurs') === isOurs ? billedUsd : 0), 0),
    );
  const apart = (charge: Charge): number => nearestUsd(exactSum(bill.lines.filter((line) => line.charge === charge)));
  const [billedUsd, otherBilledUsd] = [sumTo(true), sumTo(false)];
  const [creditsUsd, refundsUsd, taxesUsd] = [apart('credit'), apart('refund'), apart('tax')];
  return {
    period,
    lines,
    projects: projectsOf(
      recorded,
      placed.flatMap(({ parts }) => parts),
    ),
    recordedUsd: usdSum(recorded),
    totalUsd: nearestUsd(billedUsd + otherBilledUsd + creditsUsd + refundsUsd + taxesUsd),
    billedUsd,
    otherBilledUsd,
    creditsUsd,
    refundsUsd,
    taxesUsd,
  };
}

const nameOf = ({ bucket, item }: Pick<BilledLine, 'bucket' | 'item'>): string => JSON.stringify([bucket, item]);

/** Finds who pays for a line: the projects it was recorded for, or else those that use its bucket, or nobody of ours. */
function placeOf({ bucket, item, costUsd }: BilledLine, recorded: readonly Recorded[]) {
  const inBucket = recorded.filter((line) => line.bucket === bucket);
  const own = inBucket.filter((line) => line.item === item);
  const payers = own.length > 0 ? own : inBucket;
  const isShared = own.length === 0;
  const goesTo: GoesTo = payers.length === 0 ? 'notOurs' : isShared ? 'shared' : 'projects';
  const weights = weightsOf(payers);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const parts = payers.map(({ project }, index): Part => {
    return { project, isShared, usd: (costUsd * (weights[index] ?? 0)) / all };
  });
  return { goesTo, own, parts };
}

/** Costs; where one is not known, each line weighs the same. */
const weightsOf = (lines: readonly Recorded[]): readonly number[] =>
  lines.map(({ costMicros }) => (lines.some((line) => line.costMicros === null) ? 1 : (costMicros ?? 0)));

function projectsOf(recorded: readonly Recorded[], parts: readonly Part[]): readonly ReconciledProject[] {
  const names = [...new Set(recorded.map(({ project }) => project))];
  const usdOfPart = (project: string | null, isShared: boolean): number =>
    parts.reduce((sum, part) => sum + (part.project === project && part.isShared === isShared ? part.usd : 0), 0);
  const amounts = roundedParts(names.flatMap((name) => [usdOfPart(name, false), usdOfPart(name, true)]));
  return names.map((project, index) => {
    const recordedUsd = usdSum(recorded.filter((line) => line.project === project));
    return { project, recordedUsd, billedUsd: amounts[2 * index] ?? 0, sharedUsd: amounts[2 * index + 1] ?? 0 };
  });
}

/** Rounds to micro-dollars so that the parts add up to the rounded sum. */
function roundedParts(parts: readonly number[]): readonly number[] {
  let exact = 0;
  return parts.map((part) => {
    const before = nearestUsd(exact);
    exact += part;
    return nearestUsd(nearestUsd(exact) - before);
  });
}

const usdSum = (lines: readonly Pick<SpentLine, 'costMicros'>[]): number | null =>
  usdOf(sumOf(lines.map(({ costMicros }) => costMicros)));

/** Returns the days of UTC that a bill covers. */
function periodOfBill({ from, until }: Bill): Period {
  const last = new Date(Date.parse(until ?? '') - 1).toISOString().slice(0, 10);
  return { name: 'all', from: (from ?? '').slice(0, 10), until: plusDays(last, 1), timeZone: 'UTC' };
}
