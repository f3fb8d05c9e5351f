// Shows how far a plan is.
import type { Messages, Results } from '../../cli/context.js';
import { arraySpec } from '../../core/archive/parts/part-number.js';
import {
  attemptOf,
  type PartState,
  partsIn,
  planStatus,
  type PlanStatus,
} from '../../core/archive/parts/plan-status.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { formatBytes, formatDuration, formatQuantity, formatRate } from '../../ui/format.js';
import { fact, textOf } from '../kit/lines.js';
import { type StoreContext, type StoreValues, withStore } from '../kit/store.js';
import { uploadUrl } from '../kit/upload-target.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';
import { planIn, planLocation } from './plan-target.js';

type StatusContext = Results<'plan status'> & Messages & StoreContext & ReadingContext;

/** Runs the command. @throws what reading the store throws */
export async function showStatus(
  values: StoreValues & { readonly uploadId: string | undefined },
  url: string,
  context: StatusContext,
): Promise<void> {
  const target = await planLocation(url, values, context);
  const location = uploadUrl(target);
  const { plan, status, requests } = await whileReading(context, location, (emit) =>
    withStore({ baseUrl: target.baseUrl, values, context, onEvent: emit }, async (opened) => {
      const plan = await planIn(opened, target, context);
      return { plan, status: await planStatus(opened.store, plan, context.signal), requests: opened.requests };
    }),
  );
  const { parts, bytesPerSecond = null, etaMs, ...sums } = status;
  const { datasetId } = plan.head;
  // A file with several names counts once in its part.
  const bytes = parts.reduce((sum, one) => sum + one.bytes, 0);
  const partStates = parts.map((one) => ({
    planPart: one.part,
    partState: one.state,
    attemptId: attemptOf(one),
    files: one.files,
    bytes: one.bytes,
    storedBytes: one.attempt?.storedBytes ?? 0,
    lastStoredAt: one.attempt === undefined ? null : new Date(one.attempt.newestMs).toISOString(),
    host: one.attempt?.host ?? null,
  }));
  const figures = { partCount: parts.length, partStates, bytes, bytesPerSecond, ...sums };
  const eta = etaMs === undefined ? {} : { etaMs };
  context.result({ uploadId: plan.uploadId, location, datasetId, ...figures, ...eta, requests }, () =>
    textOf(statusLines(status, bytes, location)),
  );
}

const WORDS: readonly (readonly [PartState, string])[] = [
  ['running', 'running'],
  ['late', 'late'],
  ['dead', 'dead'],
  ['notBegun', 'not begun'],
];

function statusLines(status: PlanStatus, bytes: number, location: string): readonly string[] {
  const { parts, bytesDone, storedBytes, bytesPerSecond, etaMs, isCommitted } = status;
  const plan = shellWord(printable(location));
  const done = partsIn(status, 'done').length;
  const again = arraySpec(partsIn(status, 'dead', 'notBegun'));
  const left = etaMs === undefined || etaMs === 0 ? '' : `, the rest in about ${formatDuration(etaMs)}`;
  return [
    `${done} of ${formatQuantity(parts.length, 'part')} done: ${formatBytes(bytesDone)} of ${formatBytes(bytes)}`,
    ...WORDS.flatMap(([state, words]) => {
      const numbers = partsIn(status, state);
      return numbers.length === 0 ? [] : [fact(words, `${numbers.length}: ${arraySpec(numbers)}`)];
    }),
    fact('stored', formatBytes(storedBytes)),
    ...(bytesPerSecond === undefined ? [] : [fact('rate', `${formatRate(bytesPerSecond)}${left}`)]),
    ...(isCommitted ? [fact('committed', 'it is a version')] : []),
    ...(isCommitted || done < parts.length ? [] : [fact('next', `archiver commit ${plan}`)]),
    ...(again === '' ? [] : [fact('next', `archiver work ${plan} --part ${again}`)]),
  ];
}
