// What it costs to fetch chunks that can be read at once: requests and transfer.
import type { Pricing } from '../../cli/context.js';
import type { RetrievalChunk, RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import type { OpenedStore } from '../../core/store/open-store.js';

/** Estimates it by the prices of the store. @throws usage for a price in the config file that is not one */
export async function fetchEstimate(
  needed: readonly Omit<RetrievalChunk, 'isReadable'>[],
  opened: OpenedStore,
  context: Pricing,
): Promise<RetrievalEstimate> {
  const { estimateRetrieval } = await import('../../core/cost/retrieval-cost.js');
  const { pricedBy } = await import('./prices.js');
  const { region, isAws, store } = opened;
  const place = { ...pricedBy(context, opened), region, isAws, isFolder: store.url.startsWith('file:') };
  const chunks = needed.map((chunk) => ({ ...chunk, isReadable: true }));
  return estimateRetrieval({ ...place, chunks, tier: 'standard', days: 0 });
}
