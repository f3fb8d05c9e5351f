// Converts products of the AWS price list to the prices of a region. A product is one usage type, and a usage type may stand for several
// things depending on its operation. Products that are not recognized, or have two prices, keep the price of the built-in list, and are
// counted.
import {
  type Band,
  type ClassPrices,
  NO_CLASS_PRICES,
  type PlacePrices,
  type Rate,
  type RetrievalWay,
} from '../../cost/price-table.js';

/** Maps a usage type to a price field of a class. */
interface Meter {
  readonly usage: string;
  /** Operations to look for, by preference; any when not given. */
  readonly operations?: readonly string[];
  readonly storageClass: string;
  readonly field: keyof ClassPrices;
  readonly way?: RetrievalWay;
}

const PUT = ['', 'PutObject', 'PostObject'];
const GET = ['', 'GetObject'];
const RESTORE = ['RestoreObject'];
const DEEP_RESTORE = ['DeepArchiveRestoreObject'];

const meter = (
  usage: string,
  storageClass: string,
  field: keyof ClassPrices,
  more: Pick<Meter, 'operations' | 'way'> = {},
): Meter => ({ usage, storageClass, field, ...more });

const requests = (name: string, storageClass: string): readonly Meter[] => [
  meter(`Requests-${name}Tier1`, storageClass, 'putPer1000', { operations: PUT }),
  meter(`Requests-${name}Tier2`, storageClass, 'getPer1000', { operations: GET }),
];
const transition = (usage: string, operation: string, storageClass: string): Meter =>
  meter(usage, storageClass, 'transitionInPer1000', { operations: [operation] });
const retrieval = (usage: string, storageClass: string, way: RetrievalWay, operations?: readonly string[]): Meter =>
  meter(usage, storageClass, 'retrievalPerGB', { way, ...(operations && { operations }) });
const restore = (usage: string, storageClass: string, way: RetrievalWay, operations?: readonly string[]): Meter =>
  meter(usage, storageClass, 'retrievalRequestPer1000', { way, ...(operations && { operations }) });

const METERS: readonly Meter[] = [
  meter('TimedStorage-ByteHrs', 'STANDARD', 'storage'),
  meter('TimedStorage-SIA-ByteHrs', 'STANDARD_IA', 'storage'),
  meter('TimedStorage-ZIA-ByteHrs', 'ONEZONE_IA', 'storage'),
  meter('TimedStorage-INT-FA-ByteHrs', 'INTELLIGENT_TIERING', 'storage'),
  meter('TimedStorage-GIR-ByteHrs', 'GLACIER_IR', 'storage'),
  meter('TimedStorage-GlacierByteHrs', 'GLACIER', 'storage'),
  meter('TimedStorage-GDA-ByteHrs', 'DEEP_ARCHIVE', 'storage'),
  ...requests('', 'STANDARD'),
  ...requests('SIA-', 'STANDARD_IA'),
  ...requests('ZIA-', 'ONEZONE_IA'),
  ...requests('INT-', 'INTELLIGENT_TIERING'),
  ...requests('GIR-', 'GLACIER_IR'),
  ...requests('GLACIER-', 'GLACIER'),
  ...requests('GDA-', 'DEEP_ARCHIVE'),
  meter('Requests-GDA-Tier1', 'DEEP_ARCHIVE', 'initiateMultipartPer1000', { operations: ['InitiateMultipartUpload'] }),
  meter('Requests-GDA-Tier1', 'DEEP_ARCHIVE', 'uploadPartPer1000', { operations: ['UploadPart'] }),
  meter('Requests-GDA-Tier1', 'DEEP_ARCHIVE', 'completeMultipartPer1000', { operations: ['CompleteMultipartUpload'] }),
  meter('Monitoring-Automation-INT', 'INTELLIGENT_TIERING', 'monitoringPer1000ObjectsMonth'),
  transition('Requests-Tier4', 'S3-SIATransition', 'STANDARD_IA'),
  transition('Requests-Tier4', 'S3-ZIATransition', 'ONEZONE_IA'),
  transition('Requests-Tier4', 'S3-INTTransition', 'INTELLIGENT_TIERING'),
  transition('Requests-Tier4', 'S3-GIRTransition', 'GLACIER_IR'),
  transition('Requests-Tier3', 'S3-GlacierTransition', 'GLACIER'),
  transition('Requests-Tier3', 'S3-GDATransition', 'DEEP_ARCHIVE'),
  retrieval('Retrieval-SIA', 'STANDARD_IA', 'instant'),
  retrieval('Retrieval-ZIA', 'ONEZONE_IA', 'instant'),
  retrieval('Retrieval-GIR', 'GLACIER_IR', 'instant'),
  retrieval('Expedited-Retrieval-Bytes', 'GLACIER', 'expedited'),
  retrieval('Standard-Retrieval-Bytes', 'GLACIER', 'standard', RESTORE),
  retrieval('Bulk-Retrieval-Bytes', 'GLACIER', 'bulk', RESTORE),
  retrieval('Standard-Retrieval-Bytes', 'DEEP_ARCHIVE', 'standard', DEEP_RESTORE),
  retrieval('Bulk-Retrieval-Bytes', 'DEEP_ARCHIVE', 'bulk', DEEP_RESTORE),
  restore('Requests-Tier3', 'GLACIER', 'standard', RESTORE),
  restore('Requests-Tier5', 'GLACIER', 'bulk'),
  restore('Requests-Tier6', 'GLACIER', 'expedited'),
  restore('Requests-GDA-Tier3', 'DEEP_ARCHIVE', 'standard'),
  restore('Requests-GDA-Tier5', 'DEEP_ARCHIVE', 'bulk'),
];

