// Finds out which dataset an upload becomes a version of, what it is compared with, how it is encrypted, and in which storage class
// its chunks are kept. Both are part of a dataset (rules.md#dataset-encryption): what is not given is taken from the version before. The id that is derived for an encrypted
// dataset does not contain the folder's name: without an explicit id both are looked up.
import type { CachedHead, ViewTotals } from '../../dataset/cache/head-cache.js';
import { nameOfDataset } from '../../dataset/records/dataset-id.js';
import { likeNames } from '../../dataset/records/like-names.js';
import { deriveDatasetId, deriveNamelessId } from '../../dataset/records/identity.js';
import { assertOrdinal, type HighestVersion, highestVersion } from '../../dataset/records/version-record.js';
import { listDatasets, recordIfAllowed } from '../../dataset/records/versions.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { ifAllowed } from '../../store/abilities.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { type Baseline, findBaseline } from './baseline.js';
import { willLookAtEach } from './looks-at-each.js';
import type { UploadRun } from '../run/upload-run.js';
import { type Encryption, encryptionOf, keepEncryption, NO_ENCRYPTION } from '../run/upload-encryption.js';
import { classInManifest, keepClass } from '../run/dataset-class.js';
import { isSameEtag } from '../../store/same-etag.js';

export interface SettledDataset {
  readonly datasetId: string;
  /** Its highest ordinal as far as it is known: from a listing, or as this computer remembers it. */
  readonly highest: number;
  /** False for a writer without permission to list. */
  readonly isListed: boolean;
  /** The version to compare with; undefined if everything is uploaded. */
  readonly baseline: Baseline | undefined;
  /** Totals of the latest version; undefined if there is none, or they cannot be known. */
  readonly totals: ViewTotals | undefined;
  readonly encryption: Encryption;
  /** Class that its chunks are kept in; undefined where the settings say one, or it is not known. */
  readonly storageClass: string | undefined;
  /** True if the newest version is the one that this computer remembers, with another record. */
  readonly isRewritten: boolean;
}

/** A dataset as it was found in the store and in the memory of this computer. */
interface Found {
  readonly datasetId: string;
  readonly highest: HighestVersion | undefined;
  readonly remembered: CachedHead | undefined;
}

export type SettleInput = Pick<
  UploadRun,
  | 'source'
  | 'dataset'
  | 'packing'
  | 'layout'
  | 'labels'
  | 'resume'
  | 'remembered'
  | 'store'
  | 'emit'
  | 'warn'
  | 'signal'
  | 'dryRun'
>;

/** Facts about the latest version that are known without its manifest. */
interface Latest {
  readonly encryption: Encryption | undefined;
  readonly totals: ViewTotals | undefined;
  /** Asked for where `keepsClass` is set. */
  readonly storageClass: string | undefined;
}

/** Looks up the dataset. @throws forgotten-store; what reading its latest version throws */
export async function resolveDataset(input: SettleInput): Promise<SettledDataset> {
  const { encryption, changes } = input.dataset;
  const { keepsClass = false } = input.layout;
  const { keep, ...asked } = encryption;
  const ids = candidates(input);
  const found = await chooseDataset(input, ids);
  const { datasetId, highest } = found;
  checkFound(input, found);
  const isResumed = input.resume.saved !== undefined;
  const looksAtEach = (view: Baseline['view']): boolean => willLookAtEach(input, view);
  const compared = { ...input, ...changes, datasetId, highest, isResumed, looksAtEach };
  const baseline = changes === undefined ? undefined : await findBaseline(compared);
  const known = { datasetId, baseline, ...ordinalOf(found) };
  const isLatest = baseline !== undefined && changes?.previousManifest === undefined;
  const latest = isLatest
    ? { encryption: encryptionOf(baseline.view), totals: baseline.view.totals, storageClass: classOf(baseline) }
    : await latestOr(keep ? asked : undefined, input, found);
  const storageClass = keepsClass ? keepClass(latest.storageClass, input) : undefined;
  const settled = { ...known, totals: latest.totals, storageClass };
  if (!keep) return { ...settled, encryption: asked };
  const before = latest.encryption;
  if (before !== undefined) return { ...settled, encryption: keepEncryption(asked, before, input.emit) };
  const { heads } = input.remembered;
  const isForgotten = ids.some((id) => heads?.isUnusable?.(input.store.url, id));
  if (asked.encryptManifest || (datasetId === ids[0] && !isForgotten)) return { ...settled, encryption: asked };
  throw unknownEncryption(datasetId, isForgotten);
}

