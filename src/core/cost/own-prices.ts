// Prices as this lab pays them: a discount off every list price, and prices of its own that replace those of the list. Shown with every
// amount (`terms`).
import { usageError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import { listPrices } from './price-book.js';
import {
  type Band,
  type ClassPrices,
  entryOf,
  NO_CLASS_PRICES,
  type PriceBook,
  type PriceList,
  type Rate,
  type RetrievalWay,
} from './price-table.js';
import type { Provider } from '../store/providers/provider.js';

/** The settings for prices in the config file. */
export interface PriceSettings {
  /** Discount off the list, as a fraction. */
  readonly discount: number | undefined;
  /** USD by name: `STANDARD.storage`, `GLACIER.restore.bulk`, `transferOut`. */
  readonly own: Readonly<Record<string, string>>;
  /** Provider of the server if it is not AWS. */
  readonly provider: Provider | undefined;
}

const WAYS: readonly RetrievalWay[] = ['instant', 'expedited', 'standard', 'bulk'];
const OF_CLASS = {
  storage: 'storage',
  get: 'getPer1000',
  put: 'putPer1000',
  upload: 'uploadPerGB',
  transition: 'transitionInPer1000',
  monitoring: 'monitoringPer1000ObjectsMonth',
} as const;
const BY_WAY = { retrieval: 'retrievalPerGB', restore: 'retrievalRequestPer1000' } as const;
const HINT =
  'name prices as CLASS.storage (per GB and month), CLASS.get, CLASS.put and CLASS.transition (per 1,000), CLASS.retrieval ' +
  'and CLASS.restore with .expedited, .standard or .bulk, list and kms (per 1,000) and transferOut (per GB)';

/** Returns a price book with these settings on top of `base`. @throws usage for an invalid price, or one of something that is not sold */
export function ownPrices({ discount = 0, own }: PriceSettings, base: PriceBook = listPrices): PriceBook {
  const prices = Object.entries(own).map(([name, text]) => [name, priceOf(name, text)] as const);
  const replace = prices.map(([name, usd]) => replacement(name, usd));
  const terms = [
    ...(discount === 0 ? [] : [`${Number((discount * 100).toFixed(4))}% off the list (costControl.priceDiscount)`]),
    ...(prices.length === 0
      ? []
      : [`own prices of ${prices.map(([name]) => printable(name)).join(', ')} (costControl.ownPrices)`]),
  ];
  if (terms.length === 0) return base;
  return (place) => {
    const list = base(place);
    const found = replace.reduce((current, one) => one(current), discounted(list, 1 - discount));
    return { ...found, terms: [...list.terms, ...terms] };
  };
}

function priceOf(name: string, text: string): number {
  const usd = /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isFinite(usd)) return usd;
  throw usageError(
    `costControl.ownPrices: the price of ${printable(name)} is '${printable(text)}', which is no amount in USD`,
  );
}

type Replace = (list: PriceList) => PriceList;

function replacement(name: string, usd: number): Replace {
  if (name === 'list') return (list) => ({ ...list, listPer1000: usd });
  if (name === 'kms') return (list) => ({ ...list, kmsPer1000: usd });
  if (name === 'transferOut') return (list) => ({ ...list, dataTransferOutInternet: { tiers: usd } });
  const [storageClass = '', kind = '', way = 'instant', ...more] = name.split('.');
  const ofClass = entryOf<keyof ClassPrices>(OF_CLASS, kind);
  const byWay = entryOf<'retrievalPerGB' | 'retrievalRequestPer1000'>(BY_WAY, kind);
  const isWay = (WAYS as readonly string[]).includes(way);
  const isPlain = name.split('.').length === 2;
  if (!/^[A-Z_]+$/.test(storageClass) || more.length > 0 || !(ofClass === undefined ? byWay && isWay : isPlain))
    throw usageError(`costControl.ownPrices: there is no price called '${printable(name)}'`, HINT);
  return (list) => {
    const before = entryOf(list.classes, storageClass) ?? NO_CLASS_PRICES;
    const after = byWay === undefined ? { [ofClass ?? '']: usd } : { [byWay]: { ...before[byWay], [way]: usd } };
    return { ...list, classes: { ...list.classes, [storageClass]: { ...before, ...after } } };
  };
}

/** Multiplies every price of the list by `factor`. */
function discounted(list: PriceList, factor: number): PriceList {
  if (factor === 1) return list;
  const times = (rate: Rate | undefined): Rate => {
    if (rate === null || rate === undefined) return null;
    return typeof rate === 'number' ? rate * factor : rate.map((band) => bandTimes(band, factor));
  };
  const timesEach = <T extends object>(rates: T): T =>
    Object.fromEntries(Object.entries(rates).map(([way, rate]: [string, Rate]) => [way, times(rate)])) as T;
  const classTimes = ({ retrievalPerGB, retrievalRequestPer1000, ...flat }: ClassPrices): ClassPrices => ({
    ...timesEach(flat),
    retrievalPerGB: timesEach(retrievalPerGB),
    retrievalRequestPer1000: timesEach(retrievalRequestPer1000),
  });
  const classes = Object.entries(list.classes).map(([name, own]) => [name, own === null ? null : classTimes(own)]);
  return {
    ...list,
    classes: Object.fromEntries(classes) as PriceList['classes'],
    dataTransferOutInternet: { tiers: times(list.dataTransferOutInternet?.tiers) },
    listPer1000: times(list.listPer1000),
    deletePer1000: times(list.deletePer1000),
    kmsPer1000: times(list.kmsPer1000),
  };
}

const bandTimes = ({ upToGB, usdPerGB, usdPerGBMonth }: Band, factor: number): Band => ({
  upToGB,
  ...(usdPerGB === undefined ? {} : { usdPerGB: usdPerGB * factor }),
  ...(usdPerGBMonth === undefined ? {} : { usdPerGBMonth: usdPerGBMonth * factor }),
});
