// Interface of the sender of packed chunks, which knows what is in the store (transfer/send-chunk.ts).
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectStore, Retention } from '../../store/object-store.js';
import type { EncodedSegment } from '../../format/manifest/segment-texts.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { PackedChunk } from './packed-chunk.js';

export interface ChunkTarget {
  readonly store: ObjectStore;
  /** Folder of the upload, as `uploadFolder` gives it. */
  readonly folder: string;
  /** Key with which the store encrypts (SSE-KMS). */
  readonly kmsKeyId: string | undefined;
  /** Object Lock of the objects that are put. */
  readonly retention: Retention | undefined;
  /** Number of repeated requests to the store so far: the transfer window reacts to trouble. */
  readonly retries: () => number;
}

export interface SendHooks {
  readonly signal: AbortSignal;
  /** Called with the bytes of one object of the chunk that its request has sent so far. */
  readonly onSent: (key: string, bytes: number) => void;
}

export interface SendOutcome {
  readonly durationMs: number;
  /** True if a request had to be repeated. */
  readonly troubled: boolean;
}

export interface Sender {
  /** Puts one chunk below the folder of `target`, its direct files before it; no object ever overwrites another. */
  send(target: ChunkTarget, record: ChunkRecord, packed: PackedChunk, hooks: SendHooks): Promise<SendOutcome>;
  /** Puts segments of a manifest into the folder of their upload, before anything names them. */
  sendSegments(
    target: Pick<ChunkTarget, 'store' | 'retention'> & { readonly uploadId: UploadId; readonly signal: AbortSignal },
    segments: readonly EncodedSegment[],
  ): Promise<void>;
  /** Keys that were sent, or were about to be. */
  keys(): readonly string[];
  /** Keys that the store has acknowledged. */
  stored(): readonly string[];
  /** From now on, nothing that was sent is deleted again. */
  keep(): void;
  /** Deletes what was sent while no other process can know of it. */
  takeBackUntold(): Promise<void>;
}
