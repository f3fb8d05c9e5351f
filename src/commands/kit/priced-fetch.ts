// What a command is about to fetch: budgets are asked, and where it lies in cold storage the refusal says what getting it out costs.
import type { Context } from '../../cli/context.js';
import type { RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import type { NeededChunk } from '../../core/restore/plan/needed-chunk.js';
import { isColdClass } from '../../core/store/cold-class.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { UploadLocation } from '../../core/store/store-url.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fetchGate } from './fetch-gate.js';

interface PricedFetch {
  readonly values: object;
  readonly target: Pick<UploadLocation, 'uploadId'>;
  readonly opened: OpenedStore;
}

/** The budgets' check of what is fetched, which remembers it, and what getting it out of cold storage would cost. */
export function pricedFetch({ values, target, opened }: PricedFetch, context: Context) {
  const gate = fetchGate({ values, uploadId: target.uploadId, opened, context });
  let asked: readonly NeededChunk[] = [];
  const check: typeof gate = async (needed, project) => {
    asked = needed;
    return await gate(needed, project);
  };
  /** What getting it costs; `isThawed` where what lies in cold storage was requested already. */
  const estimate = async (isThawed: boolean): Promise<RetrievalEstimate> => {
    const { estimateRetrieval } = await import('../../core/cost/retrieval-cost.js');
    const { pricedBy } = await import('./prices.js');
    const { region, isAws, store } = opened;
    const chunks = asked.map((chunk) => ({ ...chunk, isReadable: isThawed || !isColdClass(chunk.storageClass) }));
    const place = { ...pricedBy(context, opened), region, isAws, isFolder: store.url.startsWith('file:') };
    return estimateRetrieval({ ...place, chunks, tier: 'standard', days: THAWED_DAYS });
  };
  const withPrice = async (error: unknown): Promise<unknown> => {
    if (!isArchiverError(error, 'cold-storage')) return error;
    const { costUsd } = await estimate(false);
    return new ArchiverError('cold-storage', `${error.message}; getting it costs ${formatUsd(costUsd)}`, {
      cause: error,
      hint: error.hint,
    });
  };
  return { check, withPrice, estimate, asked: () => asked };
}

/** The default of `restore --restore-days`. */
const THAWED_DAYS = 7;
