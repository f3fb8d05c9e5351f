// Facts that answers to GETs tell besides the content: a lifecycle rule may have moved an object since its manifest was written.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { GetOptions, ObjectContent, ObjectReader } from '../../store/object-store.js';

/** Records the storage class that each answer names, and the first object that was refused as cold. */
export class ClassReader {
  readonly classes = new Map<string, string>();
  readonly reader: ObjectReader;
  refusedKey: string | undefined;

  constructor(store: ObjectReader) {
    this.reader = { ...store, get: (key, options) => this.get(store, key, options) };
  }

  private async get(store: ObjectReader, key: string, options: GetOptions | undefined): Promise<ObjectContent> {
    try {
      const content = await store.get(key, options);
      if (content.storageClass !== undefined) this.classes.set(key, content.storageClass);
      return content;
    } catch (error) {
      if (isArchiverError(error, 'cold-storage')) this.refusedKey ??= key;
      throw error;
    }
  }
}
