// Puts what an upload sends into another store as well, while it is in memory. It saves reading it back and is relied on for nothing: the copy
// that makes the version there looks at what it has. So the first failure ends it, and never the upload.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore, WriteOptions } from '../../store/object-store.js';
import type { AlsoObject } from '../run/also-stores.js';
import { putOnce } from './put-once.js';

export interface AlsoTarget extends Pick<WriteOptions, 'storageClass' | 'kmsKeyId'> {
  /** As it may be written to: a plain store has no conditions. */
  readonly store: ObjectStore;
  /** False for a folder, in which nothing is locked. */
  readonly locks: boolean;
  /** Called with what ended it, unless the run was interrupted. */
  readonly onStopped: (error: unknown) => void;
}

export class AlsoPut {
  private isOver = false;
  /** What the store has acknowledged. */
  readonly sent = { objects: 0, bytes: 0 };

  constructor(private readonly target: AlsoTarget) {}

  /** Puts an object; nothing happens after a failure. Never rejects. */
  async put({ key, body, retention, ...options }: AlsoObject): Promise<void> {
    if (this.isOver) return;
    const { store, storageClass, kmsKeyId, locks, onStopped } = this.target;
    const lock = locks ? retention : undefined;
    try {
      const how = { ...options, storageClass, kmsKeyId, retention: lock, exclusive: false };
      if ((await putOnce(store, key, body, how)) !== 'put') return;
      this.sent.objects++;
      this.sent.bytes += body.byteLength;
    } catch (error) {
      if (this.isOver) return;
      this.isOver = true;
      if (!isArchiverError(error, 'cancelled')) onStopped(error);
    }
  }
}
