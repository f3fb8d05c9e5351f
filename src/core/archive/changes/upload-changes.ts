// An upload of what changed since a version. Compares, checks what it may refer to, packs what is pending, and commits a
// delta, or a full listing when one is due, at the next ordinal. If another writer takes that ordinal first, or something
// that it refers to was given up, it compares again and continues under a new upload id with the chunks that it has sent
// already (commit protocol, rule 3; Protocol 2, rules 4 and 9).
import { hasReferences, lookAtReferences, type ReferenceLook } from '../../dataset/folder-look.js';
import { ArchiverError, integrityError } from '../../failures/errors.js';
import type { ChunkRecord, UploadId } from '../../manifest/manifest-types.js';
import { manifestKeyOf } from '../../manifest/upload-id.js';
import { displayPath } from '../../paths/raw-path.js';
import type { Commitment } from '../commit/commitment.js';
import type { UploadRun } from '../upload-run.js';
import { type Lister, makeVersion } from '../make-version.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { planUpload, type UploadPlan } from '../plan/plan-upload.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import { reopenUnstored } from '../scan/reopen-rows.js';
import { underNewId } from '../under-new-id.js';
import { recordsContent } from '../settings.js';
import { encryptionOf, keepEncryption } from '../upload-encryption.js';
import { noteUnlocked } from '../upload-lock.js';
import { dryRunResult, type UploadResult, versionResult } from '../upload-result.js';
import { asRemembered, type Baseline } from './baseline.js';
import { readAnew, rivalsVersion } from './baseline-anew.js';
import type { ChangeCounts, ComparedWith } from './change-counts.js';
import { type Comparison, compareWithView } from './compare.js';
import { isFullDue } from '../../dataset/chain/full-listing.js';
import { composeChanges } from './compose-changes.js';
import { checkDeletions, warnOfAnother } from './doubtful-source.js';
import { KnownContents } from './known-contents.js';
import { referToKnown } from './refer.js';
import { keptChunks, tableLevel } from './table-level.js';

/** Each attempt that fails means that another writer succeeded. */
const MAX_TRIES = 1000;

/** The run can refer to nothing that is stored: it must be uploaded as a self-contained full listing. */
export interface NeedsFullVersion {
  readonly ownJob: UploadRun;
  /** The highest ordinal that is known. */
  readonly highest: number;
  /** How the source differs from what was compared with. */
  readonly counts: () => Readonly<ChangeCounts>;
}

/** Uploads the difference between what was scanned and `baseline`. @throws as `archiveFolder` does */
export async function uploadChanges(run: UploadRun, baseline: Baseline): Promise<UploadResult | NeedsFullVersion> {
  warnOfAnother(run, baseline);
  noteUnlocked(run, baseline.view.head);
  let attempt = new Attempt(run, baseline);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await attempt.make();
    if (typeof result === 'object') return result;
    attempt = await attempt.next(result);
  }
  throw new ArchiverError('conflict', `dataset ${run.datasetId} got ${MAX_TRIES} versions while this one was made`, {
    hint: 'check what writes to this dataset: archiver never makes so many versions at once',
  });
}

/** The same for a run whose first version another writer has committed: everything is sent, its manifest attempted. */
export async function compareWithRival(run: UploadRun): Promise<UploadResult | NeedsFullVersion> {
  const baseline = await rivalsVersion(run, undefined);
  const settled = keepEncryption(run.encryption, encryptionOf(baseline.view), run.emit);
  return await uploadChanges(await underNewId(run, settled), baseline);
}

/** Why an attempt is repeated: another writer was faster, or the baseline does not match the store. */
type Repeat = 'taken' | 'stale' | 'doubtful';

interface Look extends ReferenceLook {
  /** The manifest to build on must not be referred to. */
  readonly isManifest: boolean;
}

class Attempt {
  private known: KnownContents | undefined;

  constructor(
    private readonly run: UploadRun,
    private readonly baseline: Baseline,
    /** What the baseline was read from. */
    private readonly mayCache = true,
  ) {}

  async make(): Promise<UploadResult | NeedsFullVersion | Repeat> {
    const { run, baseline } = this;
    const compared = await this.compare();
    checkDeletions(run, compared);
    if (this.isNothing(compared)) return await this.unchanged(compared);
    // Rule 4: a writer without permission to list refers to nothing that is there. What it compared with only told that something changed.
    if (!baseline.isListed && !run.dryRun) return this.onItsOwn(compared, 'list');
    const wanted = await this.refer(compared);
    const isFull = this.isFull(wanted);
    const look = await this.look(wanted, isFull);
    if (look === undefined) return this.onItsOwn(compared, 'list');
    if (look.first === undefined) return await this.commit(wanted, isFull, look);
    if (this.mayCache && baseline.isReadable) return 'doubtful';
    return await this.sendAgain(look, isFull);
  }

