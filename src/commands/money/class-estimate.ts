// The cost of keeping content in a storage class, as text and as JSON.
import type { ClassEstimate, RestoreOption } from '../../core/cost/class-estimate.js';
import { roundedBill } from '../../core/cost/cost-model.js';
import { roundedUsd } from '../../core/cost/money.js';
import { fineUsd } from '../../ui/format-usd.js';
import { fact } from '../kit/lines.js';

/** Returns the JSON of an estimate. */
export const classEstimateDocument = ({ restores, ...estimate }: ClassEstimate) => ({
  ...estimate,
  uploadUsd: roundedUsd(estimate.uploadUsd),
  monthlyUsd: roundedUsd(estimate.monthlyUsd),
  yearlyUsd: roundedUsd(estimate.yearlyUsd),
  earlyDeletionUsd: roundedUsd(estimate.earlyDeletionUsd),
  restores: restores.map(({ tier, wait, estimate: bill, leastUsd }) => ({
    ...(tier === null ? {} : { tier }),
    ...(wait === null ? {} : { wait: wait.text }),
    ...roundedBill(bill),
    leastUsd: roundedUsd(leastUsd),
  })),
});

/** Lines about the cost of putting content into the class and keeping it there. */
export function keepingFacts({
  monthlyUsd,
  yearlyUsd,
  uploadUsd,
  minimumDays,
  earlyDeletionUsd,
}: ClassEstimate): string[] {
  return [
    fact('storage', `${fineUsd(monthlyUsd)} a month, ${fineUsd(yearlyUsd)} a year`),
    fact('upload', `requests ${fineUsd(uploadUsd)} once; transfer to the store is free`),
    ...(minimumDays === null || minimumDays === 0
      ? []
      : [
          fact(
            'minimum',
            `${minimumDays} days: what is deleted sooner is paid for until then, ${fineUsd(earlyDeletionUsd)} at most`,
          ),
        ]),
  ];
}

/** Lines about the cost of restoring all of it, one for each way. */
export const restoreFacts = ({ restores }: ClassEstimate): string[] =>
  restores.map((option) => fact(option.tier ?? 'restore', restoreText(option)));

/** `readable after 3-5 h`, `readable within 12 h` or `read at once`. */
export const readyText = (wait: RestoreOption['wait']): string => {
  if (wait === null) return 'read at once';
  return wait.text.startsWith('within') ? `readable ${wait.text}` : `readable after ${wait.text}`;
};

/** `$94.21 with transfer to the internet, readable within 12 h; $85.21 if …`. */
function restoreText({ wait, estimate: { costUsd }, leastUsd }: RestoreOption): string {
  const least = leastUsd === costUsd ? '' : `; ${fineUsd(leastUsd)} if the free transfer of the month is left`;
  return `${fineUsd(costUsd)} with transfer to the internet, ${readyText(wait)}${least}`;
}
