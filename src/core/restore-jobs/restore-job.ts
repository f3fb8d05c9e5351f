// `<job id>.json`: a restore that waits for cold storage. It holds everything that was asked for, so that a download days
// later does the same as a restore now, but no credentials. What it says about the store is the result of the last check.
import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { encodeStateDocument, parseStateDocument } from '../state/document.js';
import { integrityError } from '../failures/errors.js';
import { Fields } from '../json/json-fields.js';
import type { Selectors } from '../manifest/selection.js';
import type { ThawTier } from '../object-store/object-store.js';
import { parseStoreUrl, type UploadLocation } from '../object-store/store-url.js';
import { printable } from '../paths/raw-path.js';
import type { RestoreOptions } from '../restore/restore.js';
import { mayBeUploadId, readUploadId } from '../ids/upload-id.js';

const KIND = { type: 'archiver-restore-job', format: 1, noun: 'restore job' };
/** The pattern of a job id, which becomes part of a path. */
export const JOB_ID = 'rj-[0-9a-f]{8}';

const JOB_STATUSES = ['pending', 'ready', 'downloading', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

const CHUNK_STATES = ['cold', 'thawing', 'readable', 'denied', 'missing'] as const;
/** `denied`: the store refused to restore it. `missing`: it does not exist. */
export type JobChunkState = (typeof CHUNK_STATES)[number];

/** A chunk that the job needs, as of the last check. */
export interface JobChunk {
  /** Below the base: `uploads/<id>/shard-00/chunk-000000.tar.zst`. */
  readonly key: string;
  readonly sizeBytes: number;
  readonly storageClass: string;
  readonly state: JobChunkState;
  /** Why it is denied, missing or cold again. */
  readonly reason?: string | undefined;
  /** Until when the readable copy stays. */
  readonly expiresAt?: string | undefined;
  /** What is read of it, and in how many requests; all of it in one where an older archiver did not say. */
  readonly fetchedBytes?: number;
  readonly gets?: number;
}

/** How a download of the job ended. */
export interface JobResult {
  /** In place afterwards, including those that were there before. */
  readonly files: number;
  /** Written by this download. */
  readonly bytes: number;
  readonly failed: number;
}

/** Everything that the download needs to know. */
export interface RestoreJobFields extends Pick<
  RestoreOptions,
  'selectors' | 'flatten' | 'overwrite' | 'keepSpecialBits'
> {
  readonly location: UploadLocation;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** The server that the store is on, whatever variables and profiles say later; null for AWS itself. Absent: not said. */
  readonly endpointUrl?: string | null | undefined;
  /** The same for the KMS that decrypts its manifest. */
  readonly kmsEndpointUrl?: string | null | undefined;
  /** Absolute. */
  readonly outputDir: string;
  /** The version that the upload is, where a dataset was named. */
  readonly datasetId?: string | undefined;
  readonly version?: number | undefined;
  readonly verify: boolean;
  readonly tier: ThawTier;
  readonly restoreDays: number;
  /** Everything that the selection needs, cold or not. */
  readonly chunks: readonly JobChunk[];
  /** What is selected. */
  readonly files: number;
  readonly bytes: number;
  /** Null where a price is not known. */
  readonly estimatedCostUsd: number | null;
  /** What the command was allowed to cost; whoever asks again is, too. */
  readonly maxRestoreCostUsd?: number | undefined;
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface RestoreJob extends RestoreJobFields {
  readonly id: string;
  readonly status: JobStatus;
  /** When all chunks were found readable. */
  readonly readyAt?: string | undefined;
  /** When the store was last checked. */
  readonly checkedAt?: string | undefined;
  /** When it was completed or failed. */
  readonly completedAt?: string | undefined;
  readonly result?: JobResult | undefined;
  /** Why it failed or is waiting again. */
  readonly error?: string | undefined;
}

/** A new job id. */
export const newJobId = (): string => `rj-${randomBytes(4).toString('hex')}`;

/** The text of the file. */
export const encodeJob = (job: RestoreJob): string => encodeStateDocument(KIND, job);

/** Reads the text of the file `path`. @throws integrity where it is damaged or another kind of file, unsupported where it is newer */
export function parseJob(text: string, id: string, path: string): RestoreJob {
  const hint = `restore again; archiver restore jobs clean --older-than 0 removes what cannot be read`;
  const { fields, body } = parseStateDocument(text, KIND, { path, hint });
  if (fields.text('id') !== id)
    throw integrityError(`${fields.what} belongs to ${printable(fields.text('id'))}`, { hint });
  checkFields(fields);
  for (const chunk of fields.list('chunks')) checkChunk(new Fields(chunk, `a chunk of ${fields.what}`));
  return { ...(body as unknown as RestoreJob), selectors: readSelectors(fields.object('selectors')) };
}

// The checksum shows that this program wrote it; paths, keys and numbers are checked nevertheless.
function checkFields(fields: Fields): void {
  oneOf(fields, 'status', JOB_STATUSES);
  oneOf(fields, 'tier', ['expedited', 'standard', 'bulk']);
  oneOf(fields, 'overwrite', ['always', 'if-newer', 'if-changed', 'never']);
  for (const key of ['region', 'profile', 'endpointUrl', 'kmsEndpointUrl', 'datasetId', 'error'] as const)
    fields.optionalText(key);
  for (const key of ['flatten', 'verify', 'keepSpecialBits'] as const) fields.flag(key);
  for (const key of ['restoreDays', 'files', 'bytes'] as const) fields.count(key);
  if (fields.get('version') !== undefined) fields.count('version');
  fields.text('createdAt');
  for (const key of ['createdAt', 'checkedAt', 'readyAt', 'completedAt'] as const) checkTime(fields, key);
  if (!isAbsolute(fields.text('outputDir'))) fields.fail('outputDir', 'an absolute path');
  checkLocation(fields.object('location'));
  if (fields.get('estimatedCostUsd') !== null) checkAmount(fields, 'estimatedCostUsd');
  if (fields.get('maxRestoreCostUsd') !== undefined) checkAmount(fields, 'maxRestoreCostUsd');
  if (fields.get('result') === undefined) return;
  const result = fields.object('result');
  for (const key of ['files', 'bytes', 'failed'] as const) result.count(key);
}

function checkAmount(fields: Fields, key: string): void {
  const amount = fields.get(key);
  if (!(typeof amount === 'number' && amount >= 0)) fields.fail(key, 'an amount of money');
}

function checkTime(fields: Fields, key: string): void {
  const text = fields.optionalText(key);
  if (text !== undefined && Number.isNaN(Date.parse(text))) fields.fail(key, 'a time');
}

function oneOf(fields: Fields, key: string, choices: readonly string[]): void {
  if (!choices.includes(fields.text(key))) fields.fail(key, `one of ${choices.join(', ')}`);
}

function checkLocation(fields: Fields): void {
  const baseUrl = fields.text('baseUrl');
  try {
    parseStoreUrl(baseUrl);
  } catch {
    fields.fail('baseUrl', 'the URL of a store');
  }
  readUploadId(fields, mayBeUploadId);
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const SELECTOR_CHECKS: Readonly<Record<keyof Selectors, (value: unknown) => boolean>> = {
  all: (value) => typeof value === 'boolean',
  files: isTexts,
  paths: isTexts,
  md5s: isTexts,
  patterns: isTexts,
  commits: isTexts,
  stages: isTexts,
  shards: (value) => Array.isArray(value) && value.every(Number.isSafeInteger),
};

/** As jobs say it that were made when different selectors added up. */
const FORMER: Readonly<Record<string, keyof Selectors>> = {
  md5: 'md5s',
  pattern: 'patterns',
  gitCommit: 'commits',
  stage: 'stages',
};

/** Ignoring an unknown selector would restore more than was asked for. */
function readSelectors(fields: Fields): Selectors {
  const own = Object.entries(fields.own());
  // What added up cannot be said now, unless there was nothing to add.
  const isSum =
    own.filter(([key, value]) => key !== 'shards' && !(Array.isArray(value) && value.length === 0)).length > 1;
  const selectors = own.map(([key, value]) => {
    const now = Object.hasOwn(FORMER, key) && isText(value) && !isSum ? FORMER[key] : undefined;
    return now === undefined ? [key, value] : [now, [value]];
  }) as [string, unknown][];
  for (const [key, value] of selectors) {
    if (!Object.hasOwn(SELECTOR_CHECKS, key) || !SELECTOR_CHECKS[key as keyof Selectors](value))
      fields.fail(key, 'a selector that this archiver knows');
  }
  return Object.fromEntries(selectors);
}

function checkChunk(fields: Fields): void {
  const [folder, ...names] = fields.text('key').split('/');
  const isBelow = folder === 'uploads' && names.length >= 2 && !names.some((name) => ['', '.', '..'].includes(name));
  if (!isBelow) fields.fail('key', 'that of a chunk');
  fields.count('sizeBytes');
  fields.text('storageClass');
  oneOf(fields, 'state', CHUNK_STATES);
  fields.optionalText('reason');
  for (const key of ['fetchedBytes', 'gets']) if (fields.get(key) !== undefined) fields.count(key);
  checkTime(fields, 'expiresAt');
}
