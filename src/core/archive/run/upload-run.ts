// An upload under way, as its steps see it: each takes the few parts that it needs. Types alone, below all steps.
import type { ObjectStore, RequestCounts, Retention } from '../../store/object-store.js';
import type { Provider } from '../../store/providers/provider.js';
import type { AcknowledgedChunk } from '../resume/upload-journal.js';
import type { Remembered } from './remembered.js';
import type { ScanResult } from '../scan/scan.js';
import type { Settings } from './settings.js';
import type { Sender } from './sender.js';
import type { RunEncryption } from './upload-encryption.js';
import type { UploadLedger } from './upload-ledger.js';
import type { UploadId } from '../../store/ids/upload-id.js';

/** Identity of an upload, until it has to go on under another id. */
export interface Identity {
  readonly uploadId: UploadId;
  readonly datasetId: string;
  /** When the upload began, possibly in an earlier run. */
  readonly createdAt: Date;
  readonly encryption: RunEncryption;
}

/** A piece of a cut file that is in the store; `number` counts from 1. */
export interface SentPiece {
  readonly number: number;
  readonly of: number;
  readonly offset: number;
  readonly chunk: AcknowledgedChunk;
}

/** Chunks that an interrupted run has left in the store. */
export interface ResumedUpload {
  /** Acknowledged chunks that are in the store. */
  readonly chunks: readonly AcknowledgedChunk[];
  /** Planned bytes of data in a chunk. */
  readonly chunkBytes: number;
  /** For rows of files that are to be packed, the pieces that were sent. */
  readonly pieces: Map<number, readonly SentPiece[]>;
}

/** An upload after its folder was listed and its store opened. */
export interface UploadRun extends Settings, Identity {
  readonly remembered: Remembered;
  readonly store: ObjectStore;
  /** @throws unsupported where the store does not keep one of these storage classes */
  readonly refuseUnsupportedClasses: (classes: Iterable<string>) => Promise<void>;
  /** Object Lock of the objects that it puts. */
  readonly retention: Retention | undefined;
  readonly region: string | undefined;
  /** True for AWS itself, whose prices are known. */
  readonly isAws: boolean;
  /** Provider of the store, if its address tells. */
  readonly runBy: Provider | undefined;
  /** Counts requests while the store is used. */
  readonly requests: RequestCounts;
  readonly retries: () => number;
  readonly scanned: ScanResult;
  /** Records what became of the scanned entries. */
  readonly ledger: UploadLedger;
  readonly sender: Sender;
  /** When this run began, in ms of `performance.now()`. */
  readonly startedMs: number;
  readonly resumed?: ResumedUpload;
  /** Versions that this run has written and found not to be whole. */
  readonly notWhole: NotWhole[];
  /** Number of times that it started over because something was not sound. */
  readonly staleRounds?: number;
}

export interface NotWhole {
  readonly uploadId: UploadId;
  readonly version: number;
  /** A clause that names the version and what is wrong with it. */
  readonly text: string;
}
