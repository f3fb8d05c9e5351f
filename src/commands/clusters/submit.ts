// What the three submit commands share of their declarations.
import type { Messages, Places, Results } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';
import type { Job } from '../../core/clusters/job.js';
import type { StoreContext } from '../kit/store.js';
import { targetFlags } from '../parts/flags.js';

export const submitFlags = {
  ...targetFlags,
  perTask: flag.int([1, 1_000_000], {
    describe: 'parts of each task; the fewest with which the array is short enough, when not given',
  }),
  time: flag.duration({ describe: 'time limit of one attempt at a task, at least 5m' }),
  output: flag.fileOrStream({ short: 'o', placeholder: 'FILE', describe: 'write the job to this file' }),
  execute: flag.on({ describe: 'hand the job over now' }),
  wait: flag.on({ describe: 'say how many parts are done until the jobs have ended; Ctrl+C leaves the jobs alone' }),
};

export const submitRules = [
  requires('wait', 'execute'),
  {
    kind: 'check' as const,
    text: '--time is at least 5m: a task is asked to end up to two minutes before',
    ok: ({ time }: { readonly time: number | undefined }) => time === undefined || time >= 300_000,
  },
];

export const submitExits = {
  0: 'the job was shown, written or handed over; with --wait: the version is made',
  1: 'the plan cannot be read or has nothing left to do, the scheduler does not take the job, or with --wait: there is no version',
};

/** What all of the three say of themselves. */
export const SUBMITS =
  'for the parts of a plan that have no result yet, and for the commit after them, and shows it. --execute hands it over. ' +
  'When parts are missing in the end, the same call submits those alone. docs/clusters.md says more.';

export type SubmitContext = Results<'submit slurm'> & StoreContext & Messages & Pick<Places, 'cwd'>;
export type SubmitValues = Values<typeof submitFlags> &
  Pick<Job, 'atOnce' | 'cpus'> & { readonly memory?: number | undefined };
