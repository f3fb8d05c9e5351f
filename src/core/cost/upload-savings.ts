// Computes what an upload saves compared with a plain copy: each file an object of its own, not compressed, in the storage class that most
// of the upload is in. Files are taken as equally large, since a manifest's head only tells their number and sum.
import type { Usd } from './money.js';
import { listPrices } from './price-book.js';
import type { PriceBook } from './price-table.js';
import type { StoredObject } from './stored-object.js';
import { uploadCost, type UploadEstimate, type UploadPlace } from './upload-cost.js';

export interface UploadSavings {
  readonly storageClass: string;
  /** Cost of the plain copy: a month of storage, and the requests. */
  readonly plain: UploadEstimate;
  /** Negative if the upload costs more. */
  readonly monthlySavingUsd: Usd;
  readonly requestsSavingUsd: Usd;
}

export interface PlainCopy {
  readonly files: number;
  readonly bytes: number;
  readonly storageClass: string;
}

const equalFiles = ({ files, bytes, storageClass }: PlainCopy): readonly StoredObject[] =>
  files === 0 ? [] : [{ sizeBytes: Math.round(bytes / files), storageClass, count: files }];

/** Returns the amount of an item in an estimate of an upload. */
export const costOfItem = ({ lines }: Pick<UploadEstimate, 'lines'>, wanted: 'storage' | 'requests'): Usd =>
  lines.find(({ item }) => item === wanted)?.costUsd ?? null;

/** Returns what `actual` saves; negative if it costs more. */
export function uploadSavings(
  actual: UploadEstimate,
  copy: PlainCopy,
  place: UploadPlace,
  book: PriceBook = listPrices,
): UploadSavings {
  const plain = uploadCost(equalFiles(copy), place, book);
  const saved = (item: 'storage' | 'requests'): Usd => {
    const [before, now] = [costOfItem(plain, item), costOfItem(actual, item)];
    return before === null || now === null ? null : before - now;
  };
  const { storageClass } = copy;
  return { storageClass, plain, monthlySavingUsd: saved('storage'), requestsSavingUsd: saved('requests') };
}
