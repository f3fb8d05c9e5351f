// Retries deletes that failed temporarily.
import type { DeleteFailure } from '../object-store.js';
import type { RetriedRequest, Retrier } from './retrier.js';
import { StoreError } from '../store-error.js';
import { counted } from '../../platform/text/counted.js';

const DELETE_BATCH = 1000;

export interface Deletion<T> {
  readonly items: readonly T[];
  /** Deletes one batch. */
  readonly send: (items: readonly T[]) => Promise<readonly DeleteFailure[]>;
  /** What to delete again. */
  readonly itemOf: (failure: DeleteFailure) => T;
}

async function deleteBatchAgain<T>(
  retrier: Retrier,
  { items, send, itemOf }: Deletion<T>,
  signal?: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  let left = items;
  const final: DeleteFailure[] = [];
  let last: readonly DeleteFailure[] = [];
  const asked: RetriedRequest = { request: `delete ${counted(items.length, 'object')}`, signal };
  try {
    await retrier.run(asked, async () => {
      const failures = await send(left);
      final.push(...failures.filter(({ retriable }) => retriable !== true));
      last = failures.filter(({ retriable }) => retriable === true);
      left = last.map(itemOf);
      if (last.length > 0)
        throw new StoreError('store', `${counted(last.length, 'object')} could not be deleted: ${last[0]?.reason}`, {
          retriable: true,
          reason: 'PartialDelete',
        });
    });
    return final;
  } catch (error) {
    if (error instanceof StoreError && error.reason === 'PartialDelete') return [...final, ...last];
    throw error;
  }
}

/** Deletes in batches; only temporary failures are retried. */
export async function deleteAgain<T>(
  retrier: Retrier,
  deletion: Deletion<T>,
  signal?: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  const failures: DeleteFailure[] = [];
  for (let start = 0; start < deletion.items.length; start += DELETE_BATCH) {
    const items = deletion.items.slice(start, start + DELETE_BATCH);
    failures.push(...(await deleteBatchAgain(retrier, { ...deletion, items }, signal)));
  }
  return failures;
}
