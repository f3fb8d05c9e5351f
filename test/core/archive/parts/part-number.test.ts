import { describe, expect, test } from 'vitest';
import { arraySpec, partsOf } from '../../../../src/core/archive/parts/part-number.js';

describe('--part', () => {
  test.each([
    ['0', [0]],
    ['7,12-14', [7, 12, 13, 14]],
    ['12-14,7,13', [7, 12, 13, 14]],
    ['007', [7]],
    ['999999', [999_999]],
  ])('%s means %j', (text, parts) => {
    expect(partsOf(text, {}, 1)).toEqual(parts);
  });

  test.each(['', 'x', '-1', '1-', '3-1', '1,,2', '1-2-3', '1.5', '1e3', ' 1', '1000000', '0-1000000', 'AUTO'])(
    '%j is refused',
    (text) => {
      expect(() => partsOf(text, {}, 1)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );

  test('a list is refused with several parts a task, whose numbers it would not be', () => {
    expect(() => partsOf('1', {}, 2)).toThrow('--per-task goes with --part auto');
  });
});

describe('--part auto', () => {
  test.each([
    ['SLURM_ARRAY_TASK_ID', '5', 5],
    ['JOB_COMPLETION_INDEX', '0', 0],
    ['AWS_BATCH_JOB_ARRAY_INDEX', '9999', 9999],
    ['PBS_ARRAY_INDEX', '3', 3],
    ['PBS_ARRAYID', '3', 3],
    ['SGE_TASK_ID', '1', 0],
    ['LSB_JOBINDEX', '4', 3],
  ])('%s=%s is part %i', (name, value, part) => {
    expect(partsOf('auto', { [name]: value }, 1)).toEqual([part]);
  });

  test('with several parts a task, each task has its own', () => {
    expect(partsOf('auto', { SLURM_ARRAY_TASK_ID: '2' }, 3)).toEqual([6, 7, 8]);
    expect(partsOf('auto', { SGE_TASK_ID: '1' }, 3)).toEqual([0, 1, 2]);
  });

  test('of a list, each task has its own of those that are listed, and none past the end', () => {
    const of = (task: number, perTask: number) =>
      partsOf('auto:7,12-14', { JOB_COMPLETION_INDEX: String(task) }, perTask);
    expect([0, 1, 2, 3, 4].map((task) => of(task, 1))).toEqual([[7], [12], [13], [14], []]);
    expect([0, 1, 2].map((task) => of(task, 3))).toEqual([[7, 12, 13], [14], []]);
    expect(() => partsOf('auto:', { JOB_COMPLETION_INDEX: '0' }, 1)).toThrow('names no parts');
    expect(() => partsOf('auto:7', {}, 1)).toThrow('finds no number');
  });

  test('a job that is no array has no number', () => {
    const env = { SGE_TASK_ID: 'undefined', LSB_JOBINDEX: '0', SLURM_ARRAY_TASK_ID: '' };
    expect(() => partsOf('auto', env, 1)).toThrow('finds no number of an array task');
    expect(partsOf('auto', { ...env, PBS_ARRAY_INDEX: '1' }, 1)).toEqual([1]);
  });

  test('of two numbers none is taken, unless they say the same', () => {
    expect(() => partsOf('auto', { SLURM_ARRAY_TASK_ID: '1', JOB_COMPLETION_INDEX: '2' }, 1)).toThrow(
      '--part auto finds two numbers: SLURM_ARRAY_TASK_ID is 1, JOB_COMPLETION_INDEX is 2',
    );
    expect(partsOf('auto', { SLURM_ARRAY_TASK_ID: '1', SGE_TASK_ID: '2' }, 1)).toEqual([1]);
  });

  test.each([
    ['SLURM_ARRAY_TASK_ID', '%a'],
    ['SGE_TASK_ID', '0'],
    ['PBS_ARRAY_INDEX', '-1'],
    ['JOB_COMPLETION_INDEX', '4294967295'],
  ])('%s=%s is refused by name', (name, value) => {
    expect(() => partsOf('auto', { [name]: value }, 1)).toThrow(`${name} is ${value}`);
  });
});

describe('an array', () => {
  test.each([
    [[], ''],
    [[7], '7'],
    [[14, 7, 12, 13], '7,12-14'],
    [[0, 1, 2, 3], '0-3'],
    [[1, 2, 4, 4, 5], '1-2,4-5'],
  ])('of %j is %j', (parts, spec) => {
    expect(arraySpec(parts)).toBe(spec);
  });

  test('is read back as the parts it was made of', () => {
    const parts = Array.from({ length: 500 }, (_, index) => index * 3 - (index % 2));
    expect(partsOf(arraySpec(parts), {}, 1)).toEqual([...new Set(parts)].sort((a, b) => a - b));
  });
});
