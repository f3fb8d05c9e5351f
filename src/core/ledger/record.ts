// What a run used and stored, and what that costs: one record a run. A record is checked when it is appended and when it
// is read, by the same rules.
import type { Usage } from '../cost/cost-model.js';
import type { Operation } from '../events.js';
import { integrityError } from '../failures/errors.js';
import { Fields } from '../json/json-fields.js';

/** What was done. A thaw asks for content of cold storage and reads none. */
const RECORDED_OPERATIONS = [
  'upload',
  'sync',
  'migrate',
  'restore',
  'download',
  'thaw',
  'prune',
  'balance',
  'repair',
  'scuttle',
  'lock-extend',
] as const satisfies readonly (Operation | 'thaw')[];

type RecordedOperation = (typeof RECORDED_OPERATIONS)[number];

/** Of them those that make uploads. */
export const UPLOADS: readonly RecordedOperation[] = ['upload', 'sync', 'migrate'];

const KINDS = [
  'get',
  'head',
  'put',
  'copy',
  'kms',
  'upload',
  'list',
  'restore',
  'retrieval',
  'storage',
  'transferOut',
] as const satisfies readonly Usage['kind'][];
/** `killed`: it did not end, and what it used at last is not in the record. */
const OUTCOMES = ['done', 'partial', 'failed', 'interrupted', 'killed'] as const;
const PROVIDERS = ['aws', 'folder', 'other'] as const;

type RecordedOutcome = (typeof OUTCOMES)[number];

/** What is charged once: requests, or bytes; of `storage` bytes times months. */
export interface Used extends Pick<Usage, 'storageClass' | 'way' | 'quantity'> {
  readonly kind: (typeof KINDS)[number];
}

/** Change of what lies in the store; negative where it was deleted. */
export interface StoredChange {
  readonly storageClass: string;
  readonly objects: number;
  readonly bytes: number;
  /** With the smallest size of the class and what the store keeps beside an object. */
  readonly billedBytes: number;
}

export interface CostLine {
  readonly item: string;
  readonly storageClass: string | null;
  /** Requests, or bytes. */
  readonly quantity: number;
  /** Null where a price is not known. */
  readonly costMicros: number | null;
}

/** Objects that were written, and the time from the beginning of the first PUT to the end of the last one. */
export interface Sent {
  readonly bytes: number;
  readonly ms: number;
}

export interface LedgerRecord {
  /** 16 hex digits. */
  readonly id: string;
  /** When the run ended, ISO 8601 in UTC. */
  readonly time: string;
  readonly operation: RecordedOperation;
  readonly outcome: RecordedOutcome;
  /** As --project says, else the upload id. */
  readonly project: string | null;
  readonly datasetId: string | null;
  readonly uploadId: string | null;
  readonly writerId: string | null;
  readonly gitCommit: string | null;
  readonly dvcStage: string | null;
  /** URL without credentials. */
  readonly store: string;
  /** By whose prices it is billed; `other`: not by those of AWS. */
  readonly provider: (typeof PROVIDERS)[number];
  readonly region: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly used: readonly Used[];
  readonly stored: readonly StoredChange[];
  /** Null where nothing was written, and in records from before it was measured. */
  readonly sent: Sent | null;
  /** Paid once. */
  readonly lines: readonly CostLine[];
  /** Sum of the lines; null where one is not known. */
  readonly costMicros: number | null;
  /** Storage of `stored` for a month; negative where more was deleted. */
  readonly monthlyMicros: number | null;
  /** Date of the price list, `YYYY-MM-DD`. */
  readonly pricesOf: string;
}

