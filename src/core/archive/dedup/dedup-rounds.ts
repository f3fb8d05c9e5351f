// Packs what is planned and then, in a further round, the files that were to be twins of others and could not: the first of
// them changed, could not be read, or they changed themselves since they were hashed.
import { PackPool } from '../pack/pack-pool.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { planUpload, transfer, type TransferHooks, type UploadJob, type UploadPlan } from '../upload-job.js';

/** As `transfer`; afterwards nothing is pending. */
export async function transferAll(
  job: UploadJob,
  plan: UploadPlan,
  pool: PackPool,
  { onAllPacked, ...hooks }: TransferHooks,
): Promise<void> {
  const { options, ledger } = job;
  if (!options.dedup) {
    await transfer(job, plan, pool, { ...hooks, ...(onAllPacked === undefined ? {} : { onAllPacked }) });
    return;
  }
  await transfer(job, plan, pool, hooks);
  const pending = pendingTotals(ledger.table);
  if (pending.entries > 0) {
    options.emit({
      type: 'note',
      text: `${pending.entries} files changed since they were compared, and are packed now`,
    });
    const further = new PackPool(options.workers);
    try {
      await transfer(job, planUpload(job, pending), further, hooks);
    } finally {
      await further.close();
    }
  }
}
