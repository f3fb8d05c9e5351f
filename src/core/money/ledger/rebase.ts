// Corrects what the ledger takes for stored by what a store was found to hold: what other computers deleted, what expired, what rules of
// the bucket moved to other classes. Amounts are compared as reports show them, by store, project, region and class; where they differ, the
// uploads that are in it are recorded anew. Pure.
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { PriceList } from '../../cost/price-table.js';
import { sumOf } from '../../cost/money.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { dayOf } from './days.js';
import { levelsOf, type ListedGroup } from './listed-levels.js';
import { type LedgerRecord, type MeasuredLevel, UPLOADS } from './record.js';
import { recordId } from './running.js';
import { type StorageGroup, StoredLevels, type UploadLevel } from './stored-levels.js';

export interface Measured {
  /** URL of what was listed. */
  readonly place: string;
  readonly by: 'listing' | 'inventory';
  /** The time that it is of: when the listing began. */
  readonly at: Date;
  readonly groups: readonly ListedGroup[];
  readonly region: string | null;
  readonly provider: LedgerRecord['provider'];
  readonly prices: PriceList;
  /** Uploads that runs which have not ended work on. */
  readonly busy: ReadonlySet<string>;
}

export interface StoredAmount {
  readonly objects: number;
  readonly bytes: number;
  /** Null when a price is not known. */
  readonly monthlyMicros: number | null;
}

/** An amount that reports show, as the ledger had it and as it was found. */
export interface Correction extends StorageGroup {
  readonly before: StoredAmount;
  readonly after: StoredAmount;
}

export interface Rebase {
  /** Differences, the largest first; none where the ledger agrees with the store. */
  readonly corrections: readonly Correction[];
  /** All that the place holds, as the ledger had it and as it was found; without the uploads that were left. */
  readonly before: StoredAmount;
  readonly after: StoredAmount;
  /** Uploads that were written meanwhile: they are left as recorded, as it is not known what of them was found. */
  readonly left: readonly string[];
  /**
   * What the ledger is to have, in the order of writing; none where that would say nothing new. That of the place itself is the last: without it
   * the rebase did not happen.
   */
  readonly records: readonly LedgerRecord[];
}

type Place = Pick<LedgerRecord, 'store' | 'project' | 'region' | 'uploadId'>;

/** An upload of the ledger, or what it has outside of uploads. */
interface Held extends Place {
  recorded: readonly UploadLevel[];
  found: readonly MeasuredLevel[];
}

const isBelow = (url: string, place: string): boolean => url === place || url.startsWith(`${place}/`);

/**
 * Compares the ledger with what a store was found to hold. Records must be in order of time, all that there are.
 * @param id of the rebase, 16 hex digits
 * @throws unsupported where the place is a part of a store of the ledger, or a store of another provider has the same name
 */
export function rebaseOf(records: readonly LedgerRecord[], measured: Measured, id: string): Rebase {
  refuseOthers(records, measured);
  const { place, at } = measured;
  const ours = records.filter(({ store }) => isBelow(store, place));
  const isBefore = ({ time }: LedgerRecord): boolean => time <= at.toISOString();
  const left = leftOf(ours, measured, isBefore);
  const held = heldBy(ours.filter(isBefore));
  const known = knownOf(ours);
  const seen = new Set([...held.values()].map(({ uploadId }) => uploadId));
  for (const group of measured.groups) {
    seen.add(group.uploadId);
    if (!left.has(group.uploadId ?? '')) addFound(held, group, known, measured);
  }
  const compared = [...held.values()].filter(({ uploadId }) => !left.has(uploadId ?? ''));
  const corrections = correctionsOf(compared);
  const wrong = new Set(corrections.map(reportedPlace));
  const changed = compared.filter((one) => wrong.has(reportedPlace(one)) && !isSame(one));
  const isOfPlace = ({ store, project, uploadId }: Place): boolean =>
    store === place && project === null && uploadId === null;
  const outside = { store: place, project: null, region: measured.region, uploadId: null };
  const head = held.get(nameOf(outside)) ?? { ...outside, recorded: [], found: [] };
  const isKnown = ours.some((record) => isOfPlace(record) && isOfDay(record, measured));
  const written = [...changed.filter((one) => nameOf(one) !== nameOf(head)), head];
  return {
    corrections,
    before: amountOf(compared.flatMap(({ recorded }) => recorded)),
    after: amountOf(compared.flatMap(({ found }) => found)),
    left: [...left].filter((uploadId) => seen.has(uploadId)),
    records: corrections.length === 0 && isKnown ? [] : written.map((one) => recordOf(one, measured, id)),
  };
}

