// One cycle of an agent: every source in turn, each a dataset of its own. One that fails does not stop the others.
import type { UploadResult } from '../../archive/upload-result.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { HeartbeatSource } from '../heartbeat.js';
import { isRetriable, throwIfCancelled } from '../../store/store-error.js';
import type { AgentPlan, AgentSource } from './agent-plan.js';

export type ArchiveSource = (source: AgentSource, plan: AgentPlan) => Promise<UploadResult>;

/** What became of a source. */
export interface SourceOutcome {
  readonly source: AgentSource;
  readonly result?: UploadResult;
  /** Why there is none. */
  readonly failure?: unknown;
}

export interface CycleInput {
  readonly plan: AgentPlan;
  readonly archive: ArchiveSource;
  readonly signal: AbortSignal;
  /** Told as soon as a source has ended. */
  readonly onEnd: (outcome: SourceOutcome) => void;
}

export type RunCycle = (input: CycleInput) => Promise<readonly SourceOutcome[]>;

/** @throws cancelled when the agent is stopped; what was sent is kept then and the next cycle goes on */
export async function runCycle({ plan, archive, signal, onEnd }: CycleInput): Promise<readonly SourceOutcome[]> {
  const outcomes: SourceOutcome[] = [];
  for (const source of plan.sources) {
    throwIfCancelled(signal);
    const outcome = await outcomeOf(source, () => archive(source, plan));
    throwIfCancelled(signal);
    outcomes.push(outcome);
    onEnd(outcome);
  }
  return outcomes;
}

async function outcomeOf(source: AgentSource, archive: () => Promise<UploadResult>): Promise<SourceOutcome> {
  try {
    return { source, result: await archive() };
  } catch (failure) {
    return { source, failure };
  }
}

/** True where the store could not be reached for any source, so that it is asked again before the interval is over. */
export const isOutage = (outcomes: readonly SourceOutcome[]): boolean =>
  outcomes.length > 0 && outcomes.every(({ failure }) => isUnreachable(failure));

const isUnreachable = (failure: unknown): boolean =>
  isRetriable(failure) || isArchiverError(failure, 'store', 'stalled');

/** What a failure says, with what to do about it. */
export function failureText(failure: unknown): string {
  const hint = isArchiverError(failure) ? failure.hint : undefined;
  return hint === undefined ? errorText(failure) : `${errorText(failure)} (${hint})`;
}

/** A source in the heartbeat, before its first cycle has ended. */
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

/** A source in the heartbeat; `before`: as it was in the last one. A failure keeps what the last success said. */
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
