// What a store has: its datasets, their versions, and the files of a version.
import { describeDatasets } from '../core/dataset/records/describe-datasets.js';
import { describeVersions } from '../core/dataset/records/describe-versions.js';
import { Channel } from '../core/restore/listing/channel.js';
import { listEntries } from '../core/restore/listing/list-entries.js';
import { listedFile } from '../core/format/manifest/listed-file.js';
import { chosenUpload, selectorsOf } from './choice.js';
import type { CallOptions, FileChoice, Store, VersionChoice } from './options.js';
import { call } from './session.js';

/** A dataset with its newest version. Null is what the record of that cannot say: why is in `problem`. Sizes are bytes. */
export interface DatasetSummary {
  readonly datasetId: string;
  readonly versionCount: number;
  readonly headVersion: number;
  readonly headUploadId: string | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly storedBytes: number | null;
  /** When the newest version was made; ISO 8601. */
  readonly updatedAt: string | null;
  /** The folder that it was made of, and on which computer. */
  readonly source: string | null;
  readonly host: string | null;
  readonly problem?: string;
}

export interface DatasetsResult {
  /** In byte order of their ids. */
  readonly datasets: readonly DatasetSummary[];
  readonly warnings: readonly string[];
}

/** The datasets of a store, each with its newest version. @throws ArchiverError `access-denied`, `cancelled` and what a store says */
export async function datasets(store: Store, options: CallOptions = {}): Promise<DatasetsResult> {
  return await call(store, options, async ({ opened, emit, signal, warn, warnings }) => {
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    return { datasets: await describeDatasets(opened.store, { warn, signal, emit }), warnings };
  });
}

export interface VersionsOptions extends CallOptions, Pick<VersionChoice, 'dataset'> {}

/** Sizes are bytes, those of what a restore would give; moments are ISO 8601. */
export interface VersionSummary {
  readonly version: number;
  /** Letters of one that shares its number with another. */
  readonly fork?: string | undefined;
  readonly uploadId: string;
  /** They keep it from being pruned. */
  readonly tags: readonly string[];
  /** `delta`: stored as what differs from the version before. */
  readonly listing: 'full' | 'delta';
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  /** By the clock of its writer, and by that of the store. */
  readonly createdAt: string;
  readonly storedAt: string;
  /** The folder that it was made of, and on which computer; null where it is encrypted. */
  readonly source: string | null;
  readonly host: string | null;
  /** Number of the version that it builds on. */
  readonly previous: number | null;
  /** The git commit of the folder, where it was recorded. */
  readonly commit?: string | null;
  /** Why it may be none of yours; in sentences. */
  readonly doubts: readonly string[];
}

/** A version whose record cannot be used. */
export interface UnreadableVersion extends Pick<VersionSummary, 'version' | 'fork' | 'tags' | 'storedAt' | 'doubts'> {
  readonly problem: string;
}

export interface VersionsResult {
  readonly datasetId: string;
  /** Newest first. */
  readonly versions: readonly (VersionSummary | UnreadableVersion)[];
  readonly warnings: readonly string[];
}

/** The versions of a dataset. @throws ArchiverError `not-found`, `usage` where several datasets are meant, and as `datasets` */
export async function versions(store: Store, options: VersionsOptions = {}): Promise<VersionsResult> {
  const { dataset } = options;
  return await call(store, options, async ({ opened, emit, signal, warn, warnings }) => {
    emit({ type: 'start', operation: 'load', source: store.url, target: '' });
    const described = await describeVersions(opened.store, { dataset, emit, signal });
    for (const text of described.warnings) warn(text);
    return { datasetId: described.datasetId, versions: described.versions, warnings };
  });
}

/** A file, a link or another entry that is no folder. */
export interface ListedFile {
  /** Bytes that are not UTF-8 are `\xNN`. */
  readonly path: string;
  /** Its bytes, where they are not UTF-8. */
  readonly pathBase64?: string;
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** ISO 8601 with nanoseconds. */
  readonly mtime: string;
  /** Octal, such as `0644`. */
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly user: string | null;
  readonly group: string | null;
  /** Hex; null for what has none. */
  readonly md5: string | null;
  /** Key of the chunk below the upload, the last one where there are several: all are in `chunkKeys`. */
  readonly chunk: string | null;
  readonly shard: number | null;
  readonly chunkKeys?: readonly string[];
  /** Of a symbolic link. */
  readonly target?: string;
  /** Names of one file have the same. */
  readonly linkGroup?: number;
  /** The DVC stage that makes it, and the git commit that it was archived at, where they were recorded. */
  readonly stage: string | null;
  readonly commit: string | null;
}

export interface ListOptions extends CallOptions, VersionChoice, FileChoice {}

/**
 * The files of a version, in byte order of their paths: everything but folders. They come while the manifest is read, and no more
 * is read than is taken, so a million files need no memory. Who stops early ends the reading. What of `files` is not there is
 * told by `skip` events. @throws ArchiverError `not-found`, also where nothing is there of what was asked for, `usage`,
 * `integrity` for a damaged manifest (then nothing that came counts), and as `datasets`
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
