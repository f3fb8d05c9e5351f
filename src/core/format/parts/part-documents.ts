// What a plan, its attempts and their results are in a store. docs/format.md (Plans) is the specification.
import { gunzipSync, gzipSync } from 'node:zlib';
import { checkFormat, readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { integrityError } from '../../platform/failures/errors.js';
import { checkedDigest, digestedText } from '../../platform/json/digested-json.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { id, MANIFEST_KEYS, SEGMENT_PLACE, type SegmentPlace, SHARD, TOTALS } from '../manifest/head-schema.js';
import { manifestHeadText, segmentText } from '../manifest/manifest-head-text.js';
import {
  BASE_REQUIRED,
  checkRequirements,
  NO_REQUIREMENTS,
  requires,
  SHARES_REQUIRED,
} from '../manifest/requirements.js';
import { SHARE, STORED_SHARE } from './share-documents.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';

const FORMAT = 1;
const MAX_DEPTH = 16;
const MAX_TEXT_BYTES = 512 * 1024 * 1024;

/** Paths that are left out: how many, the reasons, and the first of them. */
const LEFT_OUT = s.schema(() =>
  s.object({
    count: s.count,
    /** How many are left out by design, as special files are. */
    special: s.count,
    reasons: s.mapOf(s.count),
    paths: s.listOf(s.object({ path: s.text, reason: s.text })),
  }),
);
export type LeftOutPaths = s.Read<typeof LEFT_OUT>;

const PART = s.schema(() =>
  s.object({
    part: s.count,
    /** First path; base64 of its bytes, since it need not be UTF-8. Empty for no entries. */
    first: s.text,
    /** Of its list, relative to the folder of the plan. */
    key: s.text,
    /** Stored bytes of its list. */
    size: s.count,
    sha256: s.sha256,
    entries: s.count,
    /** Everything but folders. */
    files: s.count,
    bytes: s.count,
    /** Of files that are cut over several parts; such a file counts in `entries` and `files` of the part with its last piece. */
    shares: s.exactOptional(s.listOf(SHARE())),
  }),
);
export type PlannedPart = s.Read<typeof PART>;

const TIERS = s.schema(() =>
  s.object({
    strategy: s.oneOf(['youngest-file', 'tier-aware']),
    hotDays: s.count,
    coldDays: s.count,
    archiveDays: s.count,
    max: s.exactOptional(s.oneOf(['STANDARD', 'STANDARD_IA', 'GLACIER', 'DEEP_ARCHIVE'])),
    nowSeconds: s.amount,
  }),
);

const PLAN = s.schema(() => {
  const {
    type: _type,
    shards: _shards,
    segments: _segments,
    chunks: _chunks,
    listing: _listing,
    ...keys
  } = MANIFEST_KEYS();
  return s.object({
    ...keys,
    type: s.literal('archiver-plan'),
    uploadId,
    options: s.object({
      tiers: s.exactOptional(TIERS()),
      dvc: s.oneOf(['workspace', 'whole', 'asIs']),
      allowMassDelete: s.flag,
      /** Ends an attempt at the first file that cannot be stored. */
      failFast: s.exactOptional(s.flag),
      /** The highest ordinal of the dataset when it was planned. */
      after: s.count,
    }),
    /** Where it was compared with a version: that one, and what differs from it without being packed, as a delta (`requires` has `base`). */
    base: s.exactOptional(s.object({ version: s.count, key: s.text, size: s.count, sha256: s.sha256 })),
    linkGroups: s.count,
    /** Hard link groups with members in several parts have the numbers from 1 on; `bytes` are stored again for that. */
    spanning: s.object({ groups: id(), bytes: s.count }),
    leftOut: LEFT_OUT(),
    parts: s.listOfMany(PART()),
  });
});
/** The head of a plan: that of a manifest that is to come, and its parts. */
export type PlanHead = s.Read<typeof PLAN>;

const RESULT = s.schema(() =>
  s.object({
    plan: uploadId,
    planSha256: s.sha256,
    part: s.count,
    uploadId,
    createdAt: s.moment,
    /** In order; keys are relative to the folder of the attempt. */
    segments: s.listOf(SEGMENT_PLACE()),
    shards: s.listOf(SHARD()),
    /** Without its shares. */
    totals: TOTALS(),
    leftOut: LEFT_OUT(),
    shares: s.exactOptional(s.listOf(STORED_SHARE())),
  }),
);
export type PartResult = s.Read<typeof RESULT>;

const HEADER = s.schema(() => s.object({ type: s.text, requires: s.exactOptional(requires()) }));

const KNOWN = [...BASE_REQUIRED, ...SHARES_REQUIRED];

/** Reads a document of this type by its schema. @throws integrity, unsupported for one of a newer archiver */
function read<T>(schema: s.Schema<T>, bytes: Buffer, type: string, what: string): T {
  const document = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  if (readValue(HEADER, document, what).type !== type) throw integrityError(`${what} is no ${type}`);
  checkFormat(document, 'format', FORMAT, what);
  checkRequirements(document, what, KNOWN);
  return readValue(schema, document, what);
}

/** Reads one that has its own digest. */
function readDigested<T>(schema: s.Schema<T>, bytes: Buffer, type: string, what: string): T {
  const document = read(schema, bytes, type, what);
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  if (checkedDigest(parsed, what) === undefined) throw integrityError(`${what} is damaged`);
  return document;
}

/** Reads the head of a plan as it is stored. @throws integrity, unsupported */
export function readPlanHead(stored: Buffer, what: string): PlanHead {
  let text: Buffer;
  try {
    text = gunzipSync(stored, { maxOutputLength: MAX_TEXT_BYTES });
  } catch (error) {
    throw integrityError(`${what} is damaged`, { cause: error });
  }
  return read(PLAN, text, 'archiver-plan', what);
}

/** The head of a plan as it is stored. */
export function planBytes({ leftOut, ...head }: PlanHead): Buffer {
  const more = { leftOut: leftOutDocument(leftOut), listing: 'full' as const, shards: [], chunks: [] };
  const written = { ...head, ...more };
  return gzipSync(`${manifestHeadText(written)}]}\n`);
}

/** @throws integrity, unsupported */
export const readResult = (bytes: Buffer, what: string): PartResult =>
  readDigested(RESULT, bytes, 'archiver-part', what);

/** The text of a document of this type, with its digest. */
const digested = (type: string, content: object, required = NO_REQUIREMENTS): Buffer =>
  Buffer.from(`${digestedText({ format: FORMAT, type, requires: required, ...content })}\n`);

/** The bytes of a part's result. */
export function resultBytes({ segments, leftOut, shares, ...result }: PartResult): Buffer {
  const written = { ...result, segments: segments.map(placeDocument), leftOut: leftOutDocument(leftOut) };
  if (shares === undefined) return digested('archiver-part', written);
  const stored = shares.map(({ segment, ...share }) => ({ ...share, segment: segment && placeDocument(segment) }));
  return digested('archiver-part', { ...written, shares: stored }, SHARES_REQUIRED);
}

// The first path of a segment need not be text.
const placeDocument = (place: SegmentPlace): object => JSON.parse(segmentText(place)) as object;

/** As JSON has it. */
export const leftOutDocument = ({ reasons, ...leftOut }: LeftOutPaths) => ({
  ...leftOut,
  reasons: Object.fromEntries(reasons),
});
