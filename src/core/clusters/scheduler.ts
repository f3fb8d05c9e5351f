// Calls the programs of schedulers: sbatch and squeue, kubectl, aws.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ArchiverError, systemCode, undefinedOn } from '../platform/failures/errors.js';
import { DEFAULT_ARRAY_SIZE, maxArraySize } from './slurm.js';

export interface ProgramCall {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Ids of what was handed over. */
export interface SubmittedJobs {
  readonly partsJobId: string;
  readonly commitJobId: string;
}

export interface Scheduler {
  /** As people call it. */
  readonly title: string;
  /** Takes the job on stdin and prints two lines, which end with the ids of the array and of the commit. */
  readonly submit: readonly [string, ...string[]];
  /** Asks for the state of the commit. */
  readonly ask: (commitJobId: string) => readonly [string, ...string[]];
  /** True for an answer that says that it has ended, or is not known any more. */
  readonly hasEnded: (answer: Answer) => boolean;
}

export const SLURM: Scheduler = {
  title: 'Slurm',
  submit: ['sh', '-s'],
  // It shows what is not over; a job that is over for some minutes is an invalid one.
  ask: (id) => ['squeue', '--noheader', `--jobs=${id}`],
  hasEnded: ({ status, stdout, stderr }) => (status === 0 ? stdout.trim() === '' : stderr.includes('Invalid job id')),
};

export const KUBERNETES: Scheduler = {
  title: 'Kubernetes',
  submit: ['kubectl', 'create', '--output=name', '--filename=-'],
  ask: (id) => [
    'kubectl',
    'get',
    id,
    '--ignore-not-found',
    '--output=jsonpath={.kind} {.status.conditions[?(@.status=="True")].type}',
  ],
  hasEnded: ({ status, stdout }) => status === 0 && (stdout.trim() === '' || /\b(?:Complete|Failed)\b/.test(stdout)),
};

export const BATCH: Scheduler = {
  title: 'AWS Batch',
  submit: ['sh', '-s'],
  ask: (id) => ['aws', 'batch', 'describe-jobs', '--jobs', id, '--query', 'jobs[].status', '--output', 'text'],
  hasEnded: ({ status, stdout }) => status === 0 && /^(?:SUCCEEDED|FAILED|None)?$/.test(stdout.trim()),
};

/** Runs a program to its end, whatever Ctrl+C does meanwhile: a job that is half handed over is worse than a second more. @throws not-found */
async function run(
  [program, ...args]: readonly [string, ...string[]],
  input: string,
  { cwd, env }: ProgramCall,
): Promise<Answer> {
  const child = spawn(program, args, { cwd, env: { ...env }, detached: true });
  child.stdin.on('error', () => undefined); // it ended without reading all; its status tells
  child.stdin.end(input);
  const ended = once(child, 'close');
  const [[status], stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]).catch(
    (error: unknown) => {
      if (systemCode(error) !== 'ENOENT') throw error;
      throw new ArchiverError('not-found', `${program} is not on this computer`, {
        hint: 'run this where jobs are submitted, or write the job to a file with --output and take it there',
      });
    },
  );
  return { status: status as number | null, stdout, stderr };
}

/** Hands a job over. @throws io with what the program said; not-found where it is not installed */
export async function submitJob({ title, submit }: Scheduler, job: string, call: ProgramCall): Promise<SubmittedJobs> {
  const { status, stdout, stderr } = await run(submit, job, call);
  const [partsJobId, commitJobId] = stdout.split('\n').flatMap((line) => line.split(' ').at(-1) || []);
  if (status === 0 && partsJobId !== undefined && commitJobId !== undefined) return { partsJobId, commitJobId };
  const said = stderr.trim() || `exit status ${status}`;
  if (partsJobId === undefined) throw new ArchiverError('io', `${title} does not take the job: ${said}`);
  throw new ArchiverError('io', `${title} took the parts as job ${partsJobId}, and not their commit: ${said}`, {
    hint: 'archiver commit makes the version when the parts have ended',
  });
}

/** True when the commit has ended, or nobody knows it any more; false also where the scheduler does not answer. */
export async function hasEnded({ ask, hasEnded: isOver }: Scheduler, id: string, call: ProgramCall): Promise<boolean> {
  return isOver(await run(ask(id), '', call));
}

/** Returns how long arrays of Slurm may be; its default where `scontrol` is not here or does not say. */
export async function longestArray(call: ProgramCall): Promise<number> {
  const config = await run(['scontrol', 'show', 'config'], '', call).catch(undefinedOn('not-found'));
  return maxArraySize(config?.stdout ?? '') ?? DEFAULT_ARRAY_SIZE;
}
