// One cycle of an agent: archives every source in turn, each as a dataset of its own. A failure of one does not stop the others.
import type { UploadResult } from '../../archive/upload-result.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { HeartbeatSource, ReadFinding } from '../heartbeat.js';
import { isRetriable, throwIfCancelled } from '../../store/store-error.js';
import type { AgentPlan, AgentSource } from './agent-plan.js';

export interface ArchiveLimits {
  /** False to fail instead of sending everything. */
  readonly mayResend: boolean;
}

/** Archives a source. @throws held for what may not be sent again, and what else keeps it from being archived */
export type ArchiveSource = (source: AgentSource, plan: AgentPlan, limits: ArchiveLimits) => Promise<UploadResult>;

/** The result of one source. */
export interface SourceOutcome {
  readonly source: AgentSource;
  readonly result?: UploadResult;
  /** The error, when there is no result. */
  readonly failure?: unknown;
}

export interface CycleInput {
  readonly plan: AgentPlan;
  /** Archives one source; a failure is an outcome. */
  readonly archive: (source: AgentSource) => Promise<SourceOutcome>;
  /** Returns what somebody has to look at so far. */
  readonly findings: () => readonly ReadFinding[];
  readonly signal: AbortSignal;
  /** Called as soon as a source has ended. */
  readonly onEnd: (outcome: SourceOutcome) => void;
}

export type RunCycle = (input: CycleInput) => Promise<readonly SourceOutcome[]>;

/** Runs the cycle. @throws cancelled when the agent is stopped; data already sent is kept, and the next cycle continues with it */
export async function runCycle({ plan, archive, signal, onEnd }: CycleInput): Promise<readonly SourceOutcome[]> {
  const outcomes: SourceOutcome[] = [];
  for (const source of plan.sources) {
    throwIfCancelled(signal);
    const outcome = await archive(source);
    throwIfCancelled(signal);
    outcomes.push(outcome);
    onEnd(outcome);
  }
  return outcomes;
}

/** True when the store could not be reached for any source, so that it is tried again before the interval is over. */
export const isOutage = (outcomes: readonly SourceOutcome[]): boolean =>
  outcomes.length > 0 && outcomes.every(({ failure }) => isUnreachable(failure));

const isUnreachable = (failure: unknown): boolean =>
  isRetriable(failure) || isArchiverError(failure, 'store', 'stalled');

/** Returns the message of a failure with its hint. */
export function failureText(failure: unknown): string {
  const hint = isArchiverError(failure) ? failure.hint : undefined;
  return hint === undefined ? errorText(failure) : `${errorText(failure)} (${hint})`;
}

/** Returns a source's heartbeat entry before its first cycle has ended. */
export const unknownSource = (path: string): HeartbeatSource => ({
  path,
  isHealthy: null,
  error: null,
  lastSuccessAt: null,
  uploadId: null,
  datasetId: null,
  version: null,
  files: 0,
  bytes: 0,
  storedBytes: 0,
  added: 0,
  modified: 0,
  deleted: 0,
  skipped: 0,
  noChanges: false,
  comparedWith: 'none',
});

/** Returns a source's heartbeat entry; `before` is the previous one. After a failure, the figures of the last success are kept. */
export function heartbeatSource(
  { source, result, failure }: SourceOutcome,
  before: HeartbeatSource | undefined,
  now: Date,
): HeartbeatSource {
  if (result === undefined)
    return { ...(before ?? unknownSource(source.path)), isHealthy: false, error: failureText(failure) };
  const { uploadId, datasetId, version, files, bytes, storedBytes, skipped, changes } = result;
  return {
    path: source.path,
    isHealthy: true,
    error: null,
    lastSuccessAt: now.toISOString(),
    uploadId,
    datasetId,
    version,
    files,
    bytes,
    storedBytes,
    added: changes?.added ?? files,
    modified: changes?.modified ?? 0,
    deleted: changes?.deleted ?? 0,
    skipped: skipped.length,
    noChanges: changes?.noChanges ?? false,
    comparedWith: changes?.comparedWith ?? 'none',
  };
}
