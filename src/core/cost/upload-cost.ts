// Estimates what an upload will cost: storing its objects for a month, and the requests that make them. How well content compresses is not
// known before, so sizes are those before compression, and the cost is the most that it can be. Manifest, its segments and version record
// count as requests; their size, and the listings around them, are not counted.
import { entriesPerSegment, isSegmented } from '../format/manifest/segmented.js';
import type { RequestCounts } from '../store/object-store.js';
import { type Bill, billOf } from './cost-model.js';
import { sumOf, type Usd } from './money.js';
import { bookedPlace, listPrices } from './price-book.js';
import { chargesUploads, type PriceBook, type PriceList, type PricedPlace } from './price-table.js';
import { minimumStorage, type StoredObject, storedObject } from './stored-object.js';
import { UsageSums } from './usage-sums.js';

/** PUTs of the manifest and of the version record. */
const OTHER_PUTS = 2;
const KEYS_OF_MANIFEST = 1;

/** `upload`: for classes that charge for written bytes. */
export type UploadItem = 'storage' | 'requests' | 'upload';

/** `storage` is for a month. */
export interface UploadEstimate extends Bill<UploadItem> {
  /** False if the store is another server, which may charge something else. */
  readonly isAws: boolean;
}

export interface UploadPlace extends PricedPlace {
  readonly isAws: boolean;
  /** True for a folder of this computer: nothing costs anything. */
  readonly isFolder: boolean;
  /** True if each object is encrypted with a key from KMS, which is asked at most once for each: a bucket may keep one key for many. */
  readonly usesKms?: boolean;
  /** Entries of the listing, whose manifest may have segments. */
  readonly entries?: number;
}

/** Segments of the manifest of a listing of so many entries, if all are new. */
const segmentsOf = (entries = 0): number =>
  isSegmented(entries, false) ? Math.ceil(entries / entriesPerSegment(entries)) : 0;

/** Returns the cost that is paid once: everything but storage. */
export const oneTimeUsd = ({ lines }: Pick<Bill<UploadItem>, 'lines'>): Usd =>
  sumOf(lines.flatMap(({ item, costUsd }) => (item === 'storage' ? [] : [costUsd])));

/** Returns the most that storing these objects costs; iterates over them once. */
export function uploadCost(
  objects: Iterable<StoredObject>,
  place: UploadPlace,
  book: PriceBook = listPrices,
): UploadEstimate {
  const { isAws, isFolder, usesKms, entries } = place;
  const bill = uploadBill(objects, book(bookedPlace(place)), usesKms, segmentsOf(entries));
  if (!isFolder) return { ...bill, isAws };
  return { ...bill, costUsd: 0, lines: bill.lines.map((line) => ({ ...line, costUsd: 0 })), isAws };
}

/** An upload that was made: its objects, and the requests that it took. */
export interface MadeUpload {
  readonly objects: readonly StoredObject[];
  readonly requests: Pick<RequestCounts, 'put' | 'get' | 'list' | 'head' | 'copy'>;
  readonly usesKms?: boolean | undefined;
}

/** Returns the cost of such an upload; `storage` is for a month. PUTs are counted as those of its objects first, others as STANDARD. */
export function actualUploadCost(
  { objects, requests, usesKms = false }: MadeUpload,
  place: PricedPlace,
  book: PriceBook,
): Bill<UploadItem> {
  const prices = book(place);
  const used = new UsageSums();
  for (const { storageClass } of objects.slice(0, requests.put)) used.add([{ kind: 'put', storageClass, quantity: 1 }]);
  const standard = { ...requests, put: Math.max(0, requests.put - objects.length) };
  for (const kind of ['put', 'get', 'list', 'head', 'copy'] as const)
    used.add([{ kind, storageClass: 'STANDARD', quantity: standard[kind] }]);
  if (usesKms) used.add([{ kind: 'kms', quantity: objects.length + KEYS_OF_MANIFEST }]);
  const { lines } = uploadBill(objects, prices);
  const storageUsd = lines.find(({ item }) => item === 'storage')?.costUsd ?? null;
  const bill = billOf<UploadItem>([['requests', used.usages()]], prices);
  const sizes = lines.filter(({ item }) => item === 'upload');
  const stored = {
    item: 'storage',
    quantity: objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    costUsd: storageUsd,
  } as const;
  const all = [stored, ...bill.lines, ...sizes];
  return { ...bill, costUsd: sumOf(all.map(({ costUsd }) => costUsd)), lines: all };
}

/** Returns the most that storing these objects costs at these prices; iterates over them once. */
export function uploadBill(
  objects: Iterable<StoredObject>,
  prices: PriceList,
  usesKms = false,
  segments = 0,
): Bill<UploadItem> {
  const [storage, puts, sizes] = [new UsageSums(), new UsageSums(), new UsageSums()];
  for (const object of objects) {
    const { storageClass, sizeBytes, count = 1 } = object;
    storage.add(storedObject(object, undefined, prices));
    puts.add([{ kind: 'put', storageClass, quantity: count }]);
    if (usesKms) puts.add([{ kind: 'kms', quantity: count }]);
    if (chargesUploads(prices, storageClass))
      sizes.add([{ kind: 'upload', storageClass, quantity: sizeBytes * count }]);
  }
  if (!puts.isEmpty) {
    puts.add([{ kind: 'put', storageClass: 'STANDARD', quantity: OTHER_PUTS + segments }]);
    if (usesKms) puts.add([{ kind: 'kms', quantity: KEYS_OF_MANIFEST + segments }]);
    storage.add([minimumStorage(storage.bytes, prices)]);
  }
  const used = [
    ['storage', storage.usages()],
    ['requests', puts.usages()],
    ...(sizes.isEmpty ? [] : [['upload', sizes.usages()] as const]),
  ] as const;
  return billOf(used, prices);
}
