import type { History } from '../../../../src/core/money/forecast/history.js';
import type { Day } from '../../../../src/core/money/forecast/series.js';

/** A history of one-time costs, with nothing stored unless the days to come say so. */
export const historyOf = (once: readonly Day[], stored = 0): History => ({
  past: once.map((cost) => ({
    cost: cost === null ? null : cost + stored,
    once: cost,
    added: cost === null ? null : 0,
    monthly: stored * 30,
    month: 1 / 30,
  })),
  coming: Array.from({ length: 90 }, () => ({ stored, month: 1 / 30 })),
});
