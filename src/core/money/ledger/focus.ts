// Exports recorded costs as a FOCUS table (FinOps Open Cost and Usage Specification 1.2), which billing tools understand: a row for each
// line of the report in each calendar month of UTC. Columns of what S3 has not (docs/decisions/071-bills.md) are left out.
import { atListPrices } from './at-list-prices.js';
import { monthsOf, nextMonth, type Period } from './period.js';
import type { LedgerRecord } from './record.js';
import { spentIn, type SpentLine } from './report.js';

type Provider = LedgerRecord['provider'];

const VENDOR: Readonly<Record<Provider, string>> = {
  aws: 'Amazon Web Services',
  folder: 'Local storage',
  other: 'S3-compatible storage',
};

const COLUMNS = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'CommitmentDiscountStatus',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'InvoiceId',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingCurrency',
  'PricingCurrencyContractedUnitPrice',
  'PricingCurrencyEffectiveCost',
  'PricingCurrencyListUnitPrice',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'ServiceSubcategory',
  'SkuId',
  'SkuMeter',
  'SkuPriceDetails',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
] as const;

type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** A line without a price, and the month that it is of: `2026-04`. */
export interface UnpricedLine extends SpentLine {
  readonly month: string;
}

export interface FocusTable {
  /** RFC 4180. */
  readonly csv: string;
  /** Costs are never empty in such a table: these lines are not in it. */
  readonly unpriced: readonly UnpricedLine[];
}

/**
 * Makes the table. Earlier records must be included; days are those of the local calendar, which must be UTC. `firstDay` is that of the
 * records, used for periods without a first day.
 */
export function focusTable(records: readonly LedgerRecord[], period: Period, firstDay: string): FocusTable {
  const providers = new Map(records.map(({ store, provider }) => [store, provider]));
  const listed = records.map(atListPrices);
  const rows: Row[] = [];
  const unpriced: UnpricedLine[] = [];
  for (const month of monthsOf(period, firstDay)) {
    const listMicros = new Map(spentIn(listed, month).lines.map((line) => [nameOf(line), line.costMicros]));
    for (const line of spentIn(records, month).lines) {
      const { costMicros } = line;
      const about = { month, provider: providers.get(line.store) ?? 'other', listMicros: listMicros.get(nameOf(line)) };
      if (costMicros === null) unpriced.push({ ...line, month: month.from.slice(0, 7) });
      else if (costMicros !== 0) rows.push(rowOf({ ...line, costMicros }, about));
    }
  }
  const texts = rows.map((row) => COLUMNS.map((name) => field(row[name])).join(','));
  return { csv: `${[COLUMNS.join(','), ...texts].join('\r\n')}\r\n`, unpriced };
}

const nameOf = ({ item, project, region, storageClass, store }: SpentLine): string =>
  JSON.stringify([item, project, region, storageClass, store]);

/** Strings of the specification are ASCII; others are percent-encoded, and `Tags` has the project as it is. */
const ascii = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]+/g, (part) => Buffer.from(part).toString('hex').replaceAll(/../g, '%$&').toUpperCase());

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const DECIMAL = new Intl.NumberFormat('en', { useGrouping: false, maximumSignificantDigits: 12 });
const decimal = (value: number): string => DECIMAL.format(value);
const momentOf = (day: string): string => `${day}T00:00:00Z`;

const GIB = 2 ** 30;
const MICROS = 1e6;

/** Names of what is metered, and the units, by item; AWS bills GB of 2^30 bytes. Others are bytes. */
const METERS: Readonly<Record<string, readonly [meter: string, unit: string, size: number]>> = {
  storage: ['Storage', 'GiB-Months', GIB],
  temporaryCopy: ['Storage of Temporary Copies', 'GiB-Months', GIB],
  requests: ['Requests', 'Requests', 1],
  kms: ['KMS Requests', 'Requests', 1],
  transfer: ['Data Transfer', 'GiB', GIB],
  retrieval: ['Retrieval', 'GiB', GIB],
  upload: ['Upload', 'GiB', GIB],
  earlyDeletion: ['Early Deletion', 'GiB', GIB],
};

