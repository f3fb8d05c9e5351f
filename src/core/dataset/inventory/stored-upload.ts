// An upload of the inventory: what the record of its version says of it, and the front of its manifest.
import type { ListedVersion } from '../records/versions.js';
import { recordedSource } from '../records/recorded-source.js';
import type { ErrorCode } from '../../platform/failures/errors.js';
import type { ManifestFront } from '../../format/manifest/manifest-front.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ListingKind, ShardRecord, VersionRecord } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';
import { type VersionName } from '../records/version-name.js';

/** What its version record says. Sizes are bytes, those of the version as a restore gives it. */
export interface RecordFacts {
  readonly uploadId: UploadId;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  /** Null where the manifest is encrypted: the record names no folder then. */
  readonly source: string | null;
  readonly host: string | null;
  readonly writerId: string | null;
  readonly commit: string | null;
  readonly listing: ListingKind;
  readonly isEncrypted: boolean;
}

/** What the front of its manifest adds. */
export interface FrontFacts {
  /** That it was written with; null where the store has none. */
  readonly storageClass: string | null;
  readonly shardCount: number;
  /** Of the shards that hold something, in their order. */
  readonly shards: readonly Pick<ShardRecord, 'shard' | 'chunks' | 'storedBytes'>[];
  readonly chunks: number;
  readonly project: string | null;
  readonly branch: string | null;
  readonly stage: string | null;
}

/** An upload that is a version of its dataset. */
export interface StoredUpload extends VersionName, Pick<ListedVersion, 'tags'> {
  readonly datasetId: string;
  /** Key of the record, and its ETag: as long as both are the same, so is all of this. */
  readonly id: string;
  readonly etag: string;
  /** ISO 8601: as recorded, else when the record was put. */
  readonly createdAt: string;
  /** Null where it cannot be read; so is `front`, which encryption hides as well. */
  readonly record: RecordFacts | null;
  readonly front: FrontFacts | null;
  /** Why something of it cannot be read. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | null;
}

/** So many are kept: no upload has more, and a manifest may say anything. */
const MOST_SHARDS = 100;

export function recordFacts(record: VersionRecord): RecordFacts {
  const { uploadId, createdAt, totals, source, writerId, commit, listing, encryption } = record;
  const { files, bytes, storedBytes } = totals;
  return {
    uploadId,
    createdAt,
    files,
    bytes,
    storedBytes,
    source: recordedSource(record),
    host: shown(source.host),
    writerId: shown(writerId),
    commit: commit ?? null,
    listing,
    isEncrypted: encryption?.manifest === true,
  };
}

export function frontFacts({ storage, settings, shards, totals, project, git, dvc }: ManifestFront): FrontFacts {
  return {
    storageClass: shown(storage['storageClass']),
    shardCount: settings.shardCount,
    shards: shards.slice(0, MOST_SHARDS).map(({ shard, chunks, storedBytes }) => ({ shard, chunks, storedBytes })),
    chunks: totals.chunks,
    project: shown(project),
    branch: shown(git?.branch),
    stage: shown(dvc?.stage?.name),
  };
}

const shown = (text: string | undefined): string | null => (text === undefined ? null : printable(text));