  /** Sends what must not be referred to. What is referred to in its place is looked at, too. */
  private async sendAgain(first: Look, isFull: boolean): Promise<UploadResult | NeedsFullVersion | Repeat> {
    const { table, extras } = this.run.ledger;
    const avoid = new Set<number>();
    for (let look = first; ;) {
      const avoided = avoid.size;
      for (const position of look.unsound) avoid.add(position);
      if (avoid.size === avoided && !look.isManifest)
        throw new ArchiverError('internal', `${look.first ?? 'an object'} is referred to again`); // no round without end
      reopenUnstored(table, extras);
      const again = await this.refer(await this.compare(avoid));
      if (look.isManifest || (isFull && again.lost !== undefined)) return this.cannotRefer(look.first ?? '', again);
      // For a full listing all that the view lists was looked at.
      const next = isFull ? { ...look, first: undefined } : await this.look(again, isFull);
      if (next === undefined) return this.onItsOwn(again, 'list');
      if (next.first === undefined) return await this.commit(again, isFull, next);
      look = next;
    }
  }

  /** Packs what is pending and makes it a version. */
  private async commit(
    comparison: Comparison,
    isFull: boolean,
    { lookedAtMs }: ReferenceLook,
  ): Promise<UploadResult | Repeat> {
    const { run, baseline } = this;
    const lister = this.lister(comparison, isFull, lookedAtMs);
    const made = await makeVersion(run, lister, { version: baseline.head + 1, isExact: true });
    if (made.state === 'planned') return this.dryRun(made.plan, comparison);
    if (made.state === 'nothing') return await this.unchanged(comparison);
    if (made.state !== 'committed') return made.state;
    const { version, plan, totals } = made;
    const sent = run.ledger.chunks().filter(({ entries }) => entries > 0);
    return versionResult(run, {
      version,
      files: totals.files,
      bytes: totals.bytes,
      storedBytes: sent.reduce((sum, { size }) => sum + size, 0),
      chunks: sent.length,
      shards: plan.shards,
      changes: { ...comparison.counts(), noChanges: false, comparedWith: this.comparedWith },
    });
  }

  /** What changed, on top of the view. */
  private lister({ deleted, kept }: Comparison, isFull: boolean, lookedAtMs: number): Lister {
    const { run, baseline } = this;
    const { view, recordEtag } = baseline;
    const list = (plan: UploadPlan): (() => Promise<Commitment>) | undefined => {
      const { uploadId } = view.head;
      const level = tableLevel(run, { view: { uploadId, chunks: view.chunks }, deleted });
      if (level.count === 0 && this.isSameRoot()) return undefined;
      return async () => {
        const composed = await composeChanges(run, plan, level, { view, isFull });
        // What tables of contents in its folder do not tell: without a copy it would be lost with the manifest.
        const isElsewhere = (isFull ? composed : level).chunks.some(({ key }) => key.startsWith('../'));
        const isMore = isElsewhere || kept + deleted.length > 0 || level.count === 0;
        const hasCopy = isFull ? isElsewhere && run.packing.dedup === true : isMore;
        const previous = composed.previous && { ...composed.previous, recordEtag };
        return { ...composed, previous, hasCopy, lookedAtMs };
      };
    };
    return { hooks: { withoutEmptyChunks: true }, list };
  }

  /** Whether everything has to be listed: decided before anything is packed, since all of it is then referred to. */
  private isFull({ pending, kept, stored, deleted }: Comparison): boolean {
    const { baseline, run } = this;
    const isForced = run.dataset.changes?.isForced === true;
    return isForced || !baseline.isNewest || isFullDue(baseline.view, pending + kept + stored + deleted.length);
  }

  /**
   * Looks at what the manifest will refer to: all that the view lists, or the content of rows with new metadata. Undefined for
   * a writer without permission to list it.
   */
  private async look({ kept }: Comparison, isFull: boolean): Promise<Look | undefined> {
    const { run, baseline } = this;
    const { view } = baseline;
    const wanted = isFull ? undefined : kept > 0 ? keptChunks(run.ledger) : new Set<number>();
    const previous = isFull ? undefined : view.head.uploadId;
    // Their keys are relative to the view's upload, which is another one than ours: all of them lie elsewhere.
    const chunks = view.chunks.map((chunk, position): ChunkRecord => {
      const isWanted = wanted === undefined || wanted.has(position);
      return { ...chunk, key: isWanted ? elsewhere(chunk.key, view.head.uploadId) : '' };
    });
    const references = { uploadId: run.uploadId, chunks, previous };
    const none = { unsound: new Set<number>(), first: undefined, lookedAtMs: Date.now(), isManifest: false };
    if (!hasReferences(references)) return none;
    const look = await lookAtReferences(run.store, references, run.signal);
    if (look === undefined) return run.dryRun ? none : undefined;
    return { ...look, isManifest: previous !== undefined && look.first === manifestKeyOf(previous) };
  }