/** The quantity in its unit; what costs something and has no size is one charge. */
function quantityOf({ item, quantity }: SpentLine) {
  const [meter, unit, size] = METERS[item] ?? [item, 'GiB', GIB];
  const text = decimal(quantity / size);
  return Number(text) > 0 ? { meter, unit, quantity: text } : { meter, unit: 'Charges', quantity: '1' };
}

interface About {
  readonly month: Period & { readonly from: string };
  readonly provider: Provider;
  /** Null when not known, undefined when the list has no such line. */
  readonly listMicros: number | null | undefined;
}

function rowOf(line: SpentLine & { readonly costMicros: number }, { month, provider, listMicros }: About): Row {
  const { item, project, region, storageClass, store, costMicros } = line;
  const cost = costMicros / MICROS;
  const listCost = (listMicros ?? costMicros) / MICROS;
  const { meter, unit, quantity } = quantityOf(line);
  const [unitPrice, listUnitPrice] = [cost, listCost].map((amount) => decimal(amount / Number(quantity))) as [
    string,
    string,
  ];
  const vendor = VENDOR[provider];
  const isKms = item === 'kms';
  const skuId = [item, storageClass].filter((part) => part !== null).join('/');
  return {
    BilledCost: decimal(cost),
    BillingAccountId: 'archiver',
    BillingAccountName: 'archiver ledger',
    BillingCurrency: 'USD',
    BillingPeriodEnd: momentOf(nextMonth(month.from)),
    BillingPeriodStart: momentOf(`${month.from.slice(0, 8)}01`),
    ChargeCategory: 'Usage',
    ChargeClass: '',
    ChargeDescription: `${item}${storageClass === null ? '' : ` ${storageClass}`} (estimate)`,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: momentOf(month.until),
    ChargePeriodStart: momentOf(month.from),
    // Always empty, and yet rules of ConsumedQuantity ask for it.
    CommitmentDiscountStatus: '',
    ConsumedQuantity: quantity,
    ConsumedUnit: unit,
    ContractedCost: decimal(cost),
    ContractedUnitPrice: unitPrice,
    EffectiveCost: decimal(cost),
    // There is no invoice of an estimate.
    InvoiceId: '',
    InvoiceIssuerName: vendor,
    ListCost: decimal(listCost),
    ListUnitPrice: listUnitPrice,
    PricingCategory: 'Standard',
    PricingCurrency: 'USD',
    PricingCurrencyContractedUnitPrice: unitPrice,
    PricingCurrencyEffectiveCost: decimal(cost),
    PricingCurrencyListUnitPrice: listUnitPrice,
    PricingQuantity: quantity,
    PricingUnit: unit,
    ProviderName: vendor,
    PublisherName: vendor,
    RegionId: region ?? '',
    RegionName: region ?? '',
    ResourceId: ascii(store),
    ResourceName: ascii(store),
    ResourceType: 'Object store',
    ServiceCategory: isKms ? 'Security' : 'Storage',
    ServiceName: isKms ? 'AWS Key Management Service' : provider === 'aws' ? 'Amazon Simple Storage Service' : vendor,
    ServiceSubcategory: isKms ? 'Other (Security)' : 'Object Storage',
    SkuId: skuId,
    SkuMeter: meter,
    SkuPriceDetails: JSON.stringify(storageClass === null ? { x_Item: item } : { StorageClass: storageClass }),
    SkuPriceId: [skuId, region].filter((part) => part !== null).join('/'),
    SubAccountId: ascii(project ?? ''),
    SubAccountName: ascii(project ?? ''),
    Tags: JSON.stringify(project === null ? {} : { project }),
  };
}
