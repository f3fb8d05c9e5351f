import { defineCommand } from '../../cli/command.js';
import { flag } from '../../cli/flag.js';
import { planArg } from '../parts/flags.js';
import { type SubmitContext, submitExits, submitFlags, submitRules, SUBMITS } from './submit.js';

export const command = defineCommand({
  path: 'submit slurm',
  summary: 'do the parts of a plan by an array of Slurm',
  description:
    `Writes a script that calls sbatch twice, ${SUBMITS}\n` +
    'The array is as long as MaxArraySize allows, 1001 where `scontrol` does not say. A task that ends with 75 is put back where slurm.conf has ' +
    'RequeueExit=75; elsewhere its part is missing. The commit waits for the end of all tasks, whatever it is (afterany). Tasks have the ' +
    'environment of this call. Arguments of the script go to the sbatch of the parts.',
  args: [planArg],
  flags: {
    ...submitFlags,
    atOnce: flag.int([1], { describe: 'tasks that run at the same time' }),
    cpus: flag.int([1], { describe: 'cores of a task (cpus-per-task)' }),
    memory: flag.bytes(1, { describe: 'memory of a task (mem)' }),
    option: flag.pairs({
      placeholder: 'NAME=VALUE',
      describe: 'further option of sbatch, for parts and commit: partition=long',
    }),
  },
  rules: submitRules,
  examples: [
    'archiver submit slurm s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --cpus 4 --time 4h --option partition=long --execute --wait',
    'archiver submit slurm file:///project/archive/uploads/20251114-093012-1a2b3c4d -o job.sh',
  ],
  exits: submitExits,
  async run(values, [url], context: SubmitContext) {
    const { refuseOptions, slurmScript } = await import('../../core/clusters/slurm.js');
    const { longestArray, SLURM } = await import('../../core/clusters/scheduler.js');
    const { option } = values;
    refuseOptions(option);
    const most = await longestArray(context);
    const { runSubmit } = await import('./run-submit.js');
    return await runSubmit(url, values, context, {
      scheduler: SLURM,
      most,
      write: (job) => slurmScript(job, option),
    });
  },
});
