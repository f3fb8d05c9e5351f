// Asks features before a command fetches readable content, which costs requests and transfer.
import type { Context, Pricing } from '../../cli/context.js';
import { estimateRetrieval } from '../../core/cost/retrieval-cost.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { pricedBy } from './prices.js';
import { retrievalGate } from './slots.js';

interface Fetch {
  readonly values: object;
  readonly uploadId: string;
  readonly opened: OpenedStore;
  readonly context: Context;
}

/** Returns the check for `restoreUpload`. @throws what keeps the content from being fetched */
export function fetchGate({ values, uploadId, opened, context }: Fetch): NonNullable<RestoreOptions['mayFetch']> {
  const check = retrievalGate({ ...values }, uploadId, context);
  return async (needed) => {
    const chunks = needed.map((chunk) => ({ ...chunk, isReadable: true }));
    await check(estimateFetch(chunks, opened, context));
    return true;
  };
}

function estimateFetch(
  chunks: Parameters<typeof estimateRetrieval>[0]['chunks'],
  opened: OpenedStore,
  context: Pricing,
): ReturnType<typeof estimateRetrieval> {
  const { region, isAws, store } = opened;
  const isFolder = store.url.startsWith('file:');
  return estimateRetrieval({
    ...pricedBy(context, opened),
    region,
    isAws,
    isFolder,
    chunks,
    tier: 'standard',
    days: 0,
  });
}
