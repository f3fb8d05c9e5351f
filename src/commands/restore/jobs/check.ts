import { hostname } from 'node:os';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Context, Messages } from '../../../cli/context.js';
import { flag, kebab, type Values } from '../../../cli/flag.js';
import { idle } from '../../../cli/rule.js';
import type { GateAnswer } from '../../../cli/slots.js';
import { type ArchiverError, errorText, isArchiverError } from '../../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import type { FoundJob } from '../../../core/restore/jobs/job-folder.js';
import { earliestExpiry } from '../../../core/restore/jobs/judge-job.js';
import type { RestoreJob } from '../../../core/restore/jobs/restore-job.js';
import { formatQuantity } from '../../../ui/format.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { learnProjects, recordRunFacts, recordRunObjects } from '../../kit/account.js';
import { detectedStoreFlags } from '../../kit/flags.js';
import { minuteText, textOf } from '../../kit/lines.js';
import {
  jobDocument,
  readableChunks,
  readNamedJob,
  type ShownStatus,
  shownStatus,
  withJobStore,
} from '../../kit/restore-job.js';
import { budgetGateFlags } from '../../kit/budget-flags.js';
import { dryRunRetrievalGate, retrievalGate } from '../../kit/slots.js';
import { jobFolder } from '../../kit/saved.js';

const flags = {
  jobId: flag.text({ placeholder: 'ID', describe: 'only this job; the same as JOB_ID' }),
  thawAgain: flag.on({
    describe:
      'ask the store again for chunks of JOB_ID that are cold or were denied, with its tier, days and cap; this is paid for again',
  }),
  tier: flag.choice(['expedited', 'standard', 'bulk'], {
    describe: 'with --thaw-again: this tier instead of that of the job',
  }),
  maxRestoreCost: flag.usd({
    describe: 'with --thaw-again: this cap instead of that of the job; each request is compared with it by itself',
  }),
  ...detectedStoreFlags,
  ...budgetGateFlags,
};

type JobContext = Context<'restore jobs check'>;

export const command = defineCommand({
  path: 'restore jobs check',
  summary: 'see whether waiting restores can be downloaded',
  description:
    'Asks the store for the state of the chunks of each pending job, and of ready ones whose copies should have expired. ' +
    'A job is ready when all of its chunks can be read, and failed when one is gone or was denied. Where a copy expired ' +
    'before it was downloaded the job is pending again, and nothing is requested: that costs money, so it takes ' +
    '--thaw-again.\n' +
    'With a job id only that job is looked at, also when it failed or was interrupted. Region, profile and endpoint are ' +
    'those that the job was made with, unless they are given; credentials are never saved.',
  args: [arg.text('JOB_ID', { describe: 'only this job; `archiver restore jobs list` shows them', optional: true })],
  flags,
  rules: [
    ...(['tier', 'maxRestoreCost', 'ignoreBudget'] as const).map((key) =>
      idle(key, ['thawAgain'], `--${kebab(key)} needs --thaw-again`, (v) => v['thawAgain'] !== true),
    ),
    {
      kind: 'check',
      text: 'JOB_ID and --job-id must name the same job',
      ok: ({ jobId }, [id]) => id === undefined || jobId === undefined || id === jobId,
    },
    {
      kind: 'check',
      text: '--thaw-again needs a JOB_ID',
      ok: ({ jobId, thawAgain }, [id]) => !thawAgain || id !== undefined || jobId !== undefined,
    },
  ],
  examples: [
    'archiver restore jobs check',
    'archiver restore jobs check rj-7f3a90c2',
    'archiver restore jobs check rj-7f3a90c2 --thaw-again',
  ],
  isRecorded: true,
  exits: {
    0: 'looked; jobs may still be waiting',
    1: 'a store could not be asked; its jobs are as before, the others were looked at',
    3: 'looked, but a job failed or its file is damaged',
    4: 'asking again would cost more than the cap or exceed a budget, or a price is not known; nothing was asked for',
  },
  async run(values, [given], context: JobContext) {
    const id = given ?? values.jobId;
    const { findJobs } = await import('../../../core/restore/jobs/job-folder.js');
    const found = id === undefined ? await findJobs(jobFolder(context), hostname()) : [await namedJob(id, context)];
    const damaged = found.flatMap(({ problem }) => problem ?? []);
    for (const { message } of damaged) context.warn(message);
    const checked: CheckedJob[] = [];
    for (const { document: job, holder } of found)
      if (job !== undefined && (id !== undefined || isWaiting(job, context.now())))
        checked.push(await checkOne({ job, holder }, values, context));
    for (const { job, problem } of checked) if (problem !== undefined) warnOf(job, problem, context);
    context.result({ jobs: checked.map(documentOf), unreadable: damaged.length }, () => {
      const lines = checked.flatMap((one) => [
        ...jobLines(one.job, shownStatus({ document: one.job, holder: one.holder })),
        ...one.gates.lines,
      ]);
      return textOf(checked.length === 0 ? ['no restore job is waiting'] : lines.map(printable));
    });
    if (checked.some(({ problem }) => problem !== undefined)) return 1;
    return damaged.length > 0 || checked.some(({ job }) => job.status === 'failed') ? 3 : 0;
  },
});

interface CheckedJob {
  readonly job: RestoreJob;
  readonly holder: FoundJob['holder'];
  /** The reason why the store could not be asked. */
  readonly problem: ArchiverError | undefined;
  /** What limits of budgets left when chunks were requested again. */
  readonly gates: GateAnswer;
}

