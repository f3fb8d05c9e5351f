// Deletes our objects, in an order that can be interrupted anywhere: version records, then manifests, then the rest. Where a record or
// manifest cannot be deleted, whatever it may refer to stays as well, so that nothing left has dangling references. Running it again
// continues where it stopped.
import type { DeleteFailure, ObjectDeleter, ObjectStore, ObjectVersion } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { errorText, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { EventSink } from '../../events/events.js';
import { ignoreEvents, type ProgressMeter, metered, progressMeter } from '../../events/progress-meter.js';
import { type Holdings, ONLY_VERSION } from './holdings.js';
import { ownKey, type OwnKind } from '../../dataset/own-keys.js';
import type { Survey } from './survey.js';
import { ownUnfinished } from '../../dataset/unfinished.js';

const LISTED_FAILURES = 1000;
const MAX_PASSES = 10;
/** Number of undeletable objects that are asked for the end of their lock. */
const MAX_HEADS = 100;
const HEADS_AT_ONCE = 16;
const MISNAMED = 'the store lists it under a name that it does not know, so that it cannot be deleted';

export interface WipeResult {
  /** Number of current objects deleted. */
  readonly deletedObjects: number;
  /** Number of older versions and delete markers deleted. */
  readonly deletedVersions: number;
  readonly deletedBytes: number;
  readonly abortedMultiparts: number;
  /** At most the first thousand failures. */
  readonly failed: readonly DeleteFailure[];
  readonly failedCount: number;
  /** When the last seen lock of undeletable objects ends, in ISO format; null when no lock was seen. */
  readonly freedFrom: string | null;
  /** Number of objects and versions kept because a record or manifest beside them could not be deleted. */
  readonly kept: number;
}

export interface WipeOptions {
  /** Counts of a survey, for the progress events. */
  readonly found: Pick<Survey, 'objects' | 'olderVersions'>;
  readonly deleter: ObjectDeleter;
  readonly emit?: EventSink | undefined;
  readonly signal: AbortSignal;
}

/** Deletes our objects. @throws what the store says to a listing */
export async function wipe(
  store: ObjectStore,
  holdings: Holdings,
  { found, deleter, emit = ignoreEvents, signal }: WipeOptions,
): Promise<WipeResult> {
  emit({ type: 'phase', phase: 'deleting' });
  emit({ type: 'plan', items: found.objects + found.olderVersions, bytes: 0 });
  const meter = progressMeter(emit);
  return await metered(meter, new Wipe(store, deleter, holdings, signal, meter).run());
}

class Wipe {
  private readonly blocked = new Set<string>();
  /** Keys with an object or version that could not be deleted. */
  private readonly stuck = new Set<string>();
  /** Keys that were listed after everything was deleted, but not found by name. */
  private readonly unnamed = new Set<string>();
  private readonly failed: DeleteFailure[] = [];
  private failedCount = 0;
  private objects = 0;
  private versions = 0;
  private bytes = 0;
  private kept = 0;
  private aborted = 0;

  constructor(
    private readonly store: ObjectStore,
    private readonly deleter: ObjectDeleter,
    private readonly holdings: Holdings,
    private readonly signal: AbortSignal,
    private readonly meter: ProgressMeter,
  ) {}

  async run(): Promise<WipeResult> {
    const heads = await this.heads();
    await this.removePhase('record', heads);
    await this.removePhase('manifest', heads);
    // Repeats until a listing shows nothing more to delete, so that objects a writer adds meanwhile go as well.
    for (let pass = 1; pass <= MAX_PASSES; pass += 1) if (!(await this.removeRest(pass > 1))) break;
    await this.abortMultiparts();
    return {
      deletedObjects: this.objects,
      deletedVersions: this.versions,
      deletedBytes: this.bytes,
      abortedMultiparts: this.aborted,
      failed: this.failed,
      failedCount: this.failedCount,
      freedFrom: await this.freedFrom(),
      kept: this.kept,
    };
  }

  private async freedFrom(): Promise<string | null> {
    const keys = new Set(this.failed.filter(({ isRefused }) => isRefused === true).map(({ key }) => key));
    const ends: number[] = [];
    await forEachLimit([...keys].slice(0, MAX_HEADS), HEADS_AT_ONCE, async (key) => {
      const found = await this.store.head(key, this.signal).catch(undefinedOn('access-denied'));
      if (found?.retention !== undefined) ends.push(found.retention.until.getTime());
    });
    return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
  }

  /** Returns false when nothing was left to try. `isAgain`: everything that was there has been deleted once. */
  private async removeRest(isAgain: boolean): Promise<boolean> {
    let isAny = false;
    this.kept = 0;
    // A page is deleted only after the next one was read: a listing cannot continue after a version that is gone.
    let held: readonly ObjectVersion[] = [];
    for await (const page of this.holdings.pages()) {
      await this.remove(held);
      const own = page.filter(({ key }) => ownKey(key) !== undefined && !this.stuck.has(key));
      const free = own.filter(({ key }) => !this.isBlocked(key));
      isAny ||= free.length > 0;
      held = isAgain ? await this.withoutMisnamed(free) : free;
      this.kept += own.length - held.length;
    }
    await this.remove(held);
    return isAny;
  }

  /**
   * Filters out misnamed objects. Some servers (s3s-fs) list an object under another name than its own: deleting that name succeeds, but
   * deletes nothing. An object is misnamed when two passes list it and neither finds it by name.
   */
  private async withoutMisnamed(versions: readonly ObjectVersion[]): Promise<readonly ObjectVersion[]> {
    const missing = new Set<ObjectVersion>();
    await forEachLimit(versions, HEADS_AT_ONCE, async (version) => {
      if (!version.isCurrent || version.isDeleteMarker) return;
      if (!(await this.mayBeThere(version.key))) missing.add(version);
    });
    for (const { key, versionId, sizeBytes } of missing) {
      if (!this.unnamed.has(key)) {
        this.unnamed.add(key);
        continue;
      }
      this.objects -= 1;
      this.bytes -= sizeBytes;
      this.note([{ key, versionId, reason: MISNAMED }]);
    }
    return versions.filter((version) => !missing.has(version));
  }

  private async mayBeThere(key: string): Promise<boolean> {
    try {
      return (await this.store.head(key, this.signal)) !== undefined;
    } catch (error) {
      if (isArchiverError(error, 'access-denied')) return true;
      throw error;
    }
  }

  /** Lists records and manifests: few compared with the chunks, and all of them must be known before the first chunk goes. */
  private async heads(): Promise<readonly ObjectVersion[]> {
    const heads: ObjectVersion[] = [];
    for await (const page of this.holdings.pages()) {
      throwIfCancelled(this.signal);
      for (const version of page) {
        const kind = ownKey(version.key)?.kind;
        if (kind === 'record' || kind === 'manifest') heads.push(version);
      }
    }
    return heads;
  }

  private isBlocked(key: string): boolean {
    return this.blocked.has(ownKey(key)?.area ?? '');
  }

  private async removePhase(kind: OwnKind, heads: readonly ObjectVersion[]): Promise<void> {
    const due = heads.filter(({ key }) => ownKey(key)?.kind === kind && !this.isBlocked(key));
    for (const { key } of await this.remove(due)) this.blocked.add(ownKey(key)?.area ?? '');
  }

  // Older versions first: the current one hides them, and deleting it must not uncover one that then cannot be deleted.
  private async remove(versions: readonly ObjectVersion[]): Promise<readonly DeleteFailure[]> {
    throwIfCancelled(this.signal);
    const older = await this.removeAll(versions.filter(({ isCurrent }) => !isCurrent));
    const stuck = new Set(older.map(({ key }) => key));
    const current = versions.filter(({ isCurrent }) => isCurrent);
    const covering = current.filter(({ key }) => stuck.has(key));
    const kept = covering.map(({ key, versionId }) => {
      return { key, versionId, reason: 'kept, because an older version of it could not be deleted' };
    });
    this.note(kept);
    const failures = await this.removeAll(current.filter(({ key }) => !stuck.has(key)));
    return [...older, ...kept, ...failures];
  }

  private async removeAll(versions: readonly ObjectVersion[]): Promise<readonly DeleteFailure[]> {
    if (versions.length === 0) return [];
    const remove = this.holdings.showsVersions ? removeVersions : removeObjects;
    const failures = await remove(this.deleter, versions, this.signal);
    const stuck = new Set(failures.map(({ key, versionId }) => `${versionId ?? ''} ${key}`));
    for (const { key, versionId, isCurrent, isDeleteMarker, sizeBytes } of versions) {
      // Failures of a store without versions have no version id.
      if (stuck.has(`${versionId} ${key}`) || stuck.has(` ${key}`)) continue;
      if (isCurrent && !isDeleteMarker) this.objects += 1;
      else this.versions += 1;
      this.bytes += sizeBytes;
      this.meter.add(1, 0);
    }
    this.note(failures);
    return failures;
  }

  private note(failures: readonly DeleteFailure[]): void {
    this.failedCount += failures.length;
    for (const { key } of failures) this.stuck.add(key);
    this.failed.push(...failures.slice(0, LISTED_FAILURES - this.failed.length));
  }

  private async abortMultiparts(): Promise<void> {
    const { writes, unfinishedHidden } = await ownUnfinished(this.store, this.signal);
    // A store that lists them for nobody was already reported by the survey.
    if (unfinishedHidden === 'denied') {
      const reason = 'unfinished multipart uploads could not be listed (needs s3:ListBucketMultipartUploads)';
      this.note([{ key: '', reason }]);
    }
    for (const { key, multipartId } of writes) {
      if (this.isBlocked(key)) continue;
      try {
        await this.deleter.abortMultipart(key, multipartId, this.signal);
        this.aborted += 1;
      } catch (error) {
        if (isArchiverError(error, 'cancelled')) throw error;
        this.note([{ key, reason: errorText(error) }]);
      }
    }
  }
}

async function denialsAsFailures(
  versions: readonly ObjectVersion[],
  work: () => Promise<readonly DeleteFailure[]>,
): Promise<readonly DeleteFailure[]> {
  try {
    return await work();
  } catch (error) {
    // Every batch is tried: locks and policies differ between objects, and each failure is reported.
    if (!isArchiverError(error, 'access-denied')) throw error;
    return versions.map(({ key, versionId }) => ({ key, versionId, reason: error.message }));
  }
}

async function removeVersions(
  deleter: ObjectDeleter,
  versions: readonly ObjectVersion[],
  signal: AbortSignal,
): Promise<readonly DeleteFailure[]> {
  const failures = await denialsAsFailures(versions, () => deleter.deleteVersions(versions, signal));
  // Without versioning, a plain delete is enough, and permission to delete versions is rarely granted.
  const current = new Set(
    versions.flatMap(({ key, versionId, isCurrent }) => (isCurrent && versionId === ONLY_VERSION ? [key] : [])),
  );
  const isPlain = ({ key, versionId }: DeleteFailure): boolean => versionId === ONLY_VERSION && current.has(key);
  const again = failures.filter(isPlain);
  if (again.length === 0) return failures;
  const plain = versions.filter((version) => again.some(({ key }) => key === version.key));
  return [...failures.filter((failure) => !isPlain(failure)), ...(await removeObjects(deleter, plain, signal))];
}

const removeObjects = (
  deleter: ObjectDeleter,
  versions: readonly ObjectVersion[],
  signal: AbortSignal,
): Promise<readonly DeleteFailure[]> =>
  denialsAsFailures(versions, () =>
    deleter.delete(
      versions.map(({ key }) => key),
      signal,
    ),
  );
