// The tests of `find -name … -type … -size …`, which mean what they mean to GNU find. An entry has to pass all of them.
import { globMatcher } from '../../../core/format/manifest/selection.js';
import type { EntryType } from '../../../core/format/manifest/manifest-types.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { baseName, printable, type RawPath, rawFromText, textFromRaw } from '../../../core/platform/paths/raw-path.js';
import type { Word } from '../../../core/shell/command-line.js';
import type { GivenOption, OptionSpec } from '../../../core/shell/options.js';

export const FIND_OPTIONS: readonly OptionSpec[] = [
  { name: '-name', value: 'GLOB', describe: 'the name matches' },
  { name: '-iname', value: 'GLOB', describe: 'the same, whether letters are large or small' },
  {
    name: '-type',
    value: 'TYPE',
    values: ['f', 'd', 'l'],
    describe: 'f for files, d for folders, l for symbolic links',
  },
  {
    name: '-size',
    value: '[+-]N[ckMG]',
    describe:
      'files of more (+) or fewer (-) than N bytes (c), KiB, MiB or GiB, begun ones counted; without a letter blocks of 512 bytes',
  },
  { name: '-maxdepth', value: 'N', describe: 'N levels below the folder' },
  { name: '-print', describe: 'print paths, as it does anyway' },
];

/** What tests look at; a folder has no size. */
export interface Tested {
  readonly path: RawPath;
  readonly type: EntryType;
  readonly sizeBytes: number;
}

type Test = (entry: Tested) => boolean;

/** Returns whether an entry passes all tests that are given. @throws usage for a value that cannot be */
export function testOf(given: readonly GivenOption[]): Test {
  const tests = given.map(({ name, value }) => TESTS[name]?.(value) ?? (() => true));
  return (entry) => tests.every((test) => test(entry));
}

const TESTS: Readonly<Record<string, (value: Word) => Test>> = {
  '-name': ({ text, glob = text }) => {
    const isMatch = globMatcher(glob);
    return ({ path }) => isMatch(baseName(path));
  },
  '-iname': ({ text, glob = text }) => {
    const isMatch = globMatcher(glob.toLowerCase());
    return ({ path }) => isMatch(lowerCase(baseName(path)));
  },
  '-type': typeTest,
  '-size': sizeTest,
};

/** Of a name that is not UTF-8, the letters of ASCII alone. */
function lowerCase(name: RawPath): RawPath {
  const text = textFromRaw(name);
  if (text !== undefined) return rawFromText(text.toLowerCase());
  return name.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase()) as RawPath;
}

const TYPES: Readonly<Record<string, readonly EntryType[]>> = {
  f: ['file', 'hardlink'],
  d: ['directory'],
  l: ['symlink'],
};

function typeTest({ text }: Word): Test {
  const types = TYPES[text];
  if (types === undefined)
    throw usageError(`-type wants f, d or l, not '${printable(text)}': an archive has no others`);
  return ({ type }) => types.includes(type);
}

const UNIT_BYTES: Readonly<Record<string, number>> = { c: 1, '': 512, b: 512, k: 1024, M: 1024 ** 2, G: 1024 ** 3 };

function sizeTest({ text }: Word): Test {
  const [, sign = '', count, unit = ''] = /^([+-]?)(\d{1,15})([bckMG]?)$/.exec(text) ?? [];
  if (count === undefined) throw usageError(`-size wants [+-]N[ckMG] such as +10M, not '${printable(text)}'`);
  const wanted = Number(count);
  const unitBytes = UNIT_BYTES[unit] ?? 1;
  return ({ type, sizeBytes }) => {
    if (type === 'directory') return false;
    const units = Math.ceil(sizeBytes / unitBytes);
    return sign === '+' ? units > wanted : sign === '-' ? units < wanted : units === wanted;
  };
}
