// The content of a check (docs/format.md). It is a claim of whoever made it: bounded, typed and compared with its own digest and its key,
// and shown with its date and its maker. Of versions whose manifest is encrypted it names no file.
import { checkFormat, readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { integrityError } from '../../platform/failures/errors.js';
import { checkedDigest, digestedText } from '../../platform/json/digested-json.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { printable } from '../../platform/paths/raw-path.js';
import { checkRequirements } from '../../format/manifest/requirements.js';
import { uploadId } from '../../store/ids/upload-id-schema.js';
import { CHECK_KINDS, checkKey, type CheckPlace } from '../records/check-key.js';

const FORMAT = 1;
const TYPE = 'archiver-check';
const MAX_DEPTH = 6;
/** Versions of one document: 10,000 of them have some 700 KiB. */
export const MAX_VERSIONS = 10_000;
/** Problems that are named of a version; more are counted. */
export const MAX_PROBLEMS = 3;
export const MAX_PROBLEM_LENGTH = 300;
const MAX_NAME_LENGTH = 255;

const CHECKED_VERSION = s.schema(() =>
  s.object({
    version: s.count,
    uploadId,
    errorCount: s.count,
    /** The first ones; none where the manifest is encrypted. */
    problems: s.exactOptional(s.listOf(s.textUpTo(MAX_PROBLEM_LENGTH), { most: MAX_PROBLEMS })),
  }),
);
export type CheckedVersion = s.Read<typeof CHECKED_VERSION>;

/** What was proven of the content of the version within some days, this drill included. */
const COVERAGE = s.schema(() =>
  s.object({ days: s.count, bytes: s.count, ofBytes: s.count, files: s.count, ofFiles: s.count }),
);
export type Coverage = s.Read<typeof COVERAGE>;

const CHECK = s.schema(() =>
  s.object({
    type: s.literal(TYPE),
    datasetId: s.text,
    kind: s.oneOf(CHECK_KINDS),
    ok: s.flag,
    startedAt: s.moment,
    endedAt: s.moment,
    user: s.exactOptional(s.textUpTo(MAX_NAME_LENGTH)),
    host: s.textUpTo(MAX_NAME_LENGTH),
    tool: s.textUpTo(MAX_NAME_LENGTH),
    /** How much was looked at, as `verify` says it. */
    checked: s.oneOf(['manifest', 'presence', 'sample', 'content']),
    part: s.exactOptional(s.object({ number: s.count, of: s.count })),
    versions: s.listOf(CHECKED_VERSION(), { least: 1, most: MAX_VERSIONS }),
    chunks: s.count,
    chunksRead: s.count,
    /** Chunks that were to be read and lie in cold storage. */
    chunksCold: s.count,
    /** Of a check of one version. */
    filesRead: s.exactOptional(s.count),
    bytesRead: s.exactOptional(s.count),
    /** Of a drill: places of content (six bytes each, in base64) that came back right, and those that did not. */
    proven: s.exactOptional(s.text),
    disproven: s.exactOptional(s.text),
    coverage: s.exactOptional(COVERAGE()),
  }),
);
export type Check = Omit<s.Read<typeof CHECK>, 'type'>;

/** A check as it is stored. */
export const encodeCheck = (check: Check): Buffer =>
  Buffer.from(`${digestedText({ format: FORMAT, type: TYPE, requires: [], ...check })}\n`, 'utf8');

/** Parses a check. @throws integrity for one that is damaged or belongs elsewhere, unsupported for a newer format */
export function parseCheck(bytes: Buffer, place: CheckPlace): Check {
  const what = `the check ${printable(checkKey(place))}`;
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8'), MAX_DEPTH, what), what);
  checkFormat(parsed, 'format', FORMAT, what);
  if (checkedDigest(parsed, what) === undefined) throw integrityError(`${what} is damaged`);
  checkRequirements(parsed, what);
  const { type: _, ...check } = readValue(CHECK, parsed, what);
  const { datasetId, kind, ok } = check;
  if (datasetId !== place.datasetId || kind !== place.kind || ok !== place.ok)
    throw integrityError(`${what} is damaged: its content is not what its key says`);
  return check;
}
