// An upload of what changed since a version. Compares, checks what it may refer to, packs what is pending, and commits a
// delta, or a full listing when one is due, at the next ordinal. If another writer takes that ordinal first, or something
// that it refers to was given up, it compares again and continues under a new upload id with the chunks that it has sent
// already (rules.md#rivals, rules.md#looks, rules.md#full-listings).
import type { ReferenceCheck } from '../../dataset/check-references.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import type { Commitment } from '../commit/commitment.js';
import { markUnneeded } from '../mark-unneeded.js';
import type { UploadRun } from '../run/upload-run.js';
import { type ManifestStrategy, makeVersion } from '../make-version.js';
import { HeadStart } from '../pack/head-start.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { planUpload, type UploadPlan } from '../plan/plan-upload.js';
import { reopenUnstored } from '../scan/reopen-rows.js';
import { afterStale, underNewId } from '../under-new-id.js';
import { encryptionOf, earlierKeys, keepEncryption } from '../run/upload-encryption.js';
import { noteUnlocked } from '../run/upload-lock.js';
import { dryRunResult, measured, type UploadResult, versionResult } from '../upload-result.js';
import type { Baseline } from './baseline.js';
import { nextBaseline, type Repeat, concurrentBaseline } from './baseline-anew.js';
import type { ChangeCounts, ComparedWith } from '../run/change-counts.js';
import type { Comparison } from './compare.js';
import { compareRun, isSameRoot, refer, type Referred } from './compare-run.js';
import { isFullListingDue } from '../../dataset/chain/full-listing.js';
import { composeChanges } from './compose-changes.js';
import { checkDeletionsBySource, checkEmptySources } from './doubtful-part.js';
import { checkDeletions, checkShrunken, refuseResend, warnOfOtherSource } from './doubtful-source.js';
import { touchesLittle } from './next-segments.js';
import { avoidUnlisted } from '../../format/manifest/direct-record.js';
import {
  type BaselineCheck,
  checkBaseline,
  checkViewDaily,
  type DailyViewCheck,
  warnOfBroken,
  noteUnchecked,
} from './check-baseline.js';
import { rememberScan } from '../run/same-scan.js';
import { keptChunks, tableLevel } from './table-level.js';
import { defined } from '../../platform/defined.js';

/** Each failed attempt means that another writer succeeded. */
const MAX_TRIES = 1000;

/** The run can refer to nothing that is stored: it must be uploaded as a self-contained full listing. */
export interface NeedsFullVersion {
  readonly run: UploadRun;
  /** The highest ordinal that is known. */
  readonly highest: number;
  /** Counts how the source differs from the version that was compared with. */
  readonly counts: () => Readonly<ChangeCounts>;
}

