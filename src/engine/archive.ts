// Archives a folder as a version of its dataset.
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
  /** The dataset of the new version; derived from this computer and the folder when not given. */
  readonly datasetId?: string | undefined;
  /** Patterns to leave out, as in .gitignore; a file .archiverignore in any folder works like them. */
  readonly exclude?: readonly string[] | undefined;
  /** Patterns of files to archive although `exclude` leaves them out; without `exclude`, only these are archived. */
  readonly include?: readonly string[] | undefined;
  /** Leaves out folders that hold a CACHEDIR.TAG. */
  readonly excludeCaches?: boolean | undefined;
  readonly oneFileSystem?: boolean | undefined;
  /** Ends the operation at the first file that cannot be read; otherwise such files are in `skipped`. */
  readonly failFast?: boolean | undefined;
  /** Storage class of the chunks in a bucket; when not given that of the version before, else STANDARD. */
  readonly storageClass?: string | undefined;
  /** 1 to 22; chosen by content when not given. */
  readonly compressionLevel?: number | undefined;
  /** Stores the content of equal files once; as in the version before when not given. */
  readonly dedup?: boolean | undefined;
  /** The bucket encrypts chunks with this KMS key; as in the version before when not given. */
  readonly kmsKeyId?: string | undefined;
  /** Encrypts the manifest, which has the names of files, with `kmsKeyId`; false stops that. */
  readonly encryptManifest?: boolean | undefined;
  /** Object Lock of the new objects, for this many milliseconds. */
  readonly objectLock?: { readonly mode: 'governance' | 'compliance'; readonly retainMs: number } | undefined;
  /** Tags that are recorded in the manifest. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  /** Reads the folder and the store, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Allows a version that is empty, or has less than half of the files or bytes of the one before. */
  readonly allowMassDelete?: boolean | undefined;
  /** Allows the dataset to begin anew when `home` remembers versions that the store does not have. */
  readonly newStore?: boolean | undefined;
  /** Memory limit in bytes; at least 192 MiB. A higher one applies when not given. */
  readonly memoryLimit?: number | undefined;
}

export interface SyncOptions extends ArchiveOptions {
  /** Records missing files as deleted; otherwise they stay in later versions. */
  readonly trackDeletes?: boolean | undefined;
  /** Detects changes by size and modification time alone. */
  readonly ignoreCtime?: boolean | undefined;
  /** Reads and sends everything, and makes a version that lists all of it. */
  readonly force?: boolean | undefined;
}

/** Result of `archive` and `sync`. Sizes are bytes. */
export interface ArchiveResult {
  readonly uploadId: string;
  /** URL of the upload. */
  readonly location: string;
  readonly datasetId: string;
  /** Null for a dry run. With `noChanges`, the existing version. */
  readonly version: number | null;
  /** Letters of the version, when another writer made one with the same number. */
  readonly fork?: string | undefined;
  /** Number of files in the folder, or that a dry run would archive. */
  readonly files: number;
  readonly bytes: number;
  /** Size of the chunks that were sent. */
  readonly storedBytes: number;
  readonly chunks: number;
  /** Paths that are not in the version, and why; including special files such as sockets. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  /** True when something that should be in the version is missing or torn. */
  readonly partial: boolean;
  readonly durationMs: number;
  /** Only for a sync. */
  readonly changes?: Changes;
  readonly warnings: readonly string[];
}

/** Number of paths other than folders, compared with the version before. */
export interface Changes {
  /** True when there was nothing to do: no version was made. */
  readonly noChanges: boolean;
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Number of paths that are missing in the folder and were kept. */
  readonly gone: number;
}

/**
 * Archives a folder as a version that is complete in itself. When it resolves, the version is committed and whole; when it throws, no
 * version is visible, and the sent objects are removed as far as that is allowed.
 * @param source an absolute path
 * @throws ArchiverError `usage`, `not-found`, `access-denied`, `mass-delete`, `forgotten-store`, `no-space`, `cancelled` and errors of the
 * store
 */
export async function archive(store: Store, source: string, options: ArchiveOptions = {}): Promise<ArchiveResult> {
  return await call(store, options, (context) => run(context, source, options, 'upload'));
}

/**
 * Archives the changes since the newest version of the dataset; everything when there is none. When nothing changed no version is made.
 * @throws as `archive`
 */
export async function sync(store: Store, source: string, options: SyncOptions = {}): Promise<ArchiveResult> {
  const { trackDeletes = false, ignoreCtime = false, force = false } = options;
  const changes = { trackDeletes, ignoreCtime, isForced: force };
  return await call(store, options, (context) => run(context, source, options, 'sync', changes));
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
    layout: {
      lock,
      ...(storageClass === undefined ? { keepsClass: !opened.store.url.startsWith('file:') } : { storageClass }),
    },
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
