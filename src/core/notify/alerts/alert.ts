// What an alert says. The same object is the body of webhooks, and what mails and chat messages are written from
// (docs/alerts.md). Percentages are whole percent with one digit: 85 is 85 %, above 100 is over the limit.
import { randomBytes } from 'node:crypto';

export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const ALERT_TYPES = [
  'cost_threshold',
  'volume_threshold',
  'cost_over_budget',
  'volume_over_quota',
  'budget_projection',
  'volume_projection',
  'stale_writer',
] as const;
export type AlertType = (typeof ALERT_TYPES)[number];

/** A limit, in USD or in bytes, and what is used of it. */
export interface Usage {
  /** 0: unlimited. */
  readonly limit: number;
  readonly used: number;
  /** Negative when it is over; null without a limit. */
  readonly remaining: number | null;
  /** Null without a limit. */
  readonly usedPercent: number | null;
  /** From here on a warning is due. */
  readonly alertPercent: number;
  /** Since the period began. */
  readonly perDay: number;
  /** What is used at this rate at the end of the period; null where there is no end. */
  readonly projected: number | null;
  /** When the limit is reached at this rate, ISO 8601 in UTC; null where that is not in this period. */
  readonly exhaustedAt: string | null;
  readonly alertState: UsageState;
}

/** `projected`: the limit is reached before the period ends, at the rate so far. */
export type UsageState = 'unlimited' | 'ok' | 'projected' | 'warning' | 'critical';

export interface Alert {
  /** 16 hex digits; the same for every attempt to deliver it. */
  readonly alertId: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly type: AlertType;
  readonly severity: Severity;
  readonly project: string | null;
  readonly writerId: string | null;
  /** The base of the fleet that it is about. */
  readonly location: string | null;
  /** About the budget of everybody. */
  readonly isGlobal: boolean;
  /** Sample data, to see whether it arrives. */
  readonly isTest: boolean;
  readonly description: string;
  readonly recommendation: string;
  readonly isActionRequired: boolean;
  /** USD. */
  readonly costUsage: Usage | null;
  /** Bytes. */
  readonly volumeUsage: Usage | null;
}

type Given = Pick<Alert, 'type' | 'severity' | 'description' | 'recommendation'> & Partial<Alert>;

/** An alert of what is given and nothing else. */
export const newAlert = (given: Given, now: Date): Alert => ({
  alertId: randomBytes(8).toString('hex'),
  time: now.toISOString(),
  project: null,
  writerId: null,
  location: null,
  isGlobal: false,
  isTest: false,
  isActionRequired: given.severity === 'critical',
  costUsage: null,
  volumeUsage: null,
  ...given,
});

/** What it is about, in words: `project genomes`. */
export function subjectOf({
  project,
  writerId,
  isGlobal,
  location = null,
}: Pick<Alert, 'project' | 'writerId' | 'isGlobal'> & Partial<Pick<Alert, 'location'>>): string {
  if (writerId !== null) return `writer ${writerId}`;
  if (location !== null) return `fleet ${location}`;
  if (project !== null) return `project ${project}`;
  return isGlobal ? 'all projects' : 'archiver';
}

const ORDER: Readonly<Record<Severity, number>> = { info: 0, warning: 1, critical: 2 };

/** The worst of some. */
export const worstOf = (alerts: readonly Alert[]): Severity =>
  alerts.reduce<Severity>((worst, { severity }) => (ORDER[severity] > ORDER[worst] ? severity : worst), 'info');

const SAMPLE: Usage = {
  limit: 100,
  used: 85,
  remaining: 15,
  usedPercent: 85,
  alertPercent: 80,
  perDay: 5,
  projected: 115,
  exhaustedAt: '2026-03-20T00:00:00.000Z',
  alertState: 'warning',
};

const SAMPLE_TYPES: Readonly<Record<Severity, AlertType>> = {
  info: 'budget_projection',
  warning: 'cost_threshold',
  critical: 'cost_over_budget',
};

/** An alert with sample data, for `alerts test`. */
export const sampleAlert = (severity: Severity, now: Date): Alert =>
  newAlert(
    {
      type: SAMPLE_TYPES[severity],
      severity,
      project: 'sample-project',
      isTest: true,
      description: 'This is a test: nothing was spent. project sample-project has used $85.00 of $100.00.',
      recommendation: 'Nothing needs to be done: this alert shows that alerts arrive here.',
      isActionRequired: false,
      costUsage: SAMPLE,
      volumeUsage: {
        ...SAMPLE,
        limit: 500e9,
        used: 350e9,
        remaining: 150e9,
        usedPercent: 70,
        perDay: 20e9,
        projected: 470e9,
        alertState: 'ok',
      },
    },
    now,
  );
