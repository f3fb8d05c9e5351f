// Types of values: how a single text is parsed, for flags and positional arguments. A type never throws and never repeats the text in its
// reason: the caller, who knows where the text came from, writes the message (and hides secrets).
import { parseTimetable, type RateLimit } from '../core/platform/limits/timetable.js';
import type { Part } from '../core/platform/part.js';
import { storeUrlOf } from '../core/store/store-url.js';
import { parseDuration } from '../core/platform/text/parse-duration.js';

export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string; /** Text to type instead. */ readonly hint?: string };

/** Kind of paths that the shell can complete a value with. */
export type Completes = 'file' | 'folder' | 'nothing';

/** What a value names that the program may have seen (complete-known.ts). */
export type Names = 'store' | 'dataset' | 'version' | 'tag' | 'entry';

export interface ValueType<T> {
  /** Name in help: `string`, `int 1-22`, `size`. */
  readonly label: string;
  /** A valid text, for generated examples. */
  readonly sample: string;
  readonly completes: Completes;
  readonly names?: Names | undefined;
  readonly choices?: readonly string[];
  parse(text: string): Parsed<T>;
}

const good = <T>(value: T): Parsed<T> => ({ ok: true, value });
const bad = (reason: string) => ({ ok: false, reason }) as const;

/** Any text. */
export const textType: ValueType<string> = { label: 'string', sample: 'text', completes: 'nothing', parse: good };

/** A path; `-` means stdin or stdout to people, and would be a file of that name here. */
const pathOnly = (text: string): Parsed<string> =>
  text === '-'
    ? { ...bad('neither stdin nor stdout can be used here; a file of that name is typed ./-'), hint: './-' }
    : good(text);

/** The path of a file. */
export const fileType: ValueType<string> = { label: 'file', sample: './file', completes: 'file', parse: pathOnly };

/** The path of a folder. */
export const folderType: ValueType<string> = {
  label: 'folder',
  sample: './folder',
  completes: 'folder',
  parse: pathOnly,
};

/** The path of a file, or `-` for stdin or stdout. */
export const fileOrStreamType: ValueType<string> = { ...fileType, parse: good };

/** The path of a folder, or `-` for stdin or stdout. */
export const folderOrStreamType: ValueType<string> = { ...folderType, parse: good };

function rangeLabel(min: number, max: number): string {
  if (Number.isFinite(min) && Number.isFinite(max)) return ` ${min}-${max}`;
  if (Number.isFinite(min)) return ` ${min} or more`;
  return Number.isFinite(max) ? ` up to ${max}` : '';
}

function rangeWords(min: number, max: number): string {
  if (Number.isFinite(min) && Number.isFinite(max)) return ` from ${min} to ${max}`;
  if (Number.isFinite(min)) return `, ${min} or more`;
  return Number.isFinite(max) ? `, at most ${max}` : '';
}

const clampSample = (min: number, max: number): number => (min > 1 ? min : Math.min(1, max));

/** A whole number in a range; `also` lists values outside it that are allowed (0 for "automatic"). */
export function intType(
  min = Number.NEGATIVE_INFINITY,
  max = Number.POSITIVE_INFINITY,
  also: readonly number[] = [],
): ValueType<number> {
  const extra = also.length > 0 ? `${also.join(' or ')} or` : '';
  return {
    label: extra === '' ? `int${rangeLabel(min, max)}` : `int ${extra}${rangeLabel(min, max)}`,
    sample: String(clampSample(min, max)),
    completes: 'nothing',
    parse(text) {
      const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN;
      const inRange = Number.isSafeInteger(value) && value >= min && value <= max;
      if (inRange || also.includes(value)) return good(value);
      return bad(`wants ${extra === '' ? '' : `${extra} `}a whole number${rangeWords(min, max)}`);
    },
  };
}

const MODE = /^0?[0-7]{3}$/;

