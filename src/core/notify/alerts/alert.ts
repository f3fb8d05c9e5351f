// The contents of an alert. The same object is the body of webhooks and the source of mails and chat messages (docs/alerts.md). Percentages
// have one decimal digit: 85 is 85 %, above 100 is over the limit.
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

/** A limit, in USD or in bytes, and its usage. */
export interface Usage {
  /** 0 means unlimited. */
  readonly limit: number;
  readonly used: number;
  /** Negative when over the limit; null without a limit. */
  readonly remaining: number | null;
  /** Null without a limit. */
  readonly usedPercent: number | null;
  /** Percentage from which a warning is due. */
  readonly alertPercent: number;
  /** Average since the period began. */
  readonly perDay: number;
  /** Usage at the end of the period at this rate; null when the period has no end. */
  readonly projected: number | null;
  /** When the limit is reached at this rate, ISO 8601 in UTC; null when that is not within this period. */
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
  /** URL of the fleet that it is about. */
  readonly location: string | null;
  /** True when it is about the budget of all projects. */
  readonly isGlobal: boolean;
  /** True for sample data that tests the delivery. */
  readonly isTest: boolean;
  readonly description: string;
  readonly recommendation: string;
  readonly isActionRequired: boolean;
  /** In USD. */
  readonly costUsage: Usage | null;
  /** In bytes. */
  readonly volumeUsage: Usage | null;
}

type Given = Pick<Alert, 'type' | 'severity' | 'description' | 'recommendation'> & Partial<Alert>;

/** Makes an alert; fields not given get defaults. */
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

/** Describes what the alert is about: `project genomes`. */
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

/** Returns the worst severity of the alerts. */
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

/** Makes an alert with sample data, for `alerts test`. */
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
