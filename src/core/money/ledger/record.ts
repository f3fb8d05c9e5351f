// The record of a run: what it used and stored, and what that costs. It is checked by the same rules when it is appended and when it is
// read.
import type { Usage } from '../../cost/cost-model.js';
import { RECORDED_OPERATIONS } from '../../events/run-about.js';
import { readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';

/** A rebase uses nothing and stores nothing: it says what was found. */
const OPERATIONS = [...RECORDED_OPERATIONS, 'rebase'] as const;

type RecordedOperation = (typeof RECORDED_OPERATIONS)[number];

/** Recorded operations that make uploads. */
export const UPLOADS: readonly (typeof OPERATIONS)[number][] = [
  'upload',
  'sync',
  'migrate',
] satisfies RecordedOperation[];

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
/** The format of `Date.toISOString`, with four-digit years. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

const text = s.textThat((one) => one.length <= MAX_TEXT, `a text of at most ${MAX_TEXT} characters`);
const textOrNull = s.nullable(text);

/** One-time usage: number of requests, or bytes; for `storage`, bytes times months. */
const USED = s.schema(() =>
  s.object({
    kind: s.oneOf(KINDS),
    storageClass: s.exactOptional(text),
    way: s.exactOptional(s.oneOf(WAYS)),
    quantity: s.count,
  }),
);
/** Change of the stored objects of a class; negative for deletions. */
const STORED = s.schema(() =>
  s.object({
    storageClass: text,
    objects: s.whole,
    bytes: s.whole,
    /** Including the smallest billed size of the class and the overhead per object. */
    billedBytes: s.whole,
  }),
);
/** What was found of an upload in a class. */
const LEVEL = s.schema(() =>
  s.object({
    storageClass: text,
    objects: s.count,
    bytes: s.count,
    billedBytes: s.count,
    /** Null when the price is not known. */
    monthlyMicros: s.nullable(s.count),
  }),
);
/**
 * Of a rebase. A record of it is about the record's upload in the record's store, or what lies outside of uploads: `levels` are all that was
 * stored of it then, whatever other records say until that time.
 */
const MEASURED = s.schema(() =>
  s.object({
    by: s.oneOf(['listing', 'inventory']),
    /** What was listed. The record of it that has this store, no project and no upload is there in every rebase. */
    place: text,
    levels: s.listOf(LEVEL(), MOST),
  }),
);
const LINE = s.schema(() =>
  s.object({
    item: text,
    storageClass: textOrNull,
    /** Number of requests, or bytes. */
    quantity: s.count,
    /** Null when a price is not known. */
    costMicros: s.nullable(s.count),
  }),
);
/** Bytes of written objects, and the time from the beginning of the first PUT to the end of the last one. */
const SENT = s.schema(() => s.object({ bytes: s.count, ms: s.count }));

/** The schema of a record; refuses values that no run has: not whole, negative, too large, unknown words. */
export const RECORD = s.schema(() =>
  s.object({
    id: s.matching(/^[0-9a-f]{16}$/, 'the id of a record'),
    /** When the run ended, ISO 8601 in UTC. */
    time: s.textThat((one) => TIME.test(one) && !Number.isNaN(Date.parse(one)), 'a time'),
    operation: s.oneOf(OPERATIONS),
    /** `killed`: the run did not end, and its last usage is not in the record. */
    outcome: s.oneOf(['done', 'partial', 'failed', 'interrupted', 'killed']),
    /** The project of --project, or else the upload id. */
    project: textOrNull,
    datasetId: textOrNull,
    uploadId: textOrNull,
    writerId: textOrNull,
    gitCommit: textOrNull,
    dvcStage: textOrNull,
    /** URL without credentials. */
    store: text,
    /** Whose prices apply; `other` means not those of AWS. */
    provider: s.oneOf(['aws', 'folder', 'other']),
    region: textOrNull,
    files: s.count,
    bytes: s.count,
    used: s.listOf(USED(), MOST),
    stored: s.listOf(STORED(), MOST),
    /** Null when nothing was written, and in older records from before it was measured. */
    sent: s.orNull(SENT()),
    /** One-time costs. */
    lines: s.listOf(LINE(), MOST),
    /** Sum of the lines; null when one is not known. */
    costMicros: s.nullable(s.count),
    /** Monthly storage cost of `stored`; negative when more was deleted. */
    monthlyMicros: s.nullable(s.whole),
    /** Date of the price list. */
    pricesOf: s.day,
    measured: s.exactOptional(MEASURED()),
  }),
);

export type Used = s.Read<typeof USED>;
export type StoredChange = s.Read<typeof STORED>;
export type MeasuredLevel = s.Read<typeof LEVEL>;
export type CostLine = s.Read<typeof LINE>;
export type Sent = s.Read<typeof SENT>;
export type LedgerRecord = s.Read<typeof RECORD>;

/** Checks a record before it is written. @throws integrity for a record that could not be read back */
export const checkRecord = (record: LedgerRecord): LedgerRecord => readValue(RECORD, record, 'the record of this run');
