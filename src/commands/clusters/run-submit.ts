// Makes the job for what is left of a plan, hands it over, waits for its end.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kebab } from '../../cli/flag.js';
import { arraySpec } from '../../core/archive/parts/part-number.js';
import { checkedState, type PlanState, planState } from '../../core/archive/parts/plan-state.js';
import type { ReadPlan } from '../../core/archive/parts/read-plan.js';
import { type Job, partsPerTask, refuseDone } from '../../core/clusters/job.js';
import { folderOf, refuseFolderStore } from '../../core/clusters/containers.js';
import { hasEnded, type Scheduler, submitJob, type SubmittedJobs } from '../../core/clusters/scheduler.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { ObjectStore } from '../../core/store/object-store.js';
import { formatQuantity } from '../../ui/format.js';
import { fact, textOf } from '../kit/lines.js';
import { saveText } from '../kit/save-text.js';
import { withStore } from '../kit/store.js';
import { uploadUrl } from '../kit/upload-target.js';
import { planIn, planLocation } from '../parts/plan-target.js';
import type { SubmitContext, SubmitValues } from './submit.js';

interface Submission {
  readonly scheduler: Scheduler;
  /** Tasks of the longest array. */
  readonly most: number;
  /** Of tasks in containers, which see neither this computer's files nor its profiles: where the source is mounted, if that is said. */
  readonly container?: { readonly mount: string | undefined };
  /** Returns the job as the scheduler takes it; `folder` is what containers mount. */
  readonly write: (job: Job, folder: string) => string;
}

/** Shows, writes or hands over a job for what is left of a plan. @throws usage, conflict, and what a store and a scheduler throw */
export async function runSubmit(
  url: string,
  values: SubmitValues,
  context: SubmitContext,
  to: Submission,
): Promise<number> {
  const location = await planLocation(url, values, context);
  const { baseUrl, uploadId } = location;
  if (to.container !== undefined) refuseFolderStore(baseUrl);
  const plan = uploadUrl(location);
  const { perTask: asked, time: timeMs, memory: memoryBytes, atOnce, cpus } = values;
  return await withStore({ baseUrl, values, context }, async (opened) => {
    const read = await planIn(opened, location, context);
    const warn = (text: string): void => context.warn(text);
    const state = await checkedState(opened.store, read, { signal: context.signal, warn });
    refuseDone(state, plan);
    const { missing } = state;
    const partCount = read.head.parts.length;
    const perTask = partsPerTask(partCount, to.most, asked);
    const limits = { atOnce, cpus, memoryBytes, timeMs };
    const job = { plan, uploadId, storeFlags: storeWords(values, context, to), partCount, missing, perTask, ...limits };
    const text = to.write(job, to.container === undefined ? '' : folderOf(read, to.container.mount));
    const facts = {
      scheduler: to.scheduler.title,
      uploadId,
      location: plan,
      partCount,
      missingParts: missing,
      partsPerTask: perTask,
      job: text,
    };
    const saved = await saveText({ document: {}, text, output: values.output }, { ...context, json: false });
    if (!values.execute) {
      context.result({ ...facts, ...saved.about }, () => saved.text);
      return 0;
    }
    const jobs = await submitJob(to.scheduler, text, context);
    const lines = [
      `✓ ${formatQuantity(missing.length, 'part')} of ${printable(plan)} handed to ${to.scheduler.title}`,
      fact('parts', `job ${jobs.partsJobId}`),
      fact('commit', `job ${jobs.commitJobId}, when the parts have ended`),
    ];
    if (values.wait) {
      context.note(lines.join('\n'));
      await waitForCommit({ store: opened.store, read, plan }, jobs, to.scheduler, context);
      lines.push(fact('version', 'is made'));
    }
    context.result({ ...facts, ...saved.about, ...jobs, ...(values.wait && { isCommitted: true }) }, () =>
      textOf([...lines, ...(values.wait ? [] : [fact('next', `archiver plan status ${plan}`)])]),
    );
    return 0;
  });
}

/** The flags that lead a task to the store. */
function storeWords(
  values: SubmitValues,
  { origins, cwd }: SubmitContext,
  { container }: Submission,
): readonly string[] {
  const { region, profile, endpointUrl, caBundle } = values;
  const here =
    container !== undefined ? {} : { profile, caBundle: caBundle === undefined ? undefined : resolve(cwd, caBundle) };
  return Object.entries({ region, endpointUrl, ...here }).flatMap(([key, value]) =>
    value === undefined || origins[key] === 'default' ? [] : [`--${kebab(key)}`, value],
  );
}

interface WatchedPlan {
  readonly store: ObjectStore;
  readonly read: ReadPlan;
  readonly plan: string;
}

/** Milliseconds between two looks, the first ones sooner. */
const LONGEST_MS = 30_000;

/** Returns when the commit has ended with a version. @throws conflict where it ended without one; cancelled, and the jobs go on */
async function waitForCommit(
  { store, read, plan }: WatchedPlan,
  { commitJobId }: SubmittedJobs,
  scheduler: Scheduler,
  context: SubmitContext,
): Promise<void> {
  const { signal } = context;
  let before = -1;
  const look = async (): Promise<PlanState> => {
    const state = await planState(store, read, signal);
    const partCount = read.head.parts.length;
    const done = partCount - state.missing.length;
    if (done !== before) context.note(`${done} of ${formatQuantity(partCount, 'part')} done`);
    before = done;
    return state;
  };
  try {
    for (let ms = 1_000; ; ms = Math.min(ms * 2, LONGEST_MS)) {
      const isOver = await hasEnded(scheduler, commitJobId, context);
      // Looked at after the question: what the jobs have put is there.
      const { missing, isCommitted } = await look();
      if (isOver && isCommitted) return;
      if (isOver)
        throw new ArchiverError(
          'conflict',
          `the jobs have ended without a version${missing.length === 0 ? '' : `: parts ${arraySpec(missing)} are missing`}`,
          {
            hint: missing.length === 0 ? `archiver commit ${plan} says why` : 'the same call submits them again',
          },
        );
      await sleep(ms, undefined, { signal });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new ArchiverError('cancelled', 'stopped waiting', { hint: `the jobs go on: archiver plan status ${plan}` });
  }
}
