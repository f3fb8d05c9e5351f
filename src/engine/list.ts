// Lists the contents of a store: its datasets, their versions, and the files of a version.
import { describeDatasets } from '../core/dataset/records/describe-datasets.js';
import { describeVersions } from '../core/dataset/records/describe-versions.js';
import { Channel } from '../core/restore/listing/channel.js';
import { listEntries } from '../core/restore/listing/list-entries.js';
import { listedFile } from '../core/format/manifest/listed-file.js';
import { chosenUpload, selectorsOf } from './choice.js';
import type { CallOptions, FileChoice, Store, VersionChoice } from './options.js';
import { call } from './session.js';

/** A dataset with its newest version. Values that its record does not provide are null: `problem` says why. Sizes are bytes. */
export interface DatasetSummary {
  readonly datasetId: string;
  readonly versionCount: number;
  readonly headVersion: number;
  readonly headUploadId: string | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly storedBytes: number | null;
  /** Time at which the newest version was made; ISO 8601. */
  readonly updatedAt: string | null;
  /** The folder that it was made from, and the computer. */
  readonly source: string | null;
  readonly host: string | null;
  readonly problem?: string;
}

export interface DatasetsResult {
  /** Datasets in byte order of their IDs. */
  readonly datasets: readonly DatasetSummary[];
  readonly warnings: readonly string[];
}

/** The datasets of a store, each with its newest version. @throws ArchiverError `access-denied`, `cancelled` and errors of the store */
export async function datasets(store: Store, options: CallOptions = {}): Promise<DatasetsResult> {
  return await call(store, options, async ({ opened, emit, signal, warn, warnings }) => {
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    return { datasets: await describeDatasets(opened.store, { warn, signal, emit }), warnings };
  });
}

export interface VersionsOptions extends CallOptions, Pick<VersionChoice, 'dataset'> {}

/** A version of a dataset. Sizes are bytes of a restore; times are ISO 8601. */
export interface VersionSummary {
  readonly version: number;
  /** Letters of a version that shares its number with another. */
  readonly fork?: string | undefined;
  readonly uploadId: string;
  /** Tags, which keep it from being pruned. */
  readonly tags: readonly string[];
  /** `delta`: stored as the differences to the version before. */
  readonly listing: 'full' | 'delta';
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  /** Time by the clock of its writer, and by that of the store. */
  readonly createdAt: string;
  readonly storedAt: string;
  /** The folder that it was made from, and the computer; null when it is encrypted. */
  readonly source: string | null;
  readonly host: string | null;
  /** Number of the version that it builds on. */
  readonly previous: number | null;
  /** The git commit of the folder, if it was recorded. */
  readonly commit?: string | null;
  /** Sentences that say why it may not be your own version. */
  readonly doubts: readonly string[];
}

/** A version whose record cannot be used. */
export interface UnreadableVersion extends Pick<VersionSummary, 'version' | 'fork' | 'tags' | 'storedAt' | 'doubts'> {
  readonly problem: string;
}

export interface VersionsResult {
  readonly datasetId: string;
  /** Versions, newest first. */
  readonly versions: readonly (VersionSummary | UnreadableVersion)[];
  readonly warnings: readonly string[];
}

/** The versions of a dataset. @throws ArchiverError `not-found`, `usage` when several datasets match, and as `datasets` */
export async function versions(store: Store, options: VersionsOptions = {}): Promise<VersionsResult> {
  const { dataset } = options;
  return await call(store, options, async ({ opened, emit, signal, warn, warnings }) => {
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    const described = await describeVersions(opened.store, { dataset, emit, signal });
    for (const text of described.warnings) warn(text);
    return { datasetId: described.datasetId, versions: described.versions, warnings };
  });
}

/** A file, a link or another entry except folders. */
export interface ListedFile {
  /** The path; bytes that are not UTF-8 are `\xNN`. */
  readonly path: string;
  /** Bytes of the path, when they are not UTF-8. */
  readonly pathBase64?: string;
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  /** ISO 8601 with nanoseconds. */
  readonly mtime: string;
  /** Octal, such as `0644`. */
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly user: string | null;
  readonly group: string | null;
  /** Hex; null when there is none. */
  readonly md5: string | null;
  /** Key of the chunk, relative to the upload; with several chunks the last one, and all are in `chunkKeys`. */
  readonly chunk: string | null;
  readonly shard: number | null;
  readonly chunkKeys?: readonly string[];
  /** Target of a symbolic link. */
  readonly target?: string;
  /** Equal for all names of one file. */
  readonly linkGroup?: number;
  /** The DVC stage that produces it, and the git commit at which it was archived, if they were recorded. */
  readonly stage: string | null;
  readonly commit: string | null;
}

export interface ListOptions extends CallOptions, VersionChoice, FileChoice {}

/**
 * The files of a version, in byte order of their paths: everything except folders. They are returned while the manifest is read, and no
 * more is read than is consumed, so a million files need no memory. Stopping early ends the reading. Missing paths of `files` are reported
 * by `skip` events. @throws ArchiverError `not-found`, also when nothing matches the choice, `usage`, `integrity` for a damaged manifest
 * (then nothing that was returned is valid), and as `datasets`
 */
export async function* list(store: Store, options: ListOptions = {}): AsyncGenerator<ListedFile, void, undefined> {
  const ending = new AbortController();
  const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
  const channel = new Channel<readonly ListedFile[]>();
  const reading = read(store, { ...options, signal }, channel).then(
    () => channel.close(),
    (error: unknown) => channel.close({ error }),
  );
  try {
    for await (const files of channel.read()) yield* files;
  } finally {
    ending.abort();
    await reading;
  }
}

async function read(store: Store, options: ListOptions, channel: Channel<readonly ListedFile[]>): Promise<void> {
  await call(store, options, async (its) => {
    const { opened, emit, signal, warn } = its;
    const selectors = selectorsOf(options);
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    const { uploadId, manifestSha256: sha256 } = await chosenUpload(options, its);
    let files: ListedFile[] = [];
    const { unmatched } = await listEntries(opened.store, {
      uploadId,
      sha256,
      selectors,
      onEntry: (entry, chunks) => files.push(listedFile(entry, chunks)),
      onPiece: async () => {
        const listed = files;
        files = [];
        if (listed.length > 0) await channel.put(listed);
      },
      warn,
      emit,
      signal,
    });
    for (const { path, reason } of unmatched) emit({ type: 'skip', path, reason });
  });
}