/** Uploads the difference between what was scanned and `baseline`. @throws as `archiveFolder` does */
export async function uploadChanges(run: UploadRun, baseline: Baseline): Promise<UploadResult | NeedsFullVersion> {
  warnOfOtherSource(run, baseline);
  noteUnlocked(run, baseline.view.head);
  const packers = new EarlyPackers(run.packing.workers);
  try {
    let attempt = new Attempt(run, baseline, packers);
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const outcome = await attempt.make();
      if (outcome !== 'taken' && outcome !== 'doubtful' && !('why' in outcome))
        return 'run' in outcome ? outcome : attempt.withEarlierKeys(outcome);
      attempt = await attempt.next(outcome);
    }
  } finally {
    await packers.close();
  }
  throw new ArchiverError('conflict', `dataset ${run.datasetId} got ${MAX_TRIES} versions while this one was made`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

/** Does the same for a run whose first version another writer has committed; everything is sent, and its manifest was attempted. */
export async function compareWithConcurrent(run: UploadRun): Promise<UploadResult | NeedsFullVersion> {
  const baseline = await concurrentBaseline(run, undefined);
  const settled = keepEncryption(run.encryption, encryptionOf(baseline.view), run.emit);
  return await uploadChanges(await underNewId(run, settled), baseline);
}

/** Packing threads that start while the version before is still being read. */
class EarlyPackers {
  private threads: HeadStart | undefined;
  private isTaken = false;

  constructor(private readonly workers: number) {}

  readonly start = (): void => void (this.threads ??= new HeadStart(this.workers));

  /** Returns them once; undefined where none were started. */
  take(): HeadStart | undefined {
    const threads = this.isTaken ? undefined : this.threads;
    this.isTaken = true;
    return threads;
  }

  async close(): Promise<void> {
    await this.threads?.close();
  }
}

class Attempt {
  private seen: DailyViewCheck | undefined;

  constructor(
    private readonly run: UploadRun,
    private readonly baseline: Baseline,
    private readonly packers: EarlyPackers,
    /** True if the baseline may come from the cache; false if it was read from the store. */
    private readonly mayCache = true,
  ) {}

  async make(): Promise<UploadResult | NeedsFullVersion | Repeat> {
    const { run, baseline } = this;
    const onChange = run.dryRun ? undefined : this.packers.start;
    const compared = await compareRun(run, baseline, { mayRecall: this.mayCache, onChange });
    checkDeletions(run, compared);
    checkDeletionsBySource(run, compared);
    this.seen = await checkViewDaily(run, baseline, this.mayCache);
    if (this.isNothing(compared)) return await this.unchanged(compared);
    // The comparison only shows that something has changed; nothing of that version may be referred to (rules.md#unlisted-writers).
    if (this.seen === undefined && !run.dryRun) return this.onItsOwn(compared, 'list');
    if (this.isBroken && this.mayCache && baseline.isReadable) return 'doubtful';
    if (this.seen?.isChainBroken === true && !baseline.isReadable) return this.onItsOwn(compared, 'read');
    warnOfBroken(run, baseline, this.seen);
    const wanted = await refer(run, compared);
    const isFull = await this.isFull(wanted);
    const look = await this.look(wanted, isFull);
    if (look === undefined) return this.onItsOwn(compared, 'list');
    if (look.first === undefined) return await this.commit(wanted, isFull, look);
    if (this.mayCache && baseline.isReadable) return 'doubtful';
    return await this.sendAgain(look, isFull);
  }

  /** Sends again what must not be referred to, and looks at what is referred to in its place, too. */
  private async sendAgain(first: BaselineCheck, isFull: boolean): Promise<UploadResult | NeedsFullVersion | Repeat> {
    const { table, extras } = this.run.ledger;
    const avoid = new Set<number>();
    for (let look = first; ;) {
      const avoided = avoid.size;
      for (const position of look.unsound) avoid.add(position);
      avoidUnlisted(this.baseline.view.chunks, avoid);
      if (avoid.size === avoided && !look.isManifest)
        throw new ArchiverError('internal', `${look.first ?? 'an object'} is referred to again`); // prevents an endless loop
      reopenUnstored(table, extras);
      const again = await refer(this.run, await compareRun(this.run, this.baseline, { avoid }));
      if (look.isManifest || (isFull && again.lost !== undefined)) return this.cannotRefer(look.first ?? '', again);
      // All that the view lists was looked at already for a full listing.
      const next = isFull ? { ...look, first: undefined } : await this.look(again, isFull);
      if (next === undefined) return this.onItsOwn(again, 'list');
      if (next.first === undefined) return await this.commit(again, isFull, next);
      look = next;
    }
  }

  /** Packs what is pending and commits it as a version. */
  private async commit(
    comparison: Referred,
    isFull: boolean,
    { lookedAtMs }: ReferenceCheck,
  ): Promise<UploadResult | Repeat> {
    const { run, baseline } = this;
    const strategy = this.strategy(comparison, isFull, lookedAtMs);
    const made = await makeVersion(run, strategy, { version: baseline.head + 1, isExact: true }, this.packers.take());
    if (made.state === 'planned') return this.dryRun(made.plan, comparison);
    if (made.state === 'nothing') return await this.unchanged(comparison);
    if (made.state === 'stale') return made.stale;
    if (made.state !== 'committed') return 'taken';
    const { version, fork, plan, totals } = made;
    const sent = run.ledger.chunks().filter(({ entries }) => entries > 0);
    return versionResult(run, {
      version,
      ...defined({ fork }),
      files: totals.files,
      bytes: totals.bytes,
      storedBytes: sent.reduce((sum, { size }) => sum + size, 0),
      chunks: sent.length,
      shards: plan.shards,
      measured: { ...measured(run, plan.pending), suffixed: comparison.suffixed },
      changes: { ...comparison.counts(), noChanges: false, comparedWith: this.comparedWith },
    });
  }

  /** Lists what changed, on top of the view. */
  private strategy(comparison: Referred, isFull: boolean, lookedAtMs: number): ManifestStrategy {
    const { run, baseline, seen } = this;
    const { deleted, kept } = comparison;
    const { view, recordEtag } = baseline;
    const list = (plan: UploadPlan): (() => Promise<Commitment>) | undefined => {
      const { uploadId } = view.head;
      const level = tableLevel(run, { view: { uploadId, chunks: view.chunks }, deleted });
      if (this.isSame(level.count)) return undefined;
      return async () => {
        const mayShare = baseline.isNewest && !this.isBroken;
        const composed = await composeChanges(run, plan, level, { view, seen: comparison.seen, isFull, mayShare });
        // Facts that no table of contents in its folder has would be lost with the manifest without a copy.
        const isElsewhere = (isFull ? composed : level).chunks.some(({ key }) => key.startsWith('../'));
        const isMore = isElsewhere || kept + deleted.length > 0 || level.count === 0;
        const hasCopy = isFull ? isElsewhere && run.packing.dedup === true : isMore;
        const previous = composed.previous && { ...composed.previous, recordEtag };
        return { ...composed, previous, hasCopy, lookedAtMs, seen: isFull ? undefined : seen };
      };
    };
    const hasScannedOnly = comparison.counts().gone + comparison.unseen === 0;
    return { hooks: { withoutEmptyChunks: true }, hasScannedOnly, list };
  }

  /** Whether everything has to be listed. Decided before anything is packed, since all of it is then referred to. */
  private async isFull({ pending, kept, stored, deleted }: Comparison): Promise<boolean> {
    const { baseline, run } = this;
    const isForced = run.dataset.changes?.isForced === true;
    return (
      isForced ||
      !baseline.isNewest ||
      this.isBroken ||
      isFullListingDue(baseline.view, pending + kept + stored + deleted.length) ||
      (run.encryption.sealer === undefined && (await touchesLittle(baseline.view, run.ledger.table, deleted)))
    );
  }

  /** Looks at what the manifest will refer to: all that the view lists, or the content of rows with new metadata. */
  private async look({ kept }: Comparison, isFull: boolean): Promise<BaselineCheck | undefined> {
    const { run, baseline, seen } = this;
    const referred = kept > 0 ? keptChunks(run.ledger) : new Set<number>();
    return await checkBaseline(run, baseline, { wanted: isFull ? undefined : referred, seen });
  }

  /** Adds the KMS keys of content that is not sent again. */
  withEarlierKeys = (result: UploadResult): UploadResult =>
    this.run.dataset.changes?.isForced === true ? result : { ...result, ...earlierKeys(this.baseline.view, this.run) };

  /**
   * Handles content that only the earlier version has, which cannot be sent again. @throws integrity when the version itself is not whole
   */
  private cannotRefer(missing: string, comparison: Comparison): NeedsFullVersion {
    const { run, baseline } = this;
    const { lost } = comparison;
    const about = lost === undefined ? missing : `${missing}, where ${displayPath(lost)} lies,`;
    // A writer that may not read can find out nothing more; a full version of its own is always whole.
    if (!baseline.isReadable) return this.onItsOwn(comparison, 'read');
    throw integrityError(`version ${baseline.head} of dataset ${run.datasetId} needs ${about} which no longer exists`, {
      hint: 'look at it with `archiver verify`; run again with --track-deletes --force for a version without it',
    });
  }

  private onItsOwn({ counts }: Comparison, why: 'list' | 'read'): NeedsFullVersion {
    const { run, baseline } = this;
    const { table, extras } = run.ledger;
    refuseResend(run);
    checkShrunken(run, { version: baseline.head, totals: baseline.view.totals });
    checkEmptySources(run, baseline.head);
    run.emit({
      type: 'note',
      text: `this writer may not ${why}, so it can refer to nothing that is stored: a full version of its own`,
    });
    reopenUnstored(table, extras);
    return { run, highest: baseline.head, counts };
  }

  private get comparedWith(): ComparedWith {
    return this.run.dataset.changes?.isForced === true ? 'none' : this.baseline.comparedWith;
  }

  private isNothing({ pending, kept, stored, deleted }: Comparison): boolean {
    return this.isSame(pending + kept + stored + deleted.length);
  }

  /** Whether there is no version to make, with so many mentions. */
  private isSame(mentions: number): boolean {
    return mentions === 0 && isSameRoot(this.run, this.baseline.view) && this.baseline.isNewest && !this.isBroken;
  }

  /** True if the store lacks something that the view needs. What is written then builds on nothing of its chain. */
  private get isBroken(): boolean {
    return (this.seen?.broken.length ?? 0) > 0;
  }

  private dryRun(plan: UploadPlan, comparison: Comparison): UploadResult {
    const { comparedWith } = this;
    const changes = { ...comparison.counts(), noChanges: this.isNothing(comparison), comparedWith };
    return dryRunResult(this.run, plan, { changes, changeOf: comparison.changeOf });
  }

  /** Returns the result when there is nothing to mention: no version is written, and all of it is that of the version before. */
  private async unchanged(comparison: Comparison): Promise<UploadResult> {
    const { run, baseline } = this;
    if (run.dryRun) return this.dryRun(planUpload(run, pendingTotals(run.ledger.table)), comparison);
    if (this.seen === undefined) noteUnchecked(run, baseline);
    await run.sender.takeBackUntold();
    await markUnneeded(run, []);
    const { head, totals } = baseline.view;
    const { files, bytes } = totals;
    const counts = comparison.counts();
    const [newest] = baseline.view.chain;
    const isNew = comparison.isRecalled !== true && comparison.unseen === 0;
    if (newest !== undefined && isNew) await rememberScan(run, newest.sha256, counts.gone);
    const changes = { ...counts, noChanges: true, comparedWith: this.comparedWith };
    const sums = { version: baseline.head, files, bytes, storedBytes: 0, chunks: 0, shards: 0, changes };
    return versionResult(run, sums, head.uploadId);
  }

  /** Returns an attempt that compares with what is there now. */
  async next(reason: Repeat): Promise<Attempt> {
    const { run } = this;
    const baseline = await nextBaseline(run, this.baseline, reason);
    reopenUnstored(run.ledger.table, run.ledger.extras);
    if (reason === 'doubtful') return new Attempt(run, baseline, this.packers, false);
    const { encryption, dataset } = run;
    const settled = dataset.encryption.keep
      ? keepEncryption(encryption, encryptionOf(baseline.view), run.emit)
      : encryption;
    if (reason === 'taken') return new Attempt(await underNewId(run, settled), baseline, this.packers);
    return new Attempt(await afterStale(run, reason, settled), baseline, this.packers, false);
  }
}