const classOf = ({ view }: Baseline): string | undefined => view.head.storage['storageClass'];

const ordinalOf = ({ highest, remembered }: Found): Pick<SettledDataset, 'highest' | 'isListed' | 'isRewritten'> => ({
  highest: highest?.version ?? remembered?.version ?? 0,
  isListed: highest !== undefined,
  isRewritten: remembered !== undefined && highest?.version === remembered.version,
});

/**
 * Checks for a store that has lost versions: this computer remembers some there, and the listing has none. One that only has older
 * versions, restored from a copy, is believed, with a warning. @throws forgotten-store (a dry run warns); what `assertOrdinal` throws
 */
function checkFound({ dataset, store, warn, dryRun }: SettleInput, { datasetId, highest, remembered }: Found): void {
  // Checked before anything is sent for a version that could have no number.
  if (highest !== undefined) assertOrdinal(datasetId, highest.version + 1);
  if (highest === undefined || remembered === undefined || highest.version >= remembered.version) return;
  const knows = `this computer knows version ${remembered.version} of dataset ${datasetId}`;
  const place = printable(store.url);
  if (highest.version > 0) {
    warn(`${knows}, and ${place} has version ${highest.version} at most: it was brought back from an older copy`);
    return;
  }
  const text = `${knows} in ${place}, and there is none: not mounted, emptied or another bucket?`;
  const hint = 'look there first; `upload`, `create upload` or `sync` with --new-store begins the dataset anew';
  if (dataset.newStore === true) return;
  if (!dryRun) throw new ArchiverError('forgotten-store', `${text} Nothing was sent`, { hint });
  warn(`${text} This will be refused; ${hint}`);
}

function unknownEncryption(datasetId: string, isForgotten: boolean): ArchiverError {
  const [what, more] = isForgotten
    ? [`whether dataset ${datasetId} is encrypted is not known any more`, ', or --no-encrypt-manifest']
    : [`dataset ${datasetId} is encrypted, with which key is not known`, ''];
  return new ArchiverError('access-denied', `${what}, and this writer may not read it`, {
    hint: `give --kms-key-id and --encrypt-manifest${more}`,
  });
}

/** Returns the ids that the dataset may have, likeliest first. */
function candidates({ dataset, source }: SettleInput): readonly [string, ...string[]] {
  const { id, origin, writerId, host, encryption } = dataset;
  if (id !== undefined) return [id];
  const identity = [origin?.identity ?? origin?.path ?? source, origin?.owner ?? writerId ?? host] as const;
  const nameless = deriveNamelessId(...identity);
  if (encryption.encryptManifest) return [nameless];
  const named = deriveDatasetId(...identity);
  return encryption.keep && named !== nameless ? [named, nameless] : [named];
}

/** Returns the first id that has a version. Costs one LIST if this computer knows the dataset, or nobody does. */
async function chooseDataset(input: SettleInput, ids: readonly [string, ...string[]]): Promise<Found> {
  const {
    remembered: { heads },
    store,
    signal,
  } = input;
  const known = await Promise.all(ids.map(async (datasetId) => await heads?.get(store.url, datasetId)));
  const isKnown = ids.length === 1 || known.some((head) => head !== undefined);
  const listed = isKnown ? undefined : await ifAllowed(store, 'list', 'datasets/', () => datasetsThere(store, signal));
  const there = listed && ids.filter((id) => listed.includes(id));
  if (listed !== undefined && there?.length === 0) return await newOrNamesake(input, ids[0], listed);
  let first: Found | undefined;
  for (const [at, datasetId] of ids.entries()) {
    if (there !== undefined && !there.includes(datasetId)) continue;
    const remembered = known[at];
    const highest = await highestVersion(store, datasetId, { signal, known: remembered?.version });
    const found = { datasetId, highest, remembered };
    if (highest === undefined ? remembered !== undefined : highest.version > 0) return found;
    first = likelier(first, found);
  }
  return await continuedOr(input, first ?? { datasetId: ids[0], highest: undefined, remembered: undefined });
}

