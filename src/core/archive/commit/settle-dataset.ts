// Which dataset an upload becomes a version of, what it is compared with, and how it is encrypted. The id that is derived
// for an encrypted dataset does not hold the folder's name: whoever says nothing about encryption is looked up under both.
import { deriveDatasetId, deriveNamelessId } from '../../dataset/identity.js';
import { highestVersion } from '../../dataset/version-record.js';
import { readVersion } from '../../dataset/versions.js';
import { ArchiverError, isArchiverError } from '../../errors.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { type Baseline, findBaseline } from '../changes/baseline.js';
import type { UploadOptions } from '../upload.js';
import { type Encryption, encryptionOf, keepEncryption, NO_ENCRYPTION } from '../upload-encryption.js';

export interface SettledDataset {
  readonly datasetId: string;
  /** Undefined where everything is uploaded. */
  readonly baseline: Baseline | undefined;
  readonly encryption: Encryption;
}

/** Looks what is there of the dataset. @throws what reading its latest version throws */
export async function settleDataset(options: UploadOptions, store: ObjectStore): Promise<SettledDataset> {
  const asked = options.encryption ?? NO_ENCRYPTION;
  const isKept = options.encryption?.keep === true;
  const [first, ...others] = candidates(options, asked.encryptManifest, isKept);
  if (options.changes === undefined && !isKept) return { datasetId: first, baseline: undefined, encryption: asked };
  const { datasetId, highest } = await choose(options, store, [first, ...others]);
  const baseline = await baselineOf(options, store, datasetId, highest);
  if (!isKept) return { datasetId, baseline, encryption: asked };
  const isLatest = options.changes?.previousManifest === undefined;
  const before =
    baseline !== undefined && isLatest
      ? encryptionOf(baseline.view)
      : await recorded(options, store, datasetId, highest);
  if (before !== undefined) return { datasetId, baseline, encryption: keepEncryption(asked, before, options.emit) };
  if (datasetId === first || asked.encryptManifest) return { datasetId, baseline, encryption: asked };
  throw new ArchiverError(
    'access-denied',
    `dataset ${datasetId} is encrypted, and this writer may not read with which key`,
    {
      hint: 'give --kms-key-id and --encrypt-manifest',
    },
  );
}

/** Ids that the dataset may have, likeliest first. */
function candidates(options: UploadOptions, isEncrypted: boolean, isKept: boolean): readonly [string, ...string[]] {
  if (options.datasetId !== undefined) return [options.datasetId];
  const { source, origin, writerId, host } = options;
  const identity = [origin?.path ?? source, origin?.owner ?? writerId ?? host] as const;
  const nameless = deriveNamelessId(...identity);
  if (isEncrypted) return [nameless];
  const named = deriveDatasetId(...identity);
  return isKept && named !== nameless ? [named, nameless] : [named];
}

/** The first that has a version, with its highest ordinal as far as this writer may list. */
async function choose(
  { heads, signal }: UploadOptions,
  store: ObjectStore,
  ids: readonly [string, ...string[]],
): Promise<{ readonly datasetId: string; readonly highest: number | undefined }> {
  let first: number | undefined = 0;
  for (const datasetId of ids) {
    const highest = await highestVersion(store, datasetId, signal);
    if (datasetId === ids[0]) first = highest;
    const isThere = highest === undefined ? (await heads?.get(store.url, datasetId)) !== undefined : highest > 0;
    if (isThere) return { datasetId, highest };
  }
  return { datasetId: ids[0], highest: first };
}

async function baselineOf(
  { changes, cache, heads, emit, signal }: UploadOptions,
  store: ObjectStore,
  datasetId: string,
  highest: number | undefined,
): Promise<Baseline | undefined> {
  if (changes === undefined) return undefined;
  const { previousManifest } = changes;
  return await findBaseline({ store, datasetId, highest, cache, heads, previousManifest, emit, signal });
}

/** How the latest version is encrypted, by its record or by what is remembered; undefined when that cannot be known. */
async function recorded(
  { cache, heads, signal }: UploadOptions,
  store: ObjectStore,
  datasetId: string,
  highest: number | undefined,
): Promise<Encryption | undefined> {
  if (highest === 0) return NO_ENCRYPTION;
  try {
    if (highest !== undefined) {
      const { encryption } = await readVersion(store, datasetId, highest, signal);
      return { kmsKeyId: encryption?.kmsKeyId, encryptManifest: encryption?.manifest === true };
    }
  } catch (error) {
    const isUnreadable = ['access-denied', 'not-found', 'integrity', 'unsupported'].some(
      (code) => isArchiverError(error) && error.code === code,
    );
    if (!isUnreadable) throw error;
  }
  const head = await heads?.get(store.url, datasetId);
  const manifest = head === undefined ? undefined : await cache?.get(head.manifestSha256);
  if (manifest?.sealedBy === undefined) return undefined;
  return { kmsKeyId: manifest.sealedBy, encryptManifest: true };
}
