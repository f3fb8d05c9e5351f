// Who sends packed chunks, and knows what of them is in the store (transfer/send-chunk.ts).
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectStore, Retention } from '../../store/object-store.js';
import type { PackedChunk } from './packed-chunk.js';

export interface ChunkTarget {
  readonly store: ObjectStore;
  /** As `uploadFolder` has it. */
  readonly folder: string;
  /** The store encrypts with this key (SSE-KMS). */
  readonly kmsKeyId: string | undefined;
  /** Object Lock of what is put. */
  readonly retention: Retention | undefined;
  /** Requests that the store was sent again so far: the transfer window has to know of trouble. */
  readonly retries: () => number;
}

export interface SendHooks {
  readonly signal: AbortSignal;
  /** Bytes of one object of the chunk that its request has sent so far. */
  readonly onSent: (key: string, bytes: number) => void;
}

export interface SendOutcome {
  readonly durationMs: number;
  /** It had to be repeated. */
  readonly troubled: boolean;
}

export interface Sender {
  /** Puts one chunk below the folder of `target`, its direct files before it; no object ever overwrites another. */
  send(target: ChunkTarget, record: ChunkRecord, packed: PackedChunk, hooks: SendHooks): Promise<SendOutcome>;
  /** Keys that were sent, or were to be. */
  keys(): readonly string[];
  /** Those that the store has acknowledged. */
  stored(): readonly string[];
  /** Nothing of it is taken back from now on. */
  keep(): void;
  /** Takes back what was sent and not acknowledged. */
  takeBackUntold(): Promise<void>;
}
