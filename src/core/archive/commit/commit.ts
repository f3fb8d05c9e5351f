// How an upload comes true: chunks (already sent) → LIST of the own folder → manifest → version record. Each object that
// must not overwrite another is one PutObject with If-None-Match; a 412 is first asked whether it is our own answer
// that got lost. Nothing here reports success before the record is acknowledged.
import { createHash } from 'node:crypto';
import { encodeVersionRecord, highestVersion, versionKey } from '../../dataset/version-record.js';
import { ArchiverError, integrityError, isArchiverError } from '../../errors.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import type { ChunkRecord, VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectStore, PutOptions } from '../../object-store/object-store.js';
import { readAll } from '../../object-store/read-content.js';
import { isUncertainConflict } from '../../object-store/store-error.js';

const MAX_ORDINAL_TRIES = 10_000;

export interface PutOnceOptions extends PutOptions {
  /** Nobody else writes this key: it lies under our own upload id or writer prefix. */
  readonly exclusive: boolean;
}

/** Writes `body` under a key that must not exist yet, and takes the object there as its own when it is. @throws conflict */
export async function putOnce(
  store: ObjectStore,
  key: string,
  body: Uint8Array,
  { exclusive, ...options }: PutOnceOptions,
): Promise<void> {
  const sha256 = options.sha256 ?? digestOf('sha256', body);
  try {
    await store.put(key, body, { ...options, sha256, ifAbsent: true });
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    const isAlone = exclusive && isUncertainConflict(error);
    if (!(await isOurs({ store, key, body, sha256, isAlone, signal: options.signal }))) throw error;
  }
}

interface Doubt {
  readonly store: ObjectStore;
  readonly key: string;
  readonly body: Uint8Array;
  readonly sha256: string;
  /** The request was repeated and nobody else writes this key: what is there can only be ours. */
  readonly isAlone: boolean;
  readonly signal: AbortSignal | undefined;
}

// GET and compare the digest; where this writer may not read, size and ETag by LIST (the ETag of a plain PUT is its MD5;
// records of rivals have the same size more often than not); where it may not list either, only `isAlone` is left.
async function isOurs({ store, key, body, sha256, isAlone, signal }: Doubt): Promise<boolean> {
  const options = signal === undefined ? {} : { signal };
  try {
    const content = await store.get(key, options);
    if (content.totalBytes !== body.length) {
      content.body.destroy();
      return false;
    }
    return digestOf('sha256', await readAll(content, body.length)) === sha256;
  } catch (error) {
    if (isArchiverError(error, 'not-found')) return false;
    if (!isArchiverError(error, 'access-denied')) throw error;
  }
  try {
    for await (const page of store.list({ prefix: key, ...options })) {
      const found = page.objects.find((object) => object.key === key);
      if (found !== undefined)
        return found.sizeBytes === body.length && (isAlone || found.etag === digestOf('md5', body));
    }
    return false;
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return isAlone;
  }
}

const digestOf = (algorithm: 'md5' | 'sha256', bytes: Uint8Array): string =>
  createHash(algorithm).update(bytes).digest('hex');

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

export interface VersionInput extends Omit<VersionRecord, 'digest' | 'version' | 'previous'> {}

/**
 * Writes the record at the next free ordinal and returns the ordinal. A rival that took one first only costs another
 * try: a full listing does not depend on its predecessor.
 */
export async function commitVersion(
  store: ObjectStore,
  input: VersionInput,
  highest: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  let previous = highest ?? 0;
  for (let tries = 0; tries < MAX_ORDINAL_TRIES; tries++) {
    const version = previous + 1;
    if (await claimVersion(store, input, version, signal)) return version;
    previous = Math.max(version, (await highestVersion(store, input.datasetId, signal)) ?? 0);
  }
  throw new ArchiverError(
    'conflict',
    `no free version of dataset ${input.datasetId} found in ${MAX_ORDINAL_TRIES} tries`,
    {
      hint: 'check what writes to this dataset: archiver never makes so many versions at once',
    },
  );
}

/** Writes the record at exactly this ordinal; false when a rival has it. */
export async function claimVersion(
  store: ObjectStore,
  input: VersionInput,
  version: number,
  signal: AbortSignal,
): Promise<boolean> {
  const record = orderedRecord(input, version, version === 1 ? null : version - 1);
  const exclusive = input.writerId !== undefined;
  try {
    const body = encodeVersionRecord(record);
    const key = versionKey(input.datasetId, version);
    await putOnce(store, key, body, { contentType: 'application/json', exclusive, signal });
    return true;
  } catch (error) {
    if (isArchiverError(error, 'conflict')) return false;
    throw error;
  }
}

// The digest covers the keys in this order.
function orderedRecord(input: VersionInput, version: number, previous: number | null): Omit<VersionRecord, 'digest'> {
  const { format, type, datasetId, uploadId, manifestKey, manifestSha256, createdAt, listing, source, totals } = input;
  const identity = { format, type, datasetId, version, uploadId, manifestKey, manifestSha256, createdAt, listing };
  const writer = input.writerId === undefined ? {} : { writerId: input.writerId };
  const encryption = input.encryption === undefined ? {} : { encryption: input.encryption };
  return { ...identity, previous, source, totals, ...writer, ...encryption };
}

/** Writes the manifest: from here on the upload can be read. */
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
}
