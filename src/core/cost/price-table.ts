// List prices, in USD, from prices.json, which says where they come from and of when they are. Null is a price that is not
// known or a thing that is not sold there: never zero. GB are of 2^30 bytes at AWS, and as each provider bills them.
import type { ThawTier } from '../store/object-store.js';
import { classOnly } from '../store/cold-class.js';
import type { Provider } from '../store/providers/provider.js';
import prices from './prices.json' with { type: 'json' };

/** How content is got: by a plain GET, or out of cold storage in one of its tiers. */
export type RetrievalWay = 'instant' | ThawTier;

export interface Band {
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
  /** GET, HEAD and the like. */
  readonly getPer1000: Rate;
  /** PUT, COPY and POST. */
  readonly putPer1000: Rate;
  /** Multipart requests, where they cost something else than a PUT. */
  readonly initiateMultipartPer1000?: Rate;
  readonly uploadPartPer1000?: Rate;
  readonly completeMultipartPer1000?: Rate;
  /** Lifecycle transitions into the class. */
  readonly transitionInPer1000: Rate;
  /** Of classes that charge what is written by its size, too. */
  readonly uploadPerGB?: Rate;
  /** Of classes that watch what is read. */
  readonly monitoringPer1000ObjectsMonth?: Rate;
  readonly retrievalPerGB: ByWay;
  readonly retrievalRequestPer1000: ByWay;
}

/** What is charged in one place. */
export interface PlacePrices {
  readonly classes: Readonly<Record<string, ClassPrices | null>>;
  readonly dataTransferOutInternet: { readonly tiers: Rate } | null;
  readonly listPer1000: Rate;
}

/** Rules that objects of a storage class are billed by. */
export interface ClassRule {
  /** Null where they are not known. */
  readonly minStorageDays: number | null;
  readonly minBillableBytes: number | null;
  /** Of classes that watch what is read: smaller objects are not. */
  readonly minMonitoredBytes?: number;
  readonly overheadBytesAtClassRate?: number;
  readonly overheadBytesAtStandardRate?: number;
}

/** All that a place charges, and by which rules. */
export interface PriceList extends PlacePrices {
  readonly provider: Provider;
  /** Of each storage class; the same in every region. */
  readonly rules: Readonly<Record<string, ClassRule>>;
  readonly deletePer1000: Rate;
  /** Requests to the service that keeps keys; what nobody lists is unknown and never free. */
  readonly kmsPer1000: Rate;
  /** Bytes of the GB that prices are for. */
  readonly bytesAGB: number;
  /** So many GB of storage are billed a month, even if less is stored. */
  readonly minimumGB: number;
  /** Transfer to the internet that is free each month: GB of the account, and as a multiple of what is stored. */
  readonly freeTransfer: { readonly gb: number; readonly timesStored: number };
  /** Null where the store has no regions. */
  readonly region: string | null;
  /** Date of the list, `YYYY-MM-DD`. */
  readonly pricesOf: string;
  /** How these prices came about, where they are not those of the list: a sentence each. */
  readonly terms: readonly string[];
}

/** Where something is stored. */
export interface PricedPlace {
  /** AWS where it is not given. */
  readonly provider?: Provider | undefined;
  readonly region: string | undefined;
}

/** The prices of a place. */
export type PriceBook = (place: PricedPlace) => PriceList;

const REGIONS: Readonly<Record<string, PlacePrices>> = prices.regions;

export const BYTES_A_GB = 2 ** 30;
/** Of a month that storage is priced by. */
export const DAYS_A_MONTH = 30;

/** Names come from stores and manifests, which may name anything. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** Of a class that nobody lists. */
export const NO_CLASS_PRICES: ClassPrices = {
  storage: null,
  getPer1000: null,
  putPer1000: null,
  transitionInPer1000: null,
  retrievalPerGB: {},
  retrievalRequestPer1000: {},
};

export const NO_PRICES: PlacePrices = { classes: {}, dataTransferOutInternet: null, listPer1000: null };

/** The list of an AWS region; without prices where none are known. */
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

/** Regions of AWS that there are prices of. */
export const PRICED_REGIONS: readonly string[] = Object.keys(REGIONS);

export const classPrices = ({ classes }: PriceList, storageClass: string): ClassPrices | undefined =>
  entryOf(classes, classOnly(storageClass)) ?? undefined;

/** What is written to it is charged by its size, at a price that may not be known. */
export const chargesUploads = (prices: PriceList, storageClass: string): boolean =>
  classPrices(prices, storageClass)?.uploadPerGB !== undefined;

/** Undefined for a class that is not known. */
export const classRule = ({ rules }: PriceList, storageClass: string): ClassRule | undefined =>
  entryOf(rules, storageClass);

/** Whose prices hold, and of when. */
export type PriceOrigin = Pick<PriceList, 'provider' | 'region' | 'pricesOf' | 'terms'>;

/** That of a list, or of what was priced by it. */
export const originOf = ({ provider, region, pricesOf, terms }: PriceOrigin): PriceOrigin => ({
  provider,
  region,
  pricesOf,
  terms,
});
