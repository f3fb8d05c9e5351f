// Puts lost or damaged segments back, byte for byte: every version that names one is whole again with it.
import { hash } from 'node:crypto';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { lockOfReplaced } from '../../dataset/replace-manifest.js';
import { integrityError, isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { keyOf, type SegmentCache } from '../../format/manifest/load-segments.js';
import type { ManifestHead, SegmentPlace } from '../../format/manifest/manifest-types.js';
import type { ObjectReader, ObjectStore } from '../../store/object-store.js';
import { putIfUnchanged } from '../../store/put-if-unchanged.js';
import { readAll } from '../../store/read-content.js';
import { splitUploadKey } from '../../store/ids/upload-id.js';
import type { FoundRecord } from './find-record.js';
import type { RepairPart } from './repair-result.js';

const SEGMENTS_AT_ONCE = 8;

export interface SegmentMendingOptions {
  readonly store: ObjectStore;
  readonly cache: ManifestCache | undefined;
  /** The version that is repaired. */
  readonly found: FoundRecord | undefined;
  /** Write; otherwise segments are only given to readers as if they were there. */
  readonly execute: boolean;
  readonly signal: AbortSignal;
}

type NamedSegments = Pick<ManifestHead, 'uploadId' | 'segments'>;

/** A segment that is not in its place. */
interface Misplaced {
  readonly place: SegmentPlace;
  readonly key: string;
  /** Of what lies there instead. */
  readonly etag: string | undefined;
}

/** Segments that were put back. As a cache it has those that would be. */
export class SegmentMending implements SegmentCache {
  readonly keys: string[] = [];
  readonly parts: RepairPart[] = [];
  private readonly given = new Map<string, () => Promise<Buffer | undefined>>();

  constructor(private readonly options: SegmentMendingOptions) {}

  async get(sha256: string): Promise<{ readonly bytes: Buffer } | undefined> {
    const bytes = await this.given.get(sha256)?.();
    return bytes && { bytes };
  }

  async put(): Promise<void> {
    // Whatever is read was in the store.
  }

  /** Puts segments back that are in the cache or elsewhere in their folder; returns those that are lost. @throws what the store throws */
  async mend(head: NamedSegments): Promise<readonly SegmentPlace[]> {
    const { store, signal } = this.options;
    const lost: SegmentPlace[] = [];
    for (const misplaced of await misplacedOf(store, head, this, signal))
      if (!(await this.fromCache(misplaced)) && !(await this.fromFolder(misplaced))) lost.push(misplaced.place);
    return lost;
  }

  /** Puts back a segment that was encoded again. @throws what the store throws */
  async take(head: NamedSegments, place: SegmentPlace, bytes: Buffer): Promise<void> {
    const key = keyOf(head.uploadId, place);
    const there = await this.options.store.head(key, this.options.signal);
    await this.give({ place, key, etag: there?.etag }, () => Promise.resolve(bytes), 'chunks');
  }

  private async fromCache(misplaced: Misplaced): Promise<boolean> {
    const { cache } = this.options;
    const { sha256 } = misplaced.place;
    if ((await cache?.get(sha256)) === undefined) return false;
    await this.give(misplaced, async () => (await cache?.get(sha256))?.bytes, 'cache');
    return true;
  }

  private async fromFolder(misplaced: Misplaced): Promise<boolean> {
    const { store, signal } = this.options;
    const { key, place } = misplaced;
    const folder = key.slice(0, key.lastIndexOf('/') + 1);
    const end = key.slice(key.lastIndexOf('-'));
    for await (const { objects } of store.list({ prefix: folder, signal })) {
      for (const { key: other, sizeBytes } of objects) {
        if (other === key || !other.endsWith(end) || sizeBytes !== place.size) continue;
        if ((await soundBytes(store, other, place, signal)).bytes === undefined) continue;
        await this.give(misplaced, async () => (await soundBytes(store, other, place, signal)).bytes, 'copy');
        return true;
      }
    }
    return false;
  }

  private async give(
    { place, key, etag }: Misplaced,
    bytes: () => Promise<Buffer | undefined>,
    from: RepairPart['from'],
  ): Promise<void> {
    const { execute } = this.options;
    this.given.set(place.sha256, bytes);
    this.keys.push(key);
    const { uploadId } = splitUploadKey(key) ?? {};
    if (uploadId !== undefined && !this.parts.some((part) => part.uploadId === uploadId && part.from === from))
      this.parts.push({ uploadId, from });
    if (execute) await this.write(key, etag, place, (await bytes()) ?? Buffer.alloc(0));
  }

  private async write(key: string, etag: string | undefined, { sha256 }: SegmentPlace, bytes: Buffer): Promise<void> {
    const { store, found, signal } = this.options;
    const { uploadId } = splitUploadKey(key) ?? {};
    const retention =
      found && uploadId && (await lockOfReplaced(store, { uploadId, records: [], lockedAs: found, signal }));
    const put = { contentType: 'application/gzip', sha256, retention, signal };
    await (etag === undefined
      ? store.put(key, bytes, { ...put, ifAbsent: true })
      : putIfUnchanged(store, key, bytes, { ...put, ifMatch: etag }));
    if ((await soundBytes(store, key, { sha256, size: bytes.length }, signal)).bytes === undefined)
      throw integrityError(`the store returned other bytes for ${key} than were written`);
  }
}

/** Segments that are missing or damaged in the store, in order; not those that `mending` has. @throws what the store throws */
async function misplacedOf(
  store: ObjectStore,
  { uploadId, segments = [] }: NamedSegments,
  mending: SegmentMending,
  signal: AbortSignal,
): Promise<readonly Misplaced[]> {
  const found = new Map<SegmentPlace, Misplaced>();
  await forEachLimit(segments, SEGMENTS_AT_ONCE, async (place) => {
    const key = keyOf(uploadId, place);
    const { bytes, etag } = await soundBytes(store, key, place, signal);
    if (bytes === undefined && (await mending.get(place.sha256)) === undefined) found.set(place, { place, key, etag });
  });
  return segments.flatMap((place) => found.get(place) ?? []);
}

/** The bytes of an object if they have this digest, and else the ETag of what there is. @throws what the store throws */
async function soundBytes(
  reader: ObjectReader,
  key: string,
  { size, sha256 }: Pick<SegmentPlace, 'size' | 'sha256'>,
  signal: AbortSignal,
): Promise<{ readonly bytes?: Buffer; readonly etag: string | undefined }> {
  const content = await reader.get(key, { signal }).catch(undefinedOn('not-found'));
  if (content === undefined) return { etag: undefined };
  const { etag } = content;
  try {
    const bytes = await readAll(content, size);
    return hash('sha256', bytes, 'hex') === sha256 ? { bytes, etag } : { etag };
  } catch (error) {
    if (!isArchiverError(error, 'integrity')) throw error;
    return { etag };
  }
}
