// What a writer of a fleet says of itself: `<base>/writers/<id>/status.json`, put at the start of a cycle, during long ones and
// at the end. The form is in docs/format.md.
import { ArchiverError, integrityError } from '../failures/errors.js';
import { Fields } from '../json/json-fields.js';
import { parseBoundedJson } from '../json/json-guard.js';
import { decodeUtf8 } from '../text/strict-utf8.js';

export interface Heartbeat {
  readonly formatVersion: 1;
  readonly writerId: string;
  readonly host: string;
  /** See `instanceIdOf`: two that take turns under one writer mean that it was cloned. */
  readonly instanceId: string;
  readonly archiverVersion: string;
  /** Of the config in use; null without one. */
  readonly configVersion: number | null;
  /** Why a newer config was refused. */
  readonly configError: string | null;
  /** ISO 8601, by the writer's clock. */
  readonly checkedInAt: string;
  readonly phase: 'starting' | 'running' | 'waiting' | 'stopped';
  /** When the last cycle ended in which every source succeeded. */
  readonly lastSuccessAt: string | null;
  readonly intervalSeconds: number;
  readonly cycle: {
    readonly startedAt: string;
    readonly endedAt: string | null;
    /** Null while the first cycle runs. Of the latest cycle that ended. */
    readonly isHealthy: boolean | null;
  };
  /** What keeps the writer from its work, in one sentence. */
  readonly problem: string | null;
  readonly sources: readonly HeartbeatSource[];
}

export interface HeartbeatSource {
  readonly path: string;
  readonly isHealthy: boolean | null;
  readonly error: string | null;
  readonly lastSuccessAt: string | null;
  readonly uploadId: string | null;
  readonly datasetId: string | null;
  readonly version: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  /** Left out: could not be read. */
  readonly skipped: number;
  readonly noChanges: boolean;
  /** What the comparison was made with; none: everything was sent. */
  readonly comparedWith: 'cache' | 'store' | 'none';
}

const FORMAT_VERSION = 1;
/** Nobody reads more of what a writer puts there. */
export const MAX_HEARTBEAT_BYTES = 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_SOURCES = 10_000;
/** A longer wait between two cycles is no schedule. */
const MAX_INTERVAL_SECONDS = 10 * 366 * 86_400;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
const PHASES = ['starting', 'running', 'waiting', 'stopped'] as const;
const COMPARED = ['cache', 'store', 'none'] as const;
const WHAT = 'the heartbeat';

/** Where it is, below the base of the fleet. */
export const heartbeatKey = (writerId: string): string => `writers/${writerId}/status.json`;

/** The bytes of the object. */
export const heartbeatBytes = (heartbeat: Heartbeat): Buffer => Buffer.from(`${JSON.stringify(heartbeat, null, 2)}\n`);

/** A source as JSON for programs. */
export const sourceDocument = ({ path, error, skipped, ...source }: HeartbeatSource) => ({
  source: path,
  ...source,
  reason: error,
  skippedCount: skipped,
});

/**
 * Reads what anybody may have put there. Says nothing about whether its times are believable.
 * @throws integrity for what is too large, damaged or foreign, unsupported for another format
 */
export function parseHeartbeat(bytes: Uint8Array): Heartbeat {
  if (bytes.byteLength > MAX_HEARTBEAT_BYTES)
    throw integrityError(`${WHAT} has ${bytes.byteLength} bytes, and at most ${MAX_HEARTBEAT_BYTES} are read`);
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) throw integrityError(`${WHAT} ${decoded.reason}`);
  const fields = new Fields(parseBoundedJson(decoded.text, MAX_DEPTH, WHAT), WHAT);
  checkFormat(fields);
  const cycle = fields.object('cycle');
  const sources = fields.list('sources');
  if (sources.length > MAX_SOURCES) throw integrityError(`${WHAT} has more than ${MAX_SOURCES} sources`);
  return {
    formatVersion: FORMAT_VERSION,
    writerId: fields.text('writerId'),
    host: fields.text('host'),
    instanceId: fields.text('instanceId'),
    archiverVersion: fields.text('archiverVersion'),
    configVersion: orNull(fields, 'configVersion', () => fields.count('configVersion')),
    configError: textOrNull(fields, 'configError'),
    checkedInAt: moment(fields, 'checkedInAt'),
    phase: oneOf(fields, 'phase', PHASES),
    lastSuccessAt: momentOrNull(fields, 'lastSuccessAt'),
    intervalSeconds: fields.count('intervalSeconds', MAX_INTERVAL_SECONDS),
    cycle: {
      startedAt: moment(cycle, 'startedAt'),
      endedAt: momentOrNull(cycle, 'endedAt'),
      isHealthy: flagOrNull(cycle, 'isHealthy'),
    },
    problem: textOrNull(fields, 'problem'),
    sources: sources.map((source, index) => readSource(new Fields(source, `source ${index + 1} of ${WHAT}`))),
  };
}

function checkFormat(fields: Fields): void {
  const format = fields.count('formatVersion');
  if (format === FORMAT_VERSION) return;
  if (format < FORMAT_VERSION) fields.fail('formatVersion', String(FORMAT_VERSION));
  throw new ArchiverError('unsupported', `${WHAT} has format ${format}, and this archiver reads ${FORMAT_VERSION}`, {
    hint: 'update archiver',
  });
}

const readSource = (fields: Fields): HeartbeatSource => ({
  path: fields.text('path'),
  isHealthy: flagOrNull(fields, 'isHealthy'),
  error: textOrNull(fields, 'error'),
  lastSuccessAt: momentOrNull(fields, 'lastSuccessAt'),
  uploadId: textOrNull(fields, 'uploadId'),
  datasetId: textOrNull(fields, 'datasetId'),
  version: orNull(fields, 'version', () => fields.count('version')),
  files: fields.count('files'),
  bytes: fields.count('bytes'),
  storedBytes: fields.count('storedBytes'),
  added: fields.count('added'),
  modified: fields.count('modified'),
  deleted: fields.count('deleted'),
  skipped: fields.count('skipped'),
  noChanges: fields.flag('noChanges'),
  comparedWith: oneOf(fields, 'comparedWith', COMPARED),
});

/** A key that is left out says nothing less than one that says null. */
const orNull = <T>(fields: Fields, key: string, read: () => T): T | null =>
  (fields.get(key) ?? null) === null ? null : read();

const textOrNull = (fields: Fields, key: string): string | null => fields.optionalText(key) ?? null;
const flagOrNull = (fields: Fields, key: string): boolean | null => orNull(fields, key, () => fields.flag(key));
const momentOrNull = (fields: Fields, key: string): string | null => orNull(fields, key, () => moment(fields, key));

function moment(fields: Fields, key: string): string {
  const text = fields.text(key);
  return MOMENT.test(text) && !Number.isNaN(Date.parse(text)) ? text : fields.fail(key, 'a time in UTC');
}

function oneOf<T extends string>(fields: Fields, key: string, words: readonly T[]): T {
  const text = fields.text(key);
  return words.find((word) => word === text) ?? fields.fail(key, `one of ${words.join(', ')}`);
}
