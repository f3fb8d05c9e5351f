// Schema of the head of a manifest, which is everything but its entries. docs/format.md is the specification.
import * as s from '../../platform/documents/schema.js';
import { rawFromBase64, rawFromText } from '../../platform/paths/raw-path.js';
import { namedUploadId, uploadId } from '../../store/ids/upload-id-schema.js';
import { OBJECT_LOCK } from './object-lock.js';
import { DVC, GIT } from './provenance-schema.js';
import { requires } from './requirements.js';
import { SEGMENT_KEY } from './segment-key.js';
import { parseTimestamp } from './timestamp.js';

/** One digest is added each time that a manifest is rewritten. */
const MAX_REPLACED = 256;

export const id = s.schema(() => s.countTo(0xff_ff_ff_ff));
export const shardNumber = s.schema(() => s.countTo(1_000_000));
export const level = s.schema(() => s.countTo(22));
const rawText = s.schema(() => s.transform(s.text, rawFromText));

const COUNTS = {
  entries: s.count,
  /** Everything but directories. */
  files: s.count,
  directories: s.count,
  symlinks: s.count,
  hardlinks: s.count,
  bytes: s.count,
} as const;

/** Counts of entries that add up to those of a listing. */
export const ENTRY_COUNTS = s.schema(() => s.object(COUNTS));

/** Totals of a listing. */
export const TOTALS = s.schema(() => s.object({ ...COUNTS, storedBytes: s.count, chunks: s.count, skipped: s.count }));
export type Totals = s.Read<typeof TOTALS>;

const FRAME = s.schema(() =>
  s.object({
    /** Stored (compressed) bytes. */
    size: s.count,
    rawSize: s.count,
    /** Hex SHA-256 of the stored bytes. */
    sha256: s.sha256,
  }),
);
export type FrameRecord = s.Read<typeof FRAME>;

/** Millions of frames are most of a head: frames that need no conversion are not copied, but shared with the document. */
export const FRAMES = s.schema(() => s.listOfMany(FRAME()));

export const CHUNK = s.schema(() =>
  s.fitting(
    s.object({
      chunk: id(),
      /** Key relative to the folder of the manifest. */
      key: s.text,
      shard: shardNumber(),
      /** Stored bytes of the whole object, table of contents included. */
      size: s.count,
      /** Bytes of the tar stream. */
      rawSize: s.count,
      entries: s.count,
      level: level(),
      storageClass: s.orElse(s.text, 'STANDARD'),
      sha256: s.sha256,
      /** Bytes of the skippable frame at the end. */
      tocSize: s.count,
      frames: FRAMES(),
      /** Set when the object is a single file, stored unchanged with uncompressed frames. Absent for a tar stream. */
      content: s.exactOptional(s.literal('file')),
      /** With `content`: number of the chunk, in the same upload, whose table of contents lists it. */
      listedIn: s.exactOptional(id()),
    }),
    ({ content, listedIn }) =>
      (content === undefined) === (listedIn === undefined) ? undefined : ['listedIn', "there together with 'content'"],
  ),
);
export type ChunkRecord = s.Read<typeof CHUNK>;

/** A piece of a cut file. */
export const SEGMENT = s.schema(() =>
  s.object({
    /** Position in `chunks`. */
    chunk: s.count,
    offset: s.count,
    size: s.count,
  }),
);
export type Segment = s.Read<typeof SEGMENT>;

export const SHARD = s.schema(() =>
  s.object({
    shard: shardNumber(),
    prefix: s.text,
    chunks: s.count,
    files: s.count,
    bytes: s.count,
    storedBytes: s.count,
  }),
);
export type ShardRecord = s.Read<typeof SHARD>;

/** Parses a mode such as `"0644"`. */
export const parseMode = (text: string): number | undefined =>
  /^[0-7]{4}$/.test(text) ? Number.parseInt(text, 8) : undefined;

/** The tar archive that a migration read: what the store said of the object, and what was found out before the commit. */
const ARCHIVE = s.schema(() =>
  s.object({
    etag: s.text,
    size: s.count,
    /** The listing was compared with the archive. */
    validated: s.flag,
    /** Nothing of it was left out, refused or lost. */
    whole: s.flag,
    /** Something of it was refused, or it may have been cut off. */
    partial: s.flag,
  }),
);
export type ArchiveRecord = s.Read<typeof ARCHIVE>;

const SOURCE = s.schema(() =>
  s.transform(
    s.fitting(
      s.object({
        path: s.exactOptional(s.text),
        pathBase64: s.orMissing(s.text),
        host: s.text,
        mode: s.parsed(parseMode, 'four octal digits'),
        mtime: s.parsed(parseTimestamp, 'a time'),
        uid: id(),
        gid: id(),
        user: s.orMissing(rawText()),
        group: s.orMissing(rawText()),
        archive: s.exactOptional(ARCHIVE()),
      }),
      ({ path, pathBase64 }) => (path === undefined && pathBase64 === undefined ? ['path', 'a text'] : undefined),
    ),
    ({ path = '', pathBase64, ...source }) => ({
      path: pathBase64 === undefined ? rawFromText(path) : rawFromBase64(pathBase64),
      ...source,
    }),
  ),
);
export type SourceRecord = s.Read<typeof SOURCE>;

const SETTINGS = s.schema(() =>
  s.object({
    shardStrategy: s.text,
    shardCount: s.count,
    compression: s.object({ algorithm: s.text, level: s.nullable(s.count) }),
    frameSize: s.count,
    chunkSize: s.count,
    fileChecksums: s.flag,
    /** Set when the content of equal files is stored once. */
    dedup: s.exactOptional(s.flag),
  }),
);

