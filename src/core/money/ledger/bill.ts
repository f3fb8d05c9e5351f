// Reads a bill as CSV: an AWS Cost and Usage Report (columns `lineItem/…`, or `line_item_…` in its second version) or a FOCUS export. Only
// amounts of S3 are taken, and each is assigned to the ledger item that it is for.
import { integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

export type Charge = 'usage' | 'credit' | 'refund' | 'tax';

export interface BilledLine {
  readonly charge: Charge;
  /** Empty where the bill names none. */
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
  /** Summed by charge, bucket and item. */
  readonly lines: readonly BilledLine[];
  readonly rows: number;
  /** Number of rows of other services. */
  readonly otherRows: number;
}

type Column = 'cost' | 'service' | 'resource' | 'usage' | 'start' | 'end' | 'currency' | 'type' | 'correction';

/** Columns that a bill may do without. */
const OPTIONAL = new Set<Column>(['currency', 'resource', 'type', 'correction']);

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
      type: ['lineItem/LineItemType', 'line_item_line_item_type'],
      correction: [],
    },
  ],
  [
    'focus',
    {
      cost: ['BilledCost', 'EffectiveCost'],
      service: ['ServiceName'],
      resource: ['ResourceId'],
      usage: ['x_UsageType', 'SkuMeter', 'SkuId', 'ChargeDescription'],
      start: ['ChargePeriodStart'],
      end: ['ChargePeriodEnd'],
      currency: ['BillingCurrency'],
      type: ['ChargeCategory'],
      correction: ['ChargeClass'],
    },
  ],
];

const S3 = /^(?:AmazonS3(?:Glacier\w*)?|Amazon Simple Storage Service|Amazon S3.*)$/;

/** Ledger items by S3 usage type, such as `USW2-TimedStorage-ByteHrs`. */
const ITEMS: readonly (readonly [RegExp, string])[] = [
  [/Early ?Delet/i, 'earlyDeletion'],
  [/Retrieval|Restore/i, 'retrieval'],
  [/Data ?Transfer|-Out-Bytes|^transfer/i, 'transfer'],
  [/Requests/i, 'requests'],
  [/Upload/i, 'upload'],
  [/TimedStorage|Storage|Monitoring|temporaryCopy/i, 'storage'],
];

const itemOf = (usage: string): string => ITEMS.find(([pattern]) => pattern.test(usage))?.[1] ?? 'other';

/** The charge of a line by its type in either form; a bill without types tells what is credited by its sign alone. */
function chargeOf(type: string, correction: string, costUsd: number): Charge {
  if (/^Tax$/i.test(type)) return 'tax';
  if (/^Refund$/i.test(type)) return 'refund';
  if (costUsd < 0) return /^Adjustment$/i.test(type) || correction === 'Correction' ? 'refund' : 'credit';
  return /^Credit$/i.test(type) ? 'credit' : 'usage';
}

/** Returns the bucket of a resource, which is a name, an ARN or a URL. */
const bucketOf = (resource: string): string => resource.replace(/^arn:[^:]*:s3:::|^s3:\/\//, '').split('/', 1)[0] ?? '';

/**
 * Reads and sums the rows. @throws integrity where the table is no such bill, names no bucket at all, or an amount is not a number or not in
 * USD
 */
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
    const charge = chargeOf(at('type'), at('correction'), costUsd);
    const name = JSON.stringify([charge, bucket, item]);
    sums.set(name, { charge, bucket, item, costUsd: costUsd + (sums.get(name)?.costUsd ?? 0) });
    times = widened(times, momentIn(at('start'), counts.rows), momentIn(at('end'), counts.rows));
  }
  if (columns === undefined) throw notABill();
  const lines = [...sums.values()];
  if (lines.some(({ charge }) => charge === 'usage') && lines.every(({ bucket }) => bucket === ''))
    throw integrityError(
      'the bill has no resource ids, so that no line of it can be told from those of other buckets',
      {
        hint: 'export it again and include resource ids',
      },
    );
  return { form: columns.form, from: times[0] ?? null, until: times[1] ?? null, lines, ...counts };
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
    const isThere = Object.keys(wanted).every(
      (column) => OPTIONAL.has(column as Column) || places.has(column as Column),
    );
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
