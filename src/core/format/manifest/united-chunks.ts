// The chunks that several documents list, as one list, each object once.
import { integrityError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { chunkKey, relativeChunkKey } from './manifest-check.js';
import type { ChunkRecord } from './manifest-types.js';

export class UnitedChunks {
  /** Keys are relative to the folder of the upload. */
  readonly list: ChunkRecord[] = [];
  private readonly known = new Map<string, { readonly position: number; readonly document: string }>();

  constructor(private readonly uploadId: UploadId) {}

  /**
   * Adds a chunk that `document` lists, with a key relative to the folder of `uploadId`, and returns its position in the list.
   * @throws integrity when two documents describe an object differently
   */
  add(uploadId: UploadId, record: ChunkRecord, document: string): number {
    const key = chunkKey(uploadId, record.key);
    // A key that leads out of `uploads/` is left unchanged: reading such a chunk is refused.
    const name = key ?? `${document} ${record.key}`;
    const moved = key === undefined ? record.key : relativeChunkKey(this.uploadId, key);
    const found = this.known.get(name);
    if (found === undefined) {
      this.known.set(name, { position: this.list.length, document });
      return this.list.push(moved === record.key ? record : { ...record, key: moved }) - 1;
    }
    const before = this.list[found.position];
    if (before?.size !== record.size || before.sha256 !== record.sha256)
      throw integrityError(
        `${printable(found.document)} and ${printable(document)} describe ${printable(name)} differently`,
      );
    return found.position;
  }
}
