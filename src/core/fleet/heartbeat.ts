// What a writer of a fleet says of itself: `<base>/writers/<id>/status.json`, put at the start of a cycle, during long ones and
// at the end. The form is in docs/format.md.
import { checkFormat, readValue } from '../platform/documents/read-document.js';
import * as s from '../platform/documents/schema.js';
import { integrityError } from '../platform/failures/errors.js';
import { parseBoundedJson } from '../platform/json/json-guard.js';
import { decodeUtf8 } from '../platform/text/strict-utf8.js';

const FORMAT_VERSION = 1;
/** Nobody reads more of what a writer puts there. */
export const MAX_HEARTBEAT_BYTES = 1024 * 1024;
const MAX_DEPTH = 8;
const MAX_SOURCES = 10_000;
/** A longer wait between two cycles is no schedule. */
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
    /** Left out because they could not be read, or stored though they changed while they were read. */
    skipped: s.count,
    noChanges: s.flag,
    /** What the comparison was made with; none: everything was sent. */
    comparedWith: s.oneOf(['cache', 'store', 'none']),
  }),
);

/** A key that is left out says nothing less than one that says null. */
export const HEARTBEAT = s.schema(() =>
  s.object({
    formatVersion: s.exactly(FORMAT_VERSION),
    writerId: s.text,
    host: s.text,
    /** See `instanceIdOf`: two that take turns under one writer mean that it was cloned. */
    instanceId: s.text,
    archiverVersion: s.text,
    /** Of the config in use; null without one. */
    configVersion: s.orNull(s.count),
    /** Why a newer config was refused. */
    configError: s.orNull(s.text),
    /** By the writer's clock. */
    checkedInAt: s.moment,
    phase: s.oneOf(['starting', 'running', 'waiting', 'stopped']),
    /** When the last cycle ended in which every source succeeded. */
    lastSuccessAt: s.orNull(s.moment),
    intervalSeconds: s.countTo(MAX_INTERVAL_SECONDS),
    cycle: s.object({
      startedAt: s.moment,
      endedAt: s.orNull(s.moment),
      /** Null while the first cycle runs. Of the latest cycle that ended. */
      isHealthy: s.orNull(s.flag),
    }),
    /** What keeps the writer from its work, in one sentence. */
    problem: s.orNull(s.text),
    sources: s.listOf(SOURCE(), { most: MAX_SOURCES }),
  }),
);

export type Heartbeat = s.Read<typeof HEARTBEAT>;
export type HeartbeatSource = s.Read<typeof SOURCE>;

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
  const document = parseBoundedJson(decoded.text, MAX_DEPTH, WHAT);
  checkFormat(document, 'formatVersion', FORMAT_VERSION, WHAT);
  return readValue(HEARTBEAT, document, WHAT);
}
