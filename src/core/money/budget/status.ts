// Computes the status of a budget: how much is used and left, how fast it is used, when it runs out, and whether an alert is due. Pure.
import type { Usage, UsageState } from '../../notify/alerts/alert.js';
import { type Budget, type BudgetPeriod, periodOf, usedIn } from './budget.js';

export interface BudgetStatus {
  /** Null for the budget of all projects. */
  readonly project: string | null;
  readonly isGlobal: boolean;
  readonly budgetPeriod: BudgetPeriod;
  /** Beginning of the counted period: when the budget was set, or the month's beginning. ISO 8601, UTC. */
  readonly periodStart: string;
  readonly periodEnd: string | null;
  /** In USD. */
  readonly costUsage: Usage;
  /** In bytes. */
  readonly volumeUsage: Usage;
  /** Number of runs whose cost is not known: the actual cost may be higher. */
  readonly unpricedRuns: number;
}

const DAY_MS = 86_400_000;
/** Limit of days looked ahead; a later end is not reported. */
const FAR_DAYS = 36_500;
const MICROS = 1e6;

/** Returns the status of the budget of a project, or with null that of all projects. */
export function statusOf(project: string | null, budget: Budget, now: Date): BudgetStatus {
  const { from, until } = periodOf(budget, now);
  const { micros, bytes, unpriced } = usedIn(budget, now);
  const elapsedDays = Math.max(1, (now.getTime() - from.getTime()) / DAY_MS);
  const time = { now, elapsedDays, until };
  const { costMicros, costAlert, volumeBytes, volumeAlert } = budget;
  return {
    project,
    isGlobal: project === null,
    budgetPeriod: budget.period,
    periodStart: from.toISOString(),
    periodEnd: until === null ? null : until.toISOString(),
    costUsage: inUsd(usageOf({ limit: costMicros, used: micros, alert: costAlert }, time)),
    volumeUsage: usageOf({ limit: volumeBytes, used: bytes, alert: volumeAlert }, time),
    unpricedRuns: unpriced,
  };
}

interface Counted {
  readonly limit: number;
  readonly used: number;
  readonly alert: number;
}

interface Moment {
  readonly now: Date;
  readonly elapsedDays: number;
  readonly until: Date | null;
}

function usageOf({ limit, used, alert }: Counted, { now, elapsedDays, until }: Moment): Usage {
  const perDay = Math.round(used / elapsedDays);
  const daysLeft = until === null ? null : (until.getTime() - now.getTime()) / DAY_MS;
  const projected = daysLeft === null ? null : Math.round(used + perDay * daysLeft);
  const isLimited = limit > 0;
  const remaining = isLimited ? limit - used : null;
  const lasts = remaining === null || remaining < 0 || perDay === 0 ? null : remaining / perDay;
  const isSoon = lasts !== null && lasts <= (daysLeft ?? FAR_DAYS);
  return {
    limit,
    used,
    remaining,
    usedPercent: isLimited ? Math.round((used / limit) * 1000) / 10 : null,
    alertPercent: Math.round(alert * 1000) / 10,
    perDay,
    projected,
    exhaustedAt: isSoon ? new Date(now.getTime() + lasts * DAY_MS).toISOString() : null,
    alertState: stateOf({ limit, used, alert }, projected),
  };
}

function stateOf({ limit, used, alert }: Counted, projected: number | null): UsageState {
  if (limit === 0) return 'unlimited';
  if (used >= limit) return 'critical';
  if (used >= limit * alert) return 'warning';
  return projected !== null && projected > limit ? 'projected' : 'ok';
}

const inUsd = (usage: Usage): Usage => ({
  ...usage,
  limit: usage.limit / MICROS,
  used: usage.used / MICROS,
  remaining: usage.remaining === null ? null : usage.remaining / MICROS,
  perDay: usage.perDay / MICROS,
  projected: usage.projected === null ? null : usage.projected / MICROS,
});
