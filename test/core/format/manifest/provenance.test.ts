import { describe, expect, test } from 'vitest';
import { provenanceOf, stageOf } from '../../../../src/core/format/manifest/provenance.js';
import { raw } from '../../../support/raw.js';

const COMMIT = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);

describe('the stage of a path', () => {
  const stages = new Map([
    [raw('model.bin'), 'train'],
    [raw('data'), 'prepare'],
    [raw('data/raw/labels'), 'label'],
  ]);

  test.each([
    ['model.bin', 'train'],
    ['data', 'prepare'],
    ['data/x', 'prepare'],
    ['data/raw/x/y', 'prepare'],
    ['data/raw/labels', 'label'],
    ['data/raw/labels/a/b', 'label'],
    ['data/raw/labels2', 'prepare'],
    ['model.bin2', undefined],
    ['data2/x', undefined],
    ['x/data', undefined],
    ['x', undefined],
  ])('%s: %s', (path, stage) => {
    expect(stageOf(stages, raw(path))).toBe(stage);
  });

  test('an output that is the whole folder has everything that no other has', () => {
    const whole = new Map([...stages, [raw(''), 'all']]);

    expect(['x', 'x/y', 'data/x'].map((path) => stageOf(whole, raw(path)))).toEqual(['all', 'all', 'prepare']);
  });
});

describe('what an entry says of itself', () => {
  const before = { stage: 'old', commit: OTHER };

  test('is what it said before, where nothing is known', () => {
    expect(provenanceOf(undefined, raw('x'))).toEqual({});
    expect(provenanceOf(undefined, raw('x'), before)).toEqual(before);
    expect(provenanceOf({}, raw('x'), before)).toEqual(before);
    expect(provenanceOf({ commit: COMMIT }, raw('x'), before)).toEqual({ stage: 'old', commit: COMMIT });
  });

  test('is what is known now, also that it is in no stage', () => {
    const one = new Map([[raw('x'), 'new']]);
    const stageOfX = { stages: { outs: one, areAll: true } };
    expect(provenanceOf(stageOfX, raw('x'), before)).toEqual({ stage: 'new', commit: OTHER });
    expect(provenanceOf(stageOfX, raw('y'), before)).toEqual({ commit: OTHER });
    expect(provenanceOf({ stages: { outs: one, areAll: false } }, raw('y'), before)).toEqual(before);
  });
});
