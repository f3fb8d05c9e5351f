// The input and the result of merging a chain of manifests.
import type { ForeignEntry } from '../../format/manifest/entry-json-parse.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Entry } from '../../format/manifest/manifest-types.js';

export interface Level {
  readonly uploadId: UploadId;
  /** Keys relative to `uploads/<uploadId>`. */
  readonly chunks: readonly ChunkRecord[];
  /** Lines in path order, with positions into `chunks`. May be called several times. */
  mentions(): AsyncIterable<readonly Line[]>;
}

/** Called for entries of unknown types; without it they are an error, so that none is lost. */
export type ForeignSink = (entry: ForeignEntry) => void;

export interface MergedView {
  /** Chunks of all levels, each key once; keys are relative to the upload that the view was merged for. */
  readonly chunks: readonly ChunkRecord[];
  /** Entries in path order, with positions into `chunks`. May be called several times. @throws integrity, unsupported */
  entries(onForeign?: ForeignSink): AsyncIterable<readonly Entry[]>;
}
