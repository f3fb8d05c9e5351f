// Does parts of a plan and shows what became of them.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { partOf } from '../../core/archive/parts/read-plan.js';
import { jobOf } from '../../core/archive/parts/job-of.js';
import { partsOf } from '../../core/archive/parts/part-number.js';
import { type WorkedPart, workPart } from '../../core/archive/parts/work-part.js';
import { workersFor } from '../../core/archive/run/settings.js';
import { type ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { isRetriable } from '../../core/store/store-error.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { amountText, fact, textOf } from '../kit/lines.js';
import { uploadGate } from '../kit/slots.js';
import { planIn, planLocation, withExit } from './plan-target.js';
import { withResult } from '../kit/run.js';
import { withStore } from '../kit/store.js';
import { uploadUrl } from '../kit/upload-target.js';
import { uploadMemoryLimit } from '../upload/engine-options.js';
import type { WorkValues } from './flags.js';
import { shareOf } from './neighbours.js';

/** EX_TEMPFAIL: the same call may succeed. */
const TRY_AGAIN = 75;

/** Runs the command; returns its exit status. */
export async function runWork(values: WorkValues, url: string, context: Context<'work'>): Promise<number> {
  const location = await planLocation(url, values, context);
  const { part, perTask = 1, workers, allowMassDelete } = values;
  const wanted = partsOf(part, context.env, perTask);
  const memoryLimitBytes = uploadMemoryLimit(context);
  const { home, now, signal } = context;
  const machine = { host: hostname(), pid: process.pid, job: jobOf(context.env), home, now, signal, allowMassDelete };
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  try {
    const done = await withResult(context, values, {
      work: async (emit) => {
        emit({ type: 'start', operation: 'work', source: uploadUrl(location), target: '' });
        const call = { baseUrl: location.baseUrl, values, context, onEvent: emit };
        return await withStore(call, async (opened) => {
          const plan = await planIn(opened, location, context);
          const { project = plan.uploadId, parts: planned } = plan.head;
          recordRunFacts(context, { operation: 'upload', project });
          // With --per-task the last task has fewer parts.
          const numbers = perTask > 1 ? wanted.filter((number) => number < planned.length) : wanted;
          for (const number of numbers) partOf(plan, number);
          const parts: WorkedPart[] = [];
          for (const number of numbers) {
            // Each part reserves for itself: the machines of an array need not know of each other.
            const gate = uploadGate({ ...values, project: plan.head.project }, context)(emit);
            const packing = { workers: workers ?? shareOf(workersFor(memoryLimitBytes)), memoryLimitBytes };
            parts.push(await workPart(opened, plan, number, { ...machine, packing, uploadGate: gate, emit, warn }));
          }
          const sum = (of: 'files' | 'bytes'): number => parts.reduce((total, one) => total + one[of], 0);
          const { uploadId, head } = plan;
          recordRunResult(context, { uploadId, datasetId: head.datasetId, files: sum('files'), bytes: sum('bytes') });
          return { plan, parts, requests: { ...opened.requests } };
        });
      },
      show: ({ plan, parts, requests }) => ({
        document: {
          uploadId: plan.uploadId,
          location: uploadUrl(location),
          datasetId: plan.head.datasetId,
          workedParts: parts.map(workedDocument),
          requests,
        },
        text: () => textOf(parts.flatMap((one) => workedLines(one, context))),
      }),
    });
    // What was done before has told what it left out, and a scheduler that repeats 3 is to see an end.
    return done.parts.some(({ outcome, partial }) => outcome === 'stored' && partial) ? 3 : 0;
  } catch (error) {
    throw forScheduler(error, signal);
  } finally {
    for (const text of warnings) context.warn(text);
  }
}

/** SIGTERM as shells report it. */
const TERMINATED = 143;

/** Gives failures that may pass the exit status that schedulers take for "try again". */
function forScheduler(error: unknown, signal: AbortSignal): unknown {
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  const ended: ArchiverError | undefined = isArchiverError(reason, 'cancelled') ? reason : undefined;
  if (ended !== undefined) return ended.exitCode === TERMINATED ? withExit(ended, TRY_AGAIN) : error;
  return isRetriable(error) || isArchiverError(error, 'stalled') ? withExit(error, TRY_AGAIN) : error;
}

const workedDocument = ({ part: planPart, outcome: partOutcome, attempt: attemptId, leftOut, ...sums }: WorkedPart) => {
  const { files, bytes, storedBytes, chunks } = sums;
  const skipped = { skippedCount: leftOut.count, skipped: leftOut.paths };
  return { planPart, partOutcome, attemptId, files, bytes, storedBytes, chunks, ...skipped };
};

const OUTCOMES = { stored: 'stored', before: 'was done before', beaten: 'another attempt was first' } as const;

function workedLines(
  { part, outcome, attempt, files, bytes, chunks, leftOut }: WorkedPart,
  context: Context<'work'>,
): readonly string[] {
  return [
    `Part ${part}: ${OUTCOMES[outcome]}, ${amountText(files, 'file', bytes)} in ${formatQuantity(chunks, 'chunk')}`,
    fact('attempt', attempt),
    ...problemLines('left out', leftOut.paths, lookOf(context.colors.stdout, context.env), leftOut.count),
  ];
}
