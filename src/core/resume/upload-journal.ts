// What an upload that can be resumed writes down while it runs. The engine only knows this interface; the one that keeps
// files is file-journal.ts. Nothing here ever fails the upload: a journal that cannot be written says so once and is then
// of no use, which `keep` tells.
import type { ChunkRecord, Segment } from '../manifest/manifest-types.js';

/** A chunk that the store has acknowledged. */
export interface AcknowledgedChunk {
  /** Below the base: `uploads/<id>/shard-00/chunk-000000.tar.zst`. */
  readonly key: string;
  readonly record: ChunkRecord;
  /** The skippable frame that ends it: its table of contents. */
  readonly toc: Uint8Array;
  /** Files that are objects of their own, and that the table lists. */
  readonly direct?: readonly ChunkRecord[] | undefined;
  /** Of the last piece of a cut file: where all its pieces are, `chunk` being the number of the chunk. */
  readonly segments?: readonly Segment[] | undefined;
}

/** What is known when the first chunks are planned. */
export interface JournalPlan {
  readonly uploadId: string;
  readonly datasetId: string;
  readonly createdAt: Date;
  /** Of the whole source. */
  readonly files: number;
  readonly bytes: number;
  /** Stored already by what is resumed, or no different from the version before. */
  readonly filesDone: number;
  readonly bytesDone: number;
  /** Of what is resumed. */
  readonly chunksDone: number;
  readonly storedBytesDone: number;
  readonly chunkBytes: number;
  readonly shards: number;
  readonly frameBytes: number;
  /** Undefined: by content. */
  readonly level: number | undefined;
  /** No chunk number from here on has been used. */
  readonly nextChunk: number;
}

/** What stays when an upload ends before its time. */
export interface KeptUpload {
  /** The id that `resume` takes. */
  readonly uploadId: string;
  readonly chunks: number;
  readonly storedBytes: number;
}

export interface UploadJournal {
  /** Resolves when it is safe to use the chunk numbers of the plan. */
  planned(plan: JournalPlan): Promise<void>;
  /** Takes a copy of what it needs and returns at once. `files` and `bytes` of the source are stored with this chunk. */
  acknowledged(chunk: AcknowledgedChunk, files: number, bytes: number): void;
  /** From here on the upload goes on under this id. Resolves when it is noted. */
  movedTo(uploadId: string): Promise<void>;
  /** A manifest may be in the store from here on. Resolves when it is noted. */
  committing(): Promise<void>;
  /** The upload failed. Undefined when nothing of use is kept; then what was sent must be deleted. */
  keep(reason: string): Promise<KeptUpload | undefined>;
  /** The upload is complete: forgets it. */
  remove(): Promise<void>;
  /** The upload is given up: forgets it. */
  discard(): Promise<void>;
}
