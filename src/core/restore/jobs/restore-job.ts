// `<job id>.json`: a restore that waits for cold storage. It holds everything that was asked for, so that a download days later does the
// same as a restore now, but no credentials. Its facts about the store are the result of the last check.
import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { integrityError } from '../../platform/failures/errors.js';
import type { Selectors } from '../../format/manifest/selection.js';
import { namedUploadId } from '../../store/ids/upload-id-schema.js';
import type { ThawTier } from '../../store/object-store.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { printable, type RawPath } from '../../platform/paths/raw-path.js';
import { OVERWRITE_POLICIES } from '../plan/overwrite.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';

/** The pattern of a job id, which becomes part of a path. */
export const JOB_ID = 'rj-[0-9a-f]{8}';

const TIERS = ['expedited', 'standard', 'bulk'] as const satisfies readonly ThawTier[];
const texts = s.exactOptional(s.listOf(s.text));

/** Closed, since ignoring an unknown selector would restore more than was asked for. */
const SELECTORS = s.schema(() =>
  s.strictObject({
    all: s.exactOptional(s.flag),
    files: texts,
    paths: s.exactOptional(s.listOf(s.unchecked<RawPath>())),
    md5s: texts,
    patterns: texts,
    commits: texts,
    stages: texts,
    regexes: texts,
    largerThanBytes: s.exactOptional(s.count),
    smallerThanBytes: s.exactOptional(s.count),
    shards: s.exactOptional(s.listOf(s.whole)),
    part: s.exactOptional(s.object({ number: s.count, of: s.count })),
  }),
);

/** A chunk that the job needs, as of the last check. */
const CHUNK = s.schema(() =>
  s.openObject({
    /** Key below the base: `uploads/<id>/shard-00/chunk-000000.tar.zst`. */
    key: s.textThat(isChunkKey, 'that of a chunk'),
    sizeBytes: s.count,
    storageClass: s.text,
    /** `denied`: the store refused to restore it. `missing`: it does not exist. */
    state: s.oneOf(['cold', 'thawing', 'readable', 'denied', 'missing']),
    /** Why it is denied, missing or cold again. */
    reason: s.optional(s.text),
    /** When the readable copy expires. */
    expiresAt: s.optional(s.time),
    /** Bytes that are read of it, and the number of requests; all of it in one if an older archiver did not say. */
    fetchedBytes: s.exactOptional(s.count),
    gets: s.exactOptional(s.count),
  }),
);

const JOB = s.schema(() =>
  s.openObject({
    id: s.text,
    status: s.oneOf(['pending', 'ready', 'downloading', 'completed', 'failed']),
    location: s.object({ baseUrl: s.textThat(isStoreUrl, 'the URL of a store'), uploadId: namedUploadId }),
    region: s.optional(s.text),
    profile: s.optional(s.text),
    /** Server that the store is on, whatever variables and profiles say later; null for AWS itself, absent if not recorded. */
    endpointUrl: s.optional(s.nullable(s.text)),
    /** Server of the KMS that decrypts its manifest, in the same form. */
    kmsEndpointUrl: s.optional(s.nullable(s.text)),
    outputDir: s.textThat(isAbsolute, 'an absolute path'),
    /** Version that the upload is, if a dataset was named. */
    datasetId: s.optional(s.text),
    version: s.optional(s.count),
    selectors: s.preprocess(presentSelectors, SELECTORS()),
    flatten: s.flag,
    verify: s.flag,
    overwrite: s.oneOf(OVERWRITE_POLICIES),
    keepSpecialBits: s.flag,
    tier: s.oneOf(TIERS),
    restoreDays: s.count,
    /** Everything that the selection needs, cold or not. */
    chunks: s.listOf(CHUNK()),
    /** Number and bytes of the selected files. */
    files: s.count,
    bytes: s.count,
    /** Null if a price is not known. */
    estimatedCostUsd: s.nullable(s.amount),
    /** Most that the command may cost, also when chunks are requested again. */
    maxRestoreCostUsd: s.optional(s.amount),
    createdAt: s.time,
    /** When all chunks were found readable. */
    readyAt: s.optional(s.time),
    /** When the store was last checked. */
    checkedAt: s.optional(s.time),
    /** When it was completed or failed. */
    completedAt: s.optional(s.time),
    /** Result of the download: `files` in place afterwards, including those that were there before; `bytes` written. */
    result: s.optional(s.object({ files: s.count, bytes: s.count, failed: s.count })),
    /** Why it failed or is waiting again. */
    error: s.optional(s.text),
  }),
);
const KIND = { type: 'archiver-restore-job', format: 1, noun: 'restore job', body: JOB };

export type RestoreJob = s.Read<typeof JOB>;
export type JobStatus = RestoreJob['status'];
export type JobChunk = s.Read<typeof CHUNK>;
export type JobChunkState = JobChunk['state'];

/** Everything that the download needs to know. */
export type RestoreJobFields = Omit<
  RestoreJob,
  'id' | 'status' | 'readyAt' | 'checkedAt' | 'completedAt' | 'result' | 'error'
>;

/** Returns a new job id. */
export const newJobId = (): string => `rj-${randomBytes(4).toString('hex')}`;

/** Returns the text of the file. */
export const encodeJob = (job: RestoreJob): string => encodeStateDocument(KIND, job);

/** Reads the text of the file `path`. @throws integrity if it is damaged or another kind of file, unsupported if it is newer */
export function parseJob(text: string, id: string, path: string): RestoreJob {
  const hint = `restore again; archiver restore jobs clean --older-than 0 removes what cannot be read`;
  const job = readStateDocument(text, KIND, { path, hint });
  if (job.id === id) return job;
  throw integrityError(`the restore job ${printable(path)} belongs to ${printable(job.id)}`, { hint });
}

function isStoreUrl(text: string): boolean {
  try {
    parseStoreUrl(text);
    return true;
  } catch {
    return false;
  }
}

function isChunkKey(key: string): boolean {
  const [folder, ...names] = key.split('/');
  return folder === 'uploads' && names.length >= 2 && !names.some((name) => ['', '.', '..'].includes(name));
}

/** Names of selectors in jobs that were made when different selectors added up, and their present names. */
const FORMER: Readonly<Record<string, keyof Selectors>> = {
  md5: 'md5s',
  pattern: 'patterns',
  gitCommit: 'commits',
  stage: 'stages',
};

/** Converts selectors to their present form. Selectors that added up cannot be expressed now, unless there was nothing to add. */
function presentSelectors(selectors: unknown): unknown {
  if (typeof selectors !== 'object' || selectors === null) return selectors;
  const own = Object.entries(selectors);
  const isSum =
    own.filter(([key, value]) => key !== 'shards' && key !== 'part' && !(Array.isArray(value) && value.length === 0))
      .length > 1;
  if (isSum) return selectors;
  return Object.fromEntries(
    own.map(([key, value]) => (Object.hasOwn(FORMER, key) ? [FORMER[key], [value]] : [key, value])),
  );
}