/** Number of prices that can be found: those above, listings, and transfer. */
export const METER_COUNT = METERS.length + 2;

const TRANSFER = 'DataTransfer-Out-Bytes';
/** Region prefix of a usage type outside us-east-1. */
const PREFIX = /^[A-Z]{2,4}\d?$/;

interface Product {
  readonly usage: string;
  readonly operation: string;
  readonly bands: readonly { readonly upTo: number | null; readonly usd: number }[];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const below = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((found, key) => (isRecord(found) ? found[key] : undefined), value);
const textAt = (value: unknown, ...keys: readonly string[]): string | undefined => {
  const found = below(value, ...keys);
  return typeof found === 'string' ? found : undefined;
};
const recordsAt = (value: unknown, key: string): readonly unknown[] => {
  const found = below(value, key);
  return isRecord(found) ? Object.values(found) : [];
};

function productOf(text: string): Product | undefined {
  let item: unknown;
  try {
    item = JSON.parse(text);
  } catch {
    return undefined; // not a product: counted with those not found
  }
  const usage = textAt(item, 'product', 'attributes', 'usagetype');
  if (usage === undefined) return undefined;
  const operation = textAt(item, 'product', 'attributes', 'operation') ?? '';
  const dimensions = recordsAt(below(item, 'terms'), 'OnDemand').flatMap((term) => recordsAt(term, 'priceDimensions'));
  const bands = dimensions.flatMap((dimension) => {
    const usd = Number(textAt(dimension, 'pricePerUnit', 'USD') ?? Number.NaN);
    const end = textAt(dimension, 'endRange') ?? 'Inf';
    const upTo = end === 'Inf' ? null : Number(end);
    return Number.isFinite(usd) && usd >= 0 && (upTo === null || upTo > 0) ? [{ upTo, usd }] : [];
  });
  if (bands.length === 0) return undefined;
  return { usage, operation, bands: bands.sort((a, b) => (a.upTo ?? Infinity) - (b.upTo ?? Infinity)) };
}

/** Compares the usage type without its region prefix. */
function isUsage(product: Product, name: string): boolean {
  if (product.usage === name) return true;
  if (!product.usage.endsWith(`-${name}`)) return false;
  return PREFIX.test(product.usage.slice(0, -name.length - 1));
}

type Unit = 'storage' | 'thousand' | 'GB';

/** A leading band without a price is a free allowance, and is skipped. */
function rateOf({ bands }: Product, unit: Unit): Rate {
  const paid = bands.length > 1 && bands[0]?.usd === 0 ? bands.slice(1) : bands;
  const [first] = paid;
  if (unit === 'thousand') return Number(((first?.usd ?? 0) * 1000).toPrecision(12));
  if (unit === 'GB' && paid.length === 1) return first?.usd ?? 0;
  return paid.map(({ upTo, usd }): Band => ({
    upToGB: upTo,
    ...(unit === 'storage' ? { usdPerGBMonth: usd } : { usdPerGB: usd }),
  }));
}

/** Returns the only price of these products; undefined when there is none, or several. */
function onlyRate(products: readonly Product[], unit: Unit): Rate | undefined {
  const rates = new Map(products.map((product) => [JSON.stringify(product.bands), product]));
  const [only] = rates.values();
  return only === undefined || rates.size > 1 ? undefined : rateOf(only, unit);
}

const unitOf = ({ field }: Meter): Unit =>
  field === 'storage' ? 'storage' : field === 'retrievalPerGB' ? 'GB' : 'thousand';

function meterRate(products: readonly Product[], one: Meter): Rate | undefined {
  const named = products.filter((product) => isUsage(product, one.usage));
  const unit = unitOf(one);
  if (one.operations === undefined) return onlyRate(named, unit);
  for (const operation of one.operations) {
    const own = named.filter((product) => product.operation === operation);
    if (own.length > 0) return onlyRate(own, unit);
  }
  return undefined;
}

export interface LivePlace {
  /** Prices of the list, overridden by those found. */
  readonly prices: PlacePrices;
  readonly found: number;
}

/** Reads the prices from `products`, JSON texts of products of this region. */
export function livePlace(products: readonly string[], list: PlacePrices): LivePlace {
  const read = products.flatMap((text) => productOf(text) ?? []);
  const classes: Record<string, ClassPrices | null> = { ...list.classes };
  let found = 0;
  for (const one of METERS) {
    const rate = meterRate(read, one);
    if (rate === undefined) continue;
    found++;
    const before = classes[one.storageClass] ?? NO_CLASS_PRICES;
    const { field, way } = one;
    const byWay = field === 'retrievalPerGB' || field === 'retrievalRequestPer1000' ? before[field] : undefined;
    classes[one.storageClass] = {
      ...before,
      [field]: byWay === undefined || way === undefined ? rate : { ...byWay, [way]: rate },
    };
  }
  const standard = meterRate(read, meter('Requests-Tier1', 'STANDARD', 'putPer1000', { operations: PUT }));
  const sent = onlyRate(
    read.filter((product) => isUsage(product, TRANSFER)),
    'GB',
  );
  return {
    prices: {
      classes,
      listPer1000: standard ?? list.listPer1000,
      dataTransferOutInternet: sent === undefined ? list.dataTransferOutInternet : { tiers: sent },
    },
    found: found + (standard === undefined ? 0 : 1) + (sent === undefined ? 0 : 1),
  };
}
