// AWS list prices, in USD, from prices.json, which says where they come from and of when they are. Null is a price that
// is not known or a thing that is not sold there: never zero. GB are of 2^30 bytes, as AWS bills them.
import type { ThawTier } from '../object-store/object-store.js';
import prices from './prices.json' with { type: 'json' };

interface Band {
  /** Null for the last one. */
  readonly upToGB: number | null;
}

interface ClassPrices {
  readonly storage: readonly (Band & { readonly usdPerGBMonth: number })[];
  readonly getPer1000: number | null;
  readonly retrievalPerGB: Readonly<Partial<Record<RetrievalWay, number | null>>>;
  readonly retrievalRequestPer1000: Readonly<Partial<Record<RetrievalWay, number | null>>>;
}

interface Region {
  readonly classes: Readonly<Record<string, ClassPrices | null | undefined>>;
  readonly dataTransferOutInternet: { readonly tiers: readonly (Band & { readonly usdPerGB: number })[] } | null;
}

/** Rules that a storage class is billed by, the same in every region. */
export interface ClassRule {
  /** Null where they are not known. */
  readonly minStorageDays: number | null;
  readonly minBillableBytes: number | null;
  readonly overheadBytesAtClassRate?: number;
}

/** How content is got: by a plain GET, or out of cold storage in one of its tiers. */
export type RetrievalWay = 'instant' | ThawTier;

const REGIONS: Readonly<Record<string, Region | undefined>> = prices.regions;
const RULES: Readonly<Record<string, ClassRule | undefined>> = prices.classRules;

export const BYTES_A_GB = 2 ** 30;
/** Of a month that storage is priced by. */
export const DAYS_A_MONTH = 30;
/** Date of the list, `YYYY-MM-DD`. */
export const PRICES_OF: string = prices.compiled;

/** Undefined for a class that is not known. */
export const classRule = (storageClass: string): ClassRule | undefined => RULES[storageClass];

const classOf = (region: string | undefined, storageClass: string): ClassPrices | undefined =>
  (region === undefined ? undefined : REGIONS[region]?.classes[storageClass]) ?? undefined;

/** USD a GB and month, in the first band of the class. */
export const storagePrice = (region: string | undefined, storageClass: string): number | null =>
  classOf(region, storageClass)?.storage[0]?.usdPerGBMonth ?? null;

/** USD for one GET of an object of the class. */
export function getPrice(region: string | undefined, storageClass: string): number | null {
  const per1000 = classOf(region, storageClass)?.getPer1000 ?? null;
  return per1000 === null ? null : per1000 / 1000;
}

/** USD for a GB that is retrieved, and for each request that asks for it. */
export function retrievalPrice(
  region: string | undefined,
  storageClass: string,
  way: RetrievalWay,
): { readonly perGB: number | null; readonly perRequest: number | null } {
  const found = classOf(region, storageClass);
  const per1000 = found?.retrievalRequestPer1000[way] ?? null;
  return { perGB: found?.retrievalPerGB[way] ?? null, perRequest: per1000 === null ? null : per1000 / 1000 };
}

/** USD for so many bytes sent to the internet, as if nothing else was sent this month: the first band is the dearest. */
export function transferOutPrice(region: string | undefined, bytes: number): number | null {
  const tiers = region === undefined ? undefined : REGIONS[region]?.dataTransferOutInternet?.tiers;
  if (tiers === undefined) return null;
  let costUsd = 0;
  let fromGB = 0;
  for (const { upToGB, usdPerGB } of tiers) {
    const toGB = Math.min(bytes / BYTES_A_GB, upToGB ?? Number.POSITIVE_INFINITY);
    costUsd += Math.max(0, toGB - fromGB) * usdPerGB;
    fromGB = toGB;
  }
  return costUsd;
}
