// What selects paths beside patterns: regular expressions, a list, sizes. Of one kind any may fit; a path is archived if all kinds do
// (docs/decisions/087). A folder that does not fit is kept where something below it is.
import { comparableText, type RawPath } from '../../platform/paths/raw-path.js';
import { linearRegex } from '../../platform/text/linear-regex.js';
import { ListedPaths } from './listed-paths.js';
import type { FilterOptions, Verdict } from './filter-options.js';

interface Selector {
  judge(path: RawPath, isDirectory: boolean): Verdict;
  /** The rule that leaves a path out. */
  readonly rule: string;
}

export interface Narrowing {
  judge(path: RawPath, isDirectory: boolean): Verdict;
  ruleOf(path: RawPath, isDirectory: boolean): string;
}

/** Returns what narrows a scan down; undefined for nothing. @throws usage for an invalid expression */
export function narrowing({ regexes = [], listed, ...sizes }: FilterOptions): Narrowing | undefined {
  const selectors: Selector[] = [];
  if (regexes.length > 0) selectors.push(byRegex(regexes));
  if (listed !== undefined) {
    const paths = new ListedPaths(listed);
    selectors.push({ judge: (path, isDirectory) => paths.judge(path, isDirectory), rule: 'not in --files-from' });
  }
  // Which files fit is seen when they are examined (size-limits.ts).
  if ((sizes.largerThanBytes ?? sizes.smallerThanBytes) !== undefined)
    selectors.push({
      judge: (_, isDirectory) => (isDirectory ? 'look' : 'keep'),
      rule: 'nothing of the size asked for',
    });
  if (selectors.length === 0) return undefined;
  const verdictOf = (path: RawPath, isDirectory: boolean) => {
    let verdict: Verdict = 'keep';
    for (const selector of selectors) {
      const its = selector.judge(path, isDirectory);
      if (its === 'leave') return { verdict: its, rule: selector.rule };
      if (its === 'look') verdict = its;
    }
    return { verdict, rule: selectors.find((one) => one.judge(path, isDirectory) === 'look')?.rule ?? '' };
  };
  return {
    judge: (path, isDirectory) => verdictOf(path, isDirectory).verdict,
    ruleOf: (path, isDirectory) => verdictOf(path, isDirectory).rule,
  };
}

function byRegex(regexes: readonly string[]): Selector {
  const tests = regexes.map((source) => linearRegex(source, `--regex ${source}`));
  return {
    judge(path, isDirectory) {
      const text = comparableText(path);
      if (tests.some((matches) => matches(text))) return 'keep';
      return isDirectory ? 'look' : 'leave';
    },
    rule: 'no --regex',
  };
}
