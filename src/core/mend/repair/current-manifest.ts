// Reads the state of the stored manifest: missing, damaged (perhaps with a head that can still be read), or sound. Only the manifest itself
// is examined, not the chunks that it names.
import { hash } from 'node:crypto';
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import { isSealed } from '../../format/encryption/envelope.js';
import { SweptUpload } from '../../format/manifest/fence.js';
import {
  fetchManifest,
  loadAlone,
  openStored,
  readLoaded,
  type LoadedManifest,
  withSegments,
} from '../../format/manifest/loaded-manifest.js';
import type { SegmentCache } from '../../format/manifest/load-segments.js';
import { LOCATOR_BYTES, locatorOf } from '../../format/manifest/manifest-index.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { ManifestChecker } from '../verify/manifest-checker.js';
import { Problems } from '../verify/problem.js';

export type CurrentManifest =
  | {
      readonly state: 'missing';
      /** Set when a fence lies in its place. */
      readonly swept?: SweptUpload;
    }
  | {
      readonly state: 'damaged' | 'sound';
      /** The bytes as stored. */
      readonly bytes: Buffer;
      readonly sha256: string;
      /** The head; of a damaged manifest only when it can be read, and without the chunks of segments that cannot be. */
      readonly head: ManifestHead | undefined;
      /** Set together with `head`. */
      readonly loaded: LoadedManifest | undefined;
      /** Set when it is encrypted; has the key when it could be opened. */
      readonly sealed: { readonly kmsKeyId: string | undefined } | undefined;
      /** Describes the damage; empty when the manifest is sound. */
      readonly reason: string;
    };

/** Reads the manifest; segments of `mending` count as there. @throws unsupported for a newer format, and errors of the store and its key service */
export async function readCurrentManifest(
  reader: ObjectReader,
  uploadId: UploadId,
  signal: AbortSignal,
  mending?: SegmentCache,
): Promise<CurrentManifest> {
  const bytes = await fetchManifest(reader, uploadId, signal).catch((error: unknown) => {
    if (!isArchiverError(error, 'not-found')) throw error;
    return error;
  });
  if (bytes instanceof SweptUpload) return { state: 'missing', swept: bytes };
  if (bytes instanceof ArchiverError) return { state: 'missing' };
  const stored = { bytes, sha256: hash('sha256', bytes, 'hex') };
  let loaded: LoadedManifest | undefined;
  const found = (state: 'damaged' | 'sound', reason: string): CurrentManifest => {
    const sealed = isSealed(bytes) ? { kmsKeyId: loaded?.sealedBy } : undefined;
    return { state, ...stored, head: loaded?.head, loaded, sealed, reason };
  };
  try {
    // An error of the key service is thrown: it says nothing about the manifest.
    const opened = await openStored(reader, uploadId, bytes, signal);
    loaded = await loadAlone(uploadId, opened, stored.sha256);
    loaded = await withSegments(loaded, { reader, cache: mending, signal });
    const reason = await problemOf(loaded);
    return found(reason === '' ? 'sound' : 'damaged', reason);
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    loaded ??= await withSoundHead(uploadId, stored);
    return found('damaged', errorText(error));
  }
}

/** The manifest if its head lies by itself and can be read: an early error in what follows keeps a reader of all of it from the head. */
async function withSoundHead(
  uploadId: UploadId,
  { bytes, sha256 }: { readonly bytes: Buffer; readonly sha256: string },
): Promise<LoadedManifest | undefined> {
  const { head } = locatorOf(bytes) ?? {};
  if (head === undefined) return undefined;
  try {
    const alone = { bytes: bytes.subarray(LOCATOR_BYTES, LOCATOR_BYTES + head) };
    return { ...(await loadAlone(uploadId, alone, sha256)), bytes };
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    return undefined; // the head is damaged, too
  }
}

/** Returns the first inconsistency in the manifest; empty when there is none. @throws integrity, unsupported */
async function problemOf(loaded: LoadedManifest): Promise<string> {
  const errors = new Problems();
  const checker = new ManifestChecker(loaded.head, errors, new Problems());
  for await (const batch of readLoaded(loaded)) {
    for (const line of batch) {
      if ('foreignType' in line) {
        throw new ArchiverError('unsupported', `${displayPath(line.path)} in ${loaded.key} is of an unknown type`, {
          hint: 'update archiver',
        });
      }
      if (line.type === 'deleted') checker.tombstone(line);
      else checker.entry(line);
    }
  }
  checker.finish();
  return errors.list[0]?.message ?? '';
}
