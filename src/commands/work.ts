import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { planArg, workFlags } from './parts/flags.js';
import { WORK_TITLE } from './parts/neighbours.js';

export const command = defineCommand({
  path: 'work',
  summary: 'do parts of a plan',
  description:
    'Packs and sends the files of a part of `archiver plan`, and puts the result that `archiver commit` takes. The folder must ' +
    'be here under the path that was planned. A part that has a result is not done again: exit 0 at once. Each attempt sends ' +
    'under an id of its own, so that a part may be done twice, be killed and be begun again; the first result counts.\n' +
    'A file that vanished since the plan is left out and named, one that changed is stored as it is now, and a new one waits ' +
    'for the next plan.\n' +
    '--part auto reads SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX (Kubernetes), AWS_BATCH_JOB_ARRAY_INDEX, SGE_TASK_ID, ' +
    'PBS_ARRAY_INDEX, PBS_ARRAYID or LSB_JOBINDEX. SGE and LSF count from 1: their task 1 does part 0. Where an array may ' +
    'have too few tasks, --per-task gives each of them several parts; auto:7,12-14 deals out these alone.\n' +
    'Each part reserves of the budgets what it will use before it sends anything; its record counts what it used.\n' +
    'SIGTERM ends an attempt with exit 75; what it has sent stays until a prune. Requeue what ends with 75, and nothing else.',
  args: [planArg],
  flags: workFlags,
  examples: [
    'archiver work s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --part auto',
    'archiver work s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --part 7,12-14',
    'seq 0 63 | xargs -P4 -I{} archiver work s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --part {}',
  ],
  isRecorded: true,
  exits: {
    0: 'done, now or before',
    1: 'failed; do not try again without a look at it',
    3: 'done, but some files vanished, could not be read, or changed while they were read',
    4: 'not done: it would exceed a budget, or most of the files of the part are gone from this machine (--allow-mass-delete)',
    75: 'not done; the same call may succeed: it was terminated, or the store could not be reached',
  },
  keepsMemoryLimit: () => true,
  async run(values, [url], context: Context<'work'>) {
    process.title = WORK_TITLE;
    const { runWork } = await import('./parts/run-work.js');
    return await runWork(values, url, context);
  },
});
