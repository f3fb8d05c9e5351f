// What flags say of how chunks are kept where they go: encrypted, locked, in a storage class. A folder knows nothing of these.
import type { Origins } from '../../cli/context.js';
import type { EncryptionOptions, LayoutOptions } from '../../core/archive/run/settings.js';
import { usageError } from '../../core/platform/failures/errors.js';
import type { RetentionMode } from '../../core/store/object-store.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import { isGiven } from './run.js';

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
