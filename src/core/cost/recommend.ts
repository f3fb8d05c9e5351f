// Recommends a storage class and says what it saves: the first year with its upload, compared with the class that is asked about. Nothing
// is recommended if its price is not known, or if it costs more.
import { isColdClass } from '../store/cold-class.js';
import type { ClassEstimate, RestoreOption } from './class-estimate.js';
import type { Usd } from './money.js';
import { DAYS_A_MONTH } from './price-table.js';

export interface Recommendation {
  readonly storageClass: string;
  /** Whether content there is read at once. */
  readonly isReadAtOnce: boolean;
  /** USD saved in the first year, compared with the other class. */
  readonly savedUsd: number;
  /** Days from which it pays off; kept for fewer days it costs more. */
  readonly paysOffDays: number;
  /** The cheapest full restore. */
  readonly restore: RestoreOption | undefined;
  /** Full restores a year up to which it still saves something; null for any number. */
  readonly restoresAYear: number | null;
}

/** Returns the cost of the first year, upload included. */
export const firstYear = ({ uploadUsd, yearlyUsd }: ClassEstimate): Usd =>
  uploadUsd === null || yearlyUsd === null ? null : uploadUsd + yearlyUsd;

const CENT = 0.01;
const MOST_RESTORES = 1000;

/** Returns the best class for content that is hardly ever read, and the best that is read at once; neither if `base` is that already. */
export function recommend(base: ClassEstimate, others: readonly ClassEstimate[]): readonly Recommendation[] {
  const baseUsd = firstYear(base);
  if (baseUsd === null) return [];
  const best = (among: readonly ClassEstimate[]): Recommendation | undefined =>
    among
      .flatMap((other) => compared(base, baseUsd, other) ?? [])
      .toSorted((a, b) => b.savedUsd - a.savedUsd)
      .find(({ savedUsd }) => savedUsd >= CENT);
  const cold = best(others.filter(({ storageClass }) => isColdClass(storageClass)));
  const warm = best(others.filter(({ storageClass }) => !isColdClass(storageClass)));
  return [cold, warm].flatMap((one) => one ?? []);
}

function compared(base: ClassEstimate, baseUsd: number, other: ClassEstimate): Recommendation | undefined {
  const otherUsd = firstYear(other);
  const paysOffDays = payOff(base, other);
  if (otherUsd === null || paysOffDays === undefined || other.storageClass === base.storageClass) return undefined;
  const savedUsd = baseUsd - otherUsd;
  const restore = cheapest(other);
  const more = (restore?.leastUsd ?? 0) - (cheapest(base)?.leastUsd ?? 0);
  const times = more <= 0 ? Number.POSITIVE_INFINITY : Math.floor(savedUsd / more);
  return {
    storageClass: other.storageClass,
    isReadAtOnce: !isColdClass(other.storageClass),
    savedUsd,
    paysOffDays,
    restore,
    restoresAYear: times > MOST_RESTORES ? null : Math.max(0, times),
  };
}

const cheapest = ({ restores }: ClassEstimate): RestoreOption | undefined =>
  restores
    .filter(({ leastUsd }) => leastUsd !== null)
    .toSorted((a, b) => (a.leastUsd ?? 0) - (b.leastUsd ?? 0))
    .at(0);

/** Returns the days after which `other` has cost less than `base`; undefined for never, and if a price is not known. */
function payOff(base: ClassEstimate, other: ClassEstimate): number | undefined {
  const [baseMonth, otherMonth, minimum] = [base.monthlyUsd, other.monthlyUsd, other.minimumDays];
  if (baseMonth === null || otherMonth === null || minimum === null || baseMonth <= 0) return undefined;
  const more = (other.uploadUsd ?? 0) - (base.uploadUsd ?? 0);
  const early = ((more + (otherMonth * minimum) / DAYS_A_MONTH) * DAYS_A_MONTH) / baseMonth;
  if (early <= minimum) return Math.max(0, Math.ceil(early));
  return otherMonth >= baseMonth ? undefined : Math.ceil((more * DAYS_A_MONTH) / (baseMonth - otherMonth));
}
