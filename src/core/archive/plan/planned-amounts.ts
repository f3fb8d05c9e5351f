// Computes what the planned upload stores and costs at most, to decide whether it may begin.
import { type StoredObject } from '../../cost/stored-object.js';
import { uploadCost } from '../../cost/upload-cost.js';
import { parseStoreUrl } from '../../store/store-url.js';
import type { PlannedAmounts } from '../run/upload-gate.js';
import type { UploadRun } from '../run/upload-run.js';
import { objectsOf } from './planned-upload.js';
import type { UploadPlan } from './plan-upload.js';

/** Returns the amounts of what this plan packs. */
export function plannedAmounts(
  {
    ledger,
    store,
    region,
    isAws,
    runBy,
    encryption,
  }: Pick<UploadRun, 'ledger' | 'store' | 'region' | 'isAws' | 'runBy' | 'encryption'>,
  { lanes }: Pick<UploadPlan, 'lanes'>,
): PlannedAmounts {
  const objects = (): Iterable<StoredObject> => objectsOf(lanes, ledger.table);
  let bytes = 0;
  for (const { sizeBytes } of objects()) bytes += sizeBytes;
  const usesKms = encryption.kmsKeyId !== undefined;
  const entries = ledger.table.count;
  const isFolder = parseStoreUrl(store.url).kind === 'file';
  return {
    bytes,
    billAt: ({ provider = runBy, book }) =>
      uploadCost(objects(), { provider, region, isAws, isFolder, usesKms, entries }, book),
  };
}
