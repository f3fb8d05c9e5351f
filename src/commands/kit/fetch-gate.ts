// Asks features before a command fetches readable content, which costs requests and transfer.
import type { Context } from '../../cli/context.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { fetchEstimate } from './fetch-estimate.js';
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
    const estimate = await fetchEstimate(needed, opened, context);
    await check({ ...estimate, project });
    return true;
  };
}
