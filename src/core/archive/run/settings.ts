// The options of an upload, grouped by concern, and their defaults.
import type { LikeNames } from '../../dataset/records/like-names.js';
import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { accountName } from '../../platform/account-name.js';
import pkg from '../../../../package.json' with { type: 'json' };
import type { EventSink } from '../../events/events.js';
import { threadsWithin } from '../../platform/limits/open-files.js';
import type { EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import type { ArchiveRecord } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { SavedUpload } from '../resume/saved-upload.js';
import type { UploadJournal } from '../resume/upload-journal.js';
import type { ObjectsToRead } from './objects-to-read.js';
import type { AlsoStores } from './also-stores.js';
import type { UploadGate } from './upload-gate.js';
import type { ShardStrategy } from './shard-strategy.js';
import type { TierPolicy } from './tier.js';
import type { Remembered } from './remembered.js';
import { type FilterOptions, NO_FILTER } from '../scan/filter-options.js';
import type { TransferOptions } from './transfer-policy.js';
import type { Encryption } from './upload-encryption.js';
import type { LockOptions } from './upload-lock.js';
import type { UploadProvenance } from './upload-provenance.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const MIB = 2 ** 20;

/** The dataset that gets a version, and the kind of version. */
export interface DatasetOptions {
  /** Id of the dataset, instead of the derived one. */
  readonly id?: string | undefined;
  readonly writerId?: string | undefined;
  readonly host: string;
  /** Account that uploads, where the computer has a name for it. */
  readonly uploader?: string | undefined;
  /** Stands for the source in the manifest and in the dataset's id when the folder only holds what came from elsewhere. */
  readonly origin?: Origin | undefined;
  /** Makes the version that follows this ordinal, 0 for the first, or none: @throws conflict where another writer has made it. */
  readonly after?: number | undefined;
  readonly encryption: EncryptionOptions;
  /** Allows a version that holds less than half of the one before, or nothing. */
  readonly allowMassDelete?: boolean | undefined;
  /** Begins the dataset anew if the store has none of the versions that this computer remembers there. */
  readonly newStore?: boolean | undefined;
  /** Upload only what differs from an earlier version. */
  readonly changes?: ChangeOptions | undefined;
  /**
   * Called if the derived dataset, `datasetId`, would be new while there are others of folders with the same name, as after a move to
   * another computer. Returns the one to continue, if any.
   */
  readonly namesake?: ((datasetId: string, others: readonly string[]) => Promise<string | undefined>) | undefined;
  /**
   * Called if `id` is that of no dataset while others may be meant by it. Returns the one to continue; undefined to begin one with this id.
   */
  readonly typedName?: ((id: string, others: LikeNames) => Promise<string | undefined>) | undefined;
  /** Begins a dataset that is not there yet, whatever others are called. */
  readonly newDataset?: boolean | undefined;
}

export interface Origin {
  readonly path: RawPath;
  readonly owner: string;
  /** What the dataset's id is made of, if the path does not tell it. */
  readonly identity?: RawPath | undefined;
  /** Set if it is a tar archive. */
  readonly archive?: ArchiveRecord;
}

export interface EncryptionOptions extends Encryption {
  /** Keeps the encryption of the version before unless another is asked for. */
  readonly keep: boolean;
}

export interface ChangeOptions {
  /** Record paths that are gone as deleted. */
  readonly trackDeletes: boolean;
  /** Do not read content of the same size and mtime again only because the ctime moved. */
  readonly ignoreCtime?: boolean;
  /** Read and send everything again, and make the version a full listing. */
  readonly isForced?: boolean;
  /** False to fail instead of sending everything because there is no version that it can be compared with. */
  readonly mayResend?: boolean;
  /** Manifest to compare with, instead of that of the latest version. */
  readonly previousManifest?: PreviousFile;
}

/** The manifest of a version in a file of this name. */
export interface PreviousFile {
  readonly name: string;
  readonly uploadId: UploadId;
  /** Its bytes as they lie in the store; without them it is read from there. */
  readonly bytes?: Buffer;
}

/** How files are packed, and with how much of this computer. */
export interface PackingOptions {
  /** Most tar bytes in a frame; 0 for one frame per chunk. */
  readonly frameBytes: number;
  /** zstd level; undefined to choose it by content. */
  readonly compressionLevel?: number | undefined;
  readonly fileChecksums: boolean;
  /** Store the content of equal files once; undefined to do as the version that is compared with, if any. */
  readonly dedup?: boolean | undefined;
  readonly workers: number;
  readonly memoryLimitBytes?: number | undefined;
}

/** Whether entries get the SHA-256 by which later versions find content that is stored. */
export const recordsContent = ({ dedup, fileChecksums }: Pick<PackingOptions, 'dedup' | 'fileChecksums'>): boolean =>
  dedup === true && fileChecksums;

/** The objects that an upload makes. */
export interface LayoutOptions {
  readonly shardStrategy: ShardStrategy;
  /** Number of shards; 0 to choose it by size. */
  readonly shardCount: number;
  /** Most data in a chunk; chosen by the size of the upload and by memory if not given. */
  readonly chunkBytes?: number | undefined;
  readonly storageClass: string;
  /** Use the class of the version before instead, where there is one and it can be known; not with `tiers`. */
  readonly keepsClass?: boolean | undefined;
  /** Refuse a class of the version before that takes hours to be read: everything is to be read back at once. */
  readonly isReadBack?: boolean | undefined;
  readonly tiers?: TierPolicy | undefined;
  /** Object Lock of chunks, manifest and version record; undefined for none, or the default of the bucket. */
  readonly lock?: LockOptions | undefined;
  /** Store files as objects of their own; not with `dedup`. */
  readonly direct?: DirectOptions | undefined;
}

export interface DirectOptions {
  /** Most bytes of a direct upload; larger ones go into chunks. Undefined for no limit. */
  readonly thresholdBytes: number | undefined;
  /** Most objects of files to send at a time. */
  readonly requests: number;
  /** Hash every key, so that nothing of a path is in it that a server could misread. */
  readonly hashedKeys?: boolean | undefined;
}

/** Labels in the manifest, besides what it lists. */
export interface LabelOptions {
  readonly tool: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly project?: string | undefined;
  /** Facts about git and DVC to record. */
  readonly provenance?: UploadProvenance | undefined;
}

/** How an upload that ends early is continued. */
export interface ResumeOptions {
  /** Records what is sent. */
  readonly journal?: UploadJournal | undefined;
  /** The interrupted upload of this source to continue. */
  readonly saved?: Pick<SavedUpload, 'state' | 'chunks'> | undefined;
  /** Read back and reuse chunks of a resumed upload that are not in the journal. */
  readonly readsBack: boolean;
  /** Delete what was sent after a failure even if it could be resumed; not after an interruption. */
  readonly cleansUp: boolean;
}

interface Groups {
  readonly dataset: DatasetOptions;
  readonly packing: PackingOptions;
  readonly layout: LayoutOptions;
  readonly transfer: TransferOptions;
  readonly labels: LabelOptions;
  readonly resume: ResumeOptions;
}

/** Settings that are always there, and those that have no parts. */
interface Basics {
  /** Absolute, resolved path of the source folder. */
  readonly source: RawPath;
  /** End the upload at the first file that cannot be stored. */
  readonly failFast: boolean;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Decides whether the upload may begin; undefined if it may. Not called in a dry run. */
  readonly uploadGate: UploadGate | undefined;
  /** Other stores that get what is sent; undefined for none. Not asked in a dry run. */
  readonly also: AlsoStores | undefined;
  /** Objects that are archived instead of what lies in `source`, where they are fetched to be packed. */
  readonly objects: ObjectsToRead | undefined;
  /** Looks at the manifest before anything can read it; what it throws ends the upload, and no version is made. */
  readonly manifestCheck: ManifestCheck | undefined;
}

export type ManifestCheck = (manifest: EncodedManifest, uploadId: UploadId) => Promise<void>;

export interface Settings extends Groups, Basics {
  /** With `skipTrees` undefined, what lies in the source of the store and of `home` is skipped. */
  readonly filter: Omit<FilterOptions, 'skipTrees'> & Partial<Pick<FilterOptions, 'skipTrees'>>;
  /** Archiver's own folder; undefined if this computer remembers nothing. */
  readonly home: string | undefined;
  /** Folder where manifests are remembered, instead of that in `home`. */
  readonly cacheFolder: string | undefined;
  readonly remembered: Remembered | undefined;
  /** Called with a text about what cannot be kept on this computer, and other warnings. */
  readonly warn: (text: string) => void;
}

export type ArchiveOptions = Pick<Basics, 'source' | 'emit' | 'signal'> &
  Partial<Omit<Basics, 'source' | 'emit' | 'signal'>> & {
    readonly [Name in keyof Groups]?: Partial<Groups[Name]>;
  } & {
    readonly filter?: Partial<FilterOptions>;
    /** Archiver's own folder on this computer: manifests, and which versions are the newest. */
    readonly home?: string | undefined;
    readonly cacheFolder?: string | undefined;
    /** Used instead of what `home` has. */
    readonly remembered?: Remembered | undefined;
    readonly warn?: (text: string) => void;
  };

export const DEFAULT_FRAME_BYTES = 16 * MIB;

/** Returns one worker per core, up to sixteen: beyond that the main thread's sending is the limit. Fewer with little memory. */
export function workersFor(memoryLimitBytes: number | undefined): number {
  const cores = threadsWithin(Math.min(16, availableParallelism()));
  if (memoryLimitBytes === undefined) return cores;
  return Math.max(1, Math.min(cores, Math.floor((memoryLimitBytes / MIB - 128) / 96)));
}

/** Returns all settings of an upload, with defaults for those that are not given. */
export function settingsOf(options: ArchiveOptions): Settings {
  const { dataset, filter, packing, layout, transfer, labels, resume, ...given } = options;
  const { skipTrees: _none, ...noFilter } = NO_FILTER;
  return {
    failFast: false,
    dryRun: false,
    uploadGate: undefined,
    also: undefined,
    objects: undefined,
    manifestCheck: undefined,
    now: () => new Date(),
    randomBytes,
    home: undefined,
    cacheFolder: undefined,
    remembered: undefined,
    warn: (text) => given.emit({ type: 'note', text }),
    ...given,
    filter: { ...noFilter, ...filter },
    dataset: {
      host: hostname(),
      uploader: accountName(),
      encryption: { kmsKeyId: undefined, encryptManifest: false, keep: true },
      ...dataset,
    },
    packing: {
      frameBytes: DEFAULT_FRAME_BYTES,
      fileChecksums: true,
      workers: workersFor(packing?.memoryLimitBytes),
      ...packing,
    },
    layout: { shardStrategy: 'round-robin', shardCount: 0, storageClass: 'STANDARD', ...layout },
    transfer: {
      optimization: true,
      congestionControl: 'auto',
      transporter: 'staging',
      disableStaging: false,
      ...transfer,
    },
    labels: { tool: `archiver ${pkg.version}`, tags: {}, ...labels },
    resume: { readsBack: false, cleansUp: false, ...resume },
  };
}
