// The text of results: a headline, facts below it (` location s3://…`), and long lists cut to their first lines. Pure.
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';

const LABEL_WIDTH = 9;
/** Indent that lines up with the values of facts. */
export const INDENT = ' '.repeat(LABEL_WIDTH + 3);
const SHOWN = 10;

/** Joins the lines and ends the last one. */
export const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** A line with a label and a value. */
export const fact = (label: string, value: string): string => `  ${label.padEnd(LABEL_WIDTH)} ${value}`;

/** A count and a size: `3 files, 12 MiB`. */
export const amountText = (count: number, noun: string, bytes: number): string =>
  `${formatQuantity(count, noun)}, ${formatBytes(bytes)}`;

export interface Cut {
  /** Number of all lines, if not all of them are given. */
  readonly total?: number;
  /** True shows all lines. Otherwise the first ten are shown, and false adds that --verbose shows the rest. */
  readonly isVerbose?: boolean;
  /** Indent of the line that says how many are left out. */
  readonly indent?: string;
}

/** Returns the first ten lines, and one that says how many more there are. */
export function firstLines(
  lines: readonly string[],
  { total = lines.length, isVerbose, indent = INDENT }: Cut = {},
): readonly string[] {
  const shown = isVerbose === true ? lines : lines.slice(0, SHOWN);
  const more = total - shown.length;
  if (more <= 0) return shown;
  return [...shown, `${indent}and ${formatCount(more)} more${isVerbose === false ? '; --verbose shows them' : ''}`];
}

/** Sums the bytes of objects. */
export const bytesOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Formats an ISO 8601 time to the minute: `2026-03-04 05:06+01:00`. */
export const minuteText = (moment: string): string => formatMinute(new Date(moment));

/** Returns the text of a known value, undefined for an unknown one. */
export const ofKnown = <T>(value: T | null | undefined, text: (value: T) => string | undefined): string | undefined =>
  value === null || value === undefined ? undefined : text(value);

/** The end of a sentence about an unknown name: suggests the nearest known one, if one is near. */
export const didYouMean = (near: string | undefined): string =>
  near === undefined ? '' : `; did you mean ${printable(near)}?`;

/** Formats a failure: a path and the reason. */
export const failureText = ({ path, reason }: { readonly path: string; readonly reason: string }): string =>
  printable(`${path}: ${reason}`);
