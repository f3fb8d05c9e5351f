// Decides which paths are archived. Patterns are gitignore patterns (the `ignore` package), relative to the source folder.
// - exclude patterns and .archiverignore files leave paths out; a folder left out is not entered
// - include patterns win over exclude patterns; where only include patterns are given, nothing else is archived
// - what else selects (narrow.ts) narrows that down
import ignore, { type Ignore } from 'ignore';
import { reasonText } from '../../platform/failures/errno.js';
import { ArchiverError, errorText, usageError } from '../../platform/failures/errors.js';
import {
  printable,
  type RawPath,
  displayPath,
  rawFromText,
  comparableText,
  joinPath,
} from '../../platform/paths/raw-path.js';
import type { FilterOptions, Verdict } from './filter-options.js';
import { narrowing } from './narrow.js';

export const IGNORE_FILE = rawFromText('.archiverignore');

export interface PathFilter {
  judge(path: RawPath, isDirectory: boolean): Verdict;
  /** Returns the rule that leaves this path out, as it was typed, and where. */
  ruleOf(path: RawPath, isDirectory: boolean): string;
  /** Adds the patterns of a `.archiverignore` found in `folder` ('' for the source itself). */
  enter(folder: RawPath, ignoreFile: RawPath): void;
  leave(folder: RawPath): void;
}

/** Makes the filter of a scan. @throws usage for an invalid pattern */
export function createFilter(options: FilterOptions): PathFilter {
  const excluded = matcher([...options.exclude, ...options.excludeLines], '--exclude');
  const included = matcher(options.include, '--include');
  const onlyIncluded = included !== undefined && excluded === undefined;
  const narrow = narrowing(options);
  const nested: { readonly folder: RawPath; readonly rules: Ignore }[] = [];

  const matches = (rules: Ignore, text: string): boolean | undefined => {
    const { ignored, unignored } = rules.test(text);
    return ignored ? true : unignored ? false : undefined;
  };
  const isLeftOut = (text: string): boolean => {
    for (let i = nested.length - 1; i >= 0; i--) {
      const level = nested[i];
      if (level === undefined) continue;
      const below = level.folder === '' ? text : text.slice(level.folder.length + 1);
      const verdict = matches(level.rules, below);
      if (verdict !== undefined) return verdict;
    }
    return excluded !== undefined && matches(excluded, text) === true;
  };

  const judgePatterns = (path: RawPath, isDirectory: boolean): Verdict => {
    if (excluded === undefined && included === undefined && nested.length === 0) return 'keep';
    const text = comparableText(path) + (isDirectory ? '/' : '');
    if (included !== undefined && matches(included, text) === true) return 'keep';
    if (onlyIncluded || isLeftOut(text)) return isDirectory && included !== undefined ? 'look' : 'leave';
    return 'keep';
  };

  return {
    judge(path, isDirectory) {
      const verdict = judgePatterns(path, isDirectory);
      if (narrow === undefined || verdict === 'leave') return verdict;
      const narrowed = narrow.judge(path, isDirectory);
      return narrowed === 'keep' ? verdict : narrowed;
    },
    ruleOf(path, isDirectory) {
      if (narrow !== undefined && judgePatterns(path, isDirectory) === 'keep') return narrow.ruleOf(path, isDirectory);
      const text = comparableText(path) + (isDirectory ? '/' : '');
      for (const { folder, rules } of nested.toReversed()) {
        const below = folder === '' ? text : text.slice(folder.length + 1);
        const { rule, unignored } = rules.test(below);
        if (rule !== undefined) return `${displayPath(joinPath(folder, IGNORE_FILE))}: ${printable(rule.pattern)}`;
        if (unignored) break;
      }
      const { rule } = excluded?.test(text) ?? {};
      if (rule === undefined) return 'no --include';
      const origin = options.exclude.includes(rule.pattern) ? '--exclude' : '--exclude-file';
      return `${origin} ${printable(rule.pattern)}`;
    },
    enter(folder, ignoreFile) {
      const rules = matcher(patternLines(ignoreFile), displayPath(joinPath(folder, IGNORE_FILE)));
      if (rules !== undefined) nested.push({ folder, rules });
    },
    leave(folder) {
      if (nested.at(-1)?.folder === folder) nested.pop();
    },
  };
}

function matcher(patterns: readonly string[], origin: string): Ignore | undefined {
  const given = patterns.filter((pattern) => pattern.trim() !== '' && !pattern.startsWith('#'));
  if (given.length === 0) return undefined;
  try {
    const rules = ignore({ allowRelativePaths: true, ignorecase: false }).add(given);
    rules.test('probe'); // compiles the patterns: a broken one fails here and not in the middle of the scan
    return rules;
  } catch (error) {
    throw usageError(`${origin} has a pattern that cannot be used: ${errorText(error)}`);
  }
}

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

/** Splits a pattern file into lines. A line that is not UTF-8 keeps its bytes, as names do when they are compared with it. */
const patternLines = (file: RawPath): string[] =>
  (file.startsWith(BYTE_ORDER_MARK) ? file.slice(BYTE_ORDER_MARK.length) : file).split(/\r?\n/).map(comparableText);

/** Returns the lines of an `--exclude-file`, whose bytes `read` gives. @throws usage when it cannot be read */
export function readPatternFile(path: string, read: (path: string) => RawPath): string[] {
  try {
    return patternLines(read(path));
  } catch (error) {
    throw new ArchiverError('usage', `cannot read the exclude file ${printable(path)}: ${reasonText(error)}`, {
      cause: error,
    });
  }
}
