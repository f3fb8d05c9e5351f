// The rest of an interrupted upload of everything: what is stored already stays where it is, the rest is packed, and the
// manifest lists both. The manifest cannot be written along the way, since chunks that nothing refers to any more must not
// be in it; otherwise this is the upload. So it is also the one for direct uploads, where numbers of files that could not
// be read stay unused.
import { summarize } from '../../dataset/chain/summarize.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import { composeManifest } from '../../manifest/compose-manifest.js';
import { lineSources } from '../upload-provenance.js';
import { commitFull, type FullOutcome, type Ordinal } from '../commit/commit-full.js';
import { manifestHead, type PreparedManifest } from '../commit/commit-upload.js';
import { markTwins } from '../dedup/dedup.js';
import { transferAll } from '../dedup/dedup-rounds.js';
import { PackPool } from '../pack/pack-pool.js';
import { checkNonePending, pendingTotals } from '../plan/pending-rows.js';
import { takeOverSent } from './resumed-upload.js';
import { tableLevel } from '../changes/table-level.js';
import { sealed } from '../upload-encryption.js';
import { planUpload, type UploadJob, type UploadPlan } from '../upload-job.js';
import { dryRunResult, listedResult } from '../upload-result.js';

/** Finishes it as a full listing. @throws as `upload` does */
export async function uploadRest(job: UploadJob, ordinal: Ordinal): Promise<FullOutcome> {
  const { options, ledger, scanned } = job;
  takeOverSent(job);
  await markTwins(job);
  const pending = pendingTotals(ledger.table);
  const [files, left] = [scanned.files, pending.files];
  if (job.resumed !== undefined)
    options.emit({ type: 'note', text: `${Math.max(0, files - left)} of ${files} files are in the store already` });
  const plan = planUpload(job, pending);
  if (options.dryRun) return { result: dryRunResult(job, plan) };
  await job.encryption.sealer?.prepare();
  if (pending.entries > 0) await pack(job, plan);
  checkNonePending(ledger.table);
  const prepared = await prepareListing(job, plan);
  return await commitFull(job, prepared, ordinal, (version) => listedResult(job, plan, version, prepared.totals));
}

async function pack(job: UploadJob, plan: UploadPlan): Promise<void> {
  const pool = new PackPool(job.options.workers);
  try {
    await transferAll(job, plan, pool, { withoutEmptyChunks: true });
  } finally {
    await pool.close();
  }
}

/** The manifest of all stored rows, with the chunks that they lie in. */
async function prepareListing(job: UploadJob, plan: UploadPlan): Promise<PreparedManifest> {
  const { ledger, uploadId, scanned, options } = job;
  const level = tableLevel({
    uploadId,
    table: ledger.table,
    extras: ledger.extras,
    names: lineSources(options),
    own: ledger.chunks(),
    before: { uploadId, chunks: [] },
    deleted: [],
  });
  const { totals: counted, shards } = await summarize(mergeLevels([level], uploadId));
  const totals = { ...counted, skipped: scanned.skipped.length + ledger.skipped.length };
  const head = manifestHead(job, plan, { listing: 'full', totals, shards, chunks: level.chunks });
  const encoded = sealed(job.encryption, await composeManifest(head, level.mentions()));
  encoded.catch(() => undefined); // awaited by the commit
  return { totals, chunks: level.chunks, encoded };
}
