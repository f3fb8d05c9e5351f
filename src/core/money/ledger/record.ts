// What a run used and stored, and what that costs: one record a run. A record is checked when it is appended and when it
// is read, by the same rules.
import type { Usage } from '../../cost/cost-model.js';
import { RECORDED_OPERATIONS } from '../../events/run-about.js';
import { readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';

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
const WAYS = ['instant', 'expedited', 'standard', 'bulk'] as const satisfies readonly Usage['way'][];
const MOST = { most: 1000 };
const MAX_TEXT = 4096;
/** As `Date.toISOString` writes it; years have four digits. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const text = s.textThat((one) => one.length <= MAX_TEXT, `a text of at most ${MAX_TEXT} characters`);
const textOrNull = s.nullable(text);

/** What is charged once: requests, or bytes; of `storage` bytes times months. */
const USED = s.schema(() =>
  s.object({
    kind: s.oneOf(KINDS),
    storageClass: s.exactOptional(text),
    way: s.exactOptional(s.oneOf(WAYS)),
    quantity: s.count,
  }),
);
/** Change of what lies in the store; negative where it was deleted. */
const STORED = s.schema(() =>
  s.object({
    storageClass: text,
    objects: s.whole,
    bytes: s.whole,
    /** With the smallest size of the class and what the store keeps beside an object. */
    billedBytes: s.whole,
  }),
);
const LINE = s.schema(() =>
  s.object({
    item: text,
    storageClass: textOrNull,
    /** Requests, or bytes. */
    quantity: s.count,
    /** Null where a price is not known. */
    costMicros: s.nullable(s.count),
  }),
);
/** Objects that were written, and the time from the beginning of the first PUT to the end of the last one. */
const SENT = s.schema(() => s.object({ bytes: s.count, ms: s.count }));

/** Refuses values that no run has: not whole, negative, too large, unknown words. */
export const RECORD = s.schema(() =>
  s.object({
    id: s.matching(/^[0-9a-f]{16}$/, 'the id of a record'),
    /** When the run ended, ISO 8601 in UTC. */
    time: s.textThat((one) => TIME.test(one) && !Number.isNaN(Date.parse(one)), 'a time'),
    operation: s.oneOf(RECORDED_OPERATIONS),
    /** `killed`: it did not end, and what it used at last is not in the record. */
    outcome: s.oneOf(['done', 'partial', 'failed', 'interrupted', 'killed']),
    /** As --project says, else the upload id. */
    project: textOrNull,
    datasetId: textOrNull,
    uploadId: textOrNull,
    writerId: textOrNull,
    gitCommit: textOrNull,
    dvcStage: textOrNull,
    /** URL without credentials. */
    store: text,
    /** By whose prices it is billed; `other`: not by those of AWS. */
    provider: s.oneOf(['aws', 'folder', 'other']),
    region: textOrNull,
    files: s.count,
    bytes: s.count,
    used: s.listOf(USED(), MOST),
    stored: s.listOf(STORED(), MOST),
    /** Null where nothing was written, and in records from before it was measured. */
    sent: s.orNull(SENT()),
    /** Paid once. */
    lines: s.listOf(LINE(), MOST),
    /** Sum of the lines; null where one is not known. */
    costMicros: s.nullable(s.count),
    /** Storage of `stored` for a month; negative where more was deleted. */
    monthlyMicros: s.nullable(s.whole),
    /** Date of the price list. */
    pricesOf: s.day,
  }),
);

export type Used = s.Read<typeof USED>;
export type StoredChange = s.Read<typeof STORED>;
export type CostLine = s.Read<typeof LINE>;
export type Sent = s.Read<typeof SENT>;
export type LedgerRecord = s.Read<typeof RECORD>;

/** @throws integrity for a record that would not be read */
export const checkRecord = (record: LedgerRecord): LedgerRecord => readValue(RECORD, record, 'the record of this run');
