// Progress as objects for machines, one per line. Amounts are integers, times ISO 8601; readers ignore keys they do not know.
import { roundedUsd } from '../../core/cost/money.js';
import type { Outcome } from '../../core/events/events.js';
import { SCHEMA_VERSION } from '../../core/platform/json/document.js';
import type { Exact, JsonLine, LineType } from '../../json/documents.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { SkippedFile } from '../../stores/transfer-state.js';
import { doneFraction } from './done-fraction.js';
import { thawObject } from './thaw-words.js';

/** A line as specified in docs/json.md. */
const lineOf = <N extends LineType, D extends JsonLine<N>>(type: N, keys: Exact<D, JsonLine<N>>) => ({
  schemaVersion: SCHEMA_VERSION,
  type,
  ...keys,
});

/** The current progress. A note is part of the first status after it. */
export function statusObject(snapshot: TransferSnapshot, at: Date, note?: string) {
  const { phase, isStopping } = snapshot;
  return lineOf('status', { ...common(snapshot, at), phase, isStopping, retrying: retryingObject(snapshot), note });
}

/** A file that was left out. */
export function skipObject(snapshot: TransferSnapshot, at: Date, file: SkippedFile) {
  return lineOf('error', {
    time: at.toISOString(),
    operation: snapshot.operation,
    path: file.path,
    message: file.reason,
  });
}

/** The failure that ended the operation. */
export function failureObject(
  snapshot: TransferSnapshot,
  at: Date,
  { code, message, hint }: Extract<Outcome, { status: 'failed' }>,
) {
  return lineOf('error', { time: at.toISOString(), operation: snapshot.operation, code, message, hint });
}

/** The outcome, with the result that the command prints; the last line. */
export function summaryObject(snapshot: TransferSnapshot, at: Date, outcome: Outcome) {
  const result = outcome.status === 'done' ? (outcome.result as object | undefined) : undefined;
  return lineOf('summary', { outcome: outcome.status, ...common(snapshot, at), result });
}

function common(snapshot: TransferSnapshot, at: Date) {
  // A file that could not be read was planned and never moved.
  const fraction = snapshot.outcome?.status === 'done' ? 1 : doneFraction(snapshot);
  return {
    time: at.toISOString(),
    operation: snapshot.operation,
    source: snapshot.source,
    destination: snapshot.target,
    percent: fraction === undefined ? undefined : Math.floor(fraction * 100),
    ...countedObject(snapshot),
    bytes: snapshot.bytesDone,
    bytesTotal: snapshot.bytesTotal,
    bytesSent: snapshot.read && snapshot.bytesDone,
    read: snapshot.read && { files: snapshot.read.items, bytes: snapshot.read.bytes },
    wireBytes: snapshot.wireBytes,
    storedBytes: snapshot.storedBytes,
    retries: snapshot.retries,
    skippedCount: snapshot.skippedCount,
    bytesPerSecond: Math.round(snapshot.bytesPerSecond),
    storedBytesPerSecond: Math.round(snapshot.storedBytesPerSecond),
    etaMs: snapshot.etaMs === undefined ? undefined : Math.round(snapshot.etaMs),
    compression: snapshot.compression,
    plannedCost: snapshot.cost && costObject(snapshot.cost),
    path: snapshot.path,
    thaw: thawObject(snapshot),
    durationMs: Math.round(snapshot.elapsedMs),
  };
}

const costObject = ({ monthlyUsd, requestsUsd }: NonNullable<TransferSnapshot['cost']>) => ({
  monthlyUsd: roundedUsd(monthlyUsd),
  requestsUsd: roundedUsd(requestsUsd),
});

/** What the operation counts in this phase, and chunks beside it. */
function countedObject({ unit, itemsDone, itemsTotal, chunksDone, chunksTotal, chunksInFlight }: TransferSnapshot) {
  if (unit === 'chunk') return { chunks: itemsDone, chunksTotal: itemsTotal };
  const chunks = { chunks: chunksDone, chunksTotal, chunksInFlight };
  if (unit === 'file') return { files: itemsDone, filesTotal: itemsTotal, ...chunks };
  return { itemKind: unit, items: itemsDone, itemsTotal, ...chunks };
}

function retryingObject({ retrying }: TransferSnapshot) {
  if (retrying === undefined) return undefined;
  const { service, trouble, request, reason, tryNumber, maxTries, waitLeftMs, requests } = retrying;
  return {
    service,
    trouble,
    request,
    reason,
    try: tryNumber,
    tries: maxTries,
    waitMs: Math.round(waitLeftMs),
    requestsWaiting: requests,
  };
}
