// The cost model: takes usage, and returns priced lines and their sum. Pure. Each line is priced as if nothing else of the account filled
// its bands this month: the first band is the most expensive, so a line is never too low.
import { roundedUsd, sumOf, type Usd } from './money.js';
import {
  type ClassPrices,
  classPrices,
  DAYS_A_MONTH,
  originOf,
  type PriceList,
  type PriceOrigin,
  type Rate,
  type RetrievalWay,
} from './price-table.js';

interface Kind {
  /** Whether the rate is for a thousand, or for a GB as the place counts them. */
  readonly unit: 'thousand' | 'GB';
  readonly rate: (own: ClassPrices | undefined, way: RetrievalWay, all: PriceList) => Rate | undefined;
}

/** All kinds of usage, and where their prices are: among those of the storage class or of the whole place. */
const KINDS = {
  get: { unit: 'thousand', rate: (own) => own?.getPer1000 },
  head: { unit: 'thousand', rate: (own) => own?.getPer1000 },
  put: { unit: 'thousand', rate: (own) => own?.putPer1000 },
  /** A copy costs what its destination's class charges. */
  copy: { unit: 'thousand', rate: (own) => own?.putPer1000 },
  /** Listings have no storage class. */
  list: { unit: 'thousand', rate: (_own, _way, all) => all.listPer1000 },
  kms: { unit: 'thousand', rate: (_own, _way, all) => all.kmsPer1000 },
  delete: { unit: 'thousand', rate: (_own, _way, all) => all.deletePer1000 },
  /** Parts wait where a PUT costs as much as to STANDARD; only the last request has the price of the class. */
  initiateMultipart: { unit: 'thousand', rate: (own) => own?.initiateMultipartPer1000 ?? own?.putPer1000 },
  uploadPart: { unit: 'thousand', rate: (own) => own?.uploadPartPer1000 ?? own?.putPer1000 },
  completeMultipart: { unit: 'thousand', rate: (own) => own?.completeMultipartPer1000 ?? own?.putPer1000 },
  /** Transition by a lifecycle rule, into the class. */
  transition: { unit: 'thousand', rate: (own) => own?.transitionInPer1000 },
  monitoring: { unit: 'thousand', rate: (own) => own?.monitoringPer1000ObjectsMonth },
  restore: { unit: 'thousand', rate: (own, way) => own?.retrievalRequestPer1000[way] },
  retrieval: { unit: 'GB', rate: (own, way) => own?.retrievalPerGB[way] },
  upload: { unit: 'GB', rate: (own) => own?.uploadPerGB },
  storage: { unit: 'GB', rate: (own) => own?.storage },
  transferOut: { unit: 'GB', rate: (_own, _way, all) => all.dataTransferOutInternet?.tiers },
} satisfies Readonly<Record<string, Kind>>;

export type UsageKind = keyof typeof KINDS;

export interface Usage {
  readonly kind: UsageKind;
  /** Number of requests, or bytes. */
  readonly quantity: number;
  readonly storageClass?: string;
  /** How content is read from a class; by default with a plain GET. */
  readonly way?: RetrievalWay;
  /** Days of usage that is paid by the month; by default a month, null if unknown. */
  readonly days?: number | null;
}

/** Usage with its price. */
export interface Bill<Item> extends PriceOrigin {
  /** Null when a part of it is not known. */
  readonly costUsd: Usd;
  readonly lines: readonly {
    readonly item: Item;
    /** Number of requests, or bytes. */
    readonly quantity: number;
    /** Null when a price is not known. */
    readonly costUsd: Usd;
  }[];
}

/** Returns the amounts of a bill as programs get them. */
export const roundedBill = <Item>({ costUsd, lines }: Bill<Item>): Pick<Bill<Item>, 'costUsd' | 'lines'> => ({
  costUsd: roundedUsd(costUsd),
  lines: lines.map((line) => ({ ...line, costUsd: roundedUsd(line.costUsd) })),
});

/** Prices the usage of each item in a line. */
export function billOf<Item>(used: Iterable<readonly [Item, readonly Usage[]]>, prices: PriceList): Bill<Item> {
  const lines = Array.from(used, ([item, usages]) => ({
    item,
    quantity: usages.reduce((sum, { quantity }) => sum + quantity, 0),
    costUsd: costOf(usages, prices),
  }));
  return { costUsd: sumOf(lines.map((line) => line.costUsd)), lines, ...originOf(prices) };
}

/** Usage with the same rate is added up before it is priced, since bands apply to sums. No usage costs nothing, whatever the price. */
function costOf(usages: readonly Usage[], prices: PriceList): Usd {
  const meters = new Map<Rate, number[]>();
  for (const { kind, quantity, storageClass = '', way = 'instant', days = DAYS_A_MONTH } of usages) {
    if (days === null) return null;
    const { unit: name, rate }: Kind = KINDS[kind];
    const unit = name === 'GB' ? prices.bytesAGB : 1000;
    const found = rate(classPrices(prices, storageClass), way, prices) ?? null;
    const meter = meters.get(found) ?? [];
    const months = Math.floor(days / DAYS_A_MONTH);
    const part = days / DAYS_A_MONTH - months;
    meter[months] = (meter[months] ?? 0) + (quantity / unit) * (1 - part);
    meter[months + 1] = (meter[months + 1] ?? 0) + (quantity / unit) * part;
    meters.set(found, meter);
  }
  return sumOf(Array.from(meters, ([rate, meter]) => meteredCost(rate, meter)));
}

/** Prices units by the number of months that they stay; bands begin anew each month. */
function meteredCost(rate: Rate, unitsByMonths: readonly number[]): Usd {
  let costUsd: Usd = 0;
  let units = 0;
  for (let month = unitsByMonths.length - 1; month > 0; month--) {
    units += unitsByMonths[month] ?? 0;
    costUsd = sumOf([costUsd, rateCost(rate, units)]);
  }
  return costUsd;
}

/** Returns the cost of so many units in a month: each at the price of the band that it falls in. */
function rateCost(rate: Rate, units: number): Usd {
  const bands = typeof rate === 'number' ? [{ upToGB: null, usdPerGB: rate }] : (rate ?? []);
  let costUsd = 0;
  let from = 0;
  for (const { upToGB, usdPerGB, usdPerGBMonth = usdPerGB } of bands) {
    if (usdPerGBMonth === undefined) return null;
    const to = Math.min(units, upToGB ?? Number.POSITIVE_INFINITY);
    costUsd += (to - from) * usdPerGBMonth;
    from = to;
  }
  return from < units ? null : costUsd;
}
