// What the answers to GETs tell beside the content: a lifecycle rule may have moved an object since its manifest was written.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { GetOptions, ObjectContent, ObjectReader } from '../../store/object-store.js';

/** Notes the storage class that each answer names, and which object was refused as cold. */
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
