// An upload of what changed since a version. Compares, packs what is pending, and commits a delta, or a full listing when
// one is due, at the next ordinal. Beaten to that ordinal by a rival, it compares again with the rival's version and goes
// on under a new upload id with the chunks that it has sent already (commit protocol, rule 3).
import { newUploadId } from '../../dataset/identity.js';
import { ArchiverError, integrityError } from '../../errors.js';
import type { ChunkRecord, Totals } from '../../manifest/manifest-types.js';
import { highestVersion } from '../../dataset/version-record.js';
import { type Baseline, baselineStands, findBaseline, outdated, rememberHead } from './baseline.js';
import { missingReference } from './confirm-references.js';
import { claimVersion } from '../commit/commit.js';
import { confirmSent, putManifest, versionInput } from '../commit/commit-upload.js';
import { type Comparison, compareWithView } from './compare.js';
import { composeChanges } from './compose-changes.js';
import { markTwins } from '../dedup/dedup.js';
import { transferAll } from '../dedup/dedup-rounds.js';
import { STATUS } from '../scan/entry-table.js';
import { PackPool } from '../pack/pack-pool.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import { tableLevel } from './table-level.js';
import type { UploadResult } from '../upload.js';
import { checkNonePending, pendingTotals } from '../plan/pending-rows.js';
import { takeOverSent } from '../resumed/resumed-upload.js';
import { planUpload, type UploadJob, type UploadPlan } from '../upload-job.js';
import { lineSources } from '../upload-provenance.js';
import { encryptionFor, encryptionOf, keepEncryption } from '../upload-encryption.js';
import { changesResult, type ChangesOutcome, dryRunResult } from '../upload-result.js';

/** Each try that fails means that a rival succeeded. */
const MAX_TRIES = 1000;