/** A place that was measured on the same day, and agrees, needs no further record. */
const isOfDay = ({ measured, time }: LedgerRecord, { place, at }: Measured): boolean =>
  measured?.place === place && dayOf(new Date(time)) === dayOf(at);

/** @throws unsupported */
function refuseOthers(records: readonly LedgerRecord[], { place, provider }: Measured): void {
  const above = records.find(({ store }) => store !== place && isBelow(place, store));
  if (above !== undefined)
    throw new ArchiverError(
      'unsupported',
      `the ledger has ${printable(place)} as a part of ${printable(above.store)}`,
      {
        hint: `rebase the whole: archiver cost rebase ${printable(above.store)}`,
      },
    );
  const other = records.find((record) => isBelow(record.store, place) && record.provider !== provider);
  if (other !== undefined)
    throw new ArchiverError(
      'unsupported',
      `the ledger has a store ${printable(other.store)} of another provider (${other.provider}, and this one is ${provider}), and cannot tell the two apart`,
      { hint: 'name the server that was uploaded to, with --endpoint-url or --profile' },
    );
}

/**
 * Returns the uploads that were written while a store was listed, or made while its inventory was: it is not known what of them was found.
 * What happened to others since an inventory is in later records, which count on top.
 */
function leftOf(
  ours: readonly LedgerRecord[],
  { by, busy }: Measured,
  isBefore: (record: LedgerRecord) => boolean,
): ReadonlySet<string> {
  const left = new Set(busy);
  const known = new Set<string>();
  for (const record of ours) {
    const { uploadId, stored, operation } = record;
    if (uploadId === null || stored.length === 0) continue;
    if (isBefore(record)) known.add(uploadId);
    else if (by === 'listing' || (UPLOADS.includes(operation) && !known.has(uploadId))) left.add(uploadId);
  }
  return left;
}

const nameOf = ({ store, project, region, uploadId }: Place): string =>
  JSON.stringify([store, project, region, uploadId]);
const reportedPlace = ({ store, project, region }: Pick<Place, 'store' | 'project' | 'region'>): string =>
  JSON.stringify([store, project, region]);

/** Returns what these records say is stored. */
function heldBy(records: readonly LedgerRecord[]): Map<string, Held> {
  const levels = new StoredLevels();
  for (const record of records) levels.add(record, dayOf(new Date(record.time)));
  const held = new Map<string, Held>();
  for (const level of levels.byUpload()) {
    const { store, project, region, uploadId } = level;
    const before = held.get(nameOf(level)) ?? { store, project, region, uploadId, recorded: [], found: [] };
    held.set(nameOf(level), { ...before, recorded: [...before.recorded, level] });
  }
  return held;
}

/** What the ledger knows of uploads, datasets and stores. */
interface Known {
  /** Records by the upload, and by the dataset, the newest last. */
  readonly uploads: ReadonlyMap<string | null, readonly LedgerRecord[]>;
  readonly datasets: ReadonlyMap<string | null, readonly LedgerRecord[]>;
  readonly stores: ReadonlySet<string>;
}

const knownOf = (ours: readonly LedgerRecord[]): Known => ({
  uploads: listsByKey(ours, ({ uploadId }) => uploadId),
  datasets: listsByKey(ours, ({ datasetId }) => datasetId),
  stores: new Set(ours.map(({ store }) => store)),
});

/** Adds what was found to the upload that the ledger has for it, or to that which later records of it will name. */
function addFound(
  held: Map<string, Held>,
  { uploadId, datasetId, key, tally }: ListedGroup,
  { uploads, datasets, stores }: Known,
  { place, region, prices, provider }: Measured,
): void {
  const url = `${place}/${key}`;
  const named = uploadId !== null ? uploads.get(uploadId) : datasetId !== null ? datasets.get(datasetId) : undefined;
  const record = named?.findLast(({ store }) => isBelow(url, store));
  const store = record?.store ?? longest([...stores].filter((one) => isBelow(url, one))) ?? place;
  const project = record?.project ?? uploadId;
  const its = { store, project, region: record === undefined ? region : record.region, uploadId };
  const before = held.get(nameOf(its)) ?? { ...its, recorded: [], found: [] };
  const found = levelsOf(tally, prices, provider === 'folder');
  held.set(nameOf(its), { ...before, found: merged([...before.found, ...found]) });
}

