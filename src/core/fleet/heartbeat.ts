// The heartbeat of a fleet writer: `<base>/writers/<id>/status.json`, put at the start of a cycle, during long ones and at the end. Its
// format is in docs/format.md.
import { checkFormat, readValue } from '../platform/documents/read-document.js';
import * as s from '../platform/documents/schema.js';
import { integrityError } from '../platform/failures/errors.js';
import { parseBoundedJson } from '../platform/json/json-guard.js';
import { decodeUtf8 } from '../platform/text/strict-utf8.js';

const FORMAT_VERSION = 1;
/** Limit of bytes read from the object that a writer puts there. */
export const MAX_HEARTBEAT_BYTES = 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_SOURCES = 10_000;
const MAX_FINDINGS = 10_000;
/** A longer time between two cycles is not accepted as a schedule. */
const MAX_INTERVAL_SECONDS = 10 * 366 * 86_400;
const WHAT = 'the heartbeat';

const SOURCE = s.schema(() =>
  s.object({
    path: s.text,
    isHealthy: s.orNull(s.flag),
    error: s.orNull(s.text),
    lastSuccessAt: s.orNull(s.moment),
    uploadId: s.orNull(s.text),
    datasetId: s.orNull(s.text),
    version: s.orNull(s.count),
    files: s.count,
    bytes: s.count,
    storedBytes: s.count,
    added: s.count,
    modified: s.count,
    deleted: s.count,
    /** Number of files left out because they could not be read, or stored although they changed while being read. */
    skipped: s.count,
    noChanges: s.flag,
    /** The source of the comparison; none means that everything was sent. */
    comparedWith: s.oneOf(['cache', 'store', 'none']),
  }),
);

/** Kinds of findings; docs/format.md says when each is made. A newer agent may know more. */
export const FINDING_KINDS = [
  'source-empty',
  'source-shrunk',
  'mass-change',
  'source-moved',
  'dataset-changed',
  'sent-again',
  'config-refused',
  'version-forged',
  'cloned',
  'clock-skewed',
  'endpoint-changed',
  'held',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

const FINDING = s.schema(() =>
  s.object({
    kind: s.text,
    /** Path of the source that it is about; null if it is about the writer. */
    source: s.orNull(s.text),
    /** One sentence. */
    detail: s.text,
  }),
);

/** A missing key means the same as null. */
export const HEARTBEAT = s.schema(() =>
  s.object({
    formatVersion: s.literal(FORMAT_VERSION),
    writerId: s.text,
    host: s.text,
    /** See `instanceIdOf`: ids that alternate under one writer mean that it was cloned. */
    instanceId: s.text,
    archiverVersion: s.text,
    /** Version of the config in use; null without one. */
    configVersion: s.orNull(s.count),
    /** Why a newer config was refused. */
    configError: s.orNull(s.text),
    /** By the writer's clock. */
    checkedInAt: s.moment,
    phase: s.oneOf(['starting', 'running', 'waiting', 'stopped']),
    /** End of the last cycle in which every source succeeded. */
    lastSuccessAt: s.orNull(s.moment),
    intervalSeconds: s.countTo(MAX_INTERVAL_SECONDS),
    cycle: s.object({
      startedAt: s.moment,
      endedAt: s.orNull(s.moment),
      /** Health of the latest cycle that ended; null while the first cycle runs. */
      isHealthy: s.orNull(s.flag),
    }),
    /** Describes in one sentence what keeps the writer from its work. */
    problem: s.orNull(s.text),
    sources: s.listOf(SOURCE(), { most: MAX_SOURCES }),
    /** What somebody has to look at even if every source was archived. Missing in heartbeats of older agents. */
    findings: s.optional(s.listOf(FINDING(), { most: MAX_FINDINGS })),
  }),
);

export type Heartbeat = s.Read<typeof HEARTBEAT>;
export type HeartbeatSource = s.Read<typeof SOURCE>;
/** A finding as it is read: `kind` may be one that only a newer agent knows. */
export type ReadFinding = s.Read<typeof FINDING>;
/** A finding of this agent. */
export interface Finding extends ReadFinding {
  readonly kind: FindingKind;
}

/** Returns the key of a heartbeat, relative to the base of the fleet. */
export const heartbeatKey = (writerId: string): string => `writers/${writerId}/status.json`;

/** Returns the content of the object. */
export const heartbeatBytes = (heartbeat: Heartbeat): Buffer => Buffer.from(`${JSON.stringify(heartbeat, null, 2)}\n`);

/** Returns a source for JSON output. */
export const sourceDocument = ({ path, error, skipped, ...source }: HeartbeatSource) => ({
  source: path,
  ...source,
  reason: error,
  skippedCount: skipped,
});

/** Returns a finding for JSON output. */
export const findingDocument = ({ kind, source, detail }: ReadFinding) => ({ finding: kind, source, detail });

/**
 * Parses a heartbeat, which anybody may have put there. Does not judge whether its times are plausible.
 * @throws integrity for one that is too large, damaged or something else, unsupported for another format
 */
export function parseHeartbeat(bytes: Uint8Array): Heartbeat {
  if (bytes.byteLength > MAX_HEARTBEAT_BYTES)
    throw integrityError(`${WHAT} has ${bytes.byteLength} bytes, and at most ${MAX_HEARTBEAT_BYTES} are read`);
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) throw integrityError(`${WHAT} ${decoded.reason}`);
  const document = parseBoundedJson(decoded.text, MAX_DEPTH, WHAT);
  checkFormat(document, 'formatVersion', FORMAT_VERSION, WHAT);
  return readValue(HEARTBEAT, document, WHAT);
}
