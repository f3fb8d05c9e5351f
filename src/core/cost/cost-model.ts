// The model of costs: what is used goes in, priced lines and their sum come out. Pure. Each line is priced as if nothing
// else of the account filled its bands this month: the first band is the dearest, so a line is never too low.
import { sumOf, type Usd } from './money.js';
import {
  BYTES_A_GB,
  type ClassPrices,
  classPrices,
  DAYS_A_MONTH,
  type PriceList,
  type Rate,
  type RetrievalWay,
} from './price-table.js';

interface Kind {
  /** How many, or how many bytes, the rate is for. */
  readonly unit: number;
  readonly rate: (own: ClassPrices | undefined, way: RetrievalWay, all: PriceList) => Rate | undefined;
}

/** What can be used, and where its price stands: among those of its storage class or of the whole region. */
const KINDS = {
  get: { unit: 1000, rate: (own) => own?.getPer1000 },
  put: { unit: 1000, rate: (own) => own?.putPer1000 },
  monitoring: { unit: 1000, rate: (own) => own?.monitoringPer1000ObjectsMonth },
  restore: { unit: 1000, rate: (own, way) => own?.retrievalRequestPer1000[way] },
  retrieval: { unit: BYTES_A_GB, rate: (own, way) => own?.retrievalPerGB[way] },
  storage: { unit: BYTES_A_GB, rate: (own) => own?.storage },
  transferOut: { unit: BYTES_A_GB, rate: (_own, _way, all) => all.dataTransferOutInternet?.tiers },
} satisfies Readonly<Record<string, Kind>>;

export interface Usage {
  readonly kind: keyof typeof KINDS;
  /** Requests, or bytes. */
  readonly quantity: number;
  readonly storageClass?: string;
  /** Of what is got out of a class; a plain GET where this is not given. */
  readonly way?: RetrievalWay;
  /** Of what is paid by the month; a month where this is not given, null where nobody knows. */
  readonly days?: number | null;
}

/** What is used, priced. */
export interface Bill<Item> extends Pick<PriceList, 'region' | 'pricesOf'> {
  /** Null when a part of it is not known. */
  readonly costUsd: Usd;
  readonly lines: readonly {
    readonly item: Item;
    /** Requests, or bytes. */
    readonly quantity: number;
    /** Null when a price is not known. */
    readonly costUsd: Usd;
  }[];
}

/** A line for each item. */
export function billOf<Item>(used: Iterable<readonly [Item, readonly Usage[]]>, prices: PriceList): Bill<Item> {
  const lines = Array.from(used, ([item, usages]) => ({
    item,
    quantity: usages.reduce((sum, { quantity }) => sum + quantity, 0),
    costUsd: costOf(usages, prices),
  }));
  const { region, pricesOf } = prices;
  return { costUsd: sumOf(lines.map((line) => line.costUsd)), lines, region, pricesOf };
}

/** What has one rate is added up before it is priced: bands are of sums. Nothing costs nothing, whatever its price. */
function costOf(usages: readonly Usage[], prices: PriceList): Usd {
  const meters = new Map<Rate, number[]>();
  for (const { kind, quantity, storageClass = '', way = 'instant', days = DAYS_A_MONTH } of usages) {
    if (days === null) return null;
    const { unit, rate }: Kind = KINDS[kind];
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

/** Of units by the number of months that they stay; bands begin anew each month. */
function meteredCost(rate: Rate, unitsByMonths: readonly number[]): Usd {
  let costUsd: Usd = 0;
  let units = 0;
  for (let month = unitsByMonths.length - 1; month > 0; month--) {
    units += unitsByMonths[month] ?? 0;
    costUsd = sumOf([costUsd, rateCost(rate, units)]);
  }
  return costUsd;
}

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
