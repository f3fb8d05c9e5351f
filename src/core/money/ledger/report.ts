// Reports the spending of a period, line by line: one-time costs of runs, and the cost of storage since. All other figures are sums of
// these lines.
import { sumOf } from '../../cost/money.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { recordsByDay } from './daily.js';
import { usdOf } from './micros.js';
import type { Period } from './period.js';
import { type LedgerRecord, UPLOADS } from './record.js';
import { type StorageCost, StoredLevels } from './stored-levels.js';

export interface SpentLine {
  /** `storage`, or the item of a cost line: `requests`, `retrieval`, `transfer` … */
  readonly item: string;
  readonly project: string | null;
  /** Null for stores without regions. */
  readonly region: string | null;
  readonly storageClass: string | null;
  readonly store: string;
  /** Not rounded; null when a price is not known. */
  readonly costMicros: number | null;
}

export interface SpentReport {
  readonly period: Period;
  readonly lines: readonly SpentLine[];
  readonly costUsd: number | null;
  /** The known part of the cost. */
  readonly knownUsd: number;
  readonly runs: number;
  /** Number of uploads that stored something; each counts once, however many runs it took. */
  readonly uploads: number;
  readonly uploadsWithoutProject: number;
  /** Files and bytes of these uploads. */
  readonly files: number;
  readonly bytes: number;
  /** Amounts stored at the end of the period. */
  readonly stored: readonly StorageCost[];
  readonly storedBytes: number;
  /** Dates of the price lists. */
  readonly pricesOf: readonly string[];
}

/** Makes the report of a period. Earlier records must be included: what they stored still costs. */
export function spentIn(records: readonly LedgerRecord[], period: Period): SpentReport {
  const levels = new StoredLevels(period.from);
  const inside: LedgerRecord[] = [];
  for (const [day, ofDay] of recordsByDay(records)) {
    if (day >= period.until) break;
    for (const record of ofDay) levels.add(record, day);
    if (period.from === undefined || day >= period.from) inside.push(...ofDay);
  }
  const stored = levels.costsUntil(period.until);
  const lines = [...inside.flatMap(onceLines), ...stored.map((group) => ({ item: 'storage', ...group }))].filter(
    ({ costMicros }) => costMicros !== 0,
  );
  const uploads = madeUploads(inside);
  const sum = (of: (record: LedgerRecord) => number): number => uploads.reduce((total, one) => total + of(one), 0);
  return {
    period,
    lines: merged(lines, (line) => [line.item, line.project, line.region, line.storageClass, line.store]).map(
      ({ item, project, region, storageClass, store, costMicros }) => {
        return { item, project, region, storageClass, store, costMicros };
      },
    ),
    ...amountOf(lines),
    runs: inside.filter(({ operation }) => operation !== 'rebase').length,
    uploads: uploads.length,
    uploadsWithoutProject: uploads.filter(({ project, uploadId }) => project === uploadId).length,
    files: sum(({ files }) => files),
    bytes: sum(({ bytes }) => bytes),
    stored: stored.filter(({ bytes }) => bytes > 0),
    storedBytes: stored.reduce((total, { bytes }) => total + bytes, 0),
    pricesOf: [...new Set(inside.map(({ pricesOf }) => pricesOf))].sort(),
  };
}

/**
 * Returns the record with the most files for each upload. Runs that were refused or found no changes made no upload, and records of
 * interrupted runs have no files.
 */
function madeUploads(records: readonly LedgerRecord[]): readonly LedgerRecord[] {
  const byUpload = new Map<string, LedgerRecord>();
  for (const record of records) {
    const { operation, uploadId, id, stored, files } = record;
    const name = uploadId ?? id;
    const isMore = files >= (byUpload.get(name)?.files ?? 0);
    if (UPLOADS.includes(operation) && stored.length > 0 && isMore) byUpload.set(name, record);
  }
  return [...byUpload.values()];
}

const onceLines = ({ project, region, store, lines }: LedgerRecord): readonly SpentLine[] =>
  lines.map(({ item, storageClass, costMicros }) => ({ item, project, region, storageClass, store, costMicros }));

/** Adds up lines with the same name. */
function merged<T extends { readonly costMicros: number | null }>(
  lines: readonly T[],
  nameOf: (line: T) => unknown,
): readonly T[] {
  const sums = new Map<string, T>();
  for (const line of lines) {
    const name = JSON.stringify(nameOf(line));
    const before = sums.get(name);
    sums.set(name, before === undefined ? line : { ...line, costMicros: sumOf([before.costMicros, line.costMicros]) });
  }
  return [...sums.values()];
}

interface Amount {
  readonly costUsd: number | null;
  readonly knownUsd: number;
}

function amountOf(lines: readonly Pick<SpentLine, 'costMicros'>[]): Amount {
  const knownMicros = lines.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0);
  return { costUsd: usdOf(sumOf(lines.map(({ costMicros }) => costMicros))), knownUsd: usdOf(knownMicros) ?? 0 };
}

export interface SpentGroup<N extends string | null = string | null> extends Amount {
  readonly name: N;
}

/** The amounts by project, region, class, item or store; the dearest first. */
export function spentBy<K extends 'item' | 'project' | 'region' | 'storageClass' | 'store'>(
  lines: readonly SpentLine[],
  key: K,
): readonly SpentGroup<SpentLine[K]>[] {
  return Array.from(
    listsByKey(lines, (line) => line[key]),
    ([name, own]) => ({ name, ...amountOf(own) }),
  ).sort((one, other) => other.knownUsd - one.knownUsd || String(one.name).localeCompare(String(other.name), 'en'));
}
