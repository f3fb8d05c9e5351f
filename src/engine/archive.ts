// From a folder to a version of its dataset.
import { archiveFolder } from '../core/archive/archive-folder.js';
import type { ChangeOptions } from '../core/archive/run/settings.js';
import { resolveSource } from '../core/archive/scan/source-folder.js';
import type { UploadResult } from '../core/archive/upload-result.js';
import { checkDatasetId } from '../core/dataset/records/dataset-id.js';
import { defined } from '../core/platform/defined.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { CallOptions, Store } from './options.js';
import { absolute, call, type Call, checkMemoryLimit } from './session.js';

export interface ArchiveOptions extends CallOptions {
  /** The dataset that this becomes a version of; derived from this computer and the folder when not given. */
  readonly datasetId?: string | undefined;
  /** Patterns of .gitignore for what is left out; a file .archiverignore in any folder works like them. */
  readonly exclude?: readonly string[] | undefined;
  /** What is archived though `exclude` leaves it out; without `exclude` nothing else is. */
  readonly include?: readonly string[] | undefined;
  /** Leaves out folders that hold a CACHEDIR.TAG. */
  readonly excludeCaches?: boolean | undefined;
  readonly oneFileSystem?: boolean | undefined;
  /** The first file that cannot be read ends it; otherwise such files are in `skipped`. */
  readonly failFast?: boolean | undefined;
  /** Of the chunks in a bucket; STANDARD when not given. */
  readonly storageClass?: string | undefined;
  /** 1 to 22; chosen by content when not given. */
  readonly compressionLevel?: number | undefined;
  /** Stores the content of equal files once; as in the version before when not given. */
  readonly dedup?: boolean | undefined;
  /** The bucket encrypts chunks with this KMS key; as in the version before when not given. */
  readonly kmsKeyId?: string | undefined;
  /** Encrypts the manifest, which has the names of files, with `kmsKeyId`; false: no more. */
  readonly encryptManifest?: boolean | undefined;
  /** Object Lock of what is put, for so many milliseconds. */
  readonly objectLock?: { readonly mode: 'governance' | 'compliance'; readonly retainMs: number } | undefined;
  /** Recorded in the manifest. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Looks at the folder and the store, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** A version may be empty, or hold less than half of the files or bytes of the one before. */
  readonly allowMassDelete?: boolean | undefined;
  /** The dataset may begin anew where `home` remembers versions that the store has not. */
  readonly newStore?: boolean | undefined;
  /** Bytes; at least 192 MiB. More where it is not given. */
  readonly memoryLimit?: number | undefined;
}

export interface SyncOptions extends ArchiveOptions {
  /** Records missing files as deleted; otherwise they stay in later versions. */
  readonly trackDeletes?: boolean | undefined;
  /** Size and modification time alone say what changed. */
  readonly ignoreCtime?: boolean | undefined;
  /** Reads and sends everything, as a version that lists all of it. */
  readonly force?: boolean | undefined;
}

/** Sizes are bytes. */
export interface ArchiveResult {
  readonly uploadId: string;
  /** URL of the upload. */
  readonly location: string;
  readonly datasetId: string;
  /** Null for a dry run. With `noChanges` it is the version that was there. */
  readonly version: number | null;
  /** Letters of the version, where another writer made one of the same number. */
  readonly fork?: string | undefined;
  /** What the folder holds, or the dry run would archive. */
  readonly files: number;
  readonly bytes: number;
  /** Of the chunks that were sent. */
  readonly storedBytes: number;
  readonly chunks: number;
  /** What is not in the version, and why; special files such as sockets as well. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** Something that should be in the version is missing or torn. */
  readonly partial: boolean;
  readonly durationMs: number;
  /** Of a sync. */
  readonly changes?: Changes;
  readonly warnings: readonly string[];
}

/** Paths other than folders, beside the version before. */
export interface Changes {
  /** There was nothing to do: no version was made. */
  readonly noChanges: boolean;
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Gone from the folder and kept. */
  readonly gone: number;
}

