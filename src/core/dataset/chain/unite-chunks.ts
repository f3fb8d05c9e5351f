// The chunks of several levels as one list, each object once.
import { integrityError } from '../../platform/failures/errors.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { Level } from './merged-view.js';

export interface UnitedChunks {
  /** Keys relative to the upload that was asked for; chunks of the oldest level come first, in their order. */
  readonly chunks: readonly ChunkRecord[];
  /** For each level: where in `chunks` each of its chunks is. */
  readonly positions: readonly Uint32Array[];
}

/** Unites the chunks of levels, newest first. @throws integrity when an object is described in two ways */
export function uniteChunks(levels: readonly Pick<Level, 'uploadId' | 'chunks'>[], uploadId: UploadId): UnitedChunks {
  const united = new United(uploadId);
  // Oldest first: the positions of the level with the most entries stay as they are.
  const positions = levels
    .toReversed()
    .map((level, index) => Uint32Array.from(level.chunks, (record) => united.add(level, record, index)))
    .toReversed();
  return { chunks: united.chunks, positions };
}

interface Known {
  readonly position: number;
  readonly uploadId: UploadId;
}

class United {
  readonly chunks: ChunkRecord[] = [];
  private readonly known = new Map<string, Known>();

  constructor(private readonly uploadId: UploadId) {}

  /** The position of the chunk in the list. */
  add({ uploadId }: Pick<Level, 'uploadId'>, record: ChunkRecord, level: number): number {
    const key = chunkKey(uploadId, record.key);
    // A key that leads out of `uploads/` is left as it is: reading such a chunk is refused.
    const name = key ?? `${level} ${record.key}`;
    const moved = key === undefined ? record.key : relativeChunkKey(this.uploadId, key);
    const found = this.known.get(name);
    if (found === undefined) {
      this.known.set(name, { position: this.chunks.length, uploadId });
      return this.chunks.push(moved === record.key ? record : { ...record, key: moved }) - 1;
    }
    const before = this.chunks[found.position];
    if (before?.size !== record.size || before.sha256 !== record.sha256) {
      throw integrityError(
        `the manifests of ${printable(found.uploadId)} and ${printable(uploadId)} describe ${printable(name)} differently`,
      );
    }
    return found.position;
  }
}
