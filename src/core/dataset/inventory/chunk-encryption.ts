// Finds the keys that encrypt the chunks of an upload, by asking the store (HEAD). A manifest states the key that was asked for when it was
// written: chunks of older versions have other keys, and a bucket may have encrypted chunks that were sent without one.
import { undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';

/** Number of chunks to ask about unless all are asked for. */
const SAMPLE = 100;
const HEADS_AT_ONCE = 16;

/** Chunks that are encrypted with one key. */
export interface KeyedChunks {
  /** As the store names it: `aws:kms`, `AES256` (a key of the store's own); null when the store does not encrypt them. */
  readonly method: string | null;
  readonly kmsKeyId: string | null;
  readonly chunks: number;
  readonly bytes: number;
}

export interface ChunkEncryption {
  readonly byKey: readonly KeyedChunks[];
  /** Number of chunks that the store was asked about. */
  readonly asked: number;
  readonly of: number;
  /** Number of them that are not in the store. */
  readonly missing: number;
  /** Number of them that these credentials may not read. */
  readonly denied: number;
}

export interface ReadChunkEncryptionOptions {
  readonly head: Pick<ManifestHead, 'uploadId' | 'chunks'>;
  readonly isEvery: boolean;
  readonly signal: AbortSignal;
}

/** Asks the store about every chunk, or about a hundred that are spread over all. @throws what the store throws */
export async function readChunkEncryption(
  reader: ObjectReader,
  { head, isEvery, signal }: ReadChunkEncryptionOptions,
): Promise<ChunkEncryption> {
  const of = head.chunks.length;
  const asked = isEvery ? of : Math.min(of, SAMPLE);
  const found = new Map<string, KeyedChunks>();
  const unknown = { missing: 0, denied: 0 };
  const positions = Array.from({ length: asked }, (_, index) => Math.floor((index * of) / asked));
  await forEachLimit(positions, HEADS_AT_ONCE, async (position) => {
    const { key, size } = head.chunks[position] ?? { key: '', size: 0 };
    const info = await reader
      .head(chunkKey(head.uploadId, key) ?? key, signal)
      .then((answer) => answer ?? 'missing')
      .catch(undefinedOn('access-denied'));
    if (info === undefined || info === 'missing') unknown[info ?? 'denied']++;
    else count(info.encryption ?? { method: null, kmsKeyId: null }, size);
  });
  const byKey = [...found.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, keyed]) => keyed);
  return { byKey, asked, of, ...unknown };

  function count({ method, kmsKeyId }: Pick<KeyedChunks, 'method' | 'kmsKeyId'>, size: number): void {
    const name = `${method ?? ''} ${kmsKeyId ?? ''}`;
    const { chunks, bytes } = found.get(name) ?? { chunks: 0, bytes: 0 };
    found.set(name, { method, kmsKeyId, chunks: chunks + 1, bytes: bytes + size });
  }
}
