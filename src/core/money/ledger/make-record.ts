// Makes the records of a run: the usage that its meter counted, priced by the list of each store's region.
import { type Bill, billOf } from '../../cost/cost-model.js';
import { microsOf, sumOf, type Usd } from '../../cost/money.js';
import { monthlyUsd } from '../../cost/stored-object.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import type { MeteredPlace } from '../../store/meter.js';
import { type CostLine, type LedgerRecord, type StoredChange, UPLOADS, type Used } from './record.js';
import { recordId } from './running.js';
import type { RunAbout } from '../../events/run-about.js';
import type { PlaceUse, UploadChange } from './run-meter.js';

/** The line item that each kind of usage is charged on. */
export const ITEMS: Readonly<Record<Used['kind'], string>> = {
  put: 'requests',
  get: 'requests',
  list: 'requests',
  head: 'requests',
  copy: 'requests',
  restore: 'requests',
  kms: 'kms',
  upload: 'upload',
  retrieval: 'retrieval',
  storage: 'temporaryCopy',
  transferOut: 'transfer',
};

const MICROS = 1e6;

interface Ended {
  readonly time: Date;
  readonly outcome: LedgerRecord['outcome'];
  /** Id of the run's record, 16 hex digits. */
  readonly id: string;
  /** Returns the project that the ledger has for an upload. */
  readonly projectOf: (uploadId: string) => string | undefined;
}

/** Returns the upload that the run is about, or that it made. */
export function ownUpload({ uploadId, operation }: RunAbout, uses: readonly PlaceUse[]): string | undefined {
  if (uploadId !== undefined || !UPLOADS.includes(operation)) return uploadId;
  const changes = uses.flatMap((use) => use.changes).filter((change) => change.uploadId !== undefined);
  return changes.sort((one, other) => other.written - one.written)[0]?.uploadId;
}

/** Returns the run's own upload and all others whose objects it changed. */
export const uploadsOf = (about: RunAbout, uses: readonly PlaceUse[]): readonly string[] => {
  const all = uses.flatMap(({ changes }) => changes.map(({ uploadId }) => uploadId));
  return [...new Set([ownUpload(about, uses), ...all])].flatMap((id) => id ?? []);
};

/**
 * Makes the record of the run, and one for each other upload whose objects it changed: what a prune deletes is no longer stored for the
 * project that it was uploaded for. An upload that nothing is known of is another one of a run that uploads: an attempt at a part, or what it
 * sent before it went on under a new id. Returns none when no store got a request.
 */
export function makeRecords(about: RunAbout, uses: readonly PlaceUse[], ended: Ended): readonly LedgerRecord[] {
  const uploadId = ownUpload(about, uses);
  const isOwn = (change: UploadChange): boolean => change.uploadId === undefined || change.uploadId === uploadId;
  const own = uses.map((use) => ({ ...use, changes: use.changes.filter(isOwn) }));
  const others = uses.flatMap(({ place, prices, changes }) =>
    changes
      .filter((change) => !isOwn(change) && change.stored.length + change.fees.length > 0)
      .map((change) => ({ place, prices, used: [], changes: [change], sent: null })),
  );
  const asked = about.project ?? (uploadId === undefined ? undefined : ended.projectOf(uploadId));
  const { operation, datasetId } = about;
  return [
    recordOf({ ...about, project: asked, uploadId }, own, ended),
    ...others.map((use) => {
      const [{ uploadId: id = '' } = {}] = use.changes;
      const other = { ...ended, id: recordId(ended.id, id) };
      const project = ended.projectOf(id) ?? (UPLOADS.includes(operation) ? asked : undefined);
      return recordOf({ operation, datasetId, uploadId: id, project }, [use], other);
    }),
  ].flatMap((record) => record ?? []);
}

/** Makes one record; of several stores it names the one that changed. */
function recordOf(about: RunAbout, uses: readonly PlaceUse[], ended: Ended): LedgerRecord | undefined {
  const main = uses.find(({ changes }) => changes.some(({ stored }) => stored.length > 0)) ?? uses[0];
  if (main === undefined) return undefined;
  const { place } = main;
  const changes = uses.flatMap((use) => use.changes);
  const lines = merged([...uses.flatMap(linesOf), ...changes.flatMap(({ fees }) => fees)]);
  return {
    id: ended.id,
    time: ended.time.toISOString(),
    operation: about.operation,
    outcome: ended.outcome,
    project: about.project ?? about.uploadId ?? null,
    datasetId: about.datasetId ?? null,
    uploadId: about.uploadId ?? null,
    writerId: about.writerId ?? null,
    gitCommit: about.gitCommit ?? null,
    dvcStage: about.dvcStage ?? null,
    store: place.url,
    provider: place.isFolder ? 'folder' : main.prices.provider === 'aws' ? 'aws' : 'other',
    region: place.region ?? null,
    files: about.files ?? 0,
    bytes: about.bytes ?? 0,
    used: uses.flatMap(({ used }) => used),
    stored: storedOf(changes),
    sent: main.sent,
    lines,
    costMicros: sumOf(lines.map(({ costMicros }) => costMicros)),
    monthlyMicros: sumOf(uses.map(monthlyOf)),
    pricesOf: main.prices.pricesOf,
  };
}

function linesOf({ place, prices, used }: PlaceUse): readonly CostLine[] {
  const byLine = listsByKey(used, ({ kind, storageClass }) => JSON.stringify([ITEMS[kind], storageClass ?? null]));
  const bill: Bill<string> = billOf(byLine, prices);
  return bill.lines.map(({ item: name, quantity, costUsd }) => {
    const [item, storageClass] = JSON.parse(name) as [string, string | null];
    return { item, storageClass, quantity, costMicros: microsIn(place, costUsd) };
  });
}

/** Adds up the changes of each class. */
function storedOf(changes: readonly UploadChange[]): readonly StoredChange[] {
  const sums = new Map<string, StoredChange>();
  for (const { storageClass, ...change } of changes.flatMap(({ stored }) => stored)) {
    const before = sums.get(storageClass) ?? { objects: 0, bytes: 0, billedBytes: 0 };
    sums.set(storageClass, {
      storageClass,
      objects: before.objects + change.objects,
      bytes: before.bytes + change.bytes,
      billedBytes: before.billedBytes + change.billedBytes,
    });
  }
  return [...sums.values()];
}

/** Converts to micro-dollars; a local folder costs nothing. */
function microsIn({ isFolder }: MeteredPlace, costUsd: Usd): number | null {
  if (isFolder) return 0;
  return costUsd === null ? null : microsOf(costUsd);
}

/** Adds up lines with the same item and class. */
function merged(lines: readonly CostLine[]): readonly CostLine[] {
  const sums = new Map<string, CostLine>();
  for (const line of lines) {
    const name = JSON.stringify([line.item, line.storageClass]);
    const before = sums.get(name) ?? { quantity: 0, costMicros: 0 };
    const costMicros = sumOf([before.costMicros, line.costMicros]);
    sums.set(name, { ...line, quantity: before.quantity + line.quantity, costMicros });
  }
  return [...sums.values()];
}

const monthlyOf = ({ place, prices, changes }: PlaceUse): number | null => {
  if (place.isFolder) return 0;
  const usd = monthlyUsd(
    changes.flatMap((change) => change.stored),
    prices,
  );
  return usd === null ? null : Math.round(usd * MICROS);
};
