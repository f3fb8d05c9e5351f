// The page of one file: what became of it from version to version. Its states, without what is read for them.
import type { PathChange } from '../../core/dataset/history/path-history.js';
import type { DiffLine } from '../../core/platform/text/line-diff.js';
import type { RawPath } from '../../core/platform/paths/raw-path.js';

/** A text with what differs, or the reason why there is none. */
export interface FileComparison {
  /** `v3 → v4`, older version first. */
  readonly between: readonly [before: string, after: string];
  /** What differs, such as `size: 4 B, then 6 B`; one sentence where nothing does. */
  readonly facts: readonly string[];
  /** Lines of small texts; the reason why there are none. */
  readonly content:
    | { readonly kind: 'lines'; readonly lines: readonly DiffLine[] }
    | { readonly kind: 'none'; readonly reason: string };
}

export type FileVersionsFound =
  | { readonly kind: 'reading' }
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'known';
      /** Newest first. */
      readonly changes: readonly PathChange[];
      /** A sentence for each version that could not be searched. */
      readonly problems: readonly string[];
    };

export interface FileVersions {
  readonly path: RawPath;
  readonly found: FileVersionsFound;
  readonly position: number;
  readonly comparison: FileComparison | undefined;
  /** Row of the cursor in the comparison. */
  readonly line: number;
}

/** The change under the cursor; undefined while nothing is known. */
export const changeOf = ({ found, position }: FileVersions): PathChange | undefined =>
  found.kind === 'known' ? found.changes[position] : undefined;

/** The state of the file before a change; undefined where it was not there. */
export const beforeOf = ({ found, position }: FileVersions): PathChange | undefined => {
  const before = found.kind === 'known' ? found.changes[position + 1] : undefined;
  return before?.entry === undefined ? undefined : before;
};

const rowsOf = ({ facts, content }: FileComparison): number =>
  facts.length + (content.kind === 'lines' ? content.lines.length : 1);

const within = (at: number, count: number): number => Math.max(0, Math.min(count - 1, at));

/** Moves the cursor of the list, or of the comparison while that is shown. */
export function movedIn(file: FileVersions, rows: number): FileVersions {
  const { found, comparison, position, line } = file;
  if (comparison !== undefined) return { ...file, line: within(line + rows, rowsOf(comparison)) };
  return { ...file, position: within(position + rows, found.kind === 'known' ? found.changes.length : 0) };
}
