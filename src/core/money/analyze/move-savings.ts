// What moving objects to another class by a lifecycle rule saves. Sizes decide: a rule can leave out what is smaller than some
// size (ObjectSizeGreaterThan), so for each class the size is found from which on the first year is cheapest. What is moved pays
// for the transition of each object and for the rest of the minimum time of the class that it leaves; what is stored there is
// billed with the overhead and the smallest size of the new class. Getting content back is not counted.
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
  /** Only objects of at least this size are moved; null where moving none is cheapest. */
  readonly fromBytes: number | null;
  /** What is moved. */
  readonly objects: number;
  readonly bytes: number;
  /** Less a month, once everything is moved. Null where a price is not known; so are the others. */
  readonly monthlySavedUsd: Usd;
  readonly transitionsUsd: Usd;
  /** Of what has not been in its class for the minimum time. */
  readonly earlyDeletionUsd: Usd;
  /** Twelve months, less what is paid once and what young objects cost until they may be moved. */
  readonly firstYearSavedUsd: Usd;
  /** Days that what is moved is paid for at least, from then on. */
  readonly minimumDays: number | null;
}

/** For every class that is sold there and into which some of this can be moved; from much to little saved. */
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

  const leftOf = (cell: Cell): number | null => {
    const minimum = classRule(prices, cell.storageClass)?.minStorageDays ?? null;
    return minimum === null ? null : Math.max(0, minimum - cell.ageDays);
  };
  const early = moved.filter((cell) => leftOf(cell) !== 0);
  const earlyDeletionUsd = stored(early, undefined, leftOf);

  const waitOf = ({ ageDays }: Cell): number => Math.max(0, waitDays(storageClass) - ageDays);
  const young = moved.filter((cell) => waitOf(cell) > 0);
  const waitUsd = minus(stored(young, undefined, waitOf), stored(young, storageClass, waitOf));
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

/** Days after which what is saved is more than what was paid once; undefined where nothing is saved. */
export function payOffDays({ monthlySavedUsd, firstYearSavedUsd }: MoveSaving): number | undefined {
  if (monthlySavedUsd === null || firstYearSavedUsd === null || monthlySavedUsd <= 0) return undefined;
  const once = monthlySavedUsd * MONTHS - firstYearSavedUsd;
  return Math.max(0, Math.ceil((once / monthlySavedUsd) * DAYS_A_MONTH));
}
