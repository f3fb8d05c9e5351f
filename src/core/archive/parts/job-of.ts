// How a scheduler names the job of an attempt.

const NAMES = [
  'SLURM_ARRAY_JOB_ID',
  'SLURM_ARRAY_TASK_ID',
  'SLURM_JOB_ID',
  'SLURM_RESTART_COUNT',
  'JOB_COMPLETION_INDEX',
  'AWS_BATCH_JOB_ID',
  'AWS_BATCH_JOB_ATTEMPT',
  'JOB_ID',
  'SGE_TASK_ID',
  'PBS_JOBID',
  'LSB_JOBID',
  'LSB_JOBINDEX',
  'HOSTNAME',
] as const;

/** The variables that name the job, as they are set. */
export const jobOf = (env: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(NAMES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
