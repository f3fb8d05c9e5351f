// Meters what a run uses of the stores that it opens, added up by rate and storage class, so that requests for millions of objects take no
// memory. Storage counts what was written and not deleted again; deleting objects that the run did not write is counted where their size is
// known, from the command or from a listing shortly before.
import { earlyDeletion } from '../../cost/early-deletion.js';
import { isColdClass } from '../../store/cold-class.js';
import { sumOf, microsOf, type Usd } from '../../cost/money.js';
import { chargesUploads, DAYS_A_MONTH, type PriceList } from '../../cost/price-table.js';
import { storedObject } from '../../cost/stored-object.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import {
  type MeteredObject,
  type MeteredPlace,
  type RequestRate,
  STANDARD,
  type StoreMeter,
} from '../../store/meter.js';
import type { CostLine, Sent, StoredChange, Used } from './record.js';

/** Limit of remembered objects, each of those written and those listed. Their sizes are needed only for a short time. */
const REMEMBERED = 10_000;
/** Matches the upload that an object belongs to; a store may be opened above the folders of writers. */
const UPLOAD = new RegExp(`(?:^|/)uploads/(${UPLOAD_ID})/`);

/** Changes of the objects of one upload, or of objects outside of uploads. */
export interface UploadChange {
  readonly uploadId: string | undefined;
  /** Number of objects that this run wrote. */
  readonly written: number;
  readonly stored: readonly StoredChange[];
  /** Fees for deleting objects before the minimum time of their class. */
  readonly fees: readonly CostLine[];
}

export interface PlaceUse {
  readonly place: MeteredPlace;
  readonly prices: PriceList;
  readonly used: readonly Used[];
  readonly changes: readonly UploadChange[];
  readonly sent: Sent | null;
}

/** Meters all stores that one run opens. */
export class RunMeter {
  private readonly places = new Map<string, PlaceMeter>();
  private readonly known = new Map<string, MeteredObject>();

  constructor(
    private readonly now: () => Date,
    private readonly priceList: (place: MeteredPlace) => PriceList,
    /** Called after each use; the flag tells whether something was stored or deleted. */
    private readonly onUse: (hasChanged: boolean) => void = () => undefined,
  ) {}

  /** Returns the meter for a store that is opened; a store that is opened again continues with the same one. */
  readonly open = (place: MeteredPlace): StoreMeter => {
    const name = JSON.stringify([place.url, place.region, place.isAws]);
    const found =
      this.places.get(name) ?? new PlaceMeter(place, this.priceList(place), this.known, this.now, this.onUse);
    this.places.set(name, found);
    return found;
  };

  /** Tells the meter about objects that the run may delete or thaw. */
  know(objects: Iterable<MeteredObject>): void {
    for (const object of objects) this.known.set(object.key, object);
  }

  /** Returns the usage of each store that got a request. */
  uses(): readonly PlaceUse[] {
    return [...this.places.values()].map((place) => place.use()).filter(({ used }) => used.length > 0);
  }
}

class PlaceMeter implements StoreMeter {
  private readonly used: Map<string, Used> = new Map();
  private readonly changes = new Map<string | undefined, ChangeSums>();
  private readonly written = new Map<string, MeteredObject>();
  private readonly listed = new Map<string, MeteredObject>();
  private isVersioned = false;
  private firstPut: number | undefined;
  private sent: Sent = { bytes: 0, ms: 0 };

  constructor(
    private readonly place: MeteredPlace,
    private readonly prices: PriceList,
    private readonly known: Map<string, MeteredObject>,
    private readonly now: () => Date,
    private readonly onUse: (hasChanged: boolean) => void,
  ) {}

  requested(kind: RequestRate, storageClass: string): void {
    this.count({ kind, storageClass, quantity: 1 });
    if (kind === 'put') this.firstPut ??= this.now().getTime();
    this.onUse(false);
  }

  fetched(storageClass: string, bytes: number): void {
    this.count({ kind: 'transferOut', quantity: bytes });
    // A thawed copy is in STANDARD, and its retrieval was paid for when it was requested.
    if (storageClass !== STANDARD && !isColdClass(storageClass))
      this.count({ kind: 'retrieval', storageClass, quantity: bytes });
  }

  seen(objects: readonly MeteredObject[]): void {
    for (const { key, sizeBytes, storageClass, lastModified } of objects)
      remember(this.listed, { key, sizeBytes, storageClass, ...(lastModified && { lastModified }) });
  }

  copied(fromKey: string, key: string, storageClass: string): void {
    const from = this.find(fromKey);
    if (from !== undefined) this.store({ key, sizeBytes: from.sizeBytes, storageClass });
  }

  wrote(object: MeteredObject): void {
    const now = this.now().getTime();
    this.sent = { bytes: this.sent.bytes + object.sizeBytes, ms: Math.max(0, now - (this.firstPut ?? now)) };
    const { storageClass, sizeBytes } = object;
    if (chargesUploads(this.prices, storageClass)) this.count({ kind: 'upload', storageClass, quantity: sizeBytes });
    this.store(object);
    this.onUse(true);
  }

