// A manifest as it is stored.
import { createHash } from 'node:crypto';
import type { OpenedBytes } from '../encryption/unseal-bytes.js';
import type { SegmentPlace } from './manifest-types.js';
import type { EncodedSegment } from './segment-texts.js';

export interface EncodedManifest {
  /** Gzipped, and possibly sealed: as it is stored. */
  readonly bytes: Buffer;
  /** Hex SHA-256 of `bytes`. */
  readonly sha256: string;
  /** For a sealed manifest, its content before sealing, and the key. */
  readonly opened?: OpenedBytes;
  /** Of a listing in segments: those that it names, in order, and of them those that are to be put before it. */
  readonly segments?: { readonly places: readonly SegmentPlace[]; readonly own: readonly EncodedSegment[] };
}

/** A manifest with its digest. */
export const encodedManifest = (bytes: Buffer): EncodedManifest => ({
  bytes,
  sha256: createHash('sha256').update(bytes).digest('hex'),
});
