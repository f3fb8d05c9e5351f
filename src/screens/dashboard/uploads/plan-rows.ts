// Plans as text.
import { type PartState, partsIn, type PlanStatus, stateOfPlan } from '../../../core/archive/parts/plan-status.js';
import type { SeenPlan } from '../../../core/archive/parts/living-plans.js';
import { formatBytesPair, formatCount, formatDuration, formatRate } from '../../../ui/format.js';
import type { Tone } from '../../../ui/theme.js';

/** Colours of the states, which are shown as words as well. */
const TONES: Readonly<Record<PartState, Tone>> = {
  done: 'accent',
  running: 'good',
  late: 'warn',
  dead: 'bad',
  notBegun: 'plain',
};

/** The colour of a plan's state. */
export const planTone = (seen: SeenPlan): Tone => (seen.problem === null ? TONES[stateOfPlan(seen.status)] : 'bad');

/** `768/4096 GiB`. */
export function planBytesText({ bytesDone, bytes }: PlanStatus): string {
  const { done, total, unit } = formatBytesPair(bytesDone, bytes);
  return `${done}/${total} ${unit}`;
}

/** `8 112/13 290`, of files in parts that are done. */
export function planFilesText({ parts }: PlanStatus): string {
  const [done, all] = [parts.filter(({ state }) => state === 'done'), parts].map((some) =>
    some.reduce((sum, { files }) => sum + files, 0),
  );
  return `${formatCount(done ?? 0)}/${formatCount(all ?? 0)}`;
}

/** Bytes of files a second; `-` where no part is done. */
export const planSpeedText = ({ bytesPerSecond }: PlanStatus): string =>
  bytesPerSecond === undefined ? '-' : formatRate(bytesPerSecond);

/** Time left at that speed. */
export const planLeftText = ({ etaMs }: PlanStatus): string =>
  etaMs === undefined || etaMs === 0 ? '-' : formatDuration(etaMs);

/** The machines whose attempts run. */
export function runningHosts(status: PlanStatus): readonly string[] {
  const running = new Set(partsIn(status, 'running'));
  const hosts = status.parts.flatMap(({ part, attempt }) => (running.has(part) && attempt ? [attempt.host] : []));
  return [...new Set(hosts)].toSorted();
}
