// What a check of a bucket found, and how bad findings are.
import { printable } from '../platform/paths/raw-path.js';

/** Least bad first. `unknown`: it could not be looked at, or not be understood. */
export const SEVERITIES = ['ok', 'info', 'unknown', 'warn', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  readonly check: string;
  readonly severity: Severity;
  /** A few words. */
  readonly summary: string;
  /** Sentences; null where the summary says it all. */
  readonly detail: string | null;
  /** A command to type; null where there is none. */
  readonly remediation: string | null;
}

/** A finding; what is not said is null. */
export const finding = (
  check: string,
  severity: Severity,
  summary: string,
  { detail = null, remediation = null }: Partial<Pick<Finding, 'detail' | 'remediation'>> = {},
): Finding => ({ check, severity, summary, detail, remediation });

/** The worst by an order that begins with the least bad; `ok` of none. */
export function worstOf(findings: readonly Finding[], order: readonly Severity[] = SEVERITIES): Severity {
  const ranks = findings.map(({ severity }) => order.indexOf(severity));
  return order[Math.max(0, ...ranks)] ?? 'ok';
}

const SHOWN = 5;

/** The first few of names that others chose. */
export const listed = (names: readonly string[]): string =>
  printable(names.slice(0, SHOWN).join(', ')) + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '');

/** What --fail-on takes. */
export const THRESHOLDS = ['none', 'unknown', 'warn', 'critical'] as const;
export type Threshold = (typeof THRESHOLDS)[number];

/** True where a severity is as bad as the threshold: `unknown` is less than `warn`. Nothing is as bad as `none`. */
export const isAsBadAs = (severity: Severity, threshold: Threshold): boolean =>
  threshold !== 'none' && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(threshold);
