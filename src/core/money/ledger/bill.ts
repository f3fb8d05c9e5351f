// Reads a bill as CSV: an AWS Cost and Usage Report (columns `lineItem/…`, or `line_item_…` in its second version) or a FOCUS export. Only
// amounts of S3 are taken, and each is assigned to the ledger item that it is for.
import { integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

export interface BilledLine {
  readonly bucket: string;
  /** Item as in the ledger: `storage`, `requests`, `retrieval`, `transfer`, `earlyDeletion`; otherwise `other`. */
  readonly item: string;
  readonly costUsd: number;
}

export interface Bill {
  readonly form: 'cur' | 'focus';
  /** First and last moment that are billed, ISO 8601; null when there is no line. */
  readonly from: string | null;
  readonly until: string | null;
  /** Summed by bucket and item. */
  readonly lines: readonly BilledLine[];
  readonly rows: number;
  /** Number of rows of other services. */
  readonly otherRows: number;
}

type Column = 'cost' | 'service' | 'resource' | 'usage' | 'start' | 'end' | 'currency';

const FORMS: readonly (readonly [Bill['form'], Readonly<Record<Column, readonly string[]>>])[] = [
  [
    'cur',
    {
      cost: ['lineItem/UnblendedCost', 'line_item_unblended_cost'],
      service: ['lineItem/ProductCode', 'line_item_product_code'],
      resource: ['lineItem/ResourceId', 'line_item_resource_id'],
      usage: ['lineItem/UsageType', 'line_item_usage_type'],
      start: ['lineItem/UsageStartDate', 'line_item_usage_start_date'],
      end: ['lineItem/UsageEndDate', 'line_item_usage_end_date'],
      currency: ['lineItem/CurrencyCode', 'line_item_currency_code'],
    },
  ],
  [
    'focus',
    {
      cost: ['EffectiveCost', 'BilledCost'],
      service: ['ServiceName'],
      resource: ['ResourceId'],
      usage: ['x_UsageType', 'SkuMeter', 'SkuId', 'ChargeDescription'],
      start: ['ChargePeriodStart'],
      end: ['ChargePeriodEnd'],
      currency: ['BillingCurrency'],
    },
  ],
];

const S3 = /^(?:AmazonS3(?:Glacier\w*)?|Amazon Simple Storage Service|Amazon S3.*)$/;

/** Ledger items by S3 usage type, such as `USW2-TimedStorage-ByteHrs`. */
const ITEMS: readonly (readonly [RegExp, string])[] = [
  [/EarlyDelete/i, 'earlyDeletion'],
  [/Retrieval|Restore/i, 'retrieval'],
  [/DataTransfer|-Out-Bytes|^transfer/i, 'transfer'],
  [/Requests/i, 'requests'],
  [/TimedStorage|Storage|Monitoring|temporaryCopy/i, 'storage'],
];

const itemOf = (usage: string): string => ITEMS.find(([pattern]) => pattern.test(usage))?.[1] ?? 'other';

/** Returns the bucket of a resource, which is a name, an ARN or a URL. */
const bucketOf = (resource: string): string => resource.replace(/^arn:[^:]*:s3:::|^s3:\/\//, '').split('/', 1)[0] ?? '';

/** Reads and sums the rows. @throws integrity where the table is no such bill, or an amount is not a number or not in USD */
export async function readBill(rows: AsyncIterable<readonly string[]>): Promise<Bill> {
  let columns: ReturnType<typeof columnsOf> | undefined;
  const sums = new Map<string, BilledLine>();
  const counts = { rows: 0, otherRows: 0 };
  let times: readonly string[] = [];
  for await (const row of rows) {
    if (columns === undefined) {
      columns = columnsOf(row);
      continue;
    }
    counts.rows++;
    const { places } = columns;
    const at = (column: Column): string => row[places.get(column) ?? -1] ?? '';
    if (!S3.test(at('service'))) {
      counts.otherRows++;
      continue;
    }
    if (!['', 'USD'].includes(at('currency')))
      throw integrityError(`row ${counts.rows} is in ${printable(at('currency'))}, and what is recorded is in USD`);
    const costUsd = amountIn(at('cost'), counts.rows);
    const [bucket, item] = [bucketOf(at('resource')), itemOf(at('usage'))];
    const name = JSON.stringify([bucket, item]);
    sums.set(name, { bucket, item, costUsd: costUsd + (sums.get(name)?.costUsd ?? 0) });
    times = widened(times, momentIn(at('start'), counts.rows), momentIn(at('end'), counts.rows));
  }
  if (columns === undefined) throw notABill();
  return { form: columns.form, from: times[0] ?? null, until: times[1] ?? null, lines: [...sums.values()], ...counts };
}

/** Extends a time range to include both times. */
function widened([first, last]: readonly string[], start: string, end: string): readonly string[] {
  return [first === undefined || start < first ? start : first, last === undefined || end > last ? end : last];
}

/** Finds the form of the bill and the position of each column. @throws integrity where the table is no bill */
function columnsOf(head: readonly string[]) {
  const names = head.map((name) => name.replace('\ufeff', ''));
  for (const [form, wanted] of FORMS) {
    const places = new Map<Column, number>();
    for (const [column, ways] of Object.entries(wanted) as [Column, readonly string[]][]) {
      const name = ways.find((one) => names.includes(one));
      if (name !== undefined) places.set(column, names.indexOf(name));
    }
    // The currency is optional.
    const isThere = Object.keys(wanted).every((column) => column === 'currency' || places.has(column as Column));
    if (isThere) return { form, places };
  }
  throw notABill();
}

const notABill = (): Error =>
  integrityError('the table has neither the columns of a Cost and Usage Report nor those of FOCUS', {
    hint: 'export it with resource ids, as CSV or CSV.gz',
  });

function amountIn(text: string, row: number): number {
  const amount = Number(text);
  if (text.trim() === '' || !Number.isFinite(amount)) throw integrityError(`the cost in row ${row} is not a number`);
  return amount;
}

function momentIn(text: string, row: number): string {
  const time = Date.parse(/[zZ]|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(time)) throw integrityError(`the time in row ${row} is not a time`);
  return new Date(time).toISOString();
}
