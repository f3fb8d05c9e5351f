// Which parts a run of `archiver work` does: numbers as they are typed, or the number that a scheduler gave the task of an array. Parts
// count from 0, and so do tasks; arrays of Grid Engine and LSF cannot, and their task 1 is our task 0.
import { MAX_PARTS } from '../../format/parts/part-keys.js';
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

interface Variable {
  readonly name: string;
  readonly first: 0 | 1;
  /** It says that the job is no array. */
  readonly none?: string;
}

const VARIABLES: readonly Variable[] = [
  { name: 'SLURM_ARRAY_TASK_ID', first: 0 },
  { name: 'JOB_COMPLETION_INDEX', first: 0 },
  { name: 'AWS_BATCH_JOB_ARRAY_INDEX', first: 0 },
  { name: 'PBS_ARRAY_INDEX', first: 0 },
  { name: 'PBS_ARRAYID', first: 0 },
  { name: 'SGE_TASK_ID', first: 1, none: 'undefined' },
  { name: 'LSB_JOBINDEX', first: 1, none: '0' },
];

/** Reads a whole number below the limit; undefined for any other text. */
function numberOf(text: string): number | undefined {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : MAX_PARTS;
  return number < MAX_PARTS ? number : undefined;
}

/** Returns this task's number in its array, from 0. @throws usage where no scheduler gave one, or two gave different ones */
function taskOf(env: Readonly<Record<string, string | undefined>>): number {
  const set = VARIABLES.flatMap(({ name, first, none }) => {
    const text = env[name];
    return text === undefined || text === '' || text === none ? [] : [{ name, text, first }];
  });
  const [one, ...others] = set.map(({ name, text, first }) => {
    const number = numberOf(text);
    if (number !== undefined && number >= first) return { name, text, task: number - first };
    throw usageError(`${name} is ${printable(text)}, which is no number of a task`, `--part N says which part it is`);
  });
  if (one === undefined)
    throw usageError(
      '--part auto finds no number of an array task in the environment',
      `a scheduler sets one of ${VARIABLES.map(({ name }) => name).join(', ')}; --part N does without`,
    );
  const rival = others.find(({ task }) => task !== one.task);
  if (rival === undefined) return one.task;
  throw usageError(
    `--part auto finds two numbers: ${one.name} is ${one.text}, ${rival.name} is ${rival.text}`,
    `--part "$${one.name}" says which one counts`,
  );
}

/** Reads `7,12-14`, ascending, each once. @throws usage */
function listOf(text: string): readonly number[] {
  const parts = text.split(',').flatMap((range) => {
    const bounds = range.split('-');
    const [from, to] = [numberOf(bounds[0] ?? ''), numberOf(bounds.at(-1) ?? '')];
    if (bounds.length > 2 || from === undefined || to === undefined || to < from)
      throw usageError(`${printable(text)} names no parts`, 'numbers from 0 and ranges of them, as 7,12-14, or auto');
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
  return [...new Set(parts)].sort((one, other) => one - other);
}

const AUTO = /^auto(?::(.*))?$/s;

/**
 * Returns the parts that `--part` means, ascending, each once: `7`, `7,12-14`, `auto`, or `auto:7,12-14`. Of `auto`, task i does the parts from
 * i * perTask on, of which the last may be past the end of the plan; of `auto:LIST` the same of the list's parts, and none past its end.
 * @throws usage for a text of another form, for `auto` without a scheduler's number, for a list with more than one part a task
 */
export function partsOf(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  perTask: number,
): readonly number[] {
  const auto = AUTO.exec(text);
  if (auto === null) {
    if (perTask !== 1) throw usageError('--per-task goes with --part auto', 'a list names each part');
    return listOf(text);
  }
  const listed = auto[1] === undefined ? undefined : listOf(auto[1]);
  const first = taskOf(env) * perTask;
  if (listed !== undefined) return listed.slice(first, first + perTask);
  return Array.from({ length: perTask }, (_, index) => first + index).filter((part) => part < MAX_PARTS);
}

/** Writes parts as schedulers take the tasks of an array: `7,12-14`. */
export function arraySpec(parts: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const part of [...parts].sort((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last !== undefined && part <= last[1] + 1) last[1] = part;
    else ranges.push([part, part]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}