  /** What only the earlier version has cannot be sent again. @throws integrity when the version itself is not whole */
  private cannotRefer(missing: string, comparison: Comparison): NeedsFullVersion {
    const { run, baseline } = this;
    const { lost } = comparison;
    const about = lost === undefined ? missing : `${missing}, where ${displayPath(lost)} lies,`;
    // Nothing more can be found out by a writer that may not read; a full version of its own is always whole.
    if (!baseline.isReadable) return this.onItsOwn(comparison, 'read');
    throw integrityError(`version ${baseline.head} of dataset ${run.datasetId} needs ${about} which no longer exists`, {
      hint: 'look at it with `archiver verify`; run again with --track-deletes --force for a version without it',
    });
  }

  private onItsOwn({ counts }: Comparison, why: 'list' | 'read'): NeedsFullVersion {
    const { run, baseline } = this;
    const { table, extras } = run.ledger;
    run.emit({
      type: 'note',
      text: `this writer may not ${why}, so it can refer to nothing that is stored: a full version of its own`,
    });
    reopenUnstored(table, extras);
    return { ownJob: run, highest: baseline.head, counts };
  }

  private get comparedWith(): ComparedWith {
    return this.run.dataset.changes?.isForced === true ? 'none' : this.baseline.comparedWith;
  }

  private isNothing({ pending, kept, stored, deleted }: Comparison): boolean {
    return pending + kept + stored + deleted.length === 0 && this.isSameRoot();
  }

  /** The folder itself is no entry: its mode, owner and time are in the head of a manifest. */
  private isSameRoot(): boolean {
    const { scanned, dataset } = this.run;
    const { mode, uid, gid, mtime } = this.baseline.view.head.source;
    const { root } = scanned;
    const isSameTime = root.mtimeSeconds === mtime.seconds && root.mtimeNanos === mtime.nanos;
    const isSame = isSameTime && (root.mode & 0o7777) === mode && root.uid === uid && root.gid === gid;
    return isSame || dataset.origin !== undefined;
  }

  private async compare(avoid?: ReadonlySet<number>): Promise<Comparison> {
    const { dataset, labels, scanned, ledger, source, packing } = this.run;
    const isForced = dataset.changes?.isForced === true;
    this.known = recordsContent(packing) && !isForced ? new KnownContents() : undefined;
    const entries = avoid === undefined ? this.baseline.entries : this.baseline.view.entries();
    return await compareWithView(entries, {
      table: ledger.table,
      extras: ledger.extras,
      skipped: scanned.skipped,
      young: scanned.young,
      trackDeletes: dataset.changes?.trackDeletes === true,
      isForced,
      known: this.known,
      stages: labels.provenance?.ofEntries.stages,
      xattrsOf: currentXattrs(source),
      avoid,
    });
  }

  /** Content that the earlier version holds under other names or times need not be packed. */
  private async refer(comparison: Comparison): Promise<Comparison> {
    return this.known === undefined ? comparison : await referToKnown(this.run, this.known, comparison);
  }

  private dryRun(plan: UploadPlan, comparison: Comparison): UploadResult {
    const { comparedWith } = this;
    const changes = { ...comparison.counts(), noChanges: this.isNothing(comparison), comparedWith };
    return dryRunResult(this.run, plan, { changes, changeOf: comparison.changeOf });
  }

  /** Nothing to mention: no version is written, and everything is that of the version before. */
  private async unchanged(comparison: Comparison): Promise<UploadResult> {
    const { run, baseline } = this;
    if (run.dryRun) return this.dryRun(planUpload(run, pendingTotals(run.ledger.table)), comparison);
    await run.sender.takeBackUntold();
    const { head, totals } = baseline.view;
    const { files, bytes } = totals;
    const changes = { ...comparison.counts(), noChanges: true, comparedWith: this.comparedWith };
    const sums = { version: baseline.head, files, bytes, storedBytes: 0, chunks: 0, shards: 0, changes };
    return versionResult(run, sums, head.uploadId);
  }

  /** The same upload against what is there now. */
  async next(reason: Repeat): Promise<Attempt> {
    const { run } = this;
    const found = reason === 'taken' ? await rivalsVersion(run, this.baseline) : await readAnew(run);
    // Who may not read goes on with what it remembers, and sends again what it may not refer to.
    const baseline = found ?? asRemembered(this.baseline);
    reopenUnstored(run.ledger.table, run.ledger.extras);
    if (reason === 'doubtful') return new Attempt(run, baseline, false);
    const { encryption, dataset } = run;
    const settled = dataset.encryption.keep
      ? keepEncryption(encryption, encryptionOf(baseline.view), run.emit)
      : encryption;
    return new Attempt(await underNewId(run, settled), baseline, reason === 'taken');
  }
}

/** A key of the view's upload as that of another folder. */
const elsewhere = (key: string, uploadId: UploadId): string => (key.startsWith('../') ? key : `../${uploadId}/${key}`);
