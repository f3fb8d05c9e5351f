// A job array of Slurm, as a script for a shell that hands over the parts and their commit.
import { arraySpec } from '../archive/parts/part-number.js';
import { usageError } from '../platform/failures/errors.js';
import { printable } from '../platform/paths/raw-path.js';
import { shellWord } from '../platform/text/shell-word.js';
import { commitWords, type Job, nameOf, tasksOf, workWords } from './job.js';

/** Slurm's own default of MaxArraySize: the highest number of a task is one less. */
export const DEFAULT_ARRAY_SIZE = 1001;

/** Returns MaxArraySize of what `scontrol show config` prints; undefined where it does not say. */
export function maxArraySize(config: string): number | undefined {
  const text = /^MaxArraySize\s*=\s*(\d+)\s*$/m.exec(config)?.[1];
  return text === undefined ? undefined : Number(text);
}

const line = (words: readonly string[]): string => ['archiver', ...words].map(shellWord).join(' ');

/** Seconds before the time limit at which a task is asked to end, so that it says what it has. */
const WARNING_S = 60;

/**
 * Returns a script that submits the array, prints its id, and does the same for the commit, which begins when all tasks have ended, however
 * they did. `options` are further ones of sbatch: `partition` → `long`.
 */
export function slurmScript(job: Job, options: Readonly<Record<string, string>>): string {
  const { missing, perTask, atOnce, cpus, memoryBytes, timeMs } = job;
  const { count, part } = tasksOf(job);
  // One part a task: its number is that of the part, which is what commit tells of those that are missing.
  const array = perTask === 1 ? arraySpec(missing) : `0-${count - 1}`;
  const work = workWords(job, perTask === 1 ? 'auto' : part);
  const lines = (texts: readonly (string | false)[]): string =>
    texts.flatMap((text) => (text === false ? [] : [`#SBATCH --${text}\n`])).join('');
  const others = Object.entries(options).map(([name, value]) => (value === '' ? name : `${name}=${shellWord(value)}`));
  return `#!/bin/sh
# Submits the parts of a plan, and the commit that follows them. Arguments are for the sbatch of the parts: --array=7,12-14 does these again.
set -eu
parts=$(sbatch --parsable "$@" <<'END'
#!/bin/sh
${lines([
  `job-name=${nameOf(job)}`,
  `array=${array}${atOnce === undefined ? '' : `%${atOnce}`}`,
  'requeue',
  'open-mode=append',
  `signal=B:TERM@${WARNING_S}`,
  cpus !== undefined && `cpus-per-task=${cpus}`,
  memoryBytes !== undefined && `mem=${Math.ceil(memoryBytes / 2 ** 20)}M`,
  timeMs !== undefined && `time=${Math.ceil(timeMs / 60_000)}`,
  ...others,
])}exec ${line(work)}
END
)
parts=\${parts%%;*}
echo "parts $parts"
commit=$(sbatch --parsable --dependency="afterany:$parts" <<'END'
#!/bin/sh
${lines([`job-name=${nameOf(job)}-commit`, 'requeue', 'open-mode=append', ...others])}exec ${line(commitWords(job))}
END
)
echo "commit \${commit%%;*}"
`;
}

/** @throws usage for what is no name of an option, or belongs to the array */
export function refuseOptions(options: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(options)) {
    const isOurs = ['array', 'dependency', 'signal', 'wrap'].includes(name);
    if (/^[a-z][a-z-]*$/.test(name) && !isOurs) continue;
    throw usageError(
      `--option ${printable(name)} ${isOurs ? 'is set by the job itself' : 'is no option of sbatch'}`,
      'names are those of sbatch without dashes before them: --option partition=long',
    );
  }
}
