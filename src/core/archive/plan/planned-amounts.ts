// Computes what the planned upload stores and costs at most, to decide whether it may begin.
import { type StoredObject } from '../../cost/stored-object.js';
import { uploadCost } from '../../cost/upload-cost.js';
import { parseStoreUrl } from '../../store/store-url.js';
import type { AlsoPlanned } from '../run/also-stores.js';
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

/** Returns the amounts of what this plan packs in another store, whose chunks have this class. */
export const amountsIn =
  (run: Pick<UploadRun, 'ledger' | 'encryption'>, { lanes }: Pick<UploadPlan, 'lanes'>): AlsoPlanned['amountsIn'] =>
  ({ store, region, isAws, runBy }, storageClass) => {
    const { ledger, encryption } = run;
    const place = { store, region, isAws, runBy, encryption };
    return amountsOf(place, {
      objects: () => inClass(objectsOf(lanes, ledger.table), storageClass),
      entries: ledger.table.count,
    });
  };

function* inClass(objects: Iterable<StoredObject>, storageClass: string): Generator<StoredObject> {
  for (const object of objects) yield { ...object, storageClass };
}

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
