// The second computation: what a lab has to pay, from the history of its store and the price sheet of AWS alone. It imports nothing of ours.
// It knows objects with their class, size, birth and death, and the requests that were made. Two rules are written down beside the price
// sheet: what a run is charged once is rounded up for each item and class, and the price of a month of what it stored or deleted is a whole
// micro-dollar for each upload, shared out over classes. What the store did by itself is known from when somebody measured it.
import {
  billedOf,
  type Charge,
  chargesOf,
  CLASSES,
  DAY_MS,
  feesOf,
  listsBy,
  monthUsd,
  type Request,
  type StorageClass,
  type StoredObject,
  sumOf,
} from './prices.js';

interface Change {
  readonly atMs: number;
  readonly written: readonly StoredObject[];
  readonly removed: readonly StoredObject[];
}

export type HistoryEvent =
  /** Requests are paid by a project, or by none. */
  | (Change & { readonly kind: 'run'; readonly project: string | null; readonly requests: readonly Request[] })
  /** What the store did by itself, or somebody who keeps no ledger. */
  | (Change & { readonly kind: 'unseen' })
  | { readonly kind: 'measured'; readonly atMs: number };

interface Level {
  readonly objects: number;
  readonly bytes: number;
  readonly billedBytes: number;
  /** Price of a month. */
  readonly micros: number;
}

export interface StoredGroup {
  readonly project: string;
  readonly storageClass: string;
  readonly bytes: number;
  /** Price of a month. */
  readonly micros: number;
}

export interface SheetDay {
  readonly day: string;
  readonly charges: readonly Charge[];
  /** At the end of the day. */
  readonly stored: readonly StoredGroup[];
  /** The day as a part of its month. */
  readonly share: number;
  /**
   * By project, what a budget takes a month for beyond what is stored. It keeps one sum, so micro-dollars that rounding leaves of what is deleted in
   * parts stay in it until the next measurement of the project, which is for the days before it, too.
   */
  readonly drift: Map<string, number>;
}

/** Returns the day of a moment in a time zone: `2026-03-04`. */
export function dayIn(zone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  return (atMs) => format.format(atMs);
}

export const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
export const daysOfMonth = (day: string): number =>
  new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)), 0)).getUTCDate();

/** By the class that is billed. */
type Levels = Map<StorageClass, Level>;
const NOTHING: Level = { objects: 0, bytes: 0, billedBytes: 0, micros: 0 };
const isNothing = ({ objects, bytes, billedBytes }: Level): boolean => objects <= 0 && bytes <= 0 && billedBytes <= 0;

/** What is not stored costs nothing, whatever rounding has left. */
const paid = (level: Level): number => (isNothing(level) ? 0 : Math.max(0, level.micros));
const priceOf = (levels: Levels): number => sumOf([...levels.values()].map(paid));

const added = (one: Level, other: Level): Level => ({
  objects: one.objects + other.objects,
  bytes: one.bytes + other.bytes,
  billedBytes: one.billedBytes + other.billedBytes,
  micros: one.micros + other.micros,
});

/** Adds up what is written and removed by class, at prices that are not rounded. */
function tally(written: readonly StoredObject[], removed: readonly StoredObject[] = []): Levels {
  const sums: Levels = new Map();
  const add = (storageClass: StorageClass, level: Partial<Level>): void =>
    void sums.set(storageClass, added(sums.get(storageClass) ?? NOTHING, { ...NOTHING, ...level }));
  for (const [objects, sign] of [
    [written, 1],
    [removed, -1],
  ] as const)
    for (const object of objects) {
      add(object.storageClass, { objects: sign, bytes: sign * object.sizeBytes });
      for (const [storageClass, billed] of billedOf(object))
        add(storageClass, { billedBytes: sign * billed, micros: sign * monthUsd(storageClass, billed) * 1e6 });
    }
  return sums;
}

/**
 * Shares out the whole micro-dollars of a change over its classes, in proportion where all come or all go; the largest part takes what
 * rounding leaves.
 */
function shared(changes: Levels): Levels {
  const parts = [...changes.values()].map(({ micros }) => micros);
  const total = Math.round(sumOf(parts));
  const isOneWay = parts.every((part) => part >= 0) || parts.every((part) => part <= 0);
  const scale = isOneWay ? total / sumOf(parts) : 1;
  const all = [...changes].map(([storageClass, change]) => ({
    storageClass,
    change,
    micros: Math.round(change.micros * scale),
  }));
  const [largest] = all.toSorted((one, other) => Math.abs(other.micros) - Math.abs(one.micros));
  const rest = total - sumOf(all.map(({ micros }) => micros));
  return new Map(
    all.map((one) => [one.storageClass, { ...one.change, micros: one.micros + (one === largest ? rest : 0) }] as const),
  );
}

