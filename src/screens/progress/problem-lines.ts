import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import type { Look } from '../../ui/look.js';
import { formatQuantity, formatCount } from '../../ui/format.js';
import { CHANGED } from '../../core/archive/scan/skip.js';

export interface Problem {
  readonly path: string;
  readonly reason: string;
}

const SHOWN = 10;

/** For an upload: true when the file is stored nevertheless, as it was last read. */
export const isStored = ({ reason }: Problem): boolean => reason === CHANGED;

/** For an upload: `1 file left out, 2 files changed while they were read`. */
export function leftOutText(problems: readonly Problem[]): string {
  const left = problems.filter((problem) => !isStored(problem));
  const changed = problems.length - left.length;
  return [
    ...(left.length === 0 ? [] : [`${problemCount(left)} left out`]),
    ...(changed === 0 ? [] : [changedText(changed)]),
  ].join(', ');
}

/** Text for this number of changed files. */
const changedText = (files: number): string =>
  `${formatQuantity(files, 'file')} changed while ${files === 1 ? 'it was' : 'they were'} read`;

/** `1 skipped`, `2 changed`: while it runs, and at its end in a log. */
export function skippedTexts(
  { skippedCount, changedCount }: Pick<TransferSnapshot, 'skippedCount' | 'changedCount'>,
  format: (count: number) => string,
): string[] {
  const left = skippedCount - changedCount;
  const texts = left > 0 ? [`${format(left)} skipped`] : [];
  return changedCount > 0 ? [...texts, `${format(changedCount)} changed while read`] : texts;
}

/** The problems of an upload grouped by their outcome, as lines of `problemLines`. */
export const leftOutLines = (problems: readonly Problem[], look: Look): string[] => [
  ...problemLines(
    'left out',
    problems.filter((problem) => !isStored(problem)),
    look,
  ),
  ...problemLines('changed ', problems.filter(isStored), look),
];

/** `1 file`, `2 folders`, `3 paths`: a path that ends in a slash is a folder. */
export function problemCount(problems: readonly Problem[]): string {
  const folders = problems.filter(({ path }) => path.endsWith('/')).length;
  const noun = folders === 0 ? 'file' : folders === problems.length ? 'folder' : 'path';
  return formatQuantity(problems.length, noun);
}

/** The first ten problems, one per line, and the number of others. `total` may exceed the problems given. */
export function problemLines(
  label: string,
  problems: readonly Problem[],
  look: Look,
  total = problems.length,
): string[] {
  const shown = problems.slice(0, SHOWN);
  const lines = shown.map(({ path, reason }) => `  ${label}  ${displayText(`${path}: ${reason}`, look)}`);
  const more = total - shown.length;
  return more > 0 ? [...lines, `  ${' '.repeat(label.length)}  and ${formatCount(more)} more`] : lines;
}
