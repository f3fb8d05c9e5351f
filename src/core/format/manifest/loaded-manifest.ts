// A manifest that was read whole, so that its digest is known before its entries are parsed: a link of a chain. The gzipped bytes are kept,
// a tenth of the text, and parsed again each time that the entries are wanted.
import { Readable } from 'node:stream';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { isSealed } from '../encryption/envelope.js';
import { manifestUnsealing } from '../encryption/open-data-key.js';
import { type OpenedBytes, unsealBytes } from '../encryption/unseal-bytes.js';
import type { ObjectReader } from '../../store/object-store.js';
import { readAll } from '../../store/read-content.js';
import { inflateManifest } from './inflate-manifest.js';
import type { ParsedHead } from './manifest-head-parse.js';
import { ManifestParser, type Line, type ManifestParserOptions } from './manifest-parser.js';
import { manifestIndexOf } from './manifest-index.js';
import type { PreviousManifest } from './manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';
import { openManifest } from './open-manifest.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';

/** Twenty million entries have about this size. */
export const MAX_LOADED_BYTES = 1024 * 1024 * 1024;

export interface LoadedManifest extends ParsedHead {
  readonly uploadId: UploadId;
  /** Key relative to the base. */
  readonly key: string;
  /** Digest of the stored bytes. */
  readonly sha256: string;
  /** Gzipped bytes, decrypted if the stored ones are encrypted. */
  readonly bytes: Buffer;
  /** The KMS key that it is encrypted with in the store. */
  readonly sealedBy?: string;
  /** Set when entries that nobody asked for are left out: its totals say more than it has. */
  readonly isPart?: true;
  /** Of a part, the first path of each block of the whole, in order. */
  readonly borders?: readonly RawPath[];
}

/** How a delta names the manifest that it builds on. */
export const namedManifest = (uploadId: UploadId, loaded: LoadedManifest | undefined): PreviousManifest => ({
  uploadId,
  sha256: loaded?.sha256 ?? '',
  ...defined({
    index: loaded === undefined || loaded.sealedBy !== undefined ? undefined : manifestIndexOf(loaded.bytes),
  }),
});

/** Fetches the manifest of an upload as it is stored. @throws not-found, access-denied, integrity when it is too large */
export async function fetchManifest(reader: ObjectReader, uploadId: UploadId, signal?: AbortSignal): Promise<Buffer> {
  const key = manifestKeyOf(uploadId);
  const content = await openManifest(reader, key, { signal });
  try {
    return await readAll(content, MAX_LOADED_BYTES);
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    throw integrityError(`the manifest ${key}: ${error.message}`, { cause: error });
  }
}

/** Decrypts a stored manifest if it is encrypted. @throws access-denied, integrity, unsupported */
export async function openStored(
  reader: ObjectReader,
  uploadId: UploadId,
  stored: Buffer,
  signal?: AbortSignal,
): Promise<OpenedBytes> {
  const what = `the manifest ${manifestKeyOf(uploadId)}`;
  return await unsealBytes(stored, manifestUnsealing(reader, uploadId, what, signal));
}

/** Makes a link from an opened manifest; `sha256` is the digest of the stored bytes. @throws integrity, unsupported */
export async function loadOpened(
  uploadId: UploadId,
  { bytes, sealedBy }: OpenedBytes,
  sha256: string,
): Promise<LoadedManifest> {
  const key = manifestKeyOf(uploadId);
  if (isSealed(bytes))
    throw new ArchiverError('unsupported', `the manifest ${key} is encrypted, and is not decrypted for this`);
  const parts = { uploadId, key, sha256, bytes, ...(sealedBy === undefined ? {} : { sealedBy }) };
  const parser = new ManifestParser({ key, uploadId, onLine: () => undefined });
  parser.skipEntries();
  for await (const piece of inflateManifest(Readable.from([bytes]), { what: `the manifest ${key}` })) {
    parser.push(piece);
    if (parser.head !== undefined) return { ...parser.head, ...parts };
  }
  return { ...parser.finish(), ...parts };
}

export type ReadLoadedOptions = Pick<ManifestParserOptions, 'needles' | 'withoutNames'>;

/** Lines of the manifest in the order of the file, in batches. @throws integrity */
export async function* readLoaded(
  loaded: LoadedManifest,
  options: ReadLoadedOptions = {},
): AsyncGenerator<readonly Line[]> {
  const { key, uploadId, bytes, isPart } = loaded;
  let batch: Line[] = [];
  const parser = new ManifestParser({
    ...options,
    key,
    uploadId,
    isPart,
    head: loaded,
    onLine: (line) => batch.push(line),
  });
  for await (const piece of inflateManifest(Readable.from([bytes]), { what: `the manifest ${key}` })) {
    parser.push(piece);
    if (batch.length === 0) continue;
    yield batch;
    batch = [];
  }
  parser.finish();
}
