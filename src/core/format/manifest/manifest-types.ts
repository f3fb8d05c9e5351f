// Types of the manifest; docs/format.md is the specification. Paths are byte strings (raw-path.ts) here and text only in JSON.
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Segment } from './head-schema.js';
import type { Timestamp } from './timestamp.js';

export type {
  ArchiveRecord,
  ChunkRecord,
  Deduplicated,
  FrameRecord,
  ListingKind,
  ManifestIndex,
  ManifestHead,
  PreviousManifest,
  Segment,
  SegmentPlace,
  ShardRecord,
  SourceRecord,
  Totals,
} from './head-schema.js';
export type { Timestamp } from './timestamp.js';
export type { VersionRecord } from './record-schema.js';

export const FORMAT_VERSION = 1;

export interface Owner {
  readonly uid: number;
  readonly gid: number;
  readonly user?: RawPath;
  readonly group?: RawPath;
}

export type EntryType = 'file' | 'directory' | 'symlink' | 'hardlink';

/** One path of the archive. Its `type` determines which keys it has: see docs/format.md. */
export interface Entry extends Owner {
  readonly path: RawPath;
  readonly type: EntryType;
  /** 0 for directories and symlinks. */
  readonly size: number;
  readonly mtime: Timestamp;
  readonly ctime: Timestamp;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly inode: RawPath;
  readonly md5?: string;
  /** Hex SHA-256 of the content; only when equal content is stored once. */
  readonly sha256?: string;
  /** Hex XXH64 of the content, seeded by the upload whose folder holds it; only without `sha256`. */
  readonly xxh64?: string;
  /** Position in `chunks`. */
  readonly chunk?: number;
  readonly offset?: number;
  readonly segments?: readonly Segment[];
  readonly holes?: readonly (readonly [offset: number, length: number])[];
  readonly target?: RawPath;
  readonly linkGroup?: number;
  readonly xattrs?: ReadonlyMap<RawPath, Buffer>;
  readonly changed?: boolean;
  /** DVC stage that produces it. */
  readonly stage?: string;
  /** Git commit at which it was uploaded, in full hex. */
  readonly commit?: string;
}

/** In a delta: the path was deleted, together with everything below it. */
export interface Tombstone {
  readonly path: RawPath;
  readonly type: 'deleted';
}

/** An element of `files` in a delta. */
export type Mention = Entry | Tombstone;
