// Progress as objects for machines, one a line. Amounts are integers, times ISO 8601; readers ignore keys they do not know.
import type { Outcome } from '../../stores/reporter.js';
import type { SkippedFile, TransferSnapshot } from '../../stores/transfer-state.js';
import { doneFraction } from './done-fraction.js';
import { thawObject } from './thaw-lines.js';

type JsonLine = Readonly<Record<string, unknown>>;

/** How far it is. A note rides along on the first status after it. */
export function statusObject(snapshot: TransferSnapshot, at: Date, note?: string): JsonLine {
  return { type: 'status', ...common(snapshot, at), phase: snapshot.phase, isStopping: snapshot.isStopping, note };
}

/** A file that was left out. */
export function skipObject(snapshot: TransferSnapshot, at: Date, file: SkippedFile): JsonLine {
  return {
    type: 'error',
    time: at.toISOString(),
    operation: snapshot.operation,
    path: file.path,
    message: file.reason,
  };
}

/** The failure that ended the operation. */
export function failureObject(
  snapshot: TransferSnapshot,
  at: Date,
  { code, message, hint }: Extract<Outcome, { status: 'failed' }>,
): JsonLine {
  return { type: 'error', time: at.toISOString(), operation: snapshot.operation, code, message, hint };
}

/** How it ended; the last line. */
export function summaryObject(snapshot: TransferSnapshot, at: Date, outcome: Outcome): JsonLine {
  return { type: 'summary', outcome: outcome.status, ...common(snapshot, at) };
}

function common(snapshot: TransferSnapshot, at: Date): JsonLine {
  const fraction = doneFraction(snapshot);
  return {
    time: at.toISOString(),
    operation: snapshot.operation,
    source: snapshot.source,
    target: snapshot.target,
    percent: fraction === undefined ? undefined : Math.floor(fraction * 100),
    files: snapshot.filesDone,
    filesTotal: snapshot.filesTotal,
    bytes: snapshot.bytesDone,
    bytesTotal: snapshot.bytesTotal,
    storedBytes: snapshot.storedBytes,
    chunks: snapshot.chunksDone,
    chunksTotal: snapshot.chunksTotal,
    chunksInFlight: snapshot.chunksInFlight,
    retries: snapshot.retries,
    skippedCount: snapshot.skippedCount,
    bytesPerSecond: Math.round(snapshot.bytesPerSecond),
    storedBytesPerSecond: Math.round(snapshot.storedBytesPerSecond),
    etaMs: snapshot.etaMs === undefined ? undefined : Math.round(snapshot.etaMs),
    compression: snapshot.compression,
    path: snapshot.path,
    thaw: thawObject(snapshot),
    durationMs: Math.round(snapshot.elapsedMs),
  };
}
