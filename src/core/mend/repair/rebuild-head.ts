// Rebuilds the head of a manifest: from the damaged one's head where it can be read, else from the version record, else from the chunks
// themselves. `unknown` lists what could not be determined.
import { loadCodec } from '../../platform/codec/codec.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import {
  FORMAT_VERSION,
  type ChunkRecord,
  type ManifestHead,
  type SourceRecord,
  type VersionRecord,
} from '../../format/manifest/manifest-types.js';
import { NO_REQUIREMENTS } from '../../format/manifest/requirements.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { rawFromText, rawFromBase64 } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';

const FOLDER_MODE = 0o755;

export interface HeadSources {
  readonly uploadId: UploadId;
  readonly url: string;
  readonly region: string | undefined;
  readonly tool: string;
  /** The head of the damaged manifest, if it can be read. */
  readonly damaged: ManifestHead | undefined;
  readonly record: VersionRecord | undefined;
  /** The chunks that the upload wrote itself, as far as they exist. */
  readonly chunks: readonly ChunkRecord[];
  readonly hasChecksums: boolean;
}

/** The fields of a head that describe the upload, apart from its content and its place in a chain. */
export type DescriptiveHead = Omit<
  ManifestHead,
  'listing' | 'previous' | 'chain' | 'view' | 'replaces' | 'totals' | 'shards' | 'chunks'
>;

/** Returns the descriptive head, and which parts of it are unknown. */
export function rebuildHead(sources: HeadSources): {
  readonly head: DescriptiveHead;
  readonly unknown: readonly string[];
} {
  const { uploadId, damaged, record, tool } = sources;
  const createdAt = damaged?.createdAt ?? record?.createdAt ?? momentOf(uploadId);
  const head: DescriptiveHead = {
    format: FORMAT_VERSION,
    type: 'archiver-manifest',
    requires: NO_REQUIREMENTS,
    tool,
    codec: damaged?.codec ?? loadCodec().version,
    uploadId,
    createdAt,
    datasetId: record?.datasetId ?? damaged?.datasetId ?? `unknown-${uploadId.slice(-8)}`,
    ...optionalParts(record, damaged),
    ...(damaged === undefined ? guessed(sources, createdAt) : described(damaged)),
  };
  return { head, unknown: unknownParts(sources) };
}

type Described = Pick<ManifestHead, 'source' | 'storage' | 'settings'>;

const described = ({ source, storage, settings }: ManifestHead): Described => ({ source, storage, settings });

const guessed = (sources: HeadSources, createdAt: string): Described => ({
  source: sourceOf(sources.record, createdAt),
  storage: storageOf(sources),
  settings: settingsOf(sources),
});

function optionalParts(
  record: VersionRecord | undefined,
  damaged: ManifestHead | undefined,
): Pick<ManifestHead, 'writerId' | 'uploader' | 'objectLock' | 'project' | 'tags' | 'git' | 'dvc'> {
  const writerId = record?.writerId ?? damaged?.writerId;
  const uploader = record?.uploader ?? damaged?.uploader;
  const objectLock = record?.objectLock ?? damaged?.objectLock;
  const { project, tags, git, dvc } = damaged ?? {};
  return {
    ...defined({ writerId, uploader, objectLock, project, tags, git, dvc }),
  };
}

function unknownParts({ damaged, record }: HeadSources): readonly string[] {
  if (damaged !== undefined) return [];
  const lost =
    'mode, time and owner of the source folder itself, project, tags, git, DVC and the settings of the upload';
  return record === undefined
    ? [`which dataset and source folder the upload is of, ${lost}`]
    : [`${lost} (the manifest states defaults)`];
}

/** Returns the time in an upload id, `20251114-093012-…`, in ISO format. */
function momentOf(uploadId: UploadId): string {
  const [, ...parts] = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-/.exec(uploadId) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
}

function sourceOf(record: VersionRecord | undefined, createdAt: string): SourceRecord {
  const { path, pathBase64, host = 'unknown' } = record?.source ?? {};
  const bytes = pathBase64 === undefined ? rawFromText(path ?? '/unknown') : rawFromBase64(pathBase64);
  const seconds = Math.floor(Date.parse(createdAt) / 1000);
  return { path: bytes, host, mode: FOLDER_MODE, mtime: { seconds, nanos: 0 }, uid: 0, gid: 0 };
}

function storageOf({ url, region, chunks, record }: HeadSources): ManifestHead['storage'] {
  const place = parseStoreUrl(url);
  if (place.kind === 'file') return { folder: place.folder };
  const classes = new Set(chunks.map(({ storageClass }) => storageClass));
  const { bucket, prefix } = place;
  const [storageClass = 'STANDARD'] = classes;
  const kmsKeyId = record?.encryption?.kmsKeyId;
  return {
    bucket,
    prefix,
    ...(region === undefined ? {} : { region }),
    storageClass: classes.size > 1 ? 'auto-tier' : storageClass,
    ...(kmsKeyId === undefined ? {} : { kmsKeyId }),
  };
}

function settingsOf({ chunks, hasChecksums }: HeadSources): ManifestHead['settings'] {
  const most = (of: (chunk: ChunkRecord) => number): number =>
    chunks.reduce((max, chunk) => Math.max(max, of(chunk)), 0);
  const levels = new Set(chunks.flatMap(({ level, content }) => (content === undefined ? [level] : [])));
  const [level = null] = levels;
  return {
    shardStrategy: 'unknown',
    shardCount: chunks.length === 0 ? 0 : most(({ shard }) => shard) + 1,
    compression: { algorithm: 'zstd', level: levels.size > 1 ? null : level },
    frameSize: most(({ frames }) => frames.reduce((max, { rawSize }) => Math.max(max, rawSize), 0)),
    chunkSize: most(({ rawSize }) => rawSize),
    fileChecksums: hasChecksums,
  };
}
