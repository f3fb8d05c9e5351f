// How an upload becomes a version: chunks (already sent) → LIST of the own folder → manifest, looked at → version record,
// looked at. Each object that must not overwrite another is one PutObject with If-None-Match. Nothing here reports success
// before the store has shown what it acknowledged, as far as this writer may look.
import { encodeVersionRecord, versionKey } from '../../dataset/version-record.js';
import { integrityError, isArchiverError } from '../../errors.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import type { ChunkRecord, VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectInfo, ObjectStore } from '../../object-store/object-store.js';
import { putOnce } from './put-once.js';

/**
 * Every chunk is in the store with its size: catches a PUT that was acknowledged and lost.
 * Returns false when this writer may not list. @throws integrity naming the chunks that are missing or short
 */
export async function confirmChunks(
  store: ObjectStore,
  folder: string,
  chunks: readonly ChunkRecord[],
  signal: AbortSignal,
): Promise<boolean> {
  const sizes = new Map<string, number>();
  try {
    for await (const page of store.list({ prefix: `${folder}/`, signal })) {
      for (const object of page.objects) sizes.set(object.key, object.sizeBytes);
    }
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return false;
    throw error;
  }
  const wrong = chunks.filter((chunk) => sizes.get(`${folder}/${chunk.key}`) !== chunk.size);
  const [first] = wrong;
  if (first !== undefined) {
    const found = sizes.get(`${folder}/${first.key}`);
    const what = found === undefined ? 'is not there' : `has ${found} bytes instead of ${first.size}`;
    throw integrityError(
      `the store acknowledged ${folder}/${first.key} but it ${what} (${wrong.length} of ${chunks.length} chunks affected)`,
      { hint: 'nothing was committed; run the upload again' },
    );
  }
  return true;
}

/**
 * What the store shows of an object that it has just acknowledged; undefined when this writer may not list.
 * @throws integrity when it is not there, or of another size; `state` says what that means
 */
export async function confirmStored(
  store: ObjectStore,
  { key, sizeBytes, state }: { readonly key: string; readonly sizeBytes: number; readonly state: string },
  signal: AbortSignal,
): Promise<ObjectInfo | undefined> {
  let found: ObjectInfo | undefined;
  try {
    for await (const page of store.list({ prefix: key, signal }))
      found ??= page.objects.find((object) => object.key === key);
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return undefined;
    throw error;
  }
  if (found?.sizeBytes === sizeBytes) return found;
  const what = found === undefined ? 'it is not there' : `it has ${found.sizeBytes} bytes instead of ${sizeBytes}`;
  throw integrityError(`the store acknowledged ${key} and ${what}: ${state}`, { hint: 'run the same command again' });
}

export interface VersionInput extends Omit<VersionRecord, 'digest' | 'version' | 'previous'> {}

/** Writes the record at exactly this ordinal and returns what the store shows of it; `taken` when a rival has it. */
export async function claimVersion(
  store: ObjectStore,
  input: VersionInput,
  version: number,
  signal: AbortSignal,
): Promise<ObjectInfo | undefined | 'taken'> {
  const body = encodeVersionRecord(orderedRecord(input, version, version === 1 ? null : version - 1));
  const key = versionKey(input.datasetId, version);
  try {
    await putOnce(store, key, body, { contentType: 'application/json', exclusive: false, signal });
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return 'taken';
    throw error;
  }
  const state = `version ${version} of dataset ${input.datasetId} was not made`;
  return await confirmStored(store, { key, sizeBytes: body.length, state }, signal);
}

// The digest covers the keys in this order.
function orderedRecord(input: VersionInput, version: number, previous: number | null): Omit<VersionRecord, 'digest'> {
  const { format, type, datasetId, uploadId, manifestKey, manifestSha256, createdAt, listing, source, totals } = input;
  const identity = { format, type, datasetId, version, uploadId, manifestKey, manifestSha256, createdAt, listing };
  const writer = input.writerId === undefined ? {} : { writerId: input.writerId };
  const encryption = input.encryption === undefined ? {} : { encryption: input.encryption };
  return { ...identity, previous, source, totals, ...writer, ...encryption };
}

/** Writes the manifest: from here on the upload can be read. @throws integrity when the store does not show it */
export async function commitManifest(
  store: ObjectStore,
  key: string,
  manifest: EncodedManifest,
  signal: AbortSignal,
): Promise<void> {
  await putOnce(store, key, manifest.bytes, {
    contentType: manifest.opened === undefined ? 'application/gzip' : 'application/octet-stream',
    sha256: manifest.sha256,
    exclusive: true,
    signal,
  });
  await confirmStored(store, { key, sizeBytes: manifest.bytes.length, state: 'no version was made' }, signal);
}
