// Which dataset an upload becomes a version of, what it is compared with, and how it is encrypted. Encryption is part of a
// dataset (commit protocol, Protocol 2, rule 10): what is not said anew is taken from the version before. The id that is
// derived for an encrypted dataset does not hold the folder's name: whoever says nothing is looked up under both.
import type { CachedHead } from '../../dataset/head-cache.js';
import { deriveDatasetId, deriveNamelessId } from '../../dataset/identity.js';
import { type HighestVersion, highestVersion } from '../../dataset/version-record.js';
import { listDatasets, readVersion } from '../../dataset/versions.js';
import { ArchiverError, isArchiverError } from '../../failures/errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { type Baseline, findBaseline } from '../changes/baseline.js';
import type { UploadOptions } from '../upload.js';
import { type Encryption, encryptionOf, keepEncryption, NO_ENCRYPTION } from '../upload-encryption.js';

export interface SettledDataset {
  readonly datasetId: string;
  /** Its highest ordinal as far as it is known: listed, or what this computer remembers. */
  readonly highest: number;
  /** False for a writer that may not list. */
  readonly isListed: boolean;
  /** Undefined where everything is uploaded. */
  readonly baseline: Baseline | undefined;
  readonly encryption: Encryption;
}

/** A dataset as it was found. */
interface Found {
  readonly datasetId: string;
  readonly highest: HighestVersion | undefined;
  readonly remembered: CachedHead | undefined;
}

/** Looks what is there of the dataset. @throws what reading its latest version throws */
export async function settleDataset(options: UploadOptions, store: ObjectStore): Promise<SettledDataset> {
  const asked = options.encryption ?? NO_ENCRYPTION;
  const isKept = options.encryption?.keep === true;
  const ids = candidates(options, asked.encryptManifest, isKept);
  const found = await choose(options, store, ids);
  const { datasetId, highest, remembered } = found;
  const baseline = await baselineOf(options, store, found);
  const known = {
    datasetId,
    baseline,
    highest: highest?.version ?? remembered?.version ?? 0,
    isListed: highest !== undefined,
  };
  if (!isKept) return { ...known, encryption: asked };
  const isLatest = options.changes?.previousManifest === undefined;
  const before =
    baseline !== undefined && isLatest ? encryptionOf(baseline.view) : await recordedOr(asked, options, store, found);
  if (before !== undefined) return { ...known, encryption: keepEncryption(asked, before, options.emit) };
  if (datasetId === ids[0] || asked.encryptManifest) return { ...known, encryption: asked };
  throw new ArchiverError(
    'access-denied',
    `dataset ${datasetId} is encrypted, and this writer may not read with which key`,
    { hint: 'give --kms-key-id and --encrypt-manifest' },
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

/** The first that has a version. One LIST where this computer knows the dataset, or nobody does. */
async function choose(options: UploadOptions, store: ObjectStore, ids: readonly [string, ...string[]]): Promise<Found> {
  const { heads } = options;
  const known = await Promise.all(ids.map(async (datasetId) => await heads?.get(store.url, datasetId)));
  const isKnown = ids.length === 1 || known.some((head) => head !== undefined);
  const there = isKnown ? undefined : await thereOf(options, store, ids);
  if (there?.length === 0) return { datasetId: ids[0], highest: { version: 0, etag: '' }, remembered: undefined };
  let first: Found | undefined;
  for (const [at, datasetId] of ids.entries()) {
    if (there !== undefined && !there.includes(datasetId)) continue;
    const remembered = known[at];
    const highest = await highestVersion(store, datasetId, { signal: options.signal, known: remembered?.version });
    const found = { datasetId, highest, remembered };
    if (highest === undefined ? remembered !== undefined : highest.version > 0) return found;
    first ??= found;
  }
  return first ?? { datasetId: ids[0], highest: undefined, remembered: undefined };
}

/** Those that have a folder; undefined for a writer that may not list. */
async function thereOf(
  { signal }: UploadOptions,
  store: ObjectStore,
  ids: readonly string[],
): Promise<readonly string[] | undefined> {
  try {
    const there = new Set(await listDatasets(store, signal));
    return ids.filter((id) => there.has(id));
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return undefined;
    throw error;
  }
}

async function baselineOf(
  { changes, cache, heads, emit, signal }: UploadOptions,
  store: ObjectStore,
  { datasetId, highest }: Found,
): Promise<Baseline | undefined> {
  if (changes === undefined) return undefined;
  const { previousManifest, isForced } = changes;
  return await findBaseline({ store, datasetId, highest, cache, heads, previousManifest, isForced, emit, signal });
}

/** What was asked for where the latest version is damaged, and all of it was asked for. @throws as `recorded` */
async function recordedOr(
  asked: Encryption,
  options: UploadOptions,
  store: ObjectStore,
  found: Found,
): Promise<Encryption | undefined> {
  try {
    return await recorded(options, store, found);
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported')) throw error;
    if (asked.encryptManifest) return asked;
    throw new ArchiverError(
      error.code,
      `whether dataset ${found.datasetId} is encrypted cannot be told: ${error.message}`,
      {
        cause: error,
        hint: 'say it: --kms-key-id with --encrypt-manifest, or --no-encrypt-manifest',
      },
    );
  }
}

/** How the latest version is encrypted, by its record or by what is remembered; undefined when that cannot be known. */
async function recorded(
  { cache, signal }: UploadOptions,
  store: ObjectStore,
  { datasetId, highest, remembered }: Found,
): Promise<Encryption | undefined> {
  if (highest?.version === 0) return NO_ENCRYPTION;
  const isKnown = remembered?.recordEtag !== undefined;
  if (isKnown && remembered.recordEtag === highest?.etag) return encryptionIn(remembered.encryption);
  try {
    if (highest !== undefined)
      return encryptionIn((await readVersion(store, datasetId, highest.version, signal)).encryption);
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
  }
  return isKnown ? encryptionIn(remembered.encryption) : await sealedAs(cache, remembered);
}

/** By the manifest that is remembered: only that it is encrypted tells anything. */
async function sealedAs(
  cache: UploadOptions['cache'],
  remembered: CachedHead | undefined,
): Promise<Encryption | undefined> {
  const manifest = remembered === undefined ? undefined : await cache?.get(remembered.manifestSha256);
  return manifest?.sealedBy === undefined ? undefined : { kmsKeyId: manifest.sealedBy, encryptManifest: true };
}

const encryptionIn = (encryption: VersionRecord['encryption']): Encryption => ({
  kmsKeyId: encryption?.kmsKeyId,
  encryptManifest: encryption?.manifest === true,
});