  private store(object: MeteredObject): void {
    const before = this.find(object.key);
    if (before !== undefined && !this.isVersioned) this.change(before, -1);
    this.change(object, 1);
    this.changesOf(object.key).written++;
    remember(this.written, object);
  }

  keepsVersions(): void {
    this.isVersioned = true;
  }

  removed(keys: readonly string[], isForGood: boolean): void {
    const gone: Required<MeteredObject>[] = [];
    for (const key of keys) {
      const object = this.find(key);
      for (const objects of [this.written, this.known, this.listed]) objects.delete(key);
      if (object === undefined || (this.isVersioned && !isForGood)) continue;
      this.change(object, -1);
      gone.push({ ...object, lastModified: object.lastModified ?? this.now() });
    }
    if (!this.place.isFolder) this.charge(gone);
    this.onUse(true);
  }

  thawed(key: string, { tier: way, days = 0 }: Parameters<StoreMeter['thawed']>[1]): void {
    const { sizeBytes = 0, storageClass = 'GLACIER' } = this.find(key) ?? {};
    this.count({ kind: 'restore', storageClass, way, quantity: 1 });
    this.count({ kind: 'retrieval', storageClass, way, quantity: sizeBytes });
    this.count({ kind: 'storage', storageClass: STANDARD, quantity: Math.round((sizeBytes * days) / DAYS_A_MONTH) });
  }

  use(): PlaceUse {
    const used = [...this.used.values()].filter(({ quantity }) => quantity > 0);
    const changes = Array.from(this.changes, ([uploadId, sums]) => ({ uploadId, ...sums.all() }));
    return { place: this.place, prices: this.prices, used, changes, sent: this.sent.bytes === 0 ? null : this.sent };
  }

  private charge(gone: readonly Required<MeteredObject>[]): void {
    for (const object of gone)
      for (const fee of earlyDeletion([object], { region: undefined, now: this.now(), book: () => this.prices })
        .byClass)
        this.changesOf(object.key).charge(fee.storageClass, fee);
  }

  private find(key: string): MeteredObject | undefined {
    return this.written.get(key) ?? this.known.get(key) ?? this.listed.get(key);
  }

  private count(used: Used): void {
    const { kind, storageClass, way } = used;
    const name = JSON.stringify([kind, storageClass, way]);
    this.used.set(name, { ...used, quantity: used.quantity + (this.used.get(name)?.quantity ?? 0) });
  }

  /** `sign`: 1 for an object that is stored now, -1 for one that no longer is. */
  private change({ key, ...object }: MeteredObject, sign: 1 | -1): void {
    const sums = this.changesOf(key);
    const { sizeBytes, storageClass } = object;
    sums.store(storageClass, { objects: sign, bytes: sign * sizeBytes, billedBytes: 0 });
    for (const { kind, storageClass: billed = storageClass, quantity } of storedObject(object, undefined, this.prices))
      if (kind === 'storage' && quantity > 0)
        sums.store(billed, { objects: 0, bytes: 0, billedBytes: sign * quantity });
  }

  private changesOf(key: string): ChangeSums {
    const uploadId = UPLOAD.exec(key)?.[1];
    const found = this.changes.get(uploadId) ?? new ChangeSums();
    this.changes.set(uploadId, found);
    return found;
  }
}

class ChangeSums {
  written = 0;
  private readonly stored = new Map<string, StoredChange>();
  private readonly fees = new Map<string, { readonly bytes: number; readonly costUsd: Usd }>();

  store(storageClass: string, { objects, bytes, billedBytes }: Omit<StoredChange, 'storageClass'>): void {
    const before = this.stored.get(storageClass) ?? { objects: 0, bytes: 0, billedBytes: 0 };
    this.stored.set(storageClass, {
      storageClass,
      objects: before.objects + objects,
      bytes: before.bytes + bytes,
      billedBytes: before.billedBytes + billedBytes,
    });
  }

  charge(storageClass: string, { bytes, costUsd }: { readonly bytes: number; readonly costUsd: Usd }): void {
    const before = this.fees.get(storageClass) ?? { bytes: 0, costUsd: 0 };
    this.fees.set(storageClass, { bytes: before.bytes + bytes, costUsd: sumOf([before.costUsd, costUsd]) });
  }

  all(): Omit<UploadChange, 'uploadId'> {
    const fees = Array.from(this.fees, ([storageClass, { bytes, costUsd }]) => {
      const costMicros = costUsd === null ? null : microsOf(costUsd);
      return { item: 'earlyDeletion', storageClass, quantity: bytes, costMicros };
    });
    const isChanged = (one: StoredChange): boolean => one.objects !== 0 || one.bytes !== 0 || one.billedBytes !== 0;
    return { written: this.written, stored: [...this.stored.values()].filter(isChanged), fees };
  }
}

/** Remembers an object, forgetting the oldest when there are too many. */
function remember(objects: Map<string, MeteredObject>, object: MeteredObject): void {
  objects.delete(object.key);
  objects.set(object.key, object);
  if (objects.size <= REMEMBERED) return;
  const [oldest = ''] = objects.keys();
  objects.delete(oldest);
}
