// AWS list prices, in USD, from prices.json, which says where they come from and of when they are. Null is a price that
// is not known or a thing that is not sold there: never zero. GB are of 2^30 bytes, as AWS bills them.
import type { ThawTier } from '../object-store/object-store.js';
import { classOnly } from './cold-class.js';
import prices from './prices.json' with { type: 'json' };

/** How content is got: by a plain GET, or out of cold storage in one of its tiers. */
export type RetrievalWay = 'instant' | ThawTier;

interface Band {
  /** Null for the last one. */
  readonly upToGB: number | null;
  /** One of these two, by what is sold. */
  readonly usdPerGB?: number;
  readonly usdPerGBMonth?: number;
}

/** USD for a unit, one price for all or bands that each hold so much of a month; null is not known. */
export type Rate = number | null | readonly Band[];

type ByWay = Readonly<Partial<Record<RetrievalWay, Rate>>>;

export interface ClassPrices {
  readonly storage: Rate;
  readonly getPer1000: Rate;
  readonly putPer1000: Rate;
  /** Of classes that watch what is read. */
  readonly monitoringPer1000ObjectsMonth?: Rate;
  readonly retrievalPerGB: ByWay;
  readonly retrievalRequestPer1000: ByWay;
}

interface Region {
  readonly classes: Readonly<Record<string, ClassPrices | null>>;
  readonly dataTransferOutInternet: { readonly tiers: Rate } | null;
}

/** Rules that objects of a storage class are billed by. */
interface ClassRule {
  /** Null where they are not known. */
  readonly minStorageDays: number | null;
  readonly minBillableBytes: number | null;
  /** Of classes that watch what is read: smaller objects are not. */
  readonly minMonitoredBytes?: number;
  readonly overheadBytesAtClassRate?: number;
  readonly overheadBytesAtStandardRate?: number;
}

/** What is charged in one place. */
export interface PriceList extends Region {
  /** Of each storage class; the same in every region of AWS. */
  readonly rules: Readonly<Record<string, ClassRule>>;
  /** Null where the store has no regions. */
  readonly region: string | null;
  /** Date of the list, `YYYY-MM-DD`. */
  readonly pricesOf: string;
}

const REGIONS: Readonly<Record<string, Region>> = prices.regions;

export const BYTES_A_GB = 2 ** 30;
/** Of a month that storage is priced by. */
export const DAYS_A_MONTH = 30;

/** Names come from stores and manifests, which may name anything. */
const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The list of a region; without prices where none are known. */
export function pricesIn(region: string | undefined): PriceList {
  const found = entryOf(REGIONS, region ?? '') ?? { classes: {}, dataTransferOutInternet: null };
  return { ...found, rules: prices.classRules, region: region ?? null, pricesOf: prices.compiled };
}

export const classPrices = ({ classes }: PriceList, storageClass: string): ClassPrices | undefined =>
  entryOf(classes, classOnly(storageClass)) ?? undefined;

/** Undefined for a class that is not known. */
export const classRule = ({ rules }: PriceList, storageClass: string): ClassRule | undefined =>
  entryOf(rules, storageClass);
