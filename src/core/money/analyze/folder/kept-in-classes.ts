// What some content would cost in each storage class, packed into chunks as an upload packs it. How well it compresses is not known without
// reading it: amounts are the most that it costs, as for `upload --dry-run`.
import { chunkSizeFor } from '../../../archive/plan/chunk-plan.js';
import { type ClassEstimate, classEstimate } from '../../../cost/class-estimate.js';
import type { PriceList } from '../../../cost/price-table.js';
import type { StoredObject } from '../../../cost/stored-object.js';
import { STORAGE_CLASSES } from '../../../store/providers/storage-classes.js';

/** Returns the chunks of so many bytes, as far as memory does not make them smaller. */
function chunksOf(bytes: number): readonly Omit<StoredObject, 'storageClass'>[] {
  const chunkBytes = chunkSizeFor(bytes, Number.POSITIVE_INFINITY, 1);
  const count = Math.floor(bytes / chunkBytes);
  const rest = bytes - count * chunkBytes;
  return [...(count === 0 ? [] : [{ sizeBytes: chunkBytes, count }]), ...(rest === 0 ? [] : [{ sizeBytes: rest }])];
}

/** Returns the cost in every class that these prices know, in the order of the classes. */
export const keptInClasses = (bytes: number, prices: PriceList): readonly ClassEstimate[] =>
  STORAGE_CLASSES.filter((name) => Object.hasOwn(prices.classes, name)).map((name) =>
    classEstimate(name, chunksOf(bytes), prices),
  );

/** Returns the class that costs the least a month; undefined if no price is known. */
export const cheapestOf = (classes: readonly ClassEstimate[]): ClassEstimate | undefined =>
  classes.reduce<ClassEstimate | undefined>(
    (best, one) =>
      one.monthlyUsd !== null && (best?.monthlyUsd == null || one.monthlyUsd < best.monthlyUsd) ? one : best,
    undefined,
  );
