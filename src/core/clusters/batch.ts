// An array job of AWS Batch, as a script for a shell that registers its definition, submits the parts and the commit after them.
import { arraySpec } from '../archive/parts/part-number.js';
import { defined } from '../platform/defined.js';
import { shellWord } from '../platform/text/shell-word.js';
import { commitWords, type Job, nameOf, RETRIED, tasksOf, workWords } from './job.js';

/** The longest array that Batch takes. */
export const MAX_BATCH_ARRAY = 10_000;

/** Batch wants to know what a task needs. */
export interface BatchJob extends Job {
  readonly cpus: number;
  readonly memoryBytes: number;
}

export interface BatchOptions {
  readonly image: string;
  readonly queue: string;
  /** ARN of the role that may write to the bucket. */
  readonly jobRole?: string | undefined;
  /** Where containers see the source, or a folder above it. */
  readonly folder: string;
  /** Id of an EFS file system for it; without it the instances have the folder. */
  readonly fileSystem?: string | undefined;
}

const json = (value: object): string => shellWord(JSON.stringify(value, undefined, 2));

/** Returns a script that prints the id of the array, and that of the commit. Batch starts the commit when all parts have succeeded. */
export function batchScript(job: BatchJob, options: BatchOptions): string {
  const { count, part } = tasksOf(job);
  const { queue: jobQueue } = options;
  // An array has two tasks at least, and a single task no number.
  const isArray = count > 1;
  const parts = {
    jobName: nameOf(job),
    jobQueue,
    ...(isArray && { arrayProperties: { size: count } }),
    containerOverrides: { command: workWords(job, isArray ? part : arraySpec(job.missing)) },
  };
  const commit = { jobName: `${nameOf(job)}-commit`, jobQueue, containerOverrides: { command: commitWords(job) } };
  const submit = 'aws batch submit-job --job-definition "$definition" --query jobId --output text';
  return `#!/bin/sh
# Registers a job definition, submits the parts of a plan and the commit that depends on them.
set -eu
definition=$(aws batch register-job-definition --query jobDefinitionArn --output text --cli-input-json ${json(definitionOf(job, options))})
parts=$(${submit} --cli-input-json ${json(parts)})
echo "parts $parts"
commit=$(${submit} --depends-on "jobId=$parts" --cli-input-json ${json(commit)})
echo "commit $commit"
`;
}

function definitionOf(job: BatchJob, { image, jobRole, fileSystem, folder }: BatchOptions) {
  const { timeMs } = job;
  const place =
    fileSystem === undefined
      ? { host: { sourcePath: folder } }
      : { efsVolumeConfiguration: { fileSystemId: fileSystem, transitEncryption: 'ENABLED' } };
  const retried = RETRIED.map((status) => ({ onExitCode: String(status), action: 'RETRY' }));
  return {
    jobDefinitionName: nameOf(job),
    type: 'container',
    containerProperties: {
      image,
      resourceRequirements: [
        { type: 'VCPU', value: String(job.cpus) },
        { type: 'MEMORY', value: String(Math.ceil(job.memoryBytes / 2 ** 20)) },
      ],
      ...defined({ jobRoleArn: jobRole }),
      volumes: [{ name: 'source', ...place }],
      mountPoints: [{ sourceVolume: 'source', containerPath: folder, readOnly: true }],
    },
    retryStrategy: {
      attempts: 10,
      // An instance that was taken away, what may succeed the next time; five conditions are the most.
      evaluateOnExit: [{ onStatusReason: 'Host EC2*', action: 'RETRY' }, ...retried, { onReason: '*', action: 'EXIT' }],
    },
    ...(timeMs !== undefined && { timeout: { attemptDurationSeconds: Math.ceil(timeMs / 1000) } }),
  };
}
