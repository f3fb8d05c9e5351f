// Reports the spending of a period, line by line: one-time costs of runs, and the cost of storage since. All other figures are sums of
// these lines.
import { sumOf } from '../../cost/money.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { recordsByDay } from './daily.js';
import { usdOf } from './micros.js';
import type { Period } from './period.js';
import { type LedgerRecord, UPLOADS, type Used } from './record.js';
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
  /** Bytes times months of `storage` and `temporaryCopy`, requests of `requests` and `kms`, otherwise bytes. */
  readonly quantity: number;
}

export interface SpentReport extends Amount {
  readonly period: Period;
  readonly lines: readonly SpentLine[];
  /** Requests of each kind. */
  readonly requestsByKind: Readonly<Record<string, number>>;
  /** What was used at a price that is not known, by store. */
  readonly unpriced: readonly SpentGroup<string>[];
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
  const storage = stored.map((group) => ({ item: 'storage', ...group, quantity: group.byteMonths }));
  const lines = [...inside.flatMap(onceLines), ...storage].filter(
    ({ costMicros, quantity }) => costMicros !== 0 || quantity !== 0,
  );
  const uploads = madeUploads(inside);
  const sum = (of: (record: LedgerRecord) => number): number => uploads.reduce((total, one) => total + of(one), 0);
  return {
    period,
    lines: merged(lines, (line) => [line.item, line.project, line.region, line.storageClass, line.store]).map(
      ({ item, project, region, storageClass, store, costMicros, quantity }) => {
        return { item, project, region, storageClass, store, costMicros, quantity };
      },
    ),
    ...amountOf(lines),
    requestsByKind: requestsByKind(inside),
    unpriced: spentBy(lines.filter(isUnpriced), 'store'),
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

export const isUnpriced = ({ costMicros }: Pick<SpentLine, 'costMicros'>): boolean => costMicros === null;

const onceLines = ({ project, region, store, lines }: LedgerRecord): readonly SpentLine[] =>
  lines.map(({ item, storageClass, costMicros, quantity }) => {
    return { item, project, region, storageClass, store, costMicros, quantity };
  });

const REQUESTS = new Set<Used['kind']>(['put', 'get', 'list', 'head', 'copy', 'kms', 'restore']);

function requestsByKind(records: readonly LedgerRecord[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { kind, quantity } of records.flatMap(({ used }) => used))
    if (REQUESTS.has(kind)) sums[kind] = (sums[kind] ?? 0) + quantity;
  return sums;
}

/** Adds up lines with the same name. */
function merged<T extends { readonly costMicros: number | null; readonly quantity: number }>(
  lines: readonly T[],
  nameOf: (line: T) => unknown,
): readonly T[] {
  const sums = new Map<string, T>();
  for (const line of lines) {
    const name = JSON.stringify(nameOf(line));
    const before = sums.get(name);
    const quantity = line.quantity + (before?.quantity ?? 0);
    const costMicros = before === undefined ? line.costMicros : sumOf([before.costMicros, line.costMicros]);
    sums.set(name, { ...line, costMicros, quantity });
  }
  return [...sums.values()];
}

/** What was spent, and what for. */
export interface Amount {
  readonly costUsd: number | null;
  /** The known part of the cost. */
  readonly knownUsd: number;
  /** Of billed sizes; a GB has 2^30 bytes. */
  readonly gbMonths: number;
  readonly requestCount: number;
  /** Bytes that left the store. */
  readonly transferredBytes: number;
  /** Bytes that were retrieved from classes that charge for it. */
  readonly retrievedBytes: number;
}

const GB = 2 ** 30;

function amountOf(lines: readonly Pick<SpentLine, 'costMicros' | 'item' | 'quantity'>[]): Amount {
  const knownMicros = lines.reduce((sum, { costMicros }) => sum + (costMicros ?? 0), 0);
  const quantityOf = (...items: readonly string[]): number =>
    lines.reduce((sum, { item, quantity }) => sum + (items.includes(item) ? quantity : 0), 0);
  return {
    costUsd: usdOf(sumOf(lines.map(({ costMicros }) => costMicros))),
    knownUsd: usdOf(knownMicros) ?? 0,
    gbMonths: Math.round((quantityOf('storage', 'temporaryCopy') / GB) * 1e6) / 1e6,
    requestCount: quantityOf('requests', 'kms'),
    transferredBytes: quantityOf('transfer'),
    retrievedBytes: quantityOf('retrieval'),
  };
}

/** Returns the amounts alone. */
export const amountIn = ({
  costUsd,
  knownUsd,
  gbMonths,
  requestCount,
  transferredBytes,
  retrievedBytes,
}: Amount): Amount => ({ costUsd, knownUsd, gbMonths, requestCount, transferredBytes, retrievedBytes });

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