const NO_GATES: GateAnswer = { document: {}, lines: [] };

async function namedJob(id: string, context: JobContext): Promise<FoundJob> {
  const { savedJobs } = await import('../../../core/restore/jobs/job-folder.js');
  const job = await readNamedJob(id, context);
  const found = await savedJobs(jobFolder(context)).find(id, hostname());
  return found ?? { id, document: job, problem: undefined, holder: undefined, writtenMs: 0 };
}

/** True for a pending job, or a ready one with a copy that should be gone by now. */
function isWaiting(job: RestoreJob, now: Date): boolean {
  const expiry = earliestExpiry(job);
  return job.status === 'pending' || (job.status === 'ready' && expiry !== undefined && Date.parse(expiry) <= +now);
}

/** Asks the store about a job. An error is kept beside the job, so that the others are checked as well. */
async function checkOne(
  { job, holder }: Pick<CheckedJob, 'job' | 'holder'>,
  values: Values<typeof flags>,
  context: JobContext,
): Promise<CheckedJob> {
  if (job.status === 'completed' || holder !== undefined) return { job, holder, problem: undefined, gates: NO_GATES };
  const { checkJob } = await import('../../../core/restore/jobs/check-job.js');
  const { now, signal } = context;
  const options = { folder: jobFolder(context), host: hostname(), now, signal };
  let [current, gates] = [job, NO_GATES];
  try {
    await withJobStore({ job, values, context }, async (opened) => {
      current = await checkJob(job, { ...options, reader: opened.store });
      if (values.thawAgain) ({ job: current, gates } = await requestAgain(current, opened, values, context));
    });
    return { job: current, holder, problem: undefined, gates };
  } catch (error) {
    if (signal.aborted || !isArchiverError(error)) throw error;
    if (values.thawAgain && isArchiverError(error, 'usage', 'budget-exceeded')) throw error;
    return { job: current, holder, problem: error, gates };
  }
}

/** Requests chunks again and returns the updated job with what budgets said; unchanged if nothing is cold. */
async function requestAgain(
  job: RestoreJob,
  opened: OpenedStore,
  values: Values<typeof flags>,
  context: JobContext,
): Promise<Pick<CheckedJob, 'job' | 'gates'>> {
  const { planThawAgain, thawAgain } = await import('../../../core/restore/jobs/thaw-again.js');
  const { pricedBy } = await import('../../kit/prices.js');
  const { store, region, isAws } = opened;
  const { now, signal } = context;
  const typed = <T>(key: 'tier' | 'maxRestoreCost', value: T, saved: T): T =>
    context.origins[key] === 'flag' ? value : (saved ?? value);
  const plan = await planThawAgain(job, {
    store,
    now,
    signal,
    tier: typed('tier', values.tier, job.tier) ?? job.tier,
    maxCostUsd: typed('maxRestoreCost', values.maxRestoreCost, job.maxRestoreCostUsd),
    region,
    isAws,
    ...pricedBy(context, opened),
  });
  if (plan === undefined) return { job, gates: NO_GATES };
  const { chunks, tier, estimate } = plan;
  const { uploadId } = job.location;
  recordRunFacts(context, { operation: 'thaw', uploadId, datasetId: job.datasetId });
  recordRunObjects(context, job.chunks);
  await learnProjects(context, store, [uploadId]);
  const planned = { ...estimate, uploadId, project: undefined };
  const gates = await dryRunRetrievalGate({ ...values }, planned, context);
  await retrievalGate({ ...values }, uploadId, context)(planned);
  const cost = estimate.costUsd === null ? 'cost unknown' : `est. ${formatUsd(estimate.costUsd)}`;
  context.note(`asking again for ${formatQuantity(chunks.length, 'cold chunk')} of ${job.id}: ${tier} tier, ${cost}`);
  const options = { folder: jobFolder(context), host: hostname(), store, now, signal };
  return { job: await thawAgain(job, plan, options), gates };
}

function warnOf(job: RestoreJob, { message, hint }: ArchiverError, context: Messages): void {
  context.warn(`${job.id}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
}

const documentOf = ({ job, holder, problem, gates: { document } }: CheckedJob) => ({
  ...jobDocument(job),
  ...(document.budgetChecks === undefined ? {} : { budgetChecks: document.budgetChecks }),
  isRunning: holder !== undefined,
  problem: problem === undefined ? null : errorText(problem),
});

/** A line with the state, and lines for the problem and the next command, if any. */
function jobLines(job: RestoreJob, shown: ShownStatus): readonly string[] {
  const expiry = earliestExpiry(job);
  const until = expiry === undefined ? '' : `, the first until ${minuteText(expiry)}`;
  const chunks = `${readableChunks(job)} of ${job.chunks.length} chunks readable${until}`;
  const next = nextCommand(job, shown);
  return [
    `${job.id}  ${shown.padEnd(11)}  ${chunks}`,
    ...(job.error === undefined ? [] : [`  why   ${job.error}`]),
    ...(next === undefined ? [] : [`  next  ${next}`]),
  ];
}

/** The command to type next; undefined if there is none. */
function nextCommand({ id, status, error, chunks }: RestoreJob, shown: ShownStatus): string | undefined {
  if (status === 'failed' && chunks.some(({ state }) => state === 'denied'))
    return `archiver restore jobs check ${id} --thaw-again`;
  if (status === 'ready' || shown === 'interrupted' || status === 'failed')
    return `archiver restore jobs download ${id}`;
  return status === 'pending' && error !== undefined ? `archiver restore jobs check ${id} --thaw-again` : undefined;
}
