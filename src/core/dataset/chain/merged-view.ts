// What a chain of manifests is merged from, and what comes out.
import type { ForeignEntry } from '../../manifest/entry-json-parse.js';
import type { Line } from '../../manifest/manifest-parser.js';
import type { ChunkRecord, Entry } from '../../manifest/manifest-types.js';

export interface Level {
  readonly uploadId: string;
  /** Keys relative to `uploads/<uploadId>`. */
  readonly chunks: readonly ChunkRecord[];
  /** In path order; positions into `chunks`. May be called several times. */
  mentions(): AsyncIterable<readonly Line[]>;
}

/** Gets entries of types that this version does not know; without it they are an error, so that none is lost. */
export type ForeignSink = (entry: ForeignEntry) => void;

export interface MergedView {
  /** Of all levels, each key once; keys relative to the upload that the view was merged for. */
  readonly chunks: readonly ChunkRecord[];
  /** In path order; positions into `chunks`. May be called several times. @throws integrity, unsupported */
  entries(onForeign?: ForeignSink): AsyncIterable<readonly Entry[]>;
}
