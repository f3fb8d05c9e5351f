// How far a plan is, in words that the command and the screen share.
import { arraySpec } from '../core/archive/parts/part-number.js';
import { PART_WORDS, partsIn, type PlanStatus, stateCounts } from '../core/archive/parts/plan-status.js';
import { printable } from '../core/platform/paths/raw-path.js';
import { shellWord } from '../core/platform/text/shell-word.js';
import { formatBytes, formatCount, formatDuration, formatQuantity, formatRate } from '../ui/format.js';

/** `12 of 64 parts done: 768 GiB of 4.0 TiB`. */
export function planDoneText(status: PlanStatus): string {
  const { parts, bytesDone, bytes } = status;
  const done = partsIn(status, 'done').length;
  return `${done} of ${formatQuantity(parts.length, 'part')} done: ${formatBytes(bytesDone)} of ${formatBytes(bytes)}`;
}

/** `12 of 64 done, 3 running, 46 not begun`. */
export function partCountsText(status: PlanStatus): string {
  const others = stateCounts(status).filter(([state]) => state !== 'done');
  const done = `${formatCount(partsIn(status, 'done').length)} of ${formatCount(status.parts.length)} done`;
  return [done, ...others.map(([state, count]) => `${formatCount(count)} ${PART_WORDS[state]}`)].join(', ');
}

/** `1.2 GiB/s, the rest in about 3h 4m`; undefined where no part is done. */
export function planRateText({ bytesPerSecond, etaMs }: PlanStatus): string | undefined {
  if (bytesPerSecond === undefined) return undefined;
  const left = etaMs === undefined || etaMs === 0 ? '' : `, the rest in about ${formatDuration(etaMs)}`;
  return `${formatRate(bytesPerSecond)}${left}`;
}

/** What to type next, as far as the plan waits for somebody: the commit, or the parts that nobody works on. */
export function nextCommands(status: PlanStatus, location: string): readonly string[] {
  if (status.isCommitted) return [];
  const plan = shellWord(printable(location));
  const again = arraySpec(partsIn(status, 'dead', 'notBegun'));
  if (again !== '') return [`archiver work ${plan} --part ${again}`];
  return partsIn(status, 'done').length < status.parts.length ? [] : [`archiver commit ${plan}`];
}
