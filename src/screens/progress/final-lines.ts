// The final lines of a transfer: what happened, where the result is, what to type next. Commands and addresses are never cut: people copy
// them.
import { displayText } from '../../stores/display-text.js';
import { OPERATIONS } from '../../stores/operations.js';
import { formatBytes, formatDuration, formatQuantity } from '../../ui/format.js';
import type { Look } from '../../ui/look.js';
import { signText } from '../../ui/sign.js';
import { shellWord } from '../../core/platform/text/shell-word.js';
import { leftOutLines, leftOutText, type Problem, problemCount, problemLines } from './problem-lines.js';
import { versionName } from '../../core/dataset/records/version-name.js';

interface EndedWell {
  readonly files: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** Files that could not be read, or written. */
  readonly problems: readonly Problem[];
  /** A command to type; by default the one that verifies an upload. */
  readonly next?: string;
}

export interface UploadResult extends EndedWell {
  readonly operation: 'upload';
  readonly storedBytes: number;
  /** Set when files and bytes are those of the version, of which only the changes were stored. */
  readonly isDifference?: boolean;
  readonly location: string;
  readonly datasetId: string;
  readonly version: number;
  readonly fork?: string;
}

export interface FetchResult extends EndedWell {
  readonly operation: 'restore' | 'download';
  /** The folder that was written to. */
  readonly target: string;
  /** Number of requests for content. */
  readonly ranges: number;
  readonly fetchedBytes: number;
  /** Set when everything succeeded but is hardly what was wanted: a warning says why. */
  readonly isDoubtful?: boolean;
}

export type FinalResult = UploadResult | FetchResult;

/** The closing lines of an upload, restore or download; yellow and with the first ten problems when it was partial. */
export function finalLines(result: FinalResult, look: Look): string[] {
  const { problems } = result;
  return [
    headline(result, look),
    ...(result.operation === 'upload' ? leftOutLines(problems, look) : problemLines('failed  ', problems, look)),
    ...(result.operation === 'upload' ? uploadDetails(result, look) : fetchDetails(result)),
  ];
}

function headline(result: FinalResult, look: Look): string {
  const isDifference = result.operation === 'upload' && result.isDifference === true;
  const done = isDifference ? 'Synced' : OPERATIONS[result.operation].done;
  const amount = `${formatQuantity(result.files, 'file')}, ${formatBytes(result.bytes)}`;
  const place =
    result.operation === 'upload'
      ? `${isDifference ? 'with' : 'stored as'} ${formatBytes(result.storedBytes)}${isDifference ? ' newly stored' : ''}`
      : `to ${displayText(result.target, look)}`;
  const count = result.problems.length;
  const problems =
    result.operation === 'upload' ? leftOutText(result.problems) : `${problemCount(result.problems)} failed`;
  const shortfall = count === 0 ? '' : `; ${problems}`;
  const isDoubtful = result.operation !== 'upload' && result.isDoubtful === true;
  const sign = signText(count === 0 && !isDoubtful ? 'good' : 'warn', look);
  return `${sign} ${done} ${amount} ${place}, in ${formatDuration(result.durationMs)}${shortfall}`;
}

function uploadDetails(result: UploadResult, look: Look): string[] {
  const location = displayText(result.location, look);
  return [
    `  location  ${location}`,
    `  version   ${displayText(result.datasetId, look)} ${versionName(result)}`,
    `  next      ${result.next ?? `archiver verify ${shellWord(location)}`}`,
  ];
}

function fetchDetails({ ranges, fetchedBytes, next }: FetchResult): string[] {
  const fetched = `  fetched   ${formatBytes(fetchedBytes)} in ${formatQuantity(ranges, 'request')} for content`;
  return next === undefined ? [fetched] : [fetched, `  next      ${next}`];
}
