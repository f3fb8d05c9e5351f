// An Indexed Job of Kubernetes, and a Job that commits when all parts are there. Kubernetes has no order of jobs: the second one asks again and
// again.
import { stringify } from 'yaml';
import { defined } from '../platform/defined.js';
import { commitWords, type Job, nameOf, RETRIED, tasksOf, workWords } from './job.js';

/** The API server warns of more. */
export const MAX_COMPLETIONS = 100_000;

export interface PodOptions {
  readonly image: string;
  /** Where pods see the source, or a folder above it. */
  readonly folder: string;
  /** A persistent volume claim for it; without it the nodes have the folder. */
  readonly claim?: string | undefined;
  /** A secret whose keys are variables with credentials. */
  readonly secret?: string | undefined;
  readonly serviceAccount?: string | undefined;
}

/** Retries of a part whose task failed for the moment; between them are 10 s to 6 min. */
const RETRIES = 6;
const WEEK_S = 604_800;
/** Asks for the commit each minute while parts are missing (exit status 1), and ends with any other status. */
const COMMIT = 'while :; do archiver "$@"; status=$?; [ $status -eq 1 ] || exit $status; sleep 60; done';

/** Returns the two documents. Their names are made by the cluster (`kubectl create`), so that parts can be submitted again. */
export function kubernetesYaml(job: Job, options: PodOptions): string {
  const { count, part } = tasksOf(job);
  const { cpus, memoryBytes, timeMs, atOnce = count } = job;
  const memory = memoryBytes === undefined ? undefined : `${Math.ceil(memoryBytes / 2 ** 20)}Mi`;
  const hasLimits = (cpus ?? memory) !== undefined;
  const parts = {
    completionMode: 'Indexed',
    completions: count,
    parallelism: Math.min(atOnce, count),
    backoffLimitPerIndex: RETRIES,
    podFailurePolicy: {
      rules: [
        { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        { action: 'FailIndex', onExitCodes: { operator: 'NotIn', values: [...RETRIED, 143] } },
      ],
    },
    template: {
      spec: {
        ...defined({ activeDeadlineSeconds: timeMs === undefined ? undefined : Math.ceil(timeMs / 1000) }),
        ...podOf(options, {
          args: workWords(job, part),
          ...(hasLimits && {
            resources: { requests: defined({ cpu: cpus, memory }), ...(memory && { limits: { memory } }) },
          }),
          volumeMounts: [{ name: 'source', mountPath: options.folder, readOnly: true }],
        }),
        volumes: [{ name: 'source', ...volumeOf(options) }],
      },
    },
  };
  const commit = {
    activeDeadlineSeconds: WEEK_S,
    template: { spec: podOf(options, { command: ['sh', '-c', COMMIT, 'sh'], args: commitWords(job) }) },
  };
  return [documentOf(nameOf(job), parts), documentOf(`${nameOf(job)}-commit`, commit)].join('---\n');
}

const documentOf = (name: string, spec: object): string =>
  stringify(
    { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: `${name}-` }, spec },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );

const podOf = ({ image, secret, serviceAccount }: PodOptions, container: object) => ({
  restartPolicy: 'Never',
  terminationGracePeriodSeconds: 60,
  ...defined({ serviceAccountName: serviceAccount }),
  containers: [
    {
      name: 'archiver',
      image,
      ...container,
      ...(secret !== undefined && { envFrom: [{ secretRef: { name: secret } }] }),
    },
  ],
});

const volumeOf = ({ claim, folder }: PodOptions) =>
  claim === undefined
    ? { hostPath: { path: folder, type: 'Directory' } }
    : { persistentVolumeClaim: { claimName: claim, readOnly: true } };
