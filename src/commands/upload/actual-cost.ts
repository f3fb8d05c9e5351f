// The cost of an upload that is done: a month of what it stored, and the requests of its run.
import type { Pricing } from '../../cli/context.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { roundedUsd, type Usd } from '../../core/cost/money.js';
import { bookedPlace } from '../../core/cost/price-book.js';
import type { PriceOrigin } from '../../core/cost/price-table.js';
import { actualUploadCost, oneTimeUsd } from '../../core/cost/upload-cost.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fact } from '../kit/lines.js';
import { priceListText } from '../kit/price-lines.js';
import { pricedBy } from '../kit/prices.js';

/** Computes the cost of an upload; undefined for a folder, or when nothing was stored. */
export function actualCost({ billed, requests }: UploadResult, context: Pricing): ActualCost | undefined {
  const objects = billed?.objects() ?? [];
  if (billed === undefined || billed.place.isFolder || objects.length === 0) return undefined;
  const { provider, book } = pricedBy(context, { runBy: billed.place.provider });
  const bill = actualUploadCost(
    { objects, requests, usesKms: billed.place.usesKms },
    bookedPlace({ ...billed.place, provider }),
    book,
  );
  const usdOf = (wanted: string): Usd => bill.lines.find(({ item }) => item === wanted)?.costUsd ?? null;
  const { region, pricesOf, terms } = bill;
  return {
    monthlyUsd: usdOf('storage'),
    requestsUsd: oneTimeUsd(bill),
    provider: bill.provider,
    region,
    pricesOf,
    terms,
  };
}

export interface ActualCost extends PriceOrigin {
  /** A month of what this upload stored. */
  readonly monthlyUsd: Usd;
  /** The requests of this run. */
  readonly requestsUsd: Usd;
}

/** The cost for JSON, with rounded amounts. */
export const actualCostDocument = (cost: ActualCost) => ({
  ...cost,
  monthlyUsd: roundedUsd(cost.monthlyUsd),
  requestsUsd: roundedUsd(cost.requestsUsd),
});

/** A line about the cost; none when there is no price at all. */
export const actualCostFacts = (cost: ActualCost | undefined): string[] =>
  cost === undefined || (cost.monthlyUsd === null && cost.requestsUsd === null)
    ? []
    : [
        fact(
          'cost',
          `${formatUsd(cost.monthlyUsd)} a month, requests of this run ${formatUsd(cost.requestsUsd)} (${priceListText(cost) ?? ''})`,
        ),
      ];
