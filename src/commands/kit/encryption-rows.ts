// Describes the keys that chunks are encrypted with.
import type { ChunkEncryption, KeyedChunks } from '../../core/dataset/inventory/chunk-encryption.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { amountText } from './lines.js';

function keyText({ method, kmsKeyId }: KeyedChunks): string {
  if (method === null) return 'not encrypted by the store';
  if (!method.startsWith('aws:kms')) return `encrypted with a key of the store's own (${printable(method)})`;
  return `encrypted with ${kmsKeyId === null ? 'a key that the store does not name' : printable(kmsKeyId)} (SSE-KMS)`;
}

/** A line for each key, and lines for what is not known. */
export function encryptionTexts({ byKey, asked, of, missing, denied }: ChunkEncryption): readonly string[] {
  return [
    ...byKey.map((keyed) => `${amountText(keyed.chunks, 'chunk', keyed.bytes)}: ${keyText(keyed)}`),
    ...(missing === 0 ? [] : [`${formatQuantity(missing, 'chunk')}: not in the store`]),
    ...(denied === 0 ? [] : [`${formatQuantity(denied, 'chunk')}: not known, as these credentials may not look`]),
    ...(asked === of ? [] : [`of ${formatCount(asked)} of ${formatCount(of)} chunks; --every-chunk asks about all`]),
  ];
}

export const encryptionDocument = (found: ChunkEncryption) => ({
  byKey: found.byKey,
  chunksAsked: found.asked,
  missingChunks: found.missing,
  deniedChunks: found.denied,
});
