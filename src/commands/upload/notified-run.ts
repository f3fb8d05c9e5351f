// Runs an upload or sync and notifies others of it.
import type { Context } from '../../cli/context.js';
import { failureOf } from '../../cli/errors.js';
import type { NotifiedRun, RunOutcome, SlotValues, UploadReport } from '../../cli/slots.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import type { RunFacts } from '../../core/events/run-facts.js';
import { withoutSecrets } from '../../core/platform/failures/hide-secrets.js';
import { isPartial } from './show-upload.js';

/** The result of a run. */
export interface Archived {
  readonly result: UploadResult;
  /** Report of the work that followed the commit. */
  readonly after: UploadReport | undefined;
}

/** Facts about a run that are known before anything is read. */
export interface NotifiedCall {
  readonly command: string;
  readonly values: SlotValues;
  /** Folders as they were typed. */
  readonly sources: readonly string[];
  readonly storeUrl: string;
}

/** Runs `work` and notifies others of it, except for a dry run. @throws what `work` throws, and what keeps it from beginning */
export async function runNotified<T extends Archived>(
  { command, values, sources, storeUrl }: NotifiedCall,
  work: () => Promise<T>,
  context: Context,
): Promise<T> {
  if (values['dryRun'] === true) return await work();
  const run: Omit<NotifiedRun<T, Context>, 'work'> = {
    values,
    run: { command, source: sources.join(' '), store: storeUrl },
    ofResult: ({ result, after }) => {
      const isPart = isPartial(result, after);
      return { ...factsOf(result), exitStatus: isPart ? 3 : 0, status: isPart ? 'partial' : 'done' };
    },
    ofFailure: (error) => outcomeOfFailure(error, context.signal),
    context,
  };
  const tellers = context.features.flatMap(({ tell }) => tell ?? []);
  return await tellers.reduceRight((inner, tell) => async () => await tell({ ...run, work: inner }), work)();
}

/** The outcome of a run that threw `error`, for notifications. */
export function outcomeOfFailure(error: unknown, signal: AbortSignal): RunOutcome {
  const { exitCode, message } = failureOf(error, signal);
  const status = signal.aborted ? 'interrupted' : 'failed';
  return { exitStatus: exitCode, status, problem: withoutSecrets(message) };
}

const factsOf = ({ datasetId, uploadId, version, files, bytes, storedBytes }: UploadResult): RunFacts => ({
  datasetId,
  uploadId,
  version,
  files,
  bytes,
  storedBytes,
});