const WAYS: readonly NonNullable<Usage['way']>[] = ['instant', 'expedited', 'standard', 'bulk'];
const MAX_LIST = 1000;
const MAX_TEXT = 4096;
const ID = /^[0-9a-f]{16}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** As `Date.toISOString` writes it; years have four digits. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The record in a JSON document. @throws integrity for values that no run has: not whole, negative, too large, unknown words */
export function recordFrom(fields: Fields): LedgerRecord {
  const list = <T>(key: string, read: (item: Fields) => T): readonly T[] => {
    const items = fields.list(key);
    if (items.length > MAX_LIST) return fields.fail(key, `a list of at most ${MAX_LIST}`);
    return items.map((item) => read(new Fields(item, `an item of '${key}' of ${fields.what}`)));
  };
  return {
    id: matching(fields, 'id', ID),
    time: timeOf(fields),
    operation: wordOf(fields, 'operation', RECORDED_OPERATIONS),
    outcome: wordOf(fields, 'outcome', OUTCOMES),
    project: textOrNull(fields, 'project'),
    datasetId: textOrNull(fields, 'datasetId'),
    uploadId: textOrNull(fields, 'uploadId'),
    writerId: textOrNull(fields, 'writerId'),
    gitCommit: textOrNull(fields, 'gitCommit'),
    dvcStage: textOrNull(fields, 'dvcStage'),
    store: shortText(fields, 'store'),
    provider: wordOf(fields, 'provider', PROVIDERS),
    region: textOrNull(fields, 'region'),
    files: fields.count('files'),
    bytes: fields.count('bytes'),
    used: list('used', usedFrom),
    stored: list('stored', storedFrom),
    sent: (fields.get('sent') ?? null) === null ? null : sentFrom(fields.object('sent')),
    lines: list('lines', lineFrom),
    costMicros: microsFrom(fields, 'costMicros', 0),
    monthlyMicros: microsFrom(fields, 'monthlyMicros'),
    pricesOf: matching(fields, 'pricesOf', DATE),
  };
}

/** @throws integrity for a record that would not be read */
export function checkRecord(record: LedgerRecord): LedgerRecord {
  return recordFrom(new Fields(record, 'the record of this run'));
}

const usedFrom = (item: Fields): Used => ({
  kind: wordOf(item, 'kind', KINDS),
  ...(item.get('storageClass') === undefined ? {} : { storageClass: shortText(item, 'storageClass') }),
  ...(item.get('way') === undefined ? {} : { way: wordOf(item, 'way', WAYS) }),
  quantity: item.count('quantity'),
});

const storedFrom = (item: Fields): StoredChange => ({
  storageClass: shortText(item, 'storageClass'),
  objects: wholeFrom(item, 'objects'),
  bytes: wholeFrom(item, 'bytes'),
  billedBytes: wholeFrom(item, 'billedBytes'),
});

const sentFrom = (item: Fields): Sent => ({ bytes: item.count('bytes'), ms: item.count('ms') });

const lineFrom = (item: Fields): CostLine => ({
  item: shortText(item, 'item'),
  storageClass: textOrNull(item, 'storageClass'),
  quantity: item.count('quantity'),
  costMicros: microsFrom(item, 'costMicros', 0),
});

function wholeFrom(fields: Fields, key: string, least = -Number.MAX_SAFE_INTEGER): number {
  const value = fields.get(key);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least)
    return fields.fail(key, 'a whole number');
  return value;
}

const microsFrom = (fields: Fields, key: string, least?: number): number | null =>
  fields.get(key) === null ? null : wholeFrom(fields, key, least);

function shortText(fields: Fields, key: string): string {
  const text = fields.text(key);
  return text.length <= MAX_TEXT ? text : fields.fail(key, `a text of at most ${MAX_TEXT} characters`);
}

const textOrNull = (fields: Fields, key: string): string | null =>
  fields.get(key) === null ? null : shortText(fields, key);

function matching(fields: Fields, key: string, pattern: RegExp): string {
  const text = fields.text(key);
  return pattern.test(text) ? text : fields.fail(key, 'of the form that archiver writes');
}

function wordOf<W extends string>(fields: Fields, key: string, words: readonly W[]): W {
  const text = fields.text(key);
  return words.find((word) => word === text) ?? fields.fail(key, `one of ${words.join(', ')}`);
}

function timeOf(fields: Fields): string {
  const text = matching(fields, 'time', TIME);
  if (Number.isNaN(Date.parse(text))) throw integrityError(`'time' of ${fields.what} is not a time`);
  return text;
}
