// The journal of an upload that can be resumed. The engine only knows this interface; file-journal.ts implements it with
// files. Nothing here ever fails the upload: a journal that cannot be written says so once and is then useless, as `keep`
// reports.
import { counted } from '../../platform/text/counted.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { AcknowledgedChunk } from './entry-log.js';

export type { AcknowledgedChunk } from './entry-log.js';

const MIB = 2 ** 20;

/** What is known when the first chunks are planned. */
export interface JournalPlan {
  readonly uploadId: UploadId;
  readonly datasetId: string;
  readonly createdAt: Date;
  /** Of the whole source. */
  readonly files: number;
  readonly bytes: number;
  /** Stored already by the interrupted run, or unchanged since the version before. */
  readonly filesDone: number;
  readonly bytesDone: number;
  /** Of the interrupted run. */
  readonly chunksDone: number;
  readonly storedBytesDone: number;
  /** Still to be sent. */
  readonly chunksPlanned: number;
  readonly chunkBytes: number;
  readonly shards: number;
  readonly frameBytes: number;
  /** Undefined: by content. */
  readonly level: number | undefined;
}

/** What is kept of an upload that did not complete. */
export interface KeptUpload {
  /** The id that `resume` takes. */
  readonly uploadId: UploadId;
  readonly chunks: number;
  readonly storedBytes: number;
}

/** What is left of an upload, and how it goes on. */
export function keptText({ uploadId, chunks, storedBytes }: KeptUpload): string {
  const size = `${counted(chunks, 'chunk')}, ${(storedBytes / MIB).toFixed(1)} MiB`;
  return `what was sent is kept (${size}): \`archiver resume ${uploadId}\` continues from there`;
}

export interface UploadJournal {
  /** Resolves when the upload is noted: nothing is sent before. */
  planned(plan: JournalPlan): Promise<void>;
  /** Takes a copy of what it needs and returns at once. `files` and `bytes` of the source are stored with this chunk. */
  acknowledged(chunk: AcknowledgedChunk, files: number, bytes: number): void;
  /** From here on the upload goes by this id. Resolves when that is noted. */
  movedTo(uploadId: UploadId): Promise<void>;
  /** A manifest may be in the store from here on. Resolves when that is noted. */
  committing(): Promise<void>;
  /** What a resume would find if the process ended now. */
  readonly kept: KeptUpload | undefined;
  /** The upload failed. Undefined when nothing useful is kept; then what was sent must be deleted. */
  keep(reason: string): Promise<KeptUpload | undefined>;
  /** The upload is complete: removes its state. */
  remove(): Promise<void>;
  /** The upload is abandoned: removes its state. */
  discard(): Promise<void>;
}
