// Computes what moving objects to another class by a lifecycle rule saves. A rule can leave out objects below some size
// (ObjectSizeGreaterThan), so for each class the size is found from which on the first year is cheapest. A move pays for the transition of
// each object and for the rest of the minimum time of the class that it leaves; storage is then billed with the overhead and the smallest
// size of the new class. Retrievals are not counted.
import { isColdClass } from '../../store/cold-class.js';
import { billOf, type Usage } from '../../cost/cost-model.js';
import { type Usd, sumOf } from '../../cost/money.js';
import { classPrices, classRule, DAYS_A_MONTH, type PriceList } from '../../cost/price-table.js';
import { storedObject } from '../../cost/stored-object.js';
import { UsageSums } from '../../cost/usage-sums.js';
import { mayMove, TRANSITION_CLASSES, waitDays } from '../lifecycle/classes.js';
import { type Cell, countedIn, objectsOf } from './tally.js';

const MONTHS = 12;
const CENT = 0.01;

export interface MoveSaving {
  readonly storageClass: string;
  readonly isReadAtOnce: boolean;
  /** Only objects of at least this many bytes are moved; null when moving none is cheapest. */
  readonly fromBytes: number | null;
  /** Number of objects moved. */
  readonly objects: number;
  readonly bytes: number;
  /** Saved per month once everything is moved. Null when a price is not known; the same for the other amounts. */
  readonly monthlySavedUsd: Usd;
  readonly transitionsUsd: Usd;
  /** Cost of leaving classes before their minimum time. */
  readonly earlyDeletionUsd: Usd;
  /** Twelve months' saving, less one-time costs and what young objects cost until they may be moved. */
  readonly firstYearSavedUsd: Usd;
  /** Days of storage that moved objects are billed for at least. */
  readonly minimumDays: number | null;
}

/** Returns the saving for every class that is sold in the region and that some of the cells can move to; the largest first. */
export function moveSavings(cells: readonly Cell[], prices: PriceList): readonly MoveSaving[] {
  return TRANSITION_CLASSES.filter((name) => classPrices(prices, name) !== undefined)
    .flatMap((name) => {
      const movable = cells.filter(({ storageClass }) => mayMove(storageClass, name));
      return movable.length === 0 ? [] : [bestMove(name, movable, prices)];
    })
    .toSorted((a, b) => (b.firstYearSavedUsd ?? -1) - (a.firstYearSavedUsd ?? -1));
}

function bestMove(storageClass: string, movable: readonly Cell[], prices: PriceList): MoveSaving {
  const sizes = [...new Set(movable.map(({ fromBytes }) => fromBytes))].sort((a, b) => b - a);
  const none: MoveSaving = {
    storageClass,
    isReadAtOnce: !isColdClass(storageClass),
    fromBytes: null,
    objects: 0,
    bytes: 0,
    monthlySavedUsd: 0,
    transitionsUsd: 0,
    earlyDeletionUsd: 0,
    firstYearSavedUsd: 0,
    minimumDays: classRule(prices, storageClass)?.minStorageDays ?? null,
  };
  let best = none;
  for (const fromBytes of sizes) {
    const costs = movedFrom(fromBytes, { storageClass, movable, prices });
    const { firstYearSavedUsd: saved } = costs;
    if (saved === null) return { ...none, ...costs, objects: 0, bytes: 0, fromBytes: null };
    if (saved >= CENT && saved > (best.firstYearSavedUsd ?? 0)) best = { ...none, ...costs, fromBytes };
  }
  return best;
}

interface Move {
  readonly storageClass: string;
  readonly movable: readonly Cell[];
  readonly prices: PriceList;
}

function movedFrom(fromBytes: number, { storageClass, movable, prices }: Move) {
  const usd = (usages: readonly Usage[]): Usd => billOf([['all', usages]], prices).costUsd;
  const stored = (cells: readonly Cell[], into?: string, days?: (cell: Cell) => number | null): Usd => {
    const sums = new UsageSums();
    for (const cell of cells) sums.add(storedObject(objectsOf(cell, into), days?.(cell), prices));
    return usd(sums.usages());
  };
  const moved = cellsFrom(movable, fromBytes);
  const { objects, bytes } = countedIn(moved);
  const rest = movable.filter((cell) => cell.fromBytes < fromBytes);
  const monthlySavedUsd = minus(stored(movable), sumOf([stored(rest), stored(moved, storageClass)]));
  const transitionsUsd = usd([{ kind: 'transition', storageClass, quantity: objects }]);

  const remainingDays = (cell: Cell): number | null => {
    const minimum = classRule(prices, cell.storageClass)?.minStorageDays ?? null;
    return minimum === null ? null : Math.max(0, minimum - cell.ageDays);
  };
  const early = moved.filter((cell) => remainingDays(cell) !== 0);
  const earlyDeletionUsd = stored(early, undefined, remainingDays);

  const waitingDays = ({ ageDays }: Cell): number => Math.max(0, waitDays(storageClass) - ageDays);
  const young = moved.filter((cell) => waitingDays(cell) > 0);
  const waitUsd = minus(stored(young, undefined, waitingDays), stored(young, storageClass, waitingDays));
  const once = sumOf([transitionsUsd, earlyDeletionUsd, waitUsd]);
  const yearly = monthlySavedUsd === null ? null : monthlySavedUsd * MONTHS;
  return {
    objects,
    bytes,
    monthlySavedUsd,
    transitionsUsd,
    earlyDeletionUsd,
    firstYearSavedUsd: minus(yearly, once),
  };
}

const cellsFrom = (cells: readonly Cell[], fromBytes: number): readonly Cell[] =>
  cells.filter((cell) => cell.fromBytes >= fromBytes);

const minus = (a: Usd, b: Usd): Usd => (a === null || b === null ? null : a - b);

/** Returns the days after which the saving exceeds the one-time costs; undefined when nothing is saved. */
export function payOffDays({ monthlySavedUsd, firstYearSavedUsd }: MoveSaving): number | undefined {
  if (monthlySavedUsd === null || firstYearSavedUsd === null || monthlySavedUsd <= 0) return undefined;
  const once = monthlySavedUsd * MONTHS - firstYearSavedUsd;
  return Math.max(0, Math.ceil((once / monthlySavedUsd) * DAYS_A_MONTH));
}
