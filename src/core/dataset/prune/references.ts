// Which chunks a manifest refers to, as keys below the base. Every manifest is fetched anew and compared with what its
// record says; one that cannot be understood stops the prune.
import { ArchiverError, type ErrorCode, integrityError, isArchiverError } from '../../errors.js';
import { chunkKey } from '../../manifest/manifest-check.js';
import type { LoadedManifest } from '../../manifest/loaded-manifest.js';
import type { ChunkRecord, VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../raw-path.js';
import { loadExpected } from '../load-chain.js';
import { digestsOf } from '../version-view.js';
import { refusal } from './base-state.js';

/** A manifest of a million entries takes 42 MB while its head is read. */
export const MANIFESTS_AT_ONCE = 8;

/** Failures that say something of the manifest, and not of the way to it. */
const TELLING: ReadonlySet<ErrorCode> = new Set(['not-found', 'integrity', 'unsupported', 'access-denied']);

export interface ReferredChunk {
  readonly key: string;
  readonly sizeBytes: number;
}

/** Where the chunks of a manifest lie. @throws integrity for one outside of `uploads/` */
export function referredChunks(uploadId: string, chunks: readonly ChunkRecord[]): readonly ReferredChunk[] {
  return chunks.map((chunk) => {
    const key = chunkKey(uploadId, chunk.key);
    if (key !== undefined) return { key, sizeBytes: chunk.size };
    throw integrityError(
      `the manifest of ${uploadId} refers to '${printable(chunk.key)}', which is no place for a chunk`,
    );
  });
}

/** The manifest of a version that stays. @throws integrity, unsupported, access-denied; and what the store throws */
export async function manifestOfVersion(
  reader: ObjectReader,
  record: VersionRecord,
  signal: AbortSignal,
): Promise<LoadedManifest> {
  try {
    return await loadExpected(reader, record.uploadId, digestsOf(record), { signal });
  } catch (error) {
    if (!isArchiverError(error) || !TELLING.has(error.code)) throw error;
    const about = `version ${record.version} of dataset ${printable(record.datasetId)}`;
    const code = error.code === 'not-found' ? 'integrity' : error.code;
    const message = `${about} cannot be read: ${error.message}`;
    throw refusal(reader, new ArchiverError(code, message, { cause: error, hint: error.hint }));
  }
}

/** The manifest of an upload without a record, or why it cannot be read. @throws what the store throws, unsupported */
export async function manifestOfUpload(
  reader: ObjectReader,
  uploadId: string,
  signal: AbortSignal,
): Promise<LoadedManifest | { readonly problem: string }> {
  try {
    return await loadExpected(reader, uploadId, [], { signal });
  } catch (error) {
    if (isArchiverError(error, 'unsupported')) throw refusal(reader, error);
    if (isArchiverError(error, 'integrity') || isArchiverError(error, 'not-found')) return { problem: error.message };
    throw error;
  }
}
