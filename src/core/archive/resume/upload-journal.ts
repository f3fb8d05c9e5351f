// The journal of an upload that can be resumed. The engine only knows this interface; file-journal.ts implements it with
// files. Nothing here ever fails the upload: a journal that cannot be written says so once and is then useless, as `keep`
// reports.
import { counted } from '../../platform/text/counted.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { AcknowledgedChunk } from './entry-log.js';

export type { AcknowledgedChunk } from './entry-log.js';

const MIB = 2 ** 20;

export interface FilesAndBytes {
  readonly files: number;
  readonly bytes: number;
}

/** Known when the first chunks are planned. */
export interface JournalPlan {
  readonly uploadId: UploadId;
  readonly datasetId: string;
  readonly createdAt: Date;
  /** Number of files of the whole source. */
  readonly files: number;
  readonly bytes: number;
  /** Number of files stored by the interrupted run, or unchanged since the version before. */
  readonly filesDone: number;
  readonly bytesDone: number;
  /** Number of chunks that the interrupted run stored. */
  readonly chunksDone: number;
  readonly storedBytesDone: number;
  /** Number of chunks still to be sent. */
  readonly chunksPlanned: number;
  readonly chunkBytes: number;
  readonly shards: number;
  readonly frameBytes: number;
  /** Undefined for a level chosen by content. */
  readonly level: number | undefined;
}

/** The kept state of an upload that did not complete. */
export interface KeptUpload {
  /** The ID that `resume` takes. */
  readonly uploadId: UploadId;
  readonly chunks: number;
  readonly storedBytes: number;
}

/** A sentence about what is kept of an upload, and how to continue it. */
export function keptText({ uploadId, chunks, storedBytes }: KeptUpload): string {
  const size = `${counted(chunks, 'chunk')}, ${(storedBytes / MIB).toFixed(1)} MiB`;
  return `what was sent is kept (${size}): \`archiver resume ${uploadId}\` continues from there`;
}

export interface UploadJournal {
  /** Resolves when the upload is noted: nothing is sent before. */
  planned(plan: JournalPlan): Promise<void>;
  /** Copies what it needs and returns at once. `files` and `bytes` of the source are stored with this chunk. */
  acknowledged(chunk: AcknowledgedChunk, files: number, bytes: number): void;
  /** Takes what was sent so far of this run's plan, `of`, for those who watch it. Called often; returns at once. */
  sent(done: FilesAndBytes, of: FilesAndBytes): void;
  /** Changes the ID of the upload. Resolves when that is noted. */
  movedTo(uploadId: UploadId): Promise<void>;
  /** Called before a manifest may be in the store. Resolves when that is noted. */
  committing(): Promise<void>;
  /** State that a resume would find if the process ended now. */
  readonly kept: KeptUpload | undefined;
  /** Called when the upload failed. Returns undefined when nothing useful is kept; then the sent objects must be deleted. */
  keep(reason: string): Promise<KeptUpload | undefined>;
  /** Called when the upload is complete: removes its state. */
  remove(): Promise<void>;
  /** Called when the upload is abandoned: removes its state. */
  discard(): Promise<void>;
}