/** Uploads the difference between what was scanned and `baseline`. @throws as `upload` does */
export async function uploadChanges(job: UploadJob, baseline: Baseline): Promise<UploadResult> {
  let attempt = new Attempt(job, baseline);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await attempt.run();
    if (result !== undefined) return result;
    attempt = await attempt.next();
  }
  throw new ArchiverError('conflict', `dataset ${job.datasetId} got ${MAX_TRIES} versions while this one was made`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

class Attempt {
  private isDoubtful = false;

  constructor(
    private readonly job: UploadJob,
    private readonly baseline: Baseline,
    /** What the baseline was read from. */
    private readonly mayCache = true,
  ) {}

  /** Undefined when a rival was faster, or what it was compared with has changed. */
  async run(): Promise<UploadResult | undefined> {
    const { job, baseline } = this;
    const comparison = await this.compare();
    if (comparison.pending > 0) takeOverSent(job);
    await markTwins(job);
    const pending = pendingTotals(job.ledger.table);
    const plan = planUpload(job, pending);
    if (job.options.dryRun) return this.dryRun(plan, comparison);
    if (comparison.pending > 0) await job.encryption.sealer?.prepare();
    if (pending.entries > 0) await this.pack(plan);
    const level = tableLevel({
      uploadId: job.uploadId,
      table: job.ledger.table,
      extras: job.ledger.extras,
      names: lineSources(job.options),
      own: job.ledger.chunks(),
      before: { uploadId: baseline.view.head.uploadId, chunks: baseline.view.chunks },
      deleted: comparison.deleted,
    });
    if (level.count === 0) return await this.unchanged(comparison);
    job.options.emit({ type: 'phase', phase: 'committing' });
    await confirmSent(job);
    const composed = await composeChanges(job, plan, level, baseline);
    if (!(await this.standsOnChunks(composed.chunks))) return undefined;
    await putManifest(job, composed.encoded);
    if (!(await baselineStands(job.opened.store, job.datasetId, baseline, job.options.signal))) return undefined;
    const version = baseline.head + 1;
    const input = versionInput(job, composed.encoded, composed.totals, composed.listing);
    if (!(await claimVersion(job.opened.store, input, version, job.options.signal))) return undefined;
    const { encoded } = composed;
    await rememberHead(job.options, job.opened.store.url, job.datasetId, { version, uploadId: job.uploadId, encoded });
    job.options.emit({ type: 'done' });
    return changesResult(job, plan, this.outcome(comparison, version, composed.totals));
  }

  /** False when what this computer remembered is out of date. @throws integrity when the store itself is not whole */
  private async standsOnChunks(chunks: readonly ChunkRecord[]): Promise<boolean> {
    const { opened, options, uploadId, datasetId } = this.job;
    const missing = await missingReference(opened.store, uploadId, chunks, options.signal);
    if (missing === undefined) return true;
    if (this.mayCache) {
      this.isDoubtful = true;
      return false;
    }
    throw integrityError(`version ${this.baseline.head} of dataset ${datasetId} needs ${missing}, which is not there`, {
      hint: 'run again with --force for a full new version, and look at the old one with `archiver verify`',
    });
  }

  private async compare(): Promise<Comparison> {
    const { options, scanned, ledger } = this.job;
    return await compareWithView(this.baseline.entries, {
      table: ledger.table,
      extras: ledger.extras,
      skipped: scanned.skipped,
      trackDeletes: options.changes?.trackDeletes === true,
      stages: options.provenance?.ofEntries.stages,
      xattrsOf: currentXattrs(options.source),
    });
  }

  private async pack(plan: UploadPlan): Promise<void> {
    const pool = new PackPool(this.job.options.workers);
    try {
      await transferAll(this.job, plan, pool, { withoutEmptyChunks: true });
    } finally {
      await pool.close();
    }
    checkNonePending(this.job.ledger.table);
  }

  private dryRun(plan: UploadPlan, comparison: Comparison): UploadResult {
    const { counts, deleted, pending, kept } = comparison;
    const result = dryRunResult(this.job, plan, counts);
    const noChanges = pending === 0 && kept === 0 && deleted.length === 0;
    return { ...result, changes: { ...counts, noChanges } };
  }

  /** Nothing to mention: no version is written, and what was sent in vain is removed. */
  private async unchanged(comparison: Comparison): Promise<UploadResult> {
    const { job, baseline } = this;
    await job.sender.discard(
      job.opened.store,
      job.resumed?.chunks.map(({ key }) => key),
    );
    job.options.emit({ type: 'done' });
    const { head, totals } = baseline.view;
    const outcome = this.outcome(comparison, baseline.head, totals);
    return changesResult(job, undefined, { ...outcome, uploadId: head.uploadId, noChanges: true });
  }

  private outcome({ counts }: Comparison, version: number, { files, bytes }: Totals): ChangesOutcome {
    return { uploadId: this.job.uploadId, version, files, bytes, counts, noChanges: false };
  }

  /** The same upload once more, with the manifests as the store has them. */
  private async readAnew(): Promise<Attempt> {
    const { job } = this;
    const { options, opened, datasetId } = job;
    const { heads, emit, signal } = options;
    const highest = await highestVersion(opened.store, datasetId, signal);
    const baseline = await findBaseline({
      store: opened.store,
      datasetId,
      highest,
      cache: undefined,
      heads,
      previousManifest: options.changes?.previousManifest,
      emit,
      signal,
    });
    if (baseline === undefined)
      throw new ArchiverError('conflict', `dataset ${datasetId} has no version any more`, {
        hint: 'run the command again',
      });
    this.reset();
    return new Attempt(job, baseline, false);
  }

  /** The same upload against the version that was faster. */
  async next(): Promise<Attempt> {
    if (this.isDoubtful) return await this.readAnew();
    const { job } = this;
    const { options, opened } = job;
    const { emit, signal } = options;
    await job.sender.discardManifest(opened.store, job.uploadId);
    // Who cannot list has no rivals but versions of its own that it forgot.
    const baseline = this.baseline.isListed ? await this.rivalsVersion() : outdated(this.baseline);
    this.reset();
    job.ledger.leave(job.uploadId);
    const uploadId = newUploadId(options.now(), options.randomBytes(4));
    await options.journal?.movedTo(uploadId);
    const isKept = options.encryption?.keep === true;
    const settled = isKept ? keepEncryption(job.encryption, encryptionOf(baseline.view), emit) : job.encryption;
    const encryption = encryptionFor(settled, opened.store, uploadId, signal);
    return new Attempt({ ...job, uploadId, encryption, location: `${opened.store.url}/uploads/${uploadId}` }, baseline);
  }

  private async rivalsVersion(): Promise<Baseline> {
    const { options, opened, datasetId } = this.job;
    const { cache, heads, emit, signal } = options;
    emit({ type: 'note', text: 'something else changed this dataset meanwhile: comparing with how it is now' });
    const highest = await highestVersion(opened.store, datasetId, signal);
    const found = await findBaseline({ store: opened.store, datasetId, highest, cache, heads, emit, signal });
    const { head, digests } = this.baseline;
    const isNews =
      found !== undefined && (found.head > head || (found.head === head && found.digests.join() !== digests.join()));
    if (isNews) return found;
    throw new ArchiverError('conflict', `another writer took version ${head + 1} of dataset ${datasetId}`, {
      hint: 'run the command again',
    });
  }

  /** What this upload has not stored itself is open again; of a hard link group everything or nothing. */
  private reset(): void {
    const { table } = this.job.ledger;
    const { status, group } = table.columns;
    const openGroups = new Set<number>();
    for (let index = 0; index < table.count; index++) {
      if (status[index] !== STATUS.kept && status[index] !== STATUS.same) continue;
      status[index] = STATUS.pending;
      if (group[index] !== 0) openGroups.add(group[index] ?? 0);
    }
    if (openGroups.size === 0) return;
    for (let index = 0; index < table.count; index++) {
      const isStored = status[index] === STATUS.stored || status[index] === STATUS.changed;
      if (isStored && openGroups.has(group[index] ?? 0)) status[index] = STATUS.pending;
    }
  }
}
