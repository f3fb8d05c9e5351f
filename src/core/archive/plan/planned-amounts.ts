// Computes what the planned upload stores and costs at most, to decide whether it may begin.
import { type StoredObject } from '../../cost/stored-object.js';
import { uploadCost } from '../../cost/upload-cost.js';
import { parseStoreUrl } from '../../store/store-url.js';
import type { PlannedAmounts } from '../run/upload-gate.js';
import type { UploadRun } from '../run/upload-run.js';
import { objectsOf } from './planned-upload.js';
import type { UploadPlan } from './plan-upload.js';

type Place = Pick<UploadRun, 'store' | 'region' | 'isAws' | 'runBy' | 'encryption'>;

/** Returns the amounts of what this plan packs. */
export const plannedAmounts = (
  run: Place & Pick<UploadRun, 'ledger'>,
  { lanes }: Pick<UploadPlan, 'lanes'>,
): PlannedAmounts => {
  const { table } = run.ledger;
  return amountsOf(run, { objects: () => objectsOf(lanes, table), entries: table.count });
};

/** Returns the amounts of objects, of so many entries. */
export function amountsOf(
  { store, region, isAws, runBy, encryption }: Place,
  { objects, entries }: { readonly objects: () => Iterable<StoredObject>; readonly entries: number },
): PlannedAmounts {
  let bytes = 0;
  for (const { sizeBytes, count = 1 } of objects()) bytes += sizeBytes * count;
  const usesKms = encryption.kmsKeyId !== undefined;
  const isFolder = parseStoreUrl(store.url).kind === 'file';
  return {
    bytes: Math.round(bytes), // of many objects only the average size is known
    billAt: ({ provider = runBy, book }) =>
      uploadCost(objects(), { provider, region, isAws, isFolder, usesKms, entries }, book),
  };
}
