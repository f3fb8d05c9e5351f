// Asks features before a command fetches readable content, which costs requests and transfer.
import type { Context } from '../../cli/context.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import type { OpenedStore } from '../../core/store/open-store.js';
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
  return async (needed, project) => {
    const { estimateRetrieval } = await import('../../core/cost/retrieval-cost.js');
    const { pricedBy } = await import('./prices.js');
    const { region, isAws, store } = opened;
    const estimate = estimateRetrieval({
      ...pricedBy(context, opened),
      region,
      isAws,
      isFolder: store.url.startsWith('file:'),
      chunks: needed.map((chunk) => ({ ...chunk, isReadable: true })),
      tier: 'standard',
      days: 0,
    });
    await check({ ...estimate, project });
    return true;
  };
}
