// The list prices of every provider as the model takes them. If a provider bills something by its own rules (a full TB a month, decimal GB,
// free transfer as a multiple of what is stored), the list says so and the model needs no names.
import { BYTES_A_GB, NO_PRICES, type PriceBook, type PricedPlace, type PriceList, pricesIn } from './price-table.js';
import prices from './prices.json' with { type: 'json' };

const { wasabi, b2 } = prices.providers;

const FREE_REQUESTS = {
  getPer1000: 0,
  putPer1000: 0,
  transitionInPer1000: null,
  retrievalPerGB: { instant: 0 },
  retrievalRequestPer1000: { instant: 0 },
};

/** Transfer up to the amount of stored bytes is free; beyond that Wasabi may limit the service, and bills nothing. */
const WASABI: Partial<PriceList> = {
  classes: { STANDARD: { ...FREE_REQUESTS, storage: wasabi.storagePerTBMonth / 1024 } },
  dataTransferOutInternet: { tiers: wasabi.egressPerGB },
  listPer1000: wasabi.requests,
  deletePer1000: wasabi.requests,
  rules: {
    STANDARD: { minStorageDays: wasabi.minStorageDays, minBillableBytes: wasabi.minBillableObjectBytes },
  },
  minimumGB: wasabi.minMonthlyTB * 1024,
  freeTransfer: { gb: 0, timesStored: 1 },
};

const B2: Partial<PriceList> = {
  classes: {
    STANDARD: {
      ...FREE_REQUESTS,
      storage: [
        { upToGB: b2.freeStorageGB, usdPerGBMonth: 0 },
        { upToGB: null, usdPerGBMonth: b2.storagePerGBMonth },
      ],
    },
  },
  dataTransferOutInternet: { tiers: b2.egressPerGB },
  listPer1000: b2.requests.classC,
  deletePer1000: b2.requests.classA,
  rules: { STANDARD: { minStorageDays: b2.minStorageDays, minBillableBytes: b2.minBillableObjectBytes } },
  bytesAGB: 1e9,
  freeTransfer: { gb: 0, timesStored: 3 },
};

/** Providers with a single price list. */
const OTHERS: Readonly<Partial<Record<PriceList['provider'], Partial<PriceList>>>> = { wasabi: WASABI, b2: B2 };

/** Values for providers without a list: no prices, and no rules that would make a small object expensive. */
const UNLISTED = {
  ...NO_PRICES,
  rules: { STANDARD: { minStorageDays: 0, minBillableBytes: 0 } },
  deletePer1000: null,
  kmsPer1000: null,
  bytesAGB: BYTES_A_GB,
  freeTransfer: { gb: 0, timesStored: 0 },
};

/** Returns the list prices of a place. */
export const listPrices: PriceBook = ({ provider = 'aws', region }) => {
  const aws = pricesIn(region);
  return provider === 'aws' ? aws : { ...aws, ...UNLISTED, ...OTHERS[provider], provider };
};

/** Returns the place by which an opened store is billed: a server that is not AWS has no list unless its provider is known. */
export function bookedPlace({
  provider = 'custom',
  region,
  isAws,
}: PricedPlace & { readonly isAws: boolean }): PricedPlace {
  return isAws || provider === 'aws' ? { provider: 'aws', region } : { provider, region: undefined };
}

/**
 * Returns the list with the monthly free transfer as its first band. Right for the bill of a whole account, but not for an estimate of the
 * most that one thing costs, because something else may have used it up.
 */
export function withFreeTransfer(list: PriceList, storedBytes: number): PriceList {
  const { dataTransferOutInternet, freeTransfer, bytesAGB } = list;
  const tiers = dataTransferOutInternet?.tiers;
  const freeGB = freeTransfer.gb + (freeTransfer.timesStored * storedBytes) / bytesAGB;
  if (tiers === undefined || tiers === null || freeGB === 0) return list;
  const bands = typeof tiers === 'number' ? [{ upToGB: null, usdPerGB: tiers }] : tiers;
  const paid = bands.filter(({ upToGB }) => upToGB === null || upToGB > freeGB);
  return { ...list, dataTransferOutInternet: { tiers: [{ upToGB: freeGB, usdPerGB: 0 }, ...paid] } };
}