const longest = (urls: readonly string[]): string | undefined =>
  urls.reduce<string | undefined>((best, url) => (url.length > (best?.length ?? -1) ? url : best), undefined);

/** Adds up levels of the same class. */
function merged(levels: readonly MeasuredLevel[]): readonly MeasuredLevel[] {
  const sums = new Map<string, MeasuredLevel>();
  for (const level of levels) {
    const before = sums.get(level.storageClass);
    sums.set(
      level.storageClass,
      before === undefined
        ? level
        : {
            storageClass: level.storageClass,
            objects: before.objects + level.objects,
            bytes: before.bytes + level.bytes,
            billedBytes: before.billedBytes + level.billedBytes,
            monthlyMicros: sumOf([before.monthlyMicros, level.monthlyMicros]),
          },
    );
  }
  return [...sums.values()];
}

/** Adds up amounts as reports do: what is less than nothing counts as nothing. */
const amountOf = (levels: readonly MeasuredLevel[]): StoredAmount => ({
  objects: levels.reduce((sum, { objects }) => sum + Math.max(0, objects), 0),
  bytes: levels.reduce((sum, { bytes }) => sum + Math.max(0, bytes), 0),
  monthlyMicros: sumOf(
    levels.map(({ objects, bytes, monthlyMicros }) =>
      monthlyMicros === null ? (objects > 0 || bytes > 0 ? null : 0) : Math.max(0, monthlyMicros),
    ),
  ),
});

function correctionsOf(all: readonly Held[]): readonly Correction[] {
  const groups = new Map<string, { readonly group: StorageGroup; recorded: MeasuredLevel[]; found: MeasuredLevel[] }>();
  for (const { store, project, region, recorded, found } of all)
    for (const [side, levels] of [
      ['recorded', recorded],
      ['found', found],
    ] as const)
      for (const level of levels) {
        const { storageClass } = level;
        const name = JSON.stringify([store, project, region, storageClass]);
        const group = groups.get(name) ?? { group: { store, project, region, storageClass }, recorded: [], found: [] };
        group[side].push(level);
        groups.set(name, group);
      }
  return Array.from(groups.values(), ({ group, recorded, found }) => {
    return { ...group, before: amountOf(recorded), after: amountOf(found) };
  })
    .filter(({ before, after }) => !isEqual(before, after))
    .sort((one, other) => differenceOf(other) - differenceOf(one));
}

const differenceOf = ({ before, after }: Correction): number => Math.abs(after.bytes - before.bytes);

/** Prices that changed since are no difference, but those that have become known are. */
const isEqual = (one: StoredAmount, other: StoredAmount): boolean =>
  one.objects === other.objects &&
  one.bytes === other.bytes &&
  (one.monthlyMicros === null) === (other.monthlyMicros === null);

function isSame({ recorded, found }: Held): boolean {
  const kept = recorded.filter(({ objects, bytes, billedBytes }) => objects !== 0 || bytes !== 0 || billedBytes !== 0);
  return (
    kept.length === found.length &&
    found.every((level) => {
      const before = kept.find(({ storageClass }) => storageClass === level.storageClass);
      return before !== undefined && isEqual(before, level);
    })
  );
}

function recordOf(one: Held, { place, by, at, provider, prices }: Measured, id: string): LedgerRecord {
  const { store, project, region, uploadId, found } = one;
  const isHead = store === place && project === null && uploadId === null;
  return {
    id: isHead ? id : recordId(id, nameOf(one)),
    time: at.toISOString(),
    operation: 'rebase',
    outcome: 'done',
    project,
    datasetId: null,
    uploadId,
    writerId: null,
    gitCommit: null,
    dvcStage: null,
    store,
    provider,
    region,
    files: 0,
    bytes: 0,
    used: [],
    stored: [],
    sent: null,
    lines: [],
    costMicros: 0,
    monthlyMicros: 0,
    pricesOf: prices.pricesOf,
    measured: { by, place, levels: found },
  };
}
