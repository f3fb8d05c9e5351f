// Other stores that an upload is made for at the same time, as its steps see them. Types alone, below all steps.
import type { OpenedStore } from '../../store/open-store.js';
import type { ObjectStore, PutOptions } from '../../store/object-store.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { PlannedAmounts } from './upload-gate.js';
import type { Encryption } from './upload-encryption.js';

/** An object with content: what names it is put elsewhere only once it is a version here. */
export interface AlsoObject extends Pick<PutOptions, 'sha256' | 'contentType' | 'retention' | 'signal'> {
  readonly key: string;
  readonly body: Uint8Array;
}

/** What is about to be sent. */
export interface AlsoPlanned {
  readonly store: ObjectStore;
  readonly uploadId: UploadId;
  readonly datasetId: string;
  readonly encryption: Encryption;
  /** What it comes to in another store, whose chunks have this class. */
  readonly amountsIn: (place: OpenedStore, storageClass: string) => PlannedAmounts;
}

export interface AlsoStores {
  /**
   * Called once the dataset is known, before anything is compared. Returns true if the store of the upload has other versions of it by then.
   * @throws usage for stores that cannot be used together
   */
  readonly settled: (
    dataset: { readonly datasetId: string; readonly highest: number; readonly isListed: boolean },
    store: ObjectStore,
  ) => Promise<boolean>;
  /** Called before anything is sent. @throws what keeps the upload from beginning */
  readonly mayBegin: (planned: AlsoPlanned) => Promise<void>;
  /** Puts an object into each of them, as far as they take it. Never rejects; `body` is free when it has resolved. */
  readonly put: (object: AlsoObject) => Promise<void>;
}