const byUpload = (objects: readonly StoredObject[]) => listsBy(objects, ({ uploadId }) => uploadId);

/** What is stored, as it is known from runs and measurements. */
class Stored {
  private readonly objects = new Map<string, StoredObject>();
  /** By upload. */
  private readonly known = new Map<string, { readonly project: string; readonly levels: Levels }>();
  readonly drift = new Map<string, number>();

  change({ written, removed }: Change, isSeen: boolean): void {
    for (const { key } of removed) this.objects.delete(key);
    for (const object of written) this.objects.set(object.key, object);
    if (!isSeen) return;
    const [come, gone] = [byUpload(written), byUpload(removed)];
    for (const uploadId of new Set([...come.keys(), ...gone.keys()])) {
      const [own = [], less = []] = [come.get(uploadId), gone.get(uploadId)];
      const { levels, project } = this.upload(uploadId, [...own, ...less][0]?.project ?? uploadId);
      const changes = shared(tally(own, less));
      const before = priceOf(levels);
      for (const [storageClass, change] of changes)
        levels.set(storageClass, added(levels.get(storageClass) ?? NOTHING, change));
      const change = sumOf([...changes.values()].map(({ micros }) => micros));
      this.drift.set(project, (this.drift.get(project) ?? 0) + change - (priceOf(levels) - before));
    }
  }

  /** Takes what is really there, for each project in which anything is not as it was known. @returns these projects */
  measure(): readonly string[] {
    const wrong: string[] = [];
    const found = byUpload([...this.objects.values()]);
    for (const [uploadId, [object]] of found) this.upload(uploadId, object?.project ?? uploadId);
    const uploads = [...this.known].map(([uploadId, { project, levels }]) => {
      return { project, levels, real: tally(found.get(uploadId) ?? []) };
    });
    for (const [project, own] of listsBy(uploads, (one) => one.project)) {
      if (!own.some(({ levels, real }) => differs(levels, real))) continue;
      wrong.push(project);
      this.drift.delete(project);
      for (const { levels, real } of own) {
        if (!differs(levels, real)) continue;
        levels.clear();
        for (const [storageClass, level] of real)
          levels.set(storageClass, { ...level, micros: Math.round(level.micros) });
      }
    }
    return wrong;
  }

  groups(): readonly StoredGroup[] {
    const sums = new Map<string, StoredGroup>();
    for (const { project, levels } of this.known.values())
      for (const [storageClass, level] of levels) {
        const name = `${project} ${storageClass}`;
        const before = sums.get(name) ?? { bytes: 0, micros: 0 };
        const bytes = before.bytes + Math.max(0, level.bytes);
        const micros = before.micros + paid(level);
        sums.set(name, { project, storageClass, bytes, micros });
      }
    return [...sums.values()];
  }

  private upload(uploadId: string, project: string): { readonly levels: Levels; readonly project: string } {
    const found = this.known.get(uploadId) ?? { project, levels: new Map<StorageClass, Level>() };
    this.known.set(uploadId, found);
    return found;
  }
}

const differs = (levels: Levels, real: Levels): boolean =>
  CLASSES.some((storageClass) => {
    const [one, other] = [levels.get(storageClass) ?? NOTHING, real.get(storageClass) ?? NOTHING];
    return one.objects !== other.objects || one.bytes !== other.bytes;
  });

/** Returns the days from the first event to `last`, those of a time zone. */
export function sheetOf(history: readonly HistoryEvent[], zone: string, last: string): readonly SheetDay[] {
  const day = dayIn(zone);
  const byDay = listsBy(history, ({ atMs }) => day(atMs));
  const stored = new Stored();
  const days: SheetDay[] = [];
  const [first = last] = [...byDay.keys()].sort();
  for (let at = first; at <= last; at = nextDay(at)) {
    const events = byDay.get(at) ?? [];
    const charges: Charge[] = [];
    for (const event of events) {
      if (event.kind === 'measured')
        for (const project of stored.measure()) for (const { drift } of days) drift.delete(project);
      else stored.change(event, event.kind === 'run');
      if (event.kind !== 'run') continue;
      charges.push(...chargesOf(event.project, event.requests), ...feesOf(event.removed, event.atMs));
    }
    const before = days.at(-1)?.stored;
    const groups = events.length === 0 && before !== undefined ? before : stored.groups();
    days.push({ day: at, charges, stored: groups, share: 1 / daysOfMonth(at), drift: new Map(stored.drift) });
  }
  return days;
}
