// Computes the status of a budget: how much is used and left, how fast it is used, when it runs out, and whether an alert is due. What is
// stored goes on costing what it costs; statistics of the last days are only for what is to come. Pure.
import type { Usage, UsageState } from '../../notify/alerts/alert.js';
import { daysInMonthOf, plusDays } from '../ledger/days.js';
import { type Budget, type BudgetPeriod, dayAfter, periodOf, usedIn, utcDay } from './budget.js';
import { storageMicros, sumOfDays } from './day-use.js';
import { type Reservation, reservedFor } from './reservation.js';

export interface BudgetStatus {
  /** Null for the budget of all projects. */
  readonly project: string | null;
  readonly isGlobal: boolean;
  readonly budgetPeriod: BudgetPeriod;
  /** Beginning of the counted period: when counting began, or the month's beginning. ISO 8601, UTC. */
  readonly periodStart: string;
  readonly periodEnd: string | null;
  /** The time that projections are for: the period's end, or in 30 days. */
  readonly projectedFor: string;
  /** In USD. */
  readonly costUsage: Usage;
  /** In bytes. */
  readonly volumeUsage: Usage;
  /** Number of runs with something whose price is not known: the actual cost may be higher. */
  readonly unpricedRuns: number;
  /** What runs that go on have reserved. */
  readonly reservedRuns: number;
  readonly reservedUsd: number;
  readonly reservedBytes: number;
  /** The last day that an older archiver counted, without what storage costs since; null when there is none. */
  readonly baseUntil: string | null;
}

const DAY_MS = 86_400_000;
/** A total has no end; its projections are for so many days, and go by what was used in as many. */
const AHEAD_DAYS = 30;
/** Limit of days looked ahead; a later end is not reported. */
const FAR_DAYS = 36_500;
const MICROS = 1e6;
const MONTH_DAYS = 30.4375;

/** Returns the status of the budget of a project, or with null that of all projects. */
export function statusOf(
  project: string | null,
  budget: Budget,
  now: Date,
  reservations: readonly Reservation[] = [],
): BudgetStatus {
  const { from, until } = periodOf(budget, now);
  const { micros, bytes, unpriced } = usedIn(budget, now);
  const { costMicros, costAlert, volumeBytes, volumeAlert, baseUntil } = budget;
  const moment = momentOf(budget, now);
  const [costPace, volumePace] = pacesOf(budget, moment);
  const reserved = reservedFor(reservations, project, now);
  return {
    project,
    isGlobal: project === null,
    budgetPeriod: budget.period,
    periodStart: from.toISOString(),
    periodEnd: until === null ? null : until.toISOString(),
    projectedFor: moment.until.toISOString(),
    costUsage: inUsd(usageOf({ limit: costMicros, used: micros, alert: costAlert }, costPace, moment)),
    volumeUsage: usageOf({ limit: volumeBytes, used: bytes, alert: volumeAlert }, volumePace, moment),
    unpricedRuns: unpriced,
    reservedRuns: reserved.length,
    reservedUsd: reserved.reduce((sum, one) => sum + one.micros, 0) / MICROS,
    reservedBytes: reserved.reduce((sum, one) => sum + one.bytes, 0),
    baseUntil,
  };
}

interface Moment {
  readonly now: Date;
  readonly from: Date;
  /** The time that projections are for. */
  readonly until: Date;
  readonly elapsedDays: number;
  readonly daysLeft: number;
  /** Days after which the end of a budget is not reported. */
  readonly mostDays: number;
}

function momentOf(budget: Budget, now: Date): Moment {
  const { from, until: end } = periodOf(budget, now);
  const until = end ?? new Date(`${plusDays(dayAfter(now), AHEAD_DAYS)}T00:00:00Z`);
  const daysLeft = (until.getTime() - now.getTime()) / DAY_MS;
  const mostDays = end === null ? FAR_DAYS : daysLeft;
  return { now, from, until, elapsedDays: (now.getTime() - from.getTime()) / DAY_MS, daysLeft, mostDays };
}

/** How usage goes on. */
interface Pace {
  /** What is known to come until the end: storage of what is stored now. */
  readonly known: number;
  /** A day, from now on: what is known, and what the last days let expect. */
  readonly perDay: number;
  /** What the last days let expect, without what is known. */
  readonly newPerDay: number;
  /** By how much `perDay` grows each day. */
  readonly growth: number;
}

function pacesOf(budget: Budget, { now, from, until, elapsedDays }: Moment): readonly [cost: Pace, volume: Pace] {
  const days = Math.min(AHEAD_DAYS, Math.max(1, elapsedDays));
  const first = utcDay(new Date(Math.max(from.getTime(), now.getTime() - AHEAD_DAYS * DAY_MS)));
  const recent = sumOfDays(budget.days, first);
  const tomorrow = dayAfter(now);
  const known = storageMicros(budget.days, { from: tomorrow, until: utcDay(until) });
  const monthDays = budget.period === 'month' ? daysInMonthOf(utcDay(now)) : MONTH_DAYS;
  const monthly = Math.max(0, sumOfDays(budget.days, '').monthlyMicros);
  const newPerDay = recent.micros / days;
  const growth = Math.max(0, recent.monthlyMicros) / days / monthDays;
  const bytesPerDay = Math.max(0, recent.bytes) / days;
  return [
    { known, perDay: monthly / monthDays + newPerDay, newPerDay, growth },
    { known: 0, perDay: bytesPerDay, newPerDay: bytesPerDay, growth: 0 },
  ];
}

interface Counted {
  readonly limit: number;
  readonly used: number;
  readonly alert: number;
}

function usageOf({ limit, used, alert }: Counted, pace: Pace, moment: Moment): Usage {
  const { now, elapsedDays, daysLeft, mostDays } = moment;
  const { known, newPerDay, growth } = pace;
  const projected = Math.round(used + known + newPerDay * daysLeft + (growth * daysLeft ** 2) / 2);
  const isLimited = limit > 0;
  const remaining = isLimited ? limit - used : null;
  const lasts = remaining === null || remaining < 0 ? null : daysFor(remaining, pace);
  const isSoon = lasts !== null && lasts <= mostDays;
  return {
    limit,
    used,
    remaining,
    usedPercent: isLimited ? Math.round((used / limit) * 1000) / 10 : null,
    alertPercent: Math.round(alert * 1000) / 10,
    perDay: Math.round(used / Math.max(1, elapsedDays)),
    projected,
    exhaustedAt: isSoon ? new Date(now.getTime() + lasts * DAY_MS).toISOString() : null,
    // What a first day lets expect is not a pace.
    alertState: stateOf({ limit, used, alert }, elapsedDays < 1 ? used : projected),
  };
}

/** Returns the days in which so much is used; null when it never is. */
function daysFor(amount: number, { perDay, growth }: Pace): number | null {
  if (growth > 0) return (Math.sqrt(perDay ** 2 + 2 * growth * amount) - perDay) / growth;
  return perDay > 0 ? amount / perDay : null;
}

function stateOf({ limit, used, alert }: Counted, projected: number): UsageState {
  if (limit === 0) return 'unlimited';
  if (used >= limit) return 'critical';
  if (used >= limit * alert) return 'warning';
  return projected > limit ? 'projected' : 'ok';
}

const inUsd = (usage: Usage): Usage => ({
  ...usage,
  limit: usage.limit / MICROS,
  used: usage.used / MICROS,
  remaining: usage.remaining === null ? null : usage.remaining / MICROS,
  perDay: usage.perDay / MICROS,
  projected: usage.projected === null ? null : usage.projected / MICROS,
});