/**
 * Archives a folder as a version that is complete in itself. When it resolves the version is committed and whole; when it throws,
 * none is visible, and what was sent is taken back as far as it may be.
 * @param source an absolute path
 * @throws ArchiverError `usage`, `not-found`, `access-denied`, `mass-delete`, `forgotten-store`, `no-space`, `cancelled` and what a
 * store says
 */
export async function archive(store: Store, source: string, options: ArchiveOptions = {}): Promise<ArchiveResult> {
  return await call(store, options, (its) => run(its, source, options, 'upload'));
}

/**
 * Archives what changed since the newest version of the dataset; all of it where there is none. Where nothing changed no version
 * is made. @throws as `archive`
 */
export async function sync(store: Store, source: string, options: SyncOptions = {}): Promise<ArchiveResult> {
  const { trackDeletes = false, ignoreCtime = false, force = false } = options;
  const changes = { trackDeletes, ignoreCtime, isForced: force };
  return await call(store, options, (its) => run(its, source, options, 'sync', changes));
}

async function run(
  { opened, home, host, now, emit, signal, warn, warnings }: Call,
  source: string,
  options: ArchiveOptions,
  operation: 'upload' | 'sync',
  changes?: ChangeOptions,
): Promise<ArchiveResult> {
  const { datasetId, exclude, include, excludeCaches, oneFileSystem, failFast, dryRun, objectLock: lock } = options;
  const { storageClass, compressionLevel, dedup, tags, allowMassDelete, newStore, memoryLimit } = options;
  refuseLevel(compressionLevel);
  emit({ type: 'start', operation, source, target: opened.store.url });
  const namesake = (id: string, others: readonly string[]): Promise<undefined> => {
    warn(
      `this begins dataset ${id}; of a folder of the same name there is ${others.join(', ')}: datasetId continues it`,
    );
    return Promise.resolve(undefined);
  };
  const result = await archiveFolder({
    store: opened,
    source: resolveSource(absolute(source, 'the source folder')),
    home,
    now,
    emit,
    signal,
    warn,
    ...defined({ failFast, dryRun }),
    dataset: {
      ...defined({ host }),
      id: datasetId === undefined ? undefined : checkDatasetId(datasetId),
      encryption: encryptionOf(options),
      allowMassDelete,
      newStore,
      changes,
      ...(changes && { namesake }),
    },
    filter: defined({ exclude, include, excludeCaches, oneFileSystem }),
    packing: { compressionLevel, dedup, memoryLimitBytes: checkMemoryLimit(memoryLimit) },
    layout: { lock, ...defined({ storageClass }) },
    labels: defined({ tags }),
  });
  return { ...shown(result), warnings };
}

function encryptionOf({ kmsKeyId, encryptManifest }: ArchiveOptions) {
  if (encryptManifest === true && kmsKeyId === undefined) throw usageError('encryptManifest needs kmsKeyId');
  return { kmsKeyId, encryptManifest: encryptManifest === true, keep: encryptManifest !== false };
}

function refuseLevel(level: number | undefined): void {
  if (level === undefined || (Number.isInteger(level) && level >= 1 && level <= 22)) return;
  throw usageError('compressionLevel is a whole number from 1 to 22');
}

function shown(result: UploadResult): Omit<ArchiveResult, 'warnings'> {
  const { uploadId, location, datasetId, version, fork, files, bytes, storedBytes, chunks } = result;
  const { skipped, partial, durationMs, changes } = result;
  const sums = { files, bytes, storedBytes, chunks, skipped, partial, durationMs };
  return {
    uploadId,
    location,
    datasetId,
    version,
    ...defined({ fork }),
    ...sums,
    ...(changes && { changes: counts(changes) }),
  };
}

const counts = ({ noChanges, added, modified, deleted, unchanged, gone }: Changes): Changes => ({
  noChanges,
  added,
  modified,
  deleted,
  unchanged,
  gone,
});