/** Permission bits of files, in octal. */
export const modeType: ValueType<number> = {
  label: 'octal mode',
  sample: '0640',
  completes: 'nothing',
  parse(text) {
    const mode = MODE.test(text) ? Number.parseInt(text, 8) : 0;
    // The owner must be able to read and write the store, and data is not executable.
    if ((mode & 0o600) === 0o600 && (mode & 0o111) === 0) return good(mode);
    return bad(
      'wants the mode of files in octal, such as 0640, readable and writable for the owner and executable for nobody',
    );
  },
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A number in a range. */
export function floatType(min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): ValueType<number> {
  return {
    label: `float${rangeLabel(min, max)}`,
    sample: String(clampSample(min, max)),
    completes: 'nothing',
    parse(text) {
      const value = NUMBER.test(text) ? Number(text) : Number.NaN;
      if (Number.isFinite(value) && value >= min && value <= max) return good(value);
      return bad(`wants a number${rangeWords(min, max)}`);
    },
  };
}

/** A number of bytes; see `parseSize` for the units. */
export function bytesType(minBytes = 0): ValueType<number> {
  return {
    label: 'size',
    sample: '16MiB',
    completes: 'nothing',
    parse(text) {
      const value = parseSize(text);
      if (value === undefined) return bad('wants a size such as 512KiB, 16MiB or 100GB');
      return value < minBytes ? bad(`wants a size of at least ${minBytes} bytes`) : good(value);
    },
  };
}

/** A length of time in milliseconds. */
export const durationType: ValueType<number> = {
  label: 'duration',
  sample: '24h',
  completes: 'nothing',
  parse(text) {
    const value = parseDuration(text);
    return value === undefined ? bad('wants a duration such as 5s, 1m, 24h or 7d') : good(value);
  },
};

const YEARS = /^(\d+(?:\.\d+)?)\s*y\s*(.*)$/;

/** An age in milliseconds: a duration, where a year (365 days) may come first. Not for retention, where a leap day counts. */
export const ageType: ValueType<number> = {
  label: 'age',
  sample: '2y',
  completes: 'nothing',
  parse(text) {
    const [, years = '0', rest = text] = YEARS.exec(text.trim()) ?? [];
    const more = rest === '' ? 0 : parseDuration(rest);
    return more === undefined
      ? bad('wants an age such as 90d, 26w or 2y')
      : good(Math.round(Number(years) * 365 * 86_400_000) + more);
  },
};

/** An amount of money, as it is shown: `$8.12`, or `8.12`. */
export function usdType(): ValueType<number> {
  const amount = floatType(0);
  return {
    label: 'USD',
    sample: '20',
    completes: 'nothing',
    parse: (text) => amount.parse(text.trim().replace(/^\$/, '')),
  };
}

/** A number of bytes per second: a size, optionally followed by `/s`; or a timetable of them. */
export function rateType(): ValueType<RateLimit> {
  const size = bytesType(1);
  const rateOf = (text: string): number | undefined => {
    const parsed = size.parse(text.trim().replace(/\s*\/s$/, ''));
    return parsed.ok ? parsed.value : undefined;
  };
  const wanted =
    "wants a rate such as 10MiB/s, or a timetable such as '08:00,10MiB 18:00,off' or 'Mon-08:00,512KiB Fri-18:00,off'";
  return {
    ...size,
    label: 'size/s',
    sample: '10MiB/s',
    parse(text) {
      if (!text.includes(',')) {
        const rate = rateOf(text);
        return rate === undefined ? bad(wanted) : good(rate);
      }
      const timetable = parseTimetable(text, rateOf);
      return typeof timetable === 'string' ? bad(`${wanted}: ${timetable}`) : good(timetable);
    },
  };
}

const MOST_PARTS = 100_000;

/** `3/16`: the third of sixteen parts. */
export const partType: ValueType<Part> = {
  label: 'I/N',
  sample: '3/16',
  completes: 'nothing',
  parse(text) {
    const [, number = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text.trim()) ?? []).map(Number);
    if (number >= 1 && number <= of && of <= MOST_PARTS) return good({ number, of });
    return bad(`wants a part such as 3/16, the third of sixteen (at most ${MOST_PARTS})`);
  },
};

/** `5%` or `5`, as a fraction: 0.05. */
export const percentType: ValueType<number> = {
  label: 'percent',
  sample: '5%',
  completes: 'nothing',
  parse(text) {
    const digits = text.trim().replace(/\s*%$/, '');
    const value = NUMBER.test(digits) ? Number(digits) : Number.NaN;
    return value >= 0 && value <= 100 ? good(value / 100) : bad('wants a percentage from 0% to 100%');
  },
};

/** One of a few words, in any case: `deep_archive` is DEEP_ARCHIVE. */
export function choiceType<const C extends readonly [string, ...string[]]>(choices: C): ValueType<C[number]> {
  return {
    label: choices.join('|'),
    sample: choices[0],
    completes: 'nothing',
    choices,
    parse(text) {
      const typed = text.toLowerCase();
      const choice = choices.find((one) => one.toLowerCase() === typed);
      return choice === undefined ? bad(`wants one of ${choices.join(', ')}`) : good<C[number]>(choice);
    },
  };
}

const WORD = /^[A-Za-z0-9][\w.+@/-]*$/;

/** A place in an object store: `s3://bucket/prefix`, `file:///folder`, or the path of a folder, relative ones from `cwd`. */
export const urlIn = (cwd: string): ValueType<string> => ({
  label: 'url',
  sample: 's3://my-bucket/archives',
  completes: 'folder',
  parse(text) {
    const url = storeUrlOf(text, cwd);
    if (url !== undefined) return good(url);
    const failed = bad(
      'wants a store URL (s3://bucket/prefix, file:///absolute/folder), or a path that begins with / or ./',
    );
    return WORD.test(text) ? { ...failed, hint: `write ./${text} for a folder, s3://${text} for a bucket` } : failed;
  },
});

const TRUE = new Set(['true', '1', 'yes', 'on']);
const FALSE = new Set(['false', '0', 'no', 'off']);

/** On or off, as the environment and `--flag=…` spell it. */
export const switchType: ValueType<boolean> = {
  label: 'switch',
  sample: 'true',
  completes: 'nothing',
  choices: ['true', 'false'],
  parse(text) {
    const word = text.trim().toLowerCase();
    if (TRUE.has(word)) return good(true);
    return FALSE.has(word) ? good(false) : bad('is a switch and wants true or false');
  },
};

// Parses sizes as people type them. `KB MB GB TB PB` are powers of 1000, `KiB MiB GiB TiB PiB` powers of 1024; the bare letters `k m g t p`
// mean 1024 as well, as they do for memory limits elsewhere. No unit means bytes.

const DECIMAL: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12, pb: 1e15 };
const LETTERS = 'kmgtp';
const SIZE = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i;

function unitBytes(unit: string): number | undefined {
  if (unit === '' || unit === 'b') return 1;
  const decimal = DECIMAL[unit];
  if (decimal !== undefined) return decimal;
  const power = LETTERS.indexOf(unit.charAt(0)) + 1;
  if (power === 0 || !(unit.length === 1 || unit.slice(1) === 'ib')) return undefined;
  return 1024 ** power;
}

/** Returns the bytes in `16MiB`, `1.5GB`, `512m` or `1000`; undefined when it is not a size or too large to count exactly. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text.trim());
  const unit = match ? unitBytes((match[2] ?? '').toLowerCase()) : undefined;
  if (!match || unit === undefined) return undefined;
  const bytes = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
