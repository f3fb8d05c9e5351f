import { defineCommand } from '../../cli/command.js';
import { flag } from '../../cli/flag.js';
import { planArg } from '../parts/flags.js';
import { type SubmitContext, submitExits, submitFlags, submitRules, SUBMITS } from './submit.js';

export const command = defineCommand({
  path: 'submit kubernetes',
  summary: 'do the parts of a plan by an Indexed Job of Kubernetes',
  description:
    `Writes two Jobs for \`kubectl create\`, ${SUBMITS}\n` +
    'Needs Kubernetes 1.29. An index is tried again, six times, after exit 75, and after a kill; other failures fail it, and the others go on. ' +
    'The Job of the commit asks each minute until all parts are there, for a week. --profile and --ca-bundle are for this call alone.',
  args: [planArg],
  flags: {
    ...submitFlags,
    image: flag.text({
      required: true,
      placeholder: 'IMAGE',
      describe: 'image whose entry point is archiver',
    }),
    atOnce: flag.int([1], { default: 16, describe: 'pods that run at the same time' }),
    cpus: flag.int([1], { describe: 'cores that a pod asks for' }),
    memory: flag.bytes(1, { describe: 'memory that a pod asks for, and its limit' }),
    claim: flag.text({
      placeholder: 'NAME',
      describe: 'persistent volume claim with the source; without it the nodes have the folder (hostPath)',
    }),
    mount: flag.text({
      placeholder: 'FOLDER',
      describe: 'where the volume is mounted; the source of the plan, when not given',
    }),
    secret: flag.text({
      placeholder: 'NAME',
      describe: 'secret with variables of the tasks, such as AWS_ACCESS_KEY_ID',
    }),
    serviceAccount: flag.text({ placeholder: 'NAME', describe: 'service account of the pods' }),
  },
  rules: submitRules,
  examples: [
    'archiver submit kubernetes s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --image registry.example.org/archiver:1 --claim survey --secret s3',
  ],
  exits: submitExits,
  async run(values, [url], context: SubmitContext) {
    const { kubernetesYaml, MAX_COMPLETIONS } = await import('../../core/clusters/kubernetes.js');
    const { KUBERNETES } = await import('../../core/clusters/scheduler.js');
    const { runSubmit } = await import('./run-submit.js');
    return await runSubmit(url, values, context, {
      scheduler: KUBERNETES,
      most: MAX_COMPLETIONS,
      container: values,
      write: (job, folder) => kubernetesYaml(job, { ...values, folder }),
    });
  },
});
