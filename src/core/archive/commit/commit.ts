// How an upload becomes a version: chunks (already sent, and looked at) → manifest, looked at → version record, looked at. Each object that
// must not overwrite another is one PutObject with If-None-Match. Nothing here reports success before a listing has shown what the store
// acknowledged, as far as this writer may list.
import {
  comparePlaces,
  encodeVersionRecord,
  ordinalsFrom,
  placeIn,
  recordKey,
  type RecordPlace,
} from '../../dataset/records/version-record.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { flagsFrom, isFenceFlag } from '../../format/manifest/fence-flag.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { NO_REQUIREMENTS } from '../../format/manifest/requirements.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ListOptions, ObjectInfo, ObjectStore, Retention } from '../../store/object-store.js';
import { defined } from '../../platform/defined.js';
import { putOnce } from '../transfer/put-once.js';

interface Stored {
  /** List to the end: other objects may come after it. */
  readonly isToEnd?: boolean;
  readonly key: string;
  readonly sizeBytes: number;
  /** A clause that says what it means if the object is not there. */
  readonly state: string;
  /** Range to list; by default the object alone. */
  readonly where?: Pick<ListOptions, 'prefix' | 'startAfter'>;
}

/**
 * Looks up an object that the store has just acknowledged. Returns it and those that are listed before it; undefined for a writer without
 * permission to list. @throws integrity when it is not there, or of another size
 */
async function confirmStored(
  store: ObjectStore,
  { key, sizeBytes, state, where = { prefix: key }, isToEnd = false }: Stored,
  signal: AbortSignal,
): Promise<{ readonly found: ObjectInfo; readonly others: ReadonlyMap<string, ObjectInfo> } | undefined> {
  const others = await ifAllowed(store, 'list', key, async () => {
    const seen = new Map<string, ObjectInfo>();
    for await (const page of store.list({ ...where, signal })) {
      for (const object of page.objects) {
        seen.set(object.key, object);
        if (object.key === key && !isToEnd) return seen;
      }
    }
    return seen;
  });
  if (others === undefined) return undefined;
  const found = others.get(key);
  if (found?.sizeBytes === sizeBytes) return { found, others };
  const what = found === undefined ? 'it is not there' : `it has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
  throw integrityError(`the store acknowledged ${key} and ${what}: ${state}`, { hint: 'run the same command again' });
}

/** How objects are put: Object Lock, and cancellation. */
interface Writing {
  readonly retention?: Retention | undefined;
  readonly signal: AbortSignal;
}

export interface VersionInput extends Omit<VersionRecord, 'digest' | 'version' | 'previous'> {}

/** A record as the store shows it, and those around it; nothing for a writer without permission to list. */
export interface ShownRecord {
  readonly etag?: string;
  /** The records around it, by key. */
  readonly others?: ReadonlyMap<string, ObjectInfo>;
  /** Places with its ordinal, its own among them, in order; only for stores that cannot create a key only once. */
  readonly sharing?: readonly RecordPlace[];
}

/**
 * Writes the record at exactly this ordinal and returns what the store shows of it; `taken` when a rival has it. On a plain store a rival
 * may come between the check and the write, and then both have it.
 */
export async function claimVersion(
  store: ObjectStore,
  input: VersionInput,
  version: number,
  { retention, signal }: Writing,
): Promise<ShownRecord | 'taken'> {
  const { datasetId } = input;
  const isPlain = store.plain !== undefined;
  if (isPlain && (await placesFrom(store, datasetId, version, signal)).length > 0) return 'taken';
  const body = encodeVersionRecord(orderedRecord(input, version, version === 1 ? null : version - 1));
  const key = recordKey({ datasetId, version, ...(isPlain ? { uploadId: input.uploadId } : {}) });
  try {
    await putOnce(store, key, body, { contentType: 'application/json', exclusive: false, retention, signal });
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return 'taken';
    throw error;
  }
  const state = `version ${version} of dataset ${datasetId} was not made`;
  const where = ordinalsFrom(datasetId, version - 1);
  const shown = await confirmStored(store, { key, sizeBytes: body.length, state, where, isToEnd: isPlain }, signal);
  if (shown === undefined) return {};
  const { found, others } = shown;
  if (!isPlain) return { etag: found.etag, others };
  const sharing = placesIn(datasetId, others.keys()).filter((place) => place.version === version);
  return { etag: found.etag, others, sharing };
}

/** Returns the places of those keys that are records of the dataset, in order. */
function placesIn(datasetId: string, keys: Iterable<string>): readonly RecordPlace[] {
  const folder = `datasets/${datasetId}/`;
  return Array.from(keys, (key) => placeIn(datasetId, key.slice(folder.length)) ?? [])
    .flat()
    .toSorted(comparePlaces);
}

/** Lists the records with this ordinal or a higher one, retired ones among them. */
async function placesFrom(
  store: ObjectStore,
  datasetId: string,
  version: number,
  signal: AbortSignal,
): Promise<readonly RecordPlace[]> {
  const keys: string[] = [];
  for await (const page of store.list({ ...ordinalsFrom(datasetId, version), signal }))
    keys.push(...page.objects.map(({ key }) => key));
  return placesIn(datasetId, keys).filter((place) => place.version >= version);
}

/** A record with its keys in their order, which the digest covers. */
export function orderedRecord(
  input: VersionInput,
  version: number,
  previous: number | null,
): Omit<VersionRecord, 'digest'> {
  const { format, type, datasetId, uploadId, manifestKey, manifestSha256, createdAt, listing, source, totals } = input;
  const known = { format, type, requires: NO_REQUIREMENTS, datasetId, version };
  const index = defined({ manifestIndex: input.manifestIndex });
  const identity = { ...known, uploadId, manifestKey, manifestSha256, ...index, createdAt, listing };
  const { writerId, uploader, encryption, commit, objectLock } = input;
  return { ...identity, previous, source, totals, ...defined({ writerId, uploader, encryption, commit, objectLock }) };
}

/**
 * Writes the manifest: from here on the upload can be read. Returns it as the store shows it; undefined for a writer without permission to
 * list. @throws conflict when something else lies there, or a sweep has flagged the folder; integrity when the store does not show it
 */
export async function commitManifest(
  store: ObjectStore,
  uploadId: UploadId,
  manifest: EncodedManifest,
  { retention, signal }: Writing,
): Promise<ObjectInfo | undefined> {
  const key = manifestKeyOf(uploadId);
  await putOnce(store, key, manifest.bytes, { ...describing(manifest), exclusive: false, retention, signal });
  const where = store.plain === undefined ? { prefix: key } : flagsFrom(uploadId);
  const stored = { key, sizeBytes: manifest.bytes.length, state: 'no version was made', where };
  const shown = await confirmStored(store, stored, signal);
  const flag = [...(shown?.others.keys() ?? [])].find(isFenceFlag);
  if (flag === undefined) return shown?.found;
  throw new ArchiverError('conflict', `${flag} says that the folder is being swept`);
}

/** Writes the copy of a manifest under a key that nothing else is ever put under. @throws what the store throws */
export async function putCopy(
  store: ObjectStore,
  key: string,
  manifest: EncodedManifest,
  writing: Writing,
): Promise<void> {
  // Uses If-None-Match like all writes but a heartbeat: a bucket may accept no others.
  await putOnce(store, key, manifest.bytes, { ...describing(manifest), ...writing, exclusive: true });
}

const describing = ({
  opened,
  sha256,
}: EncodedManifest): { readonly contentType: string; readonly sha256: string } => ({
  contentType: opened === undefined ? 'application/gzip' : 'application/octet-stream',
  sha256,
});
