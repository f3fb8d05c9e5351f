import { defineCommand } from '../../cli/command.js';
import { flag } from '../../cli/flag.js';
import { planArg } from '../parts/flags.js';
import { type SubmitContext, submitExits, submitFlags, submitRules, SUBMITS } from './submit.js';

export const command = defineCommand({
  path: 'submit batch',
  summary: 'do the parts of a plan by an array job of AWS Batch',
  description:
    `Writes a script that calls \`aws batch\`, with a job definition for instances of EC2, ${SUBMITS}\n` +
    'A task is tried up to ten times after exit 75, and after a kill. Batch starts the commit when every task has succeeded, and fails it ' +
    'otherwise. The queue is in the region of the AWS CLI; --profile and --ca-bundle are for this call alone.',
  args: [planArg],
  flags: {
    ...submitFlags,
    image: flag.text({
      required: true,
      placeholder: 'IMAGE',
      describe: 'image whose entry point is archiver',
    }),
    queue: flag.text({ required: true, placeholder: 'NAME', describe: 'job queue' }),
    cpus: flag.int([1], { default: 4, describe: 'cores of a task' }),
    memory: flag.bytes(1, { default: '8GiB', describe: 'memory of a task' }),
    jobRole: flag.text({ placeholder: 'ARN', describe: 'role of the tasks, which may write to the store' }),
    fileSystem: flag.text({
      placeholder: 'ID',
      describe: 'EFS file system with the source; without it the instances have the folder',
    }),
    mount: flag.text({
      placeholder: 'FOLDER',
      describe: 'where the file system is mounted; the source of the plan, when not given',
    }),
  },
  rules: submitRules,
  examples: [
    'archiver submit batch s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --image registry.example.org/archiver:1 --queue bulk --job-role arn:aws:iam::123456789012:role/archiver --file-system fs-0123456789abcdef0 --execute',
  ],
  exits: submitExits,
  async run(values, [url], context: SubmitContext) {
    const { batchScript, MAX_BATCH_ARRAY } = await import('../../core/clusters/batch.js');
    const { BATCH } = await import('../../core/clusters/scheduler.js');
    const { cpus, memory: memoryBytes } = values;
    const { runSubmit } = await import('./run-submit.js');
    return await runSubmit(url, values, context, {
      scheduler: BATCH,
      most: MAX_BATCH_ARRAY,
      container: values,
      write: (job, folder) => batchScript({ ...job, cpus, memoryBytes }, { ...values, folder }),
    });
  },
});
