import { type Skip, shownSkip } from '../scan/skip.js';
import { rawFromBase64 } from '../../platform/paths/raw-path.js';
import type { LeftOutPaths, PartResult } from '../../format/parts/part-documents.js';

/** Most paths that a plan or a part's result names; all are counted. */
const MOST_NAMED = 100;

/** Counts paths that are left out, or were torn, by reason. */
export function leftOutPaths(skips: readonly Skip[]): LeftOutPaths {
  const reasons = new Map<string, number>();
  for (const { reason } of skips) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  const special = skips.filter((skip) => skip.special).length;
  return { count: skips.length, special, reasons, paths: skips.slice(0, MOST_NAMED).map(shownSkip) };
}

/** Files that are left out because one of those who packed them had to; each counts once. */
export function leftOutOfShares(results: readonly Pick<PartResult, 'shares'>[]): LeftOutPaths {
  const reasons = new Map<string, string>();
  for (const { path, leftOut } of results.flatMap(({ shares = [] }) => shares))
    if (leftOut !== undefined && !reasons.has(path)) reasons.set(path, leftOut);
  return leftOutPaths(Array.from(reasons, ([path, reason]) => ({ path: rawFromBase64(path), reason, special: false })));
}

/** The sum of several. */
export function sumOfLeftOut(all: readonly LeftOutPaths[]): LeftOutPaths {
  const reasons = new Map<string, number>();
  for (const one of all)
    for (const [reason, count] of one.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  const sum = (of: 'count' | 'special'): number => all.reduce((total, one) => total + one[of], 0);
  const paths = all.flatMap((one) => one.paths).slice(0, MOST_NAMED);
  return { count: sum('count'), special: sum('special'), reasons, paths };
}

/** True if something that should be there is missing or torn. */
export const isPartialWith = ({ count, special }: LeftOutPaths): boolean => count > special;
