// Computes what is stored according to the records, and what storing it has cost. A month's price is distributed over the days of the
// calendar month; each day pays for what is stored at its end. Deleting more than these records stored counts as nothing stored, never as
// less. What a rebase has measured replaces what was computed until then.
import { sumOf } from '../../cost/money.js';
import { pricesIn } from '../../cost/price-table.js';
import { monthlyUsd } from '../../cost/stored-object.js';
import { monthsUntil } from './days.js';
import type { LedgerRecord, MeasuredLevel } from './record.js';

const MICROS = 1e6;
const NOTHING = { bytes: 0, objects: 0, billedBytes: 0, monthlyMicros: 0, unknown: 0 };

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
  /** Billed bytes times the months that they were stored. */
  readonly byteMonths: number;
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
}

/** What is stored of one upload, or outside of uploads, in one class. */
export interface UploadLevel extends StorageGroup, MeasuredLevel {
  readonly uploadId: string | null;
}

interface Level extends StorageGroup {
  readonly uploadId: string | null;
  bytes: number;
  objects: number;
  billedBytes: number;
  monthlyMicros: number;
  /** Number of changes whose price is not known. */
  unknown: number;
  /** `monthsUntil` of the day up to which costs have been accrued. */
  since: number;
  byteMonths: number;
  accruedMicros: number | null;
}

export class StoredLevels {
  /** By upload and class: an upload is measured as a whole. */
  private readonly uploads = new Map<string, Map<string, Level>>();
  private readonly from: number;
  private readonly sums = { bytes: 0, monthlyMicros: 0, unknown: 0 };

  /** Costs of the days before `from` are left out. */
  constructor(from?: string) {
    this.from = from === undefined ? 0 : monthsUntil(from);
  }

  /** Adds a record. Records must be added in the order of their days. */
  add(record: LedgerRecord, day: string): void {
    const until = monthsUntil(day);
    if (record.measured !== undefined)
      for (const level of this.uploadOf(record).values())
        this.change(level, until, () => Object.assign(level, NOTHING));
    for (const flow of record.measured?.levels ?? flowsOf(record)) {
      const level = this.levelOf(record, flow.storageClass);
      this.change(level, until, () => {
        level.bytes += flow.bytes;
        level.objects += flow.objects;
        level.billedBytes += flow.billedBytes;
        if (flow.monthlyMicros === null) level.unknown++;
        else level.monthlyMicros += flow.monthlyMicros;
      });
    }
  }

  /** Returns what is stored now, and what a month of it costs. */
  now(): StoredNow {
    const { bytes, monthlyMicros, unknown } = this.sums;
    return { bytes, monthlyMicros: unknown > 0 ? null : monthlyMicros, knownMonthlyMicros: monthlyMicros };
  }

  /** Returns the stores with something that has no known price. */
  unpricedStores(): readonly string[] {
    const unpriced = Array.from(this.all()).filter((level) => monthlyOf(level) === null);
    return [...new Set(unpriced.map(({ store }) => store))];
  }

  /** Returns what each group has cost until the beginning of a day. */
  costsUntil(day: string): readonly StorageCost[] {
    const groups = new Map<string, StorageCost>();
    for (const level of this.all()) {
      this.settle(level, monthsUntil(day));
      const { store, project, region, storageClass, objects, byteMonths, accruedMicros: costMicros } = level;
      const own = { bytes: Math.max(0, level.bytes), objects, byteMonths };
      const name = JSON.stringify([store, project, region, storageClass]);
      const before = groups.get(name) ?? { bytes: 0, objects: 0, byteMonths: 0, costMicros: 0 };
      groups.set(name, {
        store,
        project,
        region,
        storageClass,
        bytes: before.bytes + own.bytes,
        objects: before.objects + own.objects,
        byteMonths: before.byteMonths + own.byteMonths,
        costMicros: sumOf([before.costMicros, costMicros]),
      });
    }
    return [...groups.values()];
  }

  /** Returns what is stored now, upload by upload; as recorded, which is negative where more was deleted than stored. */
  byUpload(): readonly UploadLevel[] {
    return Array.from(
      this.all(),
      ({ store, project, region, storageClass, uploadId, bytes, objects, billedBytes, ...level }) => {
        const monthlyMicros = level.unknown > 0 ? null : level.monthlyMicros;
        return { store, project, region, storageClass, uploadId, bytes, objects, billedBytes, monthlyMicros };
      },
    );
  }

  private *all(): Generator<Level> {
    for (const upload of this.uploads.values()) yield* upload.values();
  }

  private uploadOf({ store, project, region, uploadId }: LedgerRecord): Map<string, Level> {
    const name = JSON.stringify([store, project, region, uploadId]);
    const found = this.uploads.get(name) ?? new Map<string, Level>();
    this.uploads.set(name, found);
    return found;
  }

  private levelOf(record: LedgerRecord, storageClass: string): Level {
    const { store, project, region, uploadId } = record;
    const upload = this.uploadOf(record);
    const found = upload.get(storageClass) ?? {
      store,
      project,
      region,
      storageClass,
      uploadId,
      ...NOTHING,
      since: 0,
      byteMonths: 0,
      accruedMicros: 0,
    };
    upload.set(storageClass, found);
    return found;
  }

  /** Changes a level on the day that begins at `until`. */
  private change(level: Level, until: number, change: () => void): void {
    this.settle(level, until);
    this.count(level, -1);
    change();
    this.count(level, 1);
  }

  private count(level: Level, sign: 1 | -1): void {
    const monthly = monthlyOf(level);
    this.sums.bytes += sign * Math.max(0, level.bytes);
    if (monthly === null) this.sums.unknown += sign;
    else this.sums.monthlyMicros += sign * monthly;
  }

  private settle(level: Level, until: number): void {
    const months = until - Math.max(level.since, this.from);
    level.since = Math.max(level.since, until);
    if (months <= 0) return;
    level.byteMonths += Math.max(0, level.billedBytes) * months;
    const monthly = monthlyOf(level);
    level.accruedMicros =
      monthly === null || level.accruedMicros === null ? null : level.accruedMicros + monthly * months;
  }
}

/** When nothing is stored, the cost is 0: even if prices are unknown, and if rounding has left a micro-dollar of what was deleted in parts. */
function monthlyOf({ unknown, bytes, objects, billedBytes, monthlyMicros }: Level): number | null {
  if (unknown > 0) return bytes > 0 || objects > 0 ? null : 0;
  return bytes > 0 || objects > 0 || billedBytes > 0 ? Math.max(0, monthlyMicros) : 0;
}

/**
 * Distributes the price of the record's storage over its classes, in proportion to the list prices of its region, or to bytes where these
 * are not known. A discount is thus shared by all classes.
 */
function flowsOf({ stored, monthlyMicros, region }: LedgerRecord): readonly MeasuredLevel[] {
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
