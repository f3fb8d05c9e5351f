import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sidecarText, updatedSidecar } from '../../../../src/core/projects/dvc/sidecar-text.js';

const MD5 = 'de7371b0119f4f75f9de703c7c3bac16';
const FILE = { md5: MD5, size: 9, isExecutable: false };

describe('the text of a .dvc file', () => {
  test('has the fields of DVC 3 in its order', () => {
    expect(sidecarText('data.csv', FILE)).toBe(`outs:\n- md5: ${MD5}\n  size: 9\n  hash: md5\n  path: data.csv\n`);
    expect(sidecarText('run.sh', { ...FILE, isExecutable: true })).toBe(
      `outs:\n- md5: ${MD5}\n  size: 9\n  isexec: true\n  hash: md5\n  path: run.sh\n`,
    );
    expect(sidecarText('imgs', { md5: `${MD5}.dir`, size: 9, nfiles: 2 })).toBe(
      `outs:\n- md5: ${MD5}.dir\n  size: 9\n  nfiles: 2\n  hash: md5\n  path: imgs\n`,
    );
  });

  test.each([
    ['plain_name-1.csv', 'plain_name-1.csv'],
    ['with space.csv', 'with space.csv'],
    ['ünïcode 文.csv', 'ünïcode 文.csv'],
    ['2024-01-01', "'2024-01-01'"],
    ['1e5', "'1e5'"],
    ['true', "'true'"],
    ['No', "'No'"],
    ['~', "'~'"],
    ["it's", "'it''s'"],
    ['a: b', "'a: b'"],
    ['a #b', "'a #b'"],
    ['trailing ', "'trailing '"],
    ['- x', "'- x'"],
    ['line\nend', '"line\\nend"'],
    ['\u001b[31m\u0085\u2028\ufeff', '"\\u001b[31m\\u0085\\u2028\\ufeff"'],
  ])('%j is quoted where it must be', (name, scalar) => {
    expect(sidecarText(name, FILE)).toContain(`  path: ${scalar}\n`);
  });

  test('an MD5 that looks like a number is quoted', () => {
    const digits = '12345678901234567890123456789012';
    const exponent = '123456789012345e6789012345678901';

    for (const md5 of [digits, exponent, MD5]) {
      const text = sidecarText('x', { ...FILE, md5 });
      expect(parse(text)).toEqual({ outs: [{ md5, size: 9, hash: 'md5', path: 'x' }] });
      expect(parse(text, { version: '1.1' })).toEqual({ outs: [{ md5, size: 9, hash: 'md5', path: 'x' }] });
    }
  });

  test('reads back as what it was, whatever the name', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({
        unit: fc.constantFrom(...`-?:,[]{}#&*!|>'"%@\` ~=<.0129eExo_+yYnN\t\r`.split('')),
        minLength: 1,
        maxLength: 6,
      }),
    );
    fc.assert(
      fc.property(name, (path) => {
        const text = sidecarText(path, FILE);
        expect(parse(text)).toEqual({ outs: [{ md5: MD5, size: 9, hash: 'md5', path }] });
      }),
      { numRuns: 500 },
    );
  });
});

describe('a .dvc file that is there', () => {
  const before = `# kept\nouts:\n- md5: ${MD5}\n  size: 9\n  isexec: true\n  hash: md5\n  path: a.csv # this too\n  desc: mine\n  remote: cold\nmeta: {team: 1}\n`;

  test('stays as it is where it says the same', () => {
    expect(updatedSidecar(before, 'a.csv', { ...FILE, isExecutable: true })).toBe(before);
  });

  test('keeps what people wrote and gets what is new', () => {
    const text = updatedSidecar(before, 'a.csv', { md5: '0'.repeat(32), size: 10, isExecutable: false });

    expect(text).toBe(
      `# kept\nouts:\n- md5: "${'0'.repeat(32)}"\n  size: 10\n  hash: md5\n  path: a.csv # this too\n  desc: mine\n  remote: cold\nmeta: { team: 1 }\n`,
    );
  });

  test('a file that became a folder, or has no hash yet, gets the fields of one', () => {
    const text = updatedSidecar(`outs:\n- md5: x\n  path: d\n  desc: y\n`, 'd', {
      md5: `${MD5}.dir`,
      size: 3,
      nfiles: 1,
    });

    expect(parse(text)).toEqual({
      outs: [{ md5: `${MD5}.dir`, size: 3, nfiles: 1, hash: 'md5', path: 'd', desc: 'y' }],
    });
  });

  test.each([['not yaml: ['], ['outs: []'], [`outs:\n- path: other\n`], ['outs:\n- path: a.csv\n- path: b\n'], ['[]']])(
    '%j is not taken for one of this file, and stays',
    (text) => {
      expect(() => updatedSidecar(text, 'a.csv', FILE)).toThrow('its .dvc file is of something else');
    },
  );
});
