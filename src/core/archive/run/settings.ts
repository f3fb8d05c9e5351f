// The options of an upload, grouped by concern, and their defaults.
import { randomBytes } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import pkg from '../../../../package.json' with { type: 'json' };
import type { EventSink } from '../../events/events.js';
import { threadsWithin } from '../../platform/limits/open-files.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { SavedUpload } from '../resume/saved-upload.js';
import type { UploadJournal } from '../resume/upload-journal.js';
import type { MayBegin } from './may-begin.js';
import type { ShardStrategy } from './shard-strategy.js';
import type { TierPolicy } from './tier.js';
import type { Remembered } from './remembered.js';
import { type FilterOptions, NO_FILTER } from '../scan/filter.js';
import type { TransferOptions } from './transfer-policy.js';
import type { Encryption } from './upload-encryption.js';
import type { LockOptions } from './upload-lock.js';
import type { UploadProvenance } from './upload-provenance.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const MIB = 2 ** 20;

/** Which dataset gets a version, and what kind of one. */
export interface DatasetOptions {
  /** Instead of the derived one. */
  readonly id?: string | undefined;
  readonly writerId?: string | undefined;
  readonly host: string;
  /** Stands for the source in the manifest and in the dataset's id when the folder only holds what came from elsewhere. */
  readonly origin?: { readonly path: RawPath; readonly owner: string } | undefined;
  readonly encryption: EncryptionOptions;
  /** A version may hold less than half of the one before, or nothing. */
  readonly allowMassDelete?: boolean | undefined;
  /** The dataset begins anew where the store has none of the versions that this computer remembers there. */
  readonly newStore?: boolean | undefined;
  /** Upload only what differs from an earlier version. */
  readonly changes?: ChangeOptions | undefined;
  /**
   * Asked where the derived dataset, `datasetId`, would begin while others there are of folders with the same name, as after a
   * move to another computer. Gives the one that goes on, if one does.
   */
  readonly namesake?: ((datasetId: string, others: readonly string[]) => Promise<string | undefined>) | undefined;
}

export interface EncryptionOptions extends Encryption {
  /** What the version before had is kept where it is not asked for. */
  readonly keep: boolean;
}

export interface ChangeOptions {
  /** Paths that are gone are recorded as deleted. */
  readonly trackDeletes: boolean;
  /** Content of the same size and mtime is not read again because the ctime moved. */
  readonly ignoreCtime?: boolean;
  /** Everything is read and sent again, and the version is a full listing. */
  readonly isForced?: boolean;
  /** To compare with, instead of the latest version. */
  readonly previousManifest?: PreviousFile;
}

/** The manifest of a version in a file of this name. */
export interface PreviousFile {
  readonly name: string;
  readonly uploadId: UploadId;
  /** As it lies in the store; without them it is read from there. */
  readonly bytes?: Buffer;
}

/** How files are packed, and with how much of this computer. */
export interface PackingOptions {
  /** 0: one frame a chunk. */
  readonly frameBytes: number;
  /** Undefined: by content. */
  readonly compressionLevel?: number | undefined;
  readonly fileChecksums: boolean;
  /** Store the content of equal files once. Undefined: as in the version that is compared with, if any. */
  readonly dedup?: boolean | undefined;
  readonly workers: number;
  readonly memoryLimitBytes?: number | undefined;
}

/** Whether entries get the SHA-256 by which later versions find content that is stored. */
export const recordsContent = ({ dedup, fileChecksums }: Pick<PackingOptions, 'dedup' | 'fileChecksums'>): boolean =>
  dedup === true && fileChecksums;

/** Which objects there will be. */
export interface LayoutOptions {
  readonly shardStrategy: ShardStrategy;
  /** 0 chooses. */
  readonly shardCount: number;
  /** Most data in a chunk; chosen by what there is and by memory when not given. */
  readonly chunkBytes?: number | undefined;
  readonly storageClass: string;
  readonly tiers?: TierPolicy | undefined;
  /** Object Lock of chunks, manifest and version record; undefined: none, or what the bucket does by itself. */
  readonly lock?: LockOptions | undefined;
  /** Store files as objects of their own; not with `dedup`. */
  readonly direct?: DirectOptions | undefined;
}

export interface DirectOptions {
  /** Larger uploads go into chunks; undefined: none is too large. */
  readonly thresholdBytes: number | undefined;
  /** Objects of files on their way at a time. */
  readonly requests: number;
  /** Every key is a hashed one: nothing of a path is in it that a server could mistake. */
  readonly hashedKeys?: boolean | undefined;
}

/** What the manifest says beside what it lists. */
export interface LabelOptions {
  readonly tool: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly project?: string | undefined;
  /** What is recorded of git and DVC. */
  readonly provenance?: UploadProvenance | undefined;
}

/** How an upload that ends early is continued. */
export interface ResumeOptions {
  /** Writes down what is sent. */
  readonly journal?: UploadJournal | undefined;
  /** The interrupted upload of this source that this one goes on with. */
  readonly saved?: Pick<SavedUpload, 'state' | 'chunks'> | undefined;
  /** Chunks of a resumed upload that were not noted are read back and reused. */
  readonly readsBack: boolean;
  /** A failure removes what was sent even where it could be resumed; an interruption does not. */
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

/** What is always said, and what has no parts. */
interface Basics {
  /** Absolute, resolved. */
  readonly source: RawPath;
  /** The first file that cannot be stored ends the upload. */
  readonly failFast: boolean;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Undefined: it may. Not asked of a dry run. */
  readonly mayBegin: MayBegin | undefined;
}

export interface Settings extends Groups, Basics {
  /** `skipTrees` undefined: what of the store and of `home` lies in the source. */
  readonly filter: Omit<FilterOptions, 'skipTrees'> & Partial<Pick<FilterOptions, 'skipTrees'>>;
  /** Undefined where this computer remembers nothing. */
  readonly home: string | undefined;
  /** Where manifests are remembered, instead of the folder for that in `home`. */
  readonly cacheFolder: string | undefined;
  readonly remembered: Remembered | undefined;
  /** Called with what cannot be kept on this computer. */
  readonly warn: (text: string) => void;
}

export type ArchiveOptions = Pick<Basics, 'source' | 'emit' | 'signal'> &
  Partial<Omit<Basics, 'source' | 'emit' | 'signal'>> & {
    readonly [Name in keyof Groups]?: Partial<Groups[Name]>;
  } & {
    readonly filter?: Partial<FilterOptions>;
    /** Archiver's own folder on this computer: manifests and what the newest versions are. */
    readonly home?: string | undefined;
    readonly cacheFolder?: string | undefined;
    /** Instead of what `home` has. */
    readonly remembered?: Remembered | undefined;
    readonly warn?: (text: string) => void;
  };

export const DEFAULT_FRAME_BYTES = 16 * MIB;

/** One worker a core, up to sixteen: beyond that the main thread's sending is the limit. Less memory, fewer workers. */
export function workersFor(memoryLimitBytes: number | undefined): number {
  const cores = threadsWithin(Math.min(16, availableParallelism()));
  if (memoryLimitBytes === undefined) return cores;
  return Math.max(1, Math.min(cores, Math.floor((memoryLimitBytes / MIB - 128) / 96)));
}

/** Everything that an upload has to know. */
export function settingsOf(options: ArchiveOptions): Settings {
  const { dataset, filter, packing, layout, transfer, labels, resume, ...given } = options;
  const { skipTrees: _none, ...noFilter } = NO_FILTER;
  return {
    failFast: false,
    dryRun: false,
    mayBegin: undefined,
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
