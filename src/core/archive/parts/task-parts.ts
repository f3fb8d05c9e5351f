// The parts that a task of a scheduler's array does, and how the scheduler names the job.
import { usageError } from '../../platform/failures/errors.js';
import { rangesIn } from './part-keys.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables with the number of the task, and the number of an array's first task. */
const INDICES: readonly (readonly [variable: string, first: 0 | 1])[] = [
  ['SLURM_ARRAY_TASK_ID', 0],
  ['JOB_COMPLETION_INDEX', 0],
  ['AWS_BATCH_JOB_ARRAY_INDEX', 0],
  ['SGE_TASK_ID', 1],
  ['PBS_ARRAY_INDEX', 0],
  ['PBS_ARRAYID', 0],
  ['LSB_JOBINDEX', 1],
];

/** Variables that name the job. */
const JOBS = [
  'SLURM_ARRAY_JOB_ID',
  'SLURM_JOB_ID',
  'SLURM_RESTART_COUNT',
  'AWS_BATCH_JOB_ID',
  'AWS_BATCH_JOB_ATTEMPT',
  'JOB_ID',
  'PBS_JOBID',
  'LSB_JOBID',
  'HOSTNAME',
] as const;

/**
 * Returns the parts that `--part` names: numbers and ranges, or with `auto` those of this task. Undefined for a text that is neither.
 * @throws usage where no variable says which task this is
 */
export function partsOfTask(text: string, perTask: number, env: Environment): readonly number[] | undefined {
  if (text !== 'auto') return rangesIn(text);
  const task = taskOf(env);
  return Array.from({ length: perTask }, (_, at) => task * perTask + at);
}

/** The number of this task, counted from 0. An array that is not one sets some of these to `undefined` or to 0 where it counts from 1. */
function taskOf(env: Environment): number {
  for (const [variable, first] of INDICES) {
    const text = env[variable];
    if (text === undefined || !/^\d{1,9}$/.test(text) || Number(text) < first) continue;
    return Number(text) - first;
  }
  const names = INDICES.map(([variable]) => variable).join(', ');
  throw usageError(
    `--part auto: no scheduler says which task this is (none of ${names} has a number)`,
    'name the part: --part 0',
  );
}

/** The variables that name the job, as they are set. */
export const jobOf = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...JOBS, ...INDICES.map(([variable]) => variable)]
      .flatMap((name) => [[name, env[name] ?? '']])
      .filter(([, value]) => value !== ''),
  );
