// What a dry run says of the other stores: what would go there at most, with what the version before lacks there, and what that costs.
import type { UploadResult } from '../../../core/archive/upload-result.js';
import { oneTimeUsd, uploadCost } from '../../../core/cost/upload-cost.js';
import type { StoredObject } from '../../../core/cost/stored-object.js';
import type { Usd } from '../../../core/cost/money.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { pricedBy } from '../../kit/prices.js';
import type { DryRun } from '../dry-run.js';
import type { AlsoRow } from './also-lines.js';
import { bringOver } from './bring-over.js';
import type { CatchUp } from './catch-up.js';
import type { Other } from './others.js';

export interface PlannedAlso {
  readonly row: AlsoRow;
  readonly bytes: number;
  readonly costUsd: Usd;
}

/** Plans each of them. @throws usage for stores that cannot be used together; what looking at them throws */
export async function plannedAlso({ others, open, emit }: CatchUp, result: DryRun): Promise<readonly PlannedAlso[]> {
  const main = await open(emit);
  try {
    const found: PlannedAlso[] = [];
    for (const other of others.all)
      found.push(await plannedIn(other, await others.opened(other, main), { main, emit }, result));
    return found;
  } finally {
    main.close();
  }
}

async function plannedIn(
  { store: { name, values, context, isFolder } }: Other,
  { opened, writing }: { readonly opened: OpenedStore; readonly writing: OpenedStore },
  { main, emit }: { readonly main: OpenedStore } & Pick<CatchUp, 'emit'>,
  { planned, destination, changes, datasetId }: DryRun,
): Promise<PlannedAlso> {
  const { storageClass } = values;
  const before = buildsOn(changes, destination) ? { datasetId, versions: [`v${destination.version}`] } : undefined;
  const chain = before && (await bringOver({ from: main, to: writing, values, what: before }, context, emit));
  const missing = chain?.plan.missing ?? [];
  const objects: readonly StoredObject[] = [
    ...Array.from(planned.objects(), (object) => ({ ...object, storageClass })),
    ...missing.map(({ sizeBytes, kind }) => ({
      sizeBytes,
      storageClass: kind === 'listing' ? 'STANDARD' : storageClass,
    })),
  ];
  const { provider, book } = pricedBy(context, opened);
  const { region, isAws } = opened;
  const place = { provider, region, isAws, isFolder, usesKms: values.kmsKeyId !== undefined };
  const estimate = uploadCost(objects, { ...place, entries: planned.entries }, book);
  const monthlyUsd = estimate.lines.find(({ item }) => item === 'storage')?.costUsd ?? null;
  const row: AlsoRow = {
    store: name,
    copyState: 'planned',
    objects: objects.reduce((sum, { count = 1 }) => sum + count, 0),
    bytes: Math.round(objects.reduce((sum, { sizeBytes, count = 1 }) => sum + sizeBytes * count, 0)),
    requests: { ...opened.requests },
    ...(isFolder ? {} : { monthlyUsd, requestsUsd: oneTimeUsd(estimate) }),
  };
  return { row, bytes: row.bytes, costUsd: estimate.costUsd };
}

/** True for a version that refers to the one before. */
const buildsOn = (changes: UploadResult['changes'], destination: DryRun['destination']): boolean =>
  changes !== undefined && changes.comparedWith !== 'none' && destination.version > 0 && destination.isListed;
