// An upload of the inventory: facts from the record of its version and from the front of its manifest.
import type { JudgedChecks } from '../checks/judge-checks.js';
import type { ListedVersion } from '../records/versions.js';
import { recordedSource } from '../records/recorded-source.js';
import type { ErrorCode } from '../../platform/failures/errors.js';
import type { ManifestFront } from '../../format/manifest/manifest-front.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ListingKind, ShardRecord, VersionRecord } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';
import { type VersionName } from '../records/version-name.js';

/** Facts from the version record. Sizes are bytes, those of the version as a restore returns it. */
export interface RecordFacts {
  readonly uploadId: UploadId;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  /** Null when the manifest is encrypted: the record names no folder then. */
  readonly source: string | null;
  readonly host: string | null;
  readonly writerId: string | null;
  readonly commit: string | null;
  readonly listing: ListingKind;
  readonly isEncrypted: boolean;
}

/** Facts from the front of the manifest. */
export interface FrontFacts {
  /** Storage class that it was written with; null when the store has none. */
  readonly storageClass: string | null;
  readonly shardCount: number;
  /** The shards that are not empty, in their order. */
  readonly shards: readonly Pick<ShardRecord, 'shard' | 'chunks' | 'storedBytes'>[];
  readonly chunks: number;
  readonly project: string | null;
  readonly branch: string | null;
  readonly stage: string | null;
}

/** An upload that is a version of its dataset. */
export interface StoredUpload extends VersionName, Pick<ListedVersion, 'tags'> {
  readonly datasetId: string;
  /** Key of the record; while it and the ETag are the same, so is everything else here. */
  readonly id: string;
  readonly etag: string;
  /** Time of the record, or else when the record was put. ISO 8601. */
  readonly createdAt: string;
  /** Null when it cannot be read; so is `front`, which is null for encrypted manifests too. */
  readonly record: RecordFacts | null;
  readonly front: FrontFacts | null;
  /** What checks in the store say of it; null before they were read. */
  readonly checks: JudgedChecks | null;
  /** The reason why something of it cannot be read. */
  readonly problem: { readonly code: ErrorCode; readonly message: string } | null;
}

/** Number of shards that are kept: no upload has more, and a manifest may state anything. */
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
