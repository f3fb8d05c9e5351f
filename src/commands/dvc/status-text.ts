// The outcome of `dvc status` as lines and as one JSON document, both in parts: a million files may differ.
import type { Difference, LocalComparison, LocalState } from '../../core/dvc/compare-local.js';
import type { Untracked } from '../../core/dvc/count-untracked.js';
import type { Listing } from '../../core/listing/listing.js';
import { displayPath, printable, type RawPath } from '../../core/paths/raw-path.js';
import { type Failure, resultPath } from '../../core/failures/failure-list.js';
import { formatCount } from '../../ui/format.js';

export interface StatusResult {
  readonly location: string;
  readonly folder: RawPath;
  readonly stage: string | undefined;
  readonly listing: Listing;
  readonly comparison: LocalComparison;
  /** Undefined where files of one stage were compared. */
  readonly untracked: Untracked | undefined;
  readonly requests: unknown;
}

/** Parts are put together until they have about so many of them. */
const AT_ONCE = 1000;
const STATE_WIDTH = 'modified'.length;

const inState = ({ comparison }: StatusResult, state: LocalState): readonly Difference[] =>
  comparison.differences.filter((difference) => difference.state === state);

/** What could not be compared, and why. */
export function failedFiles(result: StatusResult): readonly Failure[] {
  const { listing, untracked } = result;
  const unreadable = inState(result, 'failed').map(({ index, reason }) => ({
    path: resultPath(listing.path(index)),
    reason,
  }));
  const refused = listing.refused.map(({ path, reason }) => ({ path: resultPath(path), reason: `refused: ${reason}` }));
  return [...unreadable, ...refused, ...(untracked?.failed ?? [])];
}

/** A line for each file that differs, and one that sums up. */
export function* statusLines(result: StatusResult): Generator<string> {
  const { listing, comparison } = result;
  const rows = comparison.differences
    .filter(({ state }) => state !== 'failed')
    .map(({ index, state, reason }) => {
      const path = displayPath(listing.path(index));
      return `${state.padEnd(STATE_WIDTH)}  ${path}${state === 'missing' ? '' : `  (${reason})`}\n`;
    });
  const failed = failedFiles(result).map(
    ({ path, reason }) => `${'failed'.padEnd(STATE_WIDTH)}  ${printable(path)}  (${reason})\n`,
  );
  yield* batches([...rows, ...failed]);
  yield `${summary(result, failed.length)}\n`;
}

function summary(result: StatusResult, failed: number): string {
  const { comparison, untracked, folder, location, stage } = result;
  const count = (state: LocalState): number => inState(result, state).length;
  const parts = [
    `${formatCount(comparison.unchanged)} unchanged`,
    `${formatCount(count('modified'))} modified`,
    `${formatCount(count('missing'))} missing`,
    ...(count('unknown') === 0 ? [] : [`${formatCount(count('unknown'))} unknown`]),
    ...(failed === 0 ? [] : [`${formatCount(failed)} failed`]),
    ...(untracked === undefined ? [] : [`${formatCount(untracked.files)} untracked`]),
  ];
  const what = stage === undefined ? '' : `stage ${printable(stage)}: `;
  return `${what}${parts.join(', ')}: ${displayPath(folder)} against ${printable(location)}`;
}

/** The document, in parts. */
export function* statusJson(result: StatusResult): Generator<string> {
  const { listing, comparison, untracked, folder, location, stage } = result;
  const head = {
    uploadId: listing.head.uploadId,
    location,
    localPath: resultPath(folder),
    stage: stage ?? null,
    files: comparison.files,
    unchanged: comparison.unchanged,
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const state of ['modified', 'missing', 'unknown'] as const) {
    yield `,"${state}":[`;
    const items = inState(result, state).map(({ index, reason }) =>
      JSON.stringify({ path: resultPath(listing.path(index)), stage: listing.stage(index) ?? null, reason }),
    );
    yield* batches(items, ',');
    yield ']';
  }
  const rest = { failed: failedFiles(result), untracked: untracked?.files ?? null, requests: result.requests };
  yield `,${JSON.stringify(rest).slice(1)}`;
}

function* batches(texts: readonly string[], separator = ''): Generator<string> {
  for (let start = 0; start < texts.length; start += AT_ONCE)
    yield (start === 0 ? '' : separator) + texts.slice(start, start + AT_ONCE).join(separator);
}