/** Files of an upload that refer to the content of others, and the bytes that need not be stored for them. */
const DEDUPLICATED = s.schema(() => s.object({ files: s.count, bytes: s.count }));
export type Deduplicated = s.Read<typeof DEDUPLICATED>;

/** `full`: `files` lists everything. `delta`: only the differences to the manifest before it. */
export const listing = s.schema(() => s.oneOf(['full', 'delta']));
export type ListingKind = s.Read<typeof listing>;

/** The manifest that a delta builds on. */
/** The beginning of a stored manifest up to the end of its index: how many bytes, and their hex SHA-256. */
export const INDEX_PLACE = s.schema(() => s.object({ size: s.count, sha256: s.sha256 }));
export type ManifestIndex = s.Read<typeof INDEX_PLACE>;

const PREVIOUS = s.schema(() =>
  s.object({
    uploadId,
    /** Hex SHA-256 of its stored bytes. */
    sha256: s.sha256,
    /** If it has an index. */
    index: s.exactOptional(INDEX_PLACE()),
  }),
);
export type PreviousManifest = s.Read<typeof PREVIOUS>;

/** Where a segment of a listing is: entries of one range of paths, in an object of its own. */
export const SEGMENT_PLACE = s.schema(() =>
  s.transform(
    s.fitting(
      s.object({
        /** Key relative to the folder of the manifest. */
        key: s.matching(SEGMENT_KEY, 'the key of a segment'),
        /** Stored bytes. */
        size: s.count,
        /** Hex SHA-256 of the stored bytes. */
        sha256: s.sha256,
        counts: ENTRY_COUNTS(),
        /** Path of the first entry. */
        first: s.exactOptional(s.text),
        firstBase64: s.orMissing(s.text),
        /** If it has an index. */
        index: s.exactOptional(INDEX_PLACE()),
      }),
      ({ first, firstBase64 }) => (first === undefined && firstBase64 === undefined ? ['first', 'a text'] : undefined),
    ),
    ({ first = '', firstBase64, ...place }) => ({
      ...place,
      first: firstBase64 === undefined ? rawFromText(first) : rawFromBase64(firstBase64),
    }),
  ),
);
export type SegmentPlace = s.Read<typeof SEGMENT_PLACE>;

/** Size of the chain on the last full listing, including the delta that states it. */
const CHAIN = s.schema(() =>
  s.fitting(
    s.object({
      deltas: s.count,
      /** Entries in them, deletions included. */
      entries: s.count,
    }),
    ({ deltas }) => (deltas > 0 ? undefined : ['deltas', 'at least 1']),
  ),
);

/** Keys of the head, and of a plan of one (core/archive/parts). */
export const MANIFEST_KEYS = () => ({
  format: s.count,
  type: s.literal('archiver-manifest'),
  requires: s.exactOptional(requires()),
  tool: s.text,
  codec: s.text,
  uploadId: namedUploadId,
  createdAt: s.text,
  listing: listing(),
  /** Only in a delta. */
  previous: s.exactOptional(PREVIOUS()),
  /** Only in a delta. */
  chain: s.exactOptional(CHAIN()),
  /** Only in a delta: totals of the effective view. `totals` are those of the delta itself. */
  view: s.exactOptional(TOTALS()),
  /** Digests of manifests that this one replaces: it was rewritten. */
  replaces: s.exactOptional(s.listOf(s.sha256, { most: MAX_REPLACED })),
  datasetId: s.text,
  writerId: s.orMissing(s.text),
  /** Account that made the upload. */
  uploader: s.orMissing(s.text),
  source: SOURCE(),
  storage: s.texts,
  /** Lock of the objects that this upload put itself; objects of other uploads have the locks of those. */
  objectLock: s.exactOptional(OBJECT_LOCK()),
  project: s.orMissing(s.text),
  tags: s.exactOptional(s.texts),
  settings: SETTINGS(),
  /** With `settings.dedup`: counts only what this upload stored itself. */
  dedup: s.exactOptional(DEDUPLICATED()),
  git: s.exactOptional(GIT()),
  dvc: s.exactOptional(DVC()),
  totals: TOTALS(),
  shards: s.listOf(SHARD()),
  /** Of a full listing in several objects: these, in order. `chunks` then has those that no segment lists. */
  segments: s.exactOptional(s.listOf(SEGMENT_PLACE())),
  /** With `segments`: the highest number of a group of hard links. */
  linkGroups: s.exactOptional(s.count),
  chunks: s.listOfMany(CHUNK()),
});

const KEYS = s.schema(() => s.object(MANIFEST_KEYS()));
/** Everything in a manifest except its entries. */
export type ManifestHead = s.Read<typeof KEYS>;

export const HEAD = s.schema(() => s.fitting(KEYS(), mismatchOf));

const DELTA_KEYS = ['previous', 'chain', 'view'] as const;

/** A delta has all of these keys, and a full listing has none of them. */
function mismatchOf(head: ManifestHead): s.Misfit {
  const isDelta = head.listing === 'delta';
  const odd = DELTA_KEYS.find((key) => (head[key] === undefined) === isDelta);
  if (odd !== undefined)
    return [odd, isDelta ? 'an object' : 'expected: it is a full listing, and only a delta has it'];
  if (isDelta && head.segments !== undefined) return ['segments', 'expected: only a full listing has them'];
  return head.previous?.uploadId === head.uploadId ? ['previous', 'that of another upload'] : undefined;
}
