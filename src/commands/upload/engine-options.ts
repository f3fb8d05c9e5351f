// Converts flags of commands that upload to options of the engine: filters, memory, encryption, the place.
import { readFileSync } from 'node:fs';
import type { Cancellation, Clock, MemoryLimit, Origins, Places } from '../../cli/context.js';
import { createFilter, readPatternFile } from '../../core/archive/scan/filter.js';
import { folderTags } from '../../core/archive/scan/folder-tags.js';
import type { FilterOptions } from '../../core/archive/scan/filter-options.js';
import type { ArchiveOptions, EncryptionOptions, LayoutOptions } from '../../core/archive/run/settings.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { RetentionMode } from '../../core/store/object-store.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/store/store-url.js';
import { rawFromBytes } from '../../core/platform/paths/raw-path.js';
import { memoryLimit } from '../kit/memory-limit.js';
import { isGiven } from '../kit/run.js';
import { pathList, type PathListContext, type PathListValues } from '../kit/path-list.js';

/** Returns the clock, signal and home folder for the engine. */
export const engineEnvironment = (
  context: Clock & Cancellation & Pick<Places, 'home'>,
): Pick<ArchiveOptions, 'now' | 'signal' | 'home'> => ({
  now: context.now,
  signal: context.signal,
  home: context.home,
});

/** Returns the memory limit in bytes. @throws usage when --memory-limit is too small to work in */
export const uploadMemoryLimit = (context: MemoryLimit): number | undefined => memoryLimit(context, 'an upload');

/** Returns whether to deduplicate; undefined, when not set anywhere, keeps what the dataset had before. */
export const dedupOption = (values: { readonly enableDedup: boolean }, context: Origins): boolean | undefined =>
  isGiven(context, 'enableDedup') ? values.enableDedup : undefined;

export interface FilterValues extends PathListValues {
  readonly exclude: readonly string[];
  readonly include: readonly string[];
  readonly excludeFile: string | undefined;
  readonly excludeCaches: boolean;
  readonly excludeIfPresent: readonly string[];
  readonly regex: readonly string[];
  readonly largerThan: number | undefined;
  readonly smallerThan: number | undefined;
  readonly excludeLargerThan: number | undefined;
  readonly oneFileSystem: boolean;
  /** Undefined in a program that knows nothing of DVC. */
  readonly dvcCache?: boolean | undefined;
}

/** Converts the filter flags to options. @throws usage for what cannot be used */
export async function filterOptions(
  values: FilterValues,
  skipTrees: FilterOptions['skipTrees'],
  context: PathListContext,
): Promise<FilterOptions> {
  const { exclude, include, excludeFile, excludeCaches, excludeIfPresent, oneFileSystem, dvcCache } = values;
  const excludeLines =
    excludeFile === undefined ? [] : readPatternFile(excludeFile, (path) => rawFromBytes(readFileSync(path)));
  const options: FilterOptions = {
    exclude,
    include,
    excludeLines,
    excludeCaches,
    excludeIfPresent,
    regexes: values.regex,
    largerThanBytes: values.largerThan,
    smallerThanBytes: values.smallerThan,
    excludeLargerThanBytes: values.excludeLargerThan,
    listed: await pathList(values, context),
    oneFileSystem,
    dvc: dvcCache === true ? 'whole' : 'workspace',
    skipTrees,
  };
  createFilter(options); // refuses what cannot be used before anything begins
  folderTags(options);
  return options;
}

export interface EncryptionValues {
  readonly kmsKeyId: string | undefined;
  readonly encryptManifest: boolean;
}

/**
 * Returns how the upload to `url` is encrypted: at least as its predecessor is, unless --no-encrypt-manifest is given. @throws usage for a
 * folder
 */
export function encryptionOptions(
  { kmsKeyId, encryptManifest }: EncryptionValues,
  url: string,
  context: Origins,
): EncryptionOptions {
  if (kmsKeyId !== undefined && parseStoreUrl(url).kind === 'file')
    throw usageError('a folder cannot encrypt with KMS: --kms-key-id needs an s3:// destination');
  const isRefused = !encryptManifest && isGiven(context, 'encryptManifest');
  return { kmsKeyId, encryptManifest, keep: !isRefused };
}

export interface LockValues {
  readonly objectLock: RetentionMode | undefined;
  readonly retain: number | undefined;
}

/** Returns the lock of an upload to `url`; undefined for none. @throws usage for a folder */
export function lockOption({ objectLock: mode, retain: retainMs }: LockValues, url: string): LayoutOptions['lock'] {
  if (mode === undefined || retainMs === undefined) return undefined;
  if (parseStoreUrl(url).kind === 'file')
    throw usageError('nothing in a folder can be locked: --object-lock needs an s3:// destination');
  return { mode, retainMs };
}

interface ClassValues {
  readonly storageClass: string;
  readonly autoTier?: boolean;
}

/**
 * A folder has no storage classes: a class from the command line is refused, one from a lower layer is meant for buckets and left out.
 * @throws usage
 */
export function withoutClassOfFolder<V extends ClassValues>(url: string, values: V, { origins }: Origins): V {
  const { storageClass, autoTier = false } = values;
  if (parseStoreUrl(url).kind !== 'file') return values;
  const isTyped = (key: keyof ClassValues): boolean => origins[key] === 'flag';
  const isClass = storageClass !== 'STANDARD' && isTyped('storageClass');
  const isTier = autoTier && isTyped('autoTier');
  if (!isClass && !isTier) return { ...values, storageClass: 'STANDARD', ...(autoTier && { autoTier: false }) };
  const flag = isTier ? '--auto-tier' : `--storage-class ${storageClass}`;
  throw usageError(`a folder has no storage classes: ${flag} needs an s3:// destination`);
}

/**
 * Returns the storage class of chunks: where neither a flag nor a lower layer says one, that of the version before. A folder has no classes.
 */
export const classOption = (
  url: string,
  { storageClass, autoTier = false }: ClassValues,
  context: Origins,
): Pick<LayoutOptions, 'storageClass' | 'keepsClass'> => ({
  storageClass,
  keepsClass: !autoTier && !isGiven(context, 'storageClass') && parseStoreUrl(url).kind !== 'file',
});

/** Returns the place above `uploads/`. @throws usage for the URL of an upload */
export function baseUrlOf(url: string): string {
  if (splitUploadUrl(url) !== undefined) {
    throw usageError(`${url} is an upload; name the place above uploads/ that new uploads go to`);
  }
  return joinStoreUrl(url);
}
