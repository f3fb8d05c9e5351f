// List prices, in USD, from prices.json, which names their sources and dates. Null is a price that is not known or a thing that is not sold
// there: never zero. A GB has 2^30 bytes at AWS, and elsewhere as many as the provider bills it for.
import type { ThawTier } from '../store/object-store.js';
import { classOnly } from '../store/cold-class.js';
import type { Provider } from '../store/providers/provider.js';
import prices from './prices.json' with { type: 'json' };

/** How content is read: with a plain GET, or from cold storage in one of its tiers. */
export type RetrievalWay = 'instant' | ThawTier;

export interface Band {
  /** End of the band; null for the last one. */
  readonly upToGB: number | null;
  /** One of these two is set, depending on what is sold. */
  readonly usdPerGB?: number;
  readonly usdPerGBMonth?: number;
}

/** USD for a unit: one price for all, or bands that each hold so much of a month; null if not known. */
export type Rate = number | null | readonly Band[];

type ByWay = Readonly<Partial<Record<RetrievalWay, Rate>>>;

export interface ClassPrices {
  readonly storage: Rate;
  /** GET, HEAD and the like. */
  readonly getPer1000: Rate;
  /** PUT, COPY and POST. */
  readonly putPer1000: Rate;
  /** Multipart requests, if they cost something else than a PUT. */
  readonly initiateMultipartPer1000?: Rate;
  readonly uploadPartPer1000?: Rate;
  readonly completeMultipartPer1000?: Rate;
  /** Lifecycle transitions into the class. */
  readonly transitionInPer1000: Rate;
  /** Set for classes that also charge for written bytes. */
  readonly uploadPerGB?: Rate;
  /** Set for classes that monitor access. */
  readonly monitoringPer1000ObjectsMonth?: Rate;
  readonly retrievalPerGB: ByWay;
  readonly retrievalRequestPer1000: ByWay;
}

/** Prices in one place. */
export interface PlacePrices {
  readonly classes: Readonly<Record<string, ClassPrices | null>>;
  readonly dataTransferOutInternet: { readonly tiers: Rate } | null;
  readonly listPer1000: Rate;
}

/** Rules that objects of a storage class are billed by. */
export interface ClassRule {
  /** Minimum storage time in days; null if the rules are not known. */
  readonly minStorageDays: number | null;
  readonly minBillableBytes: number | null;
  /** Set for classes that monitor access: smaller objects are not monitored. */
  readonly minMonitoredBytes?: number;
  readonly overheadBytesAtClassRate?: number;
  readonly overheadBytesAtStandardRate?: number;
}

/** All prices of a place, and its rules. */
export interface PriceList extends PlacePrices {
  readonly provider: Provider;
  /** Rules of each storage class; the same in every region. */
  readonly rules: Readonly<Record<string, ClassRule>>;
  readonly deletePer1000: Rate;
  /** Requests to the service that keeps keys; unlisted prices are unknown and never free. */
  readonly kmsPer1000: Rate;
  /** Bytes in a GB as prices count it. */
  readonly bytesAGB: number;
  /** GB of storage that are billed a month even if less is stored. */
  readonly minimumGB: number;
  /** Transfer to the internet that is free each month: GB of the account, and as a multiple of what is stored. */
  readonly freeTransfer: { readonly gb: number; readonly timesStored: number };
  /** Null if the store has no regions. */
  readonly region: string | null;
  /** Date of the list, `YYYY-MM-DD`. */
  readonly pricesOf: string;
  /** How these prices came about if they are not those of the list: a sentence each. */
  readonly terms: readonly string[];
}

/** A place where something is stored. */
export interface PricedPlace {
  /** Provider; by default AWS. */
  readonly provider?: Provider | undefined;
  readonly region: string | undefined;
}

/** Returns the prices of a place. */
export type PriceBook = (place: PricedPlace) => PriceList;

const REGIONS: Readonly<Record<string, PlacePrices>> = prices.regions;

export const BYTES_A_GB = 2 ** 30;
/** Days in a month that storage is priced by. */
export const DAYS_A_MONTH = 30;

/** Looks up a name safely: names come from stores and manifests, and may be anything. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Prices of a class that is not listed. */
export const NO_CLASS_PRICES: ClassPrices = {
  storage: null,
  getPer1000: null,
  putPer1000: null,
  transitionInPer1000: null,
  retrievalPerGB: {},
  retrievalRequestPer1000: {},
};

export const NO_PRICES: PlacePrices = { classes: {}, dataTransferOutInternet: null, listPer1000: null };

/** Returns the list of an AWS region; without prices if none are known. */
export const pricesIn = (region: string | undefined): PriceList => ({
  ...(entryOf(REGIONS, region ?? '') ?? NO_PRICES),
  provider: 'aws',
  rules: prices.classRules,
  deletePer1000: prices.deleteRequests,
  kmsPer1000: Object.hasOwn(REGIONS, region ?? '') ? prices.kmsPer1000 : null,
  bytesAGB: BYTES_A_GB,
  minimumGB: 0,
  freeTransfer: { gb: prices.freeTierEgressGBPerMonth, timesStored: 0 },
  region: region ?? null,
  pricesOf: prices.compiled,
  terms: [],
});

/** AWS regions with prices. */
export const PRICED_REGIONS: readonly string[] = Object.keys(REGIONS);

export const classPrices = ({ classes }: PriceList, storageClass: string): ClassPrices | undefined =>
  entryOf(classes, classOnly(storageClass)) ?? undefined;

/** Whether a class charges for written bytes, at a price that may not be known. */
export const chargesUploads = (prices: PriceList, storageClass: string): boolean =>
  classPrices(prices, storageClass)?.uploadPerGB !== undefined;

/** Returns the rule of a class; undefined for one that is not known. */
export const classRule = ({ rules }: PriceList, storageClass: string): ClassRule | undefined =>
  entryOf(rules, storageClass);

/** Provider, region and date of prices. */
export type PriceOrigin = Pick<PriceList, 'provider' | 'region' | 'pricesOf' | 'terms'>;

/** Returns the origin of a list, or of something that was priced by it. */
export const originOf = ({ provider, region, pricesOf, terms }: PriceOrigin): PriceOrigin => ({
  provider,
  region,
  pricesOf,
  terms,
});
