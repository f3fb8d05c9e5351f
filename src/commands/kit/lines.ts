// The text of results: a headline, facts below it (`  location  s3://…`), and long lists cut to their first lines. Pure.
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';

const LABEL_WIDTH = 9;
/** As far as the values of facts are indented. */
const INDENT = ' '.repeat(LABEL_WIDTH + 3);
const SHOWN = 10;

/** The lines as text. */
export const textOf = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** A label and what it says. */
export const fact = (label: string, value: string): string => `  ${label.padEnd(LABEL_WIDTH)} ${value}`;

/** `3 files, 12 MiB`. */
export const amountText = (count: number, noun: string, bytes: number): string =>
  `${formatQuantity(count, noun)}, ${formatBytes(bytes)}`;

export interface Cut {
  /** How many there are, where not all of them are given. */
  readonly total?: number;
  /** All lines are shown; without it the first ten, and where to see the rest when this is false. */
  readonly isVerbose?: boolean;
  /** In front of what says how many are left out. */
  readonly indent?: string;
}

/** The first ten lines, and how many more there are. */
export function firstLines(
  lines: readonly string[],
  { total = lines.length, isVerbose, indent = INDENT }: Cut = {},
): readonly string[] {
  const shown = isVerbose === true ? lines : lines.slice(0, SHOWN);
  const more = total - shown.length;
  if (more <= 0) return shown;
  return [...shown, `${indent}and ${formatCount(more)} more${isVerbose === false ? '; --verbose shows them' : ''}`];
}

/** Bytes of objects together. */
export const bytesOf = (objects: readonly { readonly sizeBytes: number }[]): number =>
  objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** A moment in ISO 8601 to the minute: `2026-03-04 05:06+01:00`. */
export const minuteText = (moment: string): string => formatMinute(new Date(moment));

/** The text of what is known; undefined for what is not. */
export const ofKnown = <T>(value: T | null | undefined, text: (value: T) => string | undefined): string | undefined =>
  value === null || value === undefined ? undefined : text(value);

/** The end of a sentence about an unknown name: the known one that is nearest, if one is near. */
export const didYouMean = (near: string | undefined): string =>
  near === undefined ? '' : `; did you mean ${printable(near)}?`;

/** What could not be done: a path and why. */
export const failureText = ({ path, reason }: { readonly path: string; readonly reason: string }): string =>
  printable(`${path}: ${reason}`);
