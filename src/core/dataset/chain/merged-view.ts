// The input and the result of merging a chain of manifests.
import type { ForeignEntry } from '../../format/manifest/entry-json-parse.js';
import type { LinesText } from '../../format/manifest/loaded-manifest.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';

export interface Level {
  readonly uploadId: UploadId;
  /** Keys relative to `uploads/<uploadId>`. */
  readonly chunks: readonly ChunkRecord[];
  /** Lines in path order, with positions into `chunks`. May be called several times. */
  mentions(): AsyncIterable<readonly Line[]>;
  /** The lines as they are, where all of them are wanted. */
  texts?: (() => AsyncIterable<LinesText>) | undefined;
}

/** Called for entries of unknown types; without it they are an error, so that none is lost. */
export type ForeignSink = (entry: ForeignEntry) => void;

/** Entries, or rows of which each is the entry of a plain file or folder, without the names of its owner and its inode. */
export type EntryBatch = readonly Entry[] | RowBatch;

export interface MergedView {
  /** Chunks of all levels, each key once; keys are relative to the upload that the view was merged for. */
  readonly chunks: readonly ChunkRecord[];
  /** Entries in path order, with positions into `chunks`. May be called several times. @throws integrity, unsupported */
  entries(onForeign?: ForeignSink): AsyncIterable<readonly Entry[]>;
  /** The same with rows, where there may be some: see `batchesOf`. */
  readonly batches?: ((onForeign?: ForeignSink, ahead?: number) => AsyncIterable<EntryBatch>) | undefined;
}

/**
 * Entries of a view for whoever takes rows, which are others after the next batch. So many pieces of text of the oldest level are read before they are
 * asked for.
 */
export const batchesOf = (view: MergedView, onForeign?: ForeignSink, ahead?: number): AsyncIterable<EntryBatch> =>
  view.batches?.(onForeign, ahead) ?? view.entries(onForeign);
