// Findings of the checks of a bucket, and their severities.
import { printable } from '../platform/paths/raw-path.js';

/** From least to most severe. `unknown`: it could not be checked or understood. */
export const SEVERITIES = ['ok', 'info', 'unknown', 'warn', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Finding {
  readonly check: string;
  readonly severity: Severity;
  /** A few words. */
  readonly summary: string;
  /** Sentences; null when the summary is enough. */
  readonly detail: string | null;
  /** A command to type; null when there is none. */
  readonly remediation: string | null;
}

/** Makes a finding; parts not given are null. */
export const finding = (
  check: string,
  severity: Severity,
  summary: string,
  { detail = null, remediation = null }: Partial<Pick<Finding, 'detail' | 'remediation'>> = {},
): Finding => ({ check, severity, summary, detail, remediation });

/** Returns the worst severity according to `order`, which begins with the least severe; `ok` when there are no findings. */
export function worstOf(findings: readonly Finding[], order: readonly Severity[] = SEVERITIES): Severity {
  const ranks = findings.map(({ severity }) => order.indexOf(severity));
  return order[Math.max(0, ...ranks)] ?? 'ok';
}

const SHOWN = 5;

/** Lists the first few of names that others chose. */
export const listed = (names: readonly string[]): string =>
  printable(names.slice(0, SHOWN).join(', ')) + (names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '');

/** Values of --fail-on. */
export const THRESHOLDS = ['none', 'unknown', 'warn', 'critical'] as const;
export type Threshold = (typeof THRESHOLDS)[number];

/** True when a severity reaches the threshold; `unknown` is less severe than `warn`. The threshold `none` is never reached. */
export const reachesThreshold = (severity: Severity, threshold: Threshold): boolean =>
  threshold !== 'none' && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(threshold);
