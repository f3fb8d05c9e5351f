// Compares a manifest with the archive before it is stored, so that a listing which is not that of the archive never becomes a version.
import { Readable } from 'node:stream';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { readView } from '../../dataset/chain/read-view.js';
import { manifestKeyOf, uploadFolder, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import { type ComparisonOptions, ManifestComparison } from './compare-manifest.js';

/** A store that holds this manifest with its segments, and nothing else. */
export function readerOf({ bytes, opened, segments }: EncodedManifest, uploadId: UploadId): ObjectReader {
  const objects = new Map([
    [manifestKeyOf(uploadId), opened?.bytes ?? bytes],
    ...(segments?.own ?? []).map(({ place, bytes: its }) => [uploadFolder(uploadId) + place.key, its] as const),
  ]);
  const refuse = (key: string): never => {
    throw new ArchiverError('not-found', `${key} is no part of the manifest`);
  };
  return {
    url: 'a manifest that is not stored yet',
    get: async (key, { range } = {}) => {
      const whole = objects.get(key) ?? refuse(key);
      const start =
        range === undefined ? 0 : 'suffix' in range ? Math.max(0, whole.length - range.suffix) : range.start;
      const part = whole.subarray(start, range === undefined || 'suffix' in range ? undefined : range.end);
      const sizes = { sizeBytes: part.length, totalBytes: whole.length, start };
      return await Promise.resolve({ ...sizes, etag: '', body: Readable.from(part.length === 0 ? [] : [part]) });
    },
    head: () => refuse('head'),
    list: () => refuse('list'),
  };
}

export interface Compared extends ComparisonOptions {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  readonly signal: AbortSignal;
}

/** Returns how the listing of an upload differs from the archive; undefined if it does not. @throws what reading throws */
export async function differences({ reader, uploadId, signal, ...options }: Compared): Promise<string | undefined> {
  const comparison = new ManifestComparison(options);
  await readView(reader, { uploadId, onEntry: (entry) => comparison.entry(entry), signal });
  return comparison.finish();
}
