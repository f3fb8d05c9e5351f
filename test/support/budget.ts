import { begunWith, type Budget, type RunUse } from '../../src/core/money/budget/budget.js';

/** A budget without limits, unless given, and without usage. */
export const emptyBudget = (since: Date, more: Partial<Budget> = {}): Budget => ({ ...begunWith([], since), ...more });

/** A run that was charged once, and whose content costs nothing to store. */
export const runUse = (time: Date, { costUsd, bytes = 0 }: { costUsd: number | null; bytes?: number }): RunUse => ({
  time: time.toISOString(),
  micros: Math.round((costUsd ?? 0) * 1e6),
  monthlyMicros: 0,
  bytes,
  isUnpriced: costUsd === null,
});
