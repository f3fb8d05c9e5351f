// Exports recorded costs as a FOCUS table (FinOps Open Cost and Usage Specification 1.0), which billing tools understand: a row for each
// line of the report, with the columns of the specification that a record can fill; quantities are not among them.
import type { Period } from './period.js';
import { startOf } from './days.js';
import { usdOf } from './micros.js';
import type { SpentLine } from './report.js';

const VENDOR: Readonly<Record<'aws' | 'folder' | 'other', string>> = {
  aws: 'Amazon Web Services',
  folder: 'Local storage',
  other: 'S3-compatible storage',
};

export interface FocusLine extends SpentLine {
  readonly provider: 'aws' | 'folder' | 'other';
}

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
  'ContractedCost',
  'EffectiveCost',
  'InvoiceIssuerName',
  'ListCost',
  'PricingCategory',
  'ProviderName',
  'PublisherName',
  'RegionId',
  'RegionName',
  'ResourceId',
  'ResourceName',
  'ResourceType',
  'ServiceCategory',
  'ServiceName',
  'SkuId',
  'SubAccountId',
  'SubAccountName',
  'Tags',
] as const;

type Row = Readonly<Record<(typeof COLUMNS)[number], string>>;

/** Returns the table as CSV (RFC 4180). Unknown amounts are left empty. `firstDay` is that of the records, used for `all`. */
export function focusCsv(lines: readonly FocusLine[], period: Period, firstDay: string): string {
  const rows = lines.filter(({ costMicros }) => costMicros !== 0).map((line) => rowOf(line, period, firstDay));
  const texts = rows.map((row) => COLUMNS.map((name) => field(row[name])).join(','));
  return `${[COLUMNS.join(','), ...texts].join('\r\n')}\r\n`;
}

const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function rowOf(line: FocusLine, { from, until }: Period, firstDay: string): Row {
  const { item, project, region, storageClass, store, provider, costMicros } = line;
  const usd = usdOf(costMicros);
  const cost = usd === null ? '' : usd.toFixed(6);
  const [start, end] = [from ?? firstDay, until].map((day) => startOf(day).toISOString().replace('.000Z', 'Z'));
  const vendor = VENDOR[provider];
  return {
    BilledCost: cost,
    BillingAccountId: 'archiver',
    BillingAccountName: 'archiver ledger',
    BillingCurrency: 'USD',
    BillingPeriodEnd: end ?? '',
    BillingPeriodStart: start ?? '',
    ChargeCategory: 'Usage',
    ChargeClass: '',
    ChargeDescription: `${item}${storageClass === null ? '' : ` ${storageClass}`} (estimate)`,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: end ?? '',
    ChargePeriodStart: start ?? '',
    ContractedCost: cost,
    EffectiveCost: cost,
    InvoiceIssuerName: vendor,
    ListCost: cost,
    PricingCategory: 'Standard',
    ProviderName: vendor,
    PublisherName: vendor,
    RegionId: region ?? '',
    RegionName: region ?? '',
    ResourceId: store,
    ResourceName: store,
    ResourceType: 'Object store',
    ServiceCategory: 'Storage',
    ServiceName: provider === 'aws' ? 'Amazon Simple Storage Service' : vendor,
    SkuId: [item, storageClass].filter((part) => part !== null).join('/'),
    SubAccountId: project ?? '',
    SubAccountName: project ?? '',
    Tags: JSON.stringify(project === null ? {} : { project }),
  };
}
