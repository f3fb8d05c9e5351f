// What really lies in the store, and its history.
import type { MemoryObject } from '../../../support/memory-s3.js';
import type { Work } from './machine.js';
import type { StoredObject } from './prices.js';
import type { HistoryEvent } from './sheet.js';

export class Bucket {
  readonly history: HistoryEvent[] = [];
  /** True once something has changed that no record tells of, until it is measured. */
  isUnseen = false;
  private readonly objects = new Map<string, StoredObject>();

  all(): readonly StoredObject[] {
    return [...this.objects.values()];
  }

  of(uploadId: string): readonly StoredObject[] {
    return this.all().filter((object) => object.uploadId === uploadId);
  }

  /** Writes down what happened. @param project that pays requests of a run */
  note(
    kind: 'run' | 'unseen',
    atMs: number,
    { requests, written = [], removed = [] }: Work,
    project: string | null,
  ): void {
    if (requests.length + written.length + removed.length === 0) return;
    for (const { key } of removed) this.objects.delete(key);
    for (const object of written) this.objects.set(object.key, object);
    this.history.push({ kind, atMs, project, requests, written, removed });
    if (kind === 'unseen') this.isUnseen = true;
  }

  measured(atMs: number): void {
    this.history.push({ kind: 'measured', atMs });
    this.isUnseen = false;
  }

  /** The objects for a server that lists them; their content is never asked for. */
  listed(): Map<string, MemoryObject> {
    return new Map(
      this.all().map(({ key, sizeBytes, storageClass, bornMs }) => [
        key,
        {
          body: { length: sizeBytes } as Buffer,
          etag: 'e',
          modified: new Date(bornMs),
          headers: { 'x-amz-storage-class': storageClass },
        },
      ]),
    );
  }
}
