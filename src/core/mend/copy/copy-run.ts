// What a copy of versions is given, and what it keeps while it runs. Types, and what decides between a version and the whole run.
import { passCache } from '../../dataset/prune/needs.js';
import type { VersionTag } from '../../dataset/records/tag-key.js';
import type { EventSink } from '../../events/events.js';
import { type ArchiverError, type ErrorCode, isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectReader, ObjectStore, Retention } from '../../store/object-store.js';
import type { CopyChoice, ReadVersion } from './choose-versions.js';
import type { SourceStore } from './needed-objects.js';
import { TargetLooks } from './target-looks.js';
import type { TargetVersion } from './target-versions.js';

export interface CopyOptions {
  readonly from: ObjectReader;
  /** As it may be written to: a plain store has no conditions. */
  readonly to: ObjectStore;
  readonly choice: CopyChoice;
  /** Nobody else writes to or prunes the store that is copied to. */
  readonly isExclusive: boolean;
  /** Also read what is there already, and compare it. */
  readonly isDeep: boolean;
  /** Copy versions whose chunks a KMS key encrypts to where nothing does. */
  readonly allowUnencrypted: boolean;
  readonly storageClass: string;
  readonly kmsKeyId: string | undefined;
  readonly retention: Retention | undefined;
  readonly requestsAtOnce: number;
  readonly memoryLimitBytes: number | undefined;
  /** Tags a version there. */
  readonly addTag: (asked: VersionTag) => Promise<boolean>;
  readonly emit: EventSink;
  readonly warn: (text: string) => void;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

/** A run: its options, and what it has read. */
export interface CopyRun extends CopyOptions {
  readonly source: SourceStore;
  /** The store that is copied to as its readers see it; it opens what is encrypted with the keys of the other one. */
  readonly target: SourceStore;
  readonly looks: TargetLooks;
  /** Versions there when the run began, by dataset. */
  readonly versions: Map<string, readonly TargetVersion[]>;
  /** Uploads that are versions there by now. */
  readonly there: Set<string>;
  /** Uploads of which that store had a version, retired or not, when the run began. */
  readonly owned: Set<string>;
}

export function newCopyRun(options: CopyOptions): CopyRun {
  const { from, to, isExclusive } = options;
  const source: SourceStore = { reader: from, cache: passCache(), folders: new Map() };
  const reader = from.keys === undefined ? to : { ...to, keys: from.keys };
  const target: SourceStore = { reader, cache: passCache(), folders: new Map() };
  const looks = new TargetLooks(to, isExclusive);
  return { ...options, source, target, looks, versions: new Map(), there: new Set(), owned: new Set() };
}

/** A version that was not copied, and why. */
export interface CopyFailure {
  readonly version: ReadVersion['listed'];
  readonly error: ArchiverError;
}

/** What is wrong with one version; anything else ends the run. */
const OF_VERSION: readonly ErrorCode[] = ['integrity', 'not-found', 'unsupported', 'conflict', 'cold-storage'];

/** Runs `work`; returns what is wrong with the version, if that is what keeps it from being copied. @throws all else */
export async function failureOf(
  version: ReadVersion['listed'],
  work: () => Promise<void>,
): Promise<CopyFailure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!isArchiverError(error, ...OF_VERSION)) throw error;
    return { version, error };
  }
}
