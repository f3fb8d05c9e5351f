// A file that is cut over several parts of a plan: the share of each, as plans and results say it (docs/format.md, Plans).
import * as s from '../../platform/documents/schema.js';
import { MAX_PIECES } from '../manifest/entry-json-parse.js';
import { SEGMENT_PLACE } from '../manifest/head-schema.js';

const KEYS = () => ({
  /** Base64 of the bytes of the file's path. */
  path: s.text,
  /** Numbers of the first and the last piece, from 1 to `of`. */
  first: s.count,
  last: s.count,
  of: s.count,
  /** Bytes of each piece; the last one of the file has what is left. */
  pieceBytes: s.count,
});

/** The pieces of a file that a part is to pack. */
export const SHARE = s.schema(() =>
  s.fitting(s.object(KEYS()), ({ first, last, of, pieceBytes }) =>
    first >= 1 && first <= last && last <= of && of <= MAX_PIECES && pieceBytes > 0
      ? undefined
      : ['last', 'the number of a piece that there is'],
  ),
);
export type Share = s.Read<typeof SHARE>;

/** What became of them. */
export const STORED_SHARE = s.schema(() =>
  s.object({
    ...KEYS(),
    /** Of these pieces in the file. */
    bytes: s.count,
    chunks: s.count,
    /** Of the chunks. */
    storedBytes: s.count,
    /** A segment whose one entry is the file with these pieces alone; checksums are in that of the last one. */
    segment: s.exactOptional(SEGMENT_PLACE()),
    /** Why there is none. */
    leftOut: s.exactOptional(s.text),
  }),
);
export type StoredShare = s.Read<typeof STORED_SHARE>;
