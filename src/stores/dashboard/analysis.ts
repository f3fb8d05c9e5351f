// A scan of a store, and the result of the last one. Pure.
import { type MoveSaving, moveSavings } from '../../core/money/analyze/move-savings.js';
import { monthOf } from '../../core/money/analyze/stored-tally.js';
import type { Cell } from '../../core/money/analyze/tally.js';
import type { Usd } from '../../core/cost/money.js';
import type { PriceList } from '../../core/cost/price-table.js';

export interface ScanCounts {
  /** LIST requests; 0 in a folder of this computer. */
  readonly pages: number;
  readonly objects: number;
  readonly bytes: number;
  readonly elapsedMs: number;
}

/** The content of a storage class, its monthly cost, and the class where it would cost less. */
export interface ClassRow {
  readonly storageClass: string;
  readonly objects: number;
  readonly bytes: number;
  readonly monthlyUsd: Usd;
  /** The class where the first year is cheapest, including all costs of the move; null when it is this one, or not known. */
  readonly better: string | null;
  /** Savings a month after the move; null when prices are not known. */
  readonly savedUsd: Usd;
}

export interface AnalysisResult {
  readonly objects: number;
  readonly bytes: number;
  readonly monthlyUsd: Usd;
  readonly classes: readonly ClassRow[];
  /** Says whose prices these are. */
  readonly pricesText: string;
  /** Facts that the rows do not show, and what to do about them. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Set for a folder of this computer. */
  readonly isFolder: boolean;
  readonly endedAt: Date;
  readonly durationMs: number;
}

export interface Analysis {
  /** Counts of a scan that is in progress, or was cancelled. */
  readonly scan: ScanCounts | undefined;
  readonly result: AnalysisResult | undefined;
}

/**
 * Finds the class where the objects of one class would cost less. A class in a single zone is never suggested, as it is no place to send
 * archives to unasked.
 */
export function betterClass(cells: readonly Cell[], prices: PriceList): Pick<ClassRow, 'better' | 'savedUsd'> {
  const moves = moveSavings(cells, prices).filter(({ storageClass }) => storageClass !== 'ONEZONE_IA');
  const isUnknown =
    monthOf(cells, prices) === null || moves.some(({ firstYearSavedUsd }) => firstYearSavedUsd === null);
  const best: MoveSaving | undefined = moves.find(({ firstYearSavedUsd }) => (firstYearSavedUsd ?? 0) > 0);
  if (best === undefined) return { better: null, savedUsd: isUnknown ? null : 0 };
  return { better: best.storageClass, savedUsd: best.monthlySavedUsd };
}

/** Objects a second. */
export const rateOf = ({ objects, elapsedMs }: ScanCounts): number => (objects * 1000) / Math.max(1, elapsedMs);