/** Returns what was found, or for an id that was given and has no version the dataset that `typedName` continues instead. */
async function continuedOr({ dataset, store, signal }: SettleInput, found: Found): Promise<Found> {
  const { id, typedName, newDataset } = dataset;
  const isNew = found.highest?.version === 0 && found.remembered === undefined;
  if (id === undefined || typedName === undefined || newDataset === true || !isNew) return found;
  const listed = await ifAllowed(store, 'list', 'datasets/', () => datasetsThere(store, signal));
  const continued = listed && (await typedName(id, likeNames(id, listed)));
  if (continued === undefined) return found;
  return { datasetId: continued, highest: await highestVersion(store, continued, { signal }), remembered: undefined };
}

const datasetsThere = async (...store: Parameters<typeof listDatasets>): Promise<readonly string[]> => [
  ...(await listDatasets(...store)).ordinals.keys(),
];

/** Chooses between datasets without a listed version: one that is remembered wins. */
const likelier = (first: Found | undefined, found: Found): Found =>
  first?.remembered === undefined && found.remembered !== undefined ? found : (first ?? found);

/** Returns a new dataset, or that of a folder of the same name if `namesake` chooses to continue it. */
async function newOrNamesake(
  { dataset: { namesake, newDataset }, store, signal }: SettleInput,
  datasetId: string,
  listed: readonly string[],
): Promise<Found> {
  const name = nameOfDataset(datasetId);
  const others = listed.filter((id) => nameOfDataset(id) === name);
  const continued = others.length === 0 || newDataset === true ? undefined : await namesake?.(datasetId, others);
  if (continued === undefined)
    return { datasetId, highest: { datasetId, version: 0, etag: '' }, remembered: undefined };
  const highest = await highestVersion(store, continued, { signal });
  return { datasetId: continued, highest, remembered: undefined };
}

/**
 * Returns what is known of the latest version. If it is damaged, `asked` will do if it says all of its encryption; `asked` is undefined if
 * the encryption does not matter. @throws what reading the record throws
 */
async function latestOr(asked: Encryption | undefined, input: SettleInput, found: Found): Promise<Latest> {
  try {
    return await latestOf(input, found);
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'not-found', 'unsupported')) throw error;
    if (asked?.encryptManifest !== false) return { encryption: asked, totals: undefined, storageClass: undefined };
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

/** Reads the latest version's facts from its record or from what is remembered. */
async function latestOf(input: SettleInput, { highest, remembered }: Found): Promise<Latest> {
  const { store, signal, layout } = input;
  if (highest?.version === 0) return { encryption: NO_ENCRYPTION, totals: undefined, storageClass: undefined };
  const isKnown = remembered?.recordEtag !== undefined;
  const { totals, storageClass } = remembered ?? {};
  const asRemembered = { encryption: encryptionIn(remembered?.encryption), totals, storageClass };
  const isSame = isKnown && isSameEtag(remembered.recordEtag, highest?.etag);
  const isEnough = totals !== undefined && (layout.keepsClass !== true || storageClass !== undefined);
  if (isSame && isEnough) return asRemembered;
  const record = highest && (await recordIfAllowed(store, highest, signal));
  if (record !== undefined) return await latestIn(record, input);
  return isKnown ? asRemembered : { ...asRemembered, encryption: await sealedAs(input.remembered.cache, remembered) };
}

async function latestIn(record: VersionRecord, input: SettleInput): Promise<Latest> {
  const storageClass = input.layout.keepsClass === true ? await classInManifest(record, input) : undefined;
  return { encryption: encryptionIn(record.encryption), totals: record.totals, storageClass };
}

/** Tells the encryption by the remembered manifest; undefined if that is not encrypted, which proves nothing. */
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
