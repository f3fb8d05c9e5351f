// Looks up the dataset of an upload, here and in the stores that are to have it as well.
import { resolveDataset, type SettledDataset } from './changes/resolve-dataset.js';
import type { Settings } from './run/settings.js';
import type { RunStore } from './with-run.js';

/** Looks it up again where the store has got versions that only another one had. @throws as `resolveDataset`; what keeps the others from being used */
export async function settleDataset(settings: Settings, found: RunStore): Promise<SettledDataset> {
  const settled = await resolveDataset({ ...settings, ...found });
  if (settings.dryRun || (await settings.also?.settled(settled, found.store)) !== true) return settled;
  const dataset = { ...settings.dataset, id: settled.datasetId };
  return await resolveDataset({ ...settings, ...found, dataset });
}
