// Asks before content is fetched by a command that has a cap of its own, --max-cost, over all that it fetches.
import type { Context } from '../../cli/context.js';
import type { RestoreOptions } from '../../core/restore/restore.js';
import { capVerdict } from '../../core/cost/cost-cap.js';
import type { RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fetchEstimate } from './fetch-estimate.js';
import { retrievalGate } from './slots.js';

interface Capped {
  readonly values: { readonly maxCost: number | undefined; readonly dryRun: boolean };
  readonly uploadId: string;
  readonly opened: OpenedStore;
  readonly context: Context;
  /** What was fetched before costs; what this costs is added. */
  readonly spent: { costUsd: number };
}

/** Returns the check for `restoreUpload`, and what it has estimated. Fetching throws `budget-exceeded` above the cap, and what budgets say. */
export function cappedGate({ values, uploadId, opened, context, spent }: Capped) {
  const ask = retrievalGate({ ...values }, uploadId, context);
  let costUsd: number | null = 0;
  const mayFetch: NonNullable<RestoreOptions['mayFetch']> = async (needed, project) => {
    const estimate = await fetchEstimate(needed, opened, context);
    costUsd = estimate.costUsd;
    if (values.dryRun) return true;
    const all = costUsd === null ? null : costUsd + spent.costUsd;
    refuseAbove({ ...estimate, costUsd: all }, values.maxCost);
    await ask({ ...estimate, project });
    spent.costUsd = all ?? spent.costUsd;
    return true;
  };
  return { mayFetch, costUsd: () => costUsd };
}

/** @throws budget-exceeded */
function refuseAbove(estimate: RetrievalEstimate, maxUsd: number | undefined): void {
  const verdict = capVerdict(estimate, maxUsd, false);
  if (verdict === 'within' || maxUsd === undefined) return;
  const what = verdict === 'over' ? `this would cost ${formatUsd(estimate.costUsd)}` : 'what this costs is not known';
  throw new ArchiverError(
    'budget-exceeded',
    `${what}, and --max-cost allows ${formatUsd(maxUsd)}; nothing more was fetched`,
    {
      hint: 'a smaller --sample, or fewer --files, costs less; --dry-run says how much',
    },
  );
}
