// `archiver restore jobs check`: looks at the stores for the jobs that wait, one after the other.
import { hostname } from 'node:os';
import type { Context } from '../../../cli/context.js';
import { estimateRetrieval } from '../../../core/cost/retrieval-cost.js';
import { ArchiverError, errorText, isArchiverError } from '../../../core/failures/errors.js';
import type { OpenedStore } from '../../../core/object-store/open-store.js';
import { checkJob } from '../../../core/restore-jobs/check-job.js';
import { findJob, findJobs, type FoundJob } from '../../../core/restore-jobs/job-folder.js';
import { earliestExpiry } from '../../../core/restore-jobs/judge-job.js';
import type { RestoreJob } from '../../../core/restore-jobs/restore-job.js';
import { coldChunks, thawAgain } from '../../../core/restore-jobs/thaw-again.js';
import { printable } from '../../../core/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { formatUsd } from '../../../ui/format-usd.js';
import type { JobsCheckValues } from './check.js';
import { jobFolder, openJobStore, readNamedJob } from './job-store.js';
import { jobDocument, jobLines, shownStatus } from './job-text.js';

interface Looked {
  readonly job: RestoreJob;
  readonly holder: FoundJob['holder'];
  /** Why the store could not be asked. */
  readonly problem: ArchiverError | undefined;
}

/** Runs the command; returns its exit status. */
export async function runJobsCheck(values: JobsCheckValues, id: string | undefined, context: Context): Promise<number> {
  const found = id === undefined ? await findJobs(jobFolder(context), hostname()) : [await named(id, context)];
  const damaged = found.flatMap(({ problem }) => problem ?? []);
  for (const { message } of damaged) context.warn(message);
  const looked: Looked[] = [];
  for (const { job, holder } of found)
    if (job !== undefined && (id !== undefined || isWaiting(job, context.now())))
      looked.push(await look({ job, holder }, values, context));
  for (const { job, problem } of looked) if (problem !== undefined) warnOf(job, problem, context);
  context.result({ jobs: looked.map(documentOf), unreadable: damaged.length }, () => text(looked));
  if (looked.some(({ problem }) => problem !== undefined)) return 1;
  return damaged.length > 0 || looked.some(({ job }) => job.status === 'failed') ? 3 : 0;
}

async function named(id: string, context: Context): Promise<FoundJob> {
  const job = await readNamedJob(id, context);
  const found = await findJob(jobFolder(context), id, hostname());
  return found ?? { id, job, problem: undefined, holder: undefined, writtenMs: 0 };
}

/** Pending, or ready with a copy that should be gone by now. */
function isWaiting(job: RestoreJob, now: Date): boolean {
  const expiry = earliestExpiry(job);
  return job.status === 'pending' || (job.status === 'ready' && expiry !== undefined && Date.parse(expiry) <= +now);
}

async function look(
  { job, holder }: Omit<Looked, 'problem'>,
  values: JobsCheckValues,
  context: Context,
): Promise<Looked> {
  if (job.status === 'completed' || holder !== undefined) return { job, holder, problem: undefined };
  const options = { folder: jobFolder(context), host: hostname(), now: context.now, signal: context.signal };
  let current = job;
  try {
    const opened = await openJobStore(job, values, context);
    try {
      current = await checkJob(job, { ...options, reader: opened.store });
      if (values.thawAgain && current.status === 'pending' && coldChunks(current).length > 0) {
        noteCost(current, opened, context);
        current = await thawAgain(current, { ...options, store: opened.store });
      }
      return { job: current, holder, problem: undefined };
    } finally {
      opened.close();
    }
  } catch (error) {
    if (context.signal.aborted || !isArchiverError(error)) throw error;
    return { job: current, holder, problem: error };
  }
}

function noteCost(job: RestoreJob, opened: OpenedStore, context: Context): void {
  const { tier, restoreDays: days } = job;
  const cold = coldChunks(job);
  const { costUsd } = estimateRetrieval({
    chunks: cold.map(({ sizeBytes, storageClass }) => ({ sizeBytes, storageClass, isReadable: false })),
    region: opened.region,
    isAws: opened.isAws,
    tier,
    days,
  });
  const cost = costUsd === null ? 'cost unknown' : `est. ${formatUsd(costUsd)}`;
  context.note(`asking again for ${formatQuantity(cold.length, 'cold chunk')} of ${job.id}: ${tier} tier, ${cost}`);
}

function warnOf(job: RestoreJob, { message, hint }: ArchiverError, context: Context): void {
  context.warn(`${job.id}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
}

const documentOf = ({ job, holder, problem }: Looked) => ({
  ...jobDocument(job),
  isRunning: holder !== undefined,
  problem: problem === undefined ? null : { code: problem.code, message: errorText(problem) },
});

function text(looked: readonly Looked[]): string {
  if (looked.length === 0) return 'no restore job is waiting\n';
  const lines = looked.flatMap((one) => jobLines(one.job, shownStatus(one)));
  return `${lines.map(printable).join('\n')}\n`;
}
