// Where content lies, as a number: the first six bytes of a digest of the key of its chunks, its offsets and sizes. A file of a later version
// whose content lies in the same place is the same content, read the same way; content that was copied elsewhere is not.
import { createHash } from 'node:crypto';
import { chunkKey } from '../../format/manifest/manifest-check.js';
import type { Entry, ManifestHead } from '../../format/manifest/manifest-types.js';

const BYTES = 6;

/** The place of an entry's content; undefined for one without. */
export function contentPlace(
  { type, size, chunk, offset, segments }: Entry,
  { uploadId, chunks }: Pick<ManifestHead, 'uploadId' | 'chunks'>,
): number | undefined {
  if ((type !== 'file' && type !== 'hardlink') || size === 0) return undefined;
  const pieces = segments ?? (chunk === undefined || offset === undefined ? [] : [{ chunk, offset, size }]);
  if (pieces.length === 0) return undefined;
  const digest = createHash('sha256');
  for (const piece of pieces) {
    const key = chunkKey(uploadId, chunks[piece.chunk]?.key ?? '');
    if (key === undefined) return undefined;
    digest.update(`${key}\n${piece.offset}\n${piece.size}\n`);
  }
  return digest.digest().readUIntBE(0, BYTES);
}

/** Places as a check has them: in base64, in ascending order. */
export function placesText(places: Iterable<number>): string {
  const sorted = Float64Array.from(places).sort();
  const bytes = Buffer.allocUnsafe(sorted.length * BYTES);
  sorted.forEach((place, index) => bytes.writeUIntBE(place, index * BYTES, BYTES));
  return bytes.toString('base64');
}

/** The places that a check names. */
export function placesIn(text: string | undefined): ReadonlySet<number> {
  const bytes = Buffer.from(text ?? '', 'base64');
  const places = new Set<number>();
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) places.add(bytes.readUIntBE(at, BYTES));
  return places;
}
