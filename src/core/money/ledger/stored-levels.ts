// Computes what is stored according to the records, and what storing it has cost. A month's price is distributed over the days of the
// calendar month; each day pays for what is stored at its end. Deleting more than these records stored counts as nothing stored, never as
// less.
import { sumOf } from '../../cost/money.js';
import { pricesIn } from '../../cost/price-table.js';
import { monthlyUsd } from '../../cost/stored-object.js';
import { monthsUntil } from './days.js';
import type { LedgerRecord } from './record.js';

const MICROS = 1e6;

export interface StorageGroup {
  readonly store: string;
  readonly project: string | null;
  readonly region: string | null;
  readonly storageClass: string;
}

/** Stored amounts and the cost of one group so far. */
export interface StorageCost extends StorageGroup {
  readonly bytes: number;
  readonly objects: number;
  /** Not rounded; null when a price is not known. */
  readonly costMicros: number | null;
}

/** What is stored at a moment. */
export interface StoredNow {
  readonly bytes: number;
  /** What a month of it costs; null when a price is not known. */
  readonly monthlyMicros: number | null;
  /** The same without what has no known price. */
  readonly knownMonthlyMicros: number;
  /** Stores with something that has no known price. */
  readonly unpricedStores: readonly string[];
}

interface Level extends StorageGroup {
  bytes: number;
  objects: number;
  monthlyMicros: number;
  /** Number of changes whose price is not known. */
  unknown: number;
  /** `monthsUntil` of the day up to which costs have been accrued. */
  since: number;
  accruedMicros: number | null;
}

interface Flow {
  readonly storageClass: string;
  readonly bytes: number;
  readonly objects: number;
  readonly monthlyMicros: number | null;
}

export class StoredLevels {
  private readonly levels = new Map<string, Level>();
  private readonly from: number;

  /** Costs of the days before `from` are left out. */
  constructor(from?: string) {
    this.from = from === undefined ? 0 : monthsUntil(from);
  }

  /** Adds a record. Records must be added in the order of their days. */
  add(record: LedgerRecord, day: string): void {
    const { store, project, region } = record;
    for (const { storageClass, ...flow } of flowsOf(record)) {
      const level = this.levelOf({ store, project, region, storageClass });
      this.settle(level, monthsUntil(day));
      level.bytes += flow.bytes;
      level.objects += flow.objects;
      if (flow.monthlyMicros === null) level.unknown++;
      else level.monthlyMicros += flow.monthlyMicros;
    }
  }

  /** Returns what is stored now, and what a month of it costs. */
  now(): StoredNow {
    const levels = [...this.levels.values()];
    const monthly = levels.map(monthlyOf);
    return {
      bytes: sum(levels.map(({ bytes }) => Math.max(0, bytes))),
      monthlyMicros: sumOf(monthly),
      knownMonthlyMicros: sum(monthly.map((micros) => micros ?? 0)),
      unpricedStores: [...new Set(levels.flatMap(({ store }, at) => (monthly[at] === null ? [store] : [])))],
    };
  }

  /** Returns what each group has cost until the beginning of a day. */
  costsUntil(day: string): readonly StorageCost[] {
    return Array.from(this.levels.values(), (level) => {
      this.settle(level, monthsUntil(day));
      const { store, project, region, storageClass, bytes, objects, accruedMicros: costMicros } = level;
      return { store, project, region, storageClass, bytes: Math.max(0, bytes), objects, costMicros };
    });
  }

  private levelOf(group: StorageGroup): Level {
    const name = JSON.stringify([group.store, group.project, group.region, group.storageClass]);
    const zero = { bytes: 0, objects: 0, monthlyMicros: 0, unknown: 0, since: 0, accruedMicros: 0 };
    const found = this.levels.get(name) ?? { ...group, ...zero };
    this.levels.set(name, found);
    return found;
  }

  private settle(level: Level, until: number): void {
    const months = until - Math.max(level.since, this.from);
    level.since = Math.max(level.since, until);
    const monthly = monthlyOf(level);
    if (months <= 0 || level.accruedMicros === null) return;
    level.accruedMicros = monthly === null ? null : level.accruedMicros + monthly * months;
  }
}

/** When nothing is stored, the cost is 0 even if prices are unknown. */
function monthlyOf({ unknown, bytes, objects, monthlyMicros }: Level): number | null {
  if (unknown > 0) return bytes > 0 || objects > 0 ? null : 0;
  return Math.max(0, monthlyMicros);
}

/**
 * Distributes the price of the record's storage over its classes, in proportion to the list prices of its region, or to bytes where these
 * are not known. A discount is thus shared by all classes.
 */
function flowsOf({ stored, monthlyMicros, region }: LedgerRecord): readonly Flow[] {
  if (monthlyMicros === null || stored.length < 2)
    return stored.map((change) => ({ ...change, monthlyMicros: monthlyMicros ?? null }));
  const prices = pricesIn(region ?? undefined);
  const listed = stored.map((change) => (monthlyUsd([change], prices) ?? 0) * MICROS);
  const weights = listed.some((share) => share !== 0) ? listed : stored.map(({ billedBytes }) => billedBytes);
  const isOneWay = weights.every((weight) => weight >= 0) || weights.every((weight) => weight <= 0);
  const factor = isOneWay ? monthlyMicros / (sum(weights) || 1) : 1;
  const shares = weights.map((weight) => Math.round(weight * factor));
  // The largest share takes the remainder, which comes from rounding or other price lists.
  const largest = shares.reduce(
    (best, share, index) => (Math.abs(share) > Math.abs(shares[best] ?? 0) ? index : best),
    0,
  );
  const rest = monthlyMicros - sum(shares);
  return stored.map((change, index) => {
    return { ...change, monthlyMicros: (shares[index] ?? 0) + (index === largest ? rest : 0) };
  });
}

const sum = (parts: readonly number[]): number => parts.reduce((total, part) => total + part, 0);
