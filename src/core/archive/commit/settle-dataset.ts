// Which dataset an upload becomes a version of, what it is compared with, and how it is encrypted. Encryption is part of a
// dataset (commit protocol, Protocol 2, rule 10): what is not given is taken from the version before. The id that is
// derived for an encrypted dataset does not contain the folder's name: without an explicit id both are looked up.
import type { CachedHead } from '../../dataset/cache/head-cache.js';
import { deriveDatasetId, deriveNamelessId } from '../../dataset/records/identity.js';
import { type HighestVersion, highestVersion } from '../../dataset/records/version-record.js';
import { listDatasets, recordIfAllowed } from '../../dataset/records/versions.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { ArchiverError, isArchiverError } from '../../failures/errors.js';
import { ifAllowed } from '../../object-store/abilities.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectStore } from '../../object-store/object-store.js';
import { type Baseline, findBaseline } from '../changes/baseline.js';
import type { UploadRun } from '../upload-run.js';
import { type Encryption, encryptionOf, keepEncryption, NO_ENCRYPTION } from '../upload-encryption.js';

export interface SettledDataset {
  readonly datasetId: string;
  /** Its highest ordinal as far as it is known: listed, or what this computer remembers. */
  readonly highest: number;
  /** False for a writer without permission to list. */
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

export type SettleInput = Pick<UploadRun, 'source' | 'dataset' | 'resume' | 'remembered' | 'store' | 'emit' | 'signal'>;

/** Looks what is there of the dataset. @throws what reading its latest version throws */
export async function settleDataset(input: SettleInput): Promise<SettledDataset> {
  const { encryption, changes } = input.dataset;
  const { keep, ...asked } = encryption;
  const ids = candidates(input);
  const found = await choose(input, ids);
  const { datasetId, highest, remembered } = found;
  const isResumed = input.resume.saved !== undefined;
  const compared = { ...input, ...changes, datasetId, highest, isResumed };
  const baseline = changes === undefined ? undefined : await findBaseline(compared);
  const known = {
    datasetId,
    baseline,
    highest: highest?.version ?? remembered?.version ?? 0,
    isListed: highest !== undefined,
  };
  if (!keep) return { ...known, encryption: asked };
  const isLatest = changes?.previousManifest === undefined;
  const before =
    baseline !== undefined && isLatest ? encryptionOf(baseline.view) : await recordedOr(asked, input, found);
  if (before !== undefined) return { ...known, encryption: keepEncryption(asked, before, input.emit) };
  const { heads } = input.remembered;
  const isForgotten = ids.some((id) => heads?.isUnusable?.(input.store.url, id));
  if (asked.encryptManifest || (datasetId === ids[0] && !isForgotten)) return { ...known, encryption: asked };
  throw unknownEncryption(datasetId, isForgotten);
}

function unknownEncryption(datasetId: string, isForgotten: boolean): ArchiverError {
  const [what, more] = isForgotten
    ? [`whether dataset ${datasetId} is encrypted is not known any more`, ', or --no-encrypt-manifest']
    : [`dataset ${datasetId} is encrypted, with which key is not known`, ''];
  return new ArchiverError('access-denied', `${what}, and this writer may not read it`, {
    hint: `give --kms-key-id and --encrypt-manifest${more}`,
  });
}

/** Ids that the dataset may have, likeliest first. */
function candidates({ dataset, source }: SettleInput): readonly [string, ...string[]] {
  const { id, origin, writerId, host, encryption } = dataset;
  if (id !== undefined) return [id];
  const identity = [origin?.path ?? source, origin?.owner ?? writerId ?? host] as const;
  const nameless = deriveNamelessId(...identity);
  if (encryption.encryptManifest) return [nameless];
  const named = deriveDatasetId(...identity);
  return encryption.keep && named !== nameless ? [named, nameless] : [named];
}

/** The first that has a version. One LIST where this computer knows the dataset, or nobody does. */
async function choose(
  { remembered: { heads }, store, signal }: SettleInput,
  ids: readonly [string, ...string[]],
): Promise<Found> {
  const known = await Promise.all(ids.map(async (datasetId) => await heads?.get(store.url, datasetId)));
  const isKnown = ids.length === 1 || known.some((head) => head !== undefined);
  const there = isKnown ? undefined : await thereOf(store, ids, signal);
  if (there?.length === 0) return { datasetId: ids[0], highest: { version: 0, etag: '' }, remembered: undefined };
  let first: Found | undefined;
  for (const [at, datasetId] of ids.entries()) {
    if (there !== undefined && !there.includes(datasetId)) continue;
    const remembered = known[at];
    const highest = await highestVersion(store, datasetId, { signal, known: remembered?.version });
    const found = { datasetId, highest, remembered };
    if (highest === undefined ? remembered !== undefined : highest.version > 0) return found;
    first ??= found;
  }
  return first ?? { datasetId: ids[0], highest: undefined, remembered: undefined };
}

/** Those that have a folder; undefined for a writer without permission to list. */
async function thereOf(
  store: ObjectStore,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const there = await ifAllowed(store, 'list', 'datasets/', async () => new Set(await listDatasets(store, signal)));
  return there && ids.filter((id) => there.has(id));
}

/** What was asked for where the latest version is damaged, and all of it was asked for. @throws as `recorded` */
async function recordedOr(asked: Encryption, input: SettleInput, found: Found): Promise<Encryption | undefined> {
  try {
    return await recorded(input, found);
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported')) throw error;
    if (asked.encryptManifest) return asked;
    throw new ArchiverError(
      error.code,
      `whether dataset ${found.datasetId} is encrypted is not known: ${error.message}`,
      {
        cause: error,
        hint: 'say it: --kms-key-id with --encrypt-manifest, or --no-encrypt-manifest',
      },
    );
  }
}

/** How the latest version is encrypted, by its record or by what is remembered; undefined when that cannot be known. */
async function recorded(
  { remembered: { cache }, store, signal }: SettleInput,
  { datasetId, highest, remembered }: Found,
): Promise<Encryption | undefined> {
  if (highest?.version === 0) return NO_ENCRYPTION;
  const isKnown = remembered?.recordEtag !== undefined;
  if (isKnown && remembered.recordEtag === highest?.etag) return encryptionIn(remembered.encryption);
  const record = highest && (await recordIfAllowed(store, datasetId, highest.version, signal));
  if (record !== undefined) return encryptionIn(record.encryption);
  return isKnown ? encryptionIn(remembered.encryption) : await sealedAs(cache, remembered);
}

/** By the manifest that is remembered: only that it is encrypted tells anything. */
async function sealedAs(
  cache: ManifestCache | undefined,
  remembered: CachedHead | undefined,
): Promise<Encryption | undefined> {
  const manifest = remembered === undefined ? undefined : await cache?.get(remembered.manifestSha256);
  return manifest?.sealedBy === undefined ? undefined : { kmsKeyId: manifest.sealedBy, encryptManifest: true };
}

const encryptionIn = (encryption: VersionRecord['encryption']): Encryption => ({
  kmsKeyId: encryption?.kmsKeyId,
  encryptManifest: encryption?.manifest === true,
});
