// The version that an upload of changes is compared with: the head of its dataset, from the store where this writer may
// read it, else from what this computer remembers. No baseline means a full version; doubt about a baseline that exists
// is an error, because uploading everything anew in silence would cost an evening.
import { createHash } from 'node:crypto';
import type { HeadCache } from '../../dataset/head-cache.js';
import type { ManifestCache } from '../../dataset/manifest-cache.js';
import { readAhead } from '../../dataset/read-ahead.js';
import { readVersion } from '../../dataset/versions.js';
import { digestsOf } from '../../dataset/version-view.js';
import { openView, type View } from '../../dataset/view.js';
import { ArchiverError, isArchiverError } from '../../errors.js';
import type { EventSink } from '../../events.js';
import type { Entry } from '../../manifest/manifest-types.js';
import type { EncodedManifest } from '../../manifest/manifest-writer.js';
import type { ObjectStore } from '../../object-store/object-store.js';

export interface BaselineOptions {
  readonly store: ObjectStore;
  readonly datasetId: string;
  /** The highest ordinal that is listed; undefined when this writer may not list. */
  readonly highest: number | undefined;
  readonly cache: ManifestCache | undefined;
  readonly heads: HeadCache | undefined;
  /** To compare with, instead of the latest one: a version's manifest in a file of this name. */
  readonly previousManifest?: PreviousFile | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface PreviousFile {
  readonly name: string;
  readonly uploadId: string;
  /** As it lies in the store; without them it is read from there. */
  readonly bytes?: Buffer;
}

export interface Baseline {
  /** The highest ordinal: the new version is the next one. */
  readonly head: number;
  /** False for a writer that has to guess `head`. */
  readonly isListed: boolean;
  /** The view is that of `head`; of an older version, which prune may remove at any time, otherwise. */
  readonly isNewest: boolean;
  /** That the record of the highest version gave. */
  readonly digests: readonly string[];
  readonly view: View;
  /** The entries of the view, being parsed already. To be iterated once. */
  readonly entries: ReturnType<typeof readAhead<readonly Entry[]>>;
}

/** Batches of a thousand entries: what is parsed while the folder is scanned. */
const AHEAD = 64;

const baselineOf = (head: Head, view: View): Baseline => ({
  head: head.version,
  isListed: head.isListed,
  isNewest: view.head.uploadId === head.uploadId,
  digests: head.sha256,
  view,
  entries: readAhead(view.entries(), AHEAD),
});

/** For a writer that guessed `head` and found it taken: the same view, no longer the newest. */
export const outdated = (baseline: Baseline): Baseline => ({
  ...baseline,
  head: baseline.head + 1,
  isNewest: false,
  entries: readAhead(baseline.view.entries(), AHEAD),
});

/**
 * Whether the record of the baseline still says what it said. A balance moves chunks that a new manifest may refer to: it
 * says so in the record before it looks for manifests that do, and writers look at the record after they wrote theirs.
 * True for a writer that may not read. @throws what reading it throws
 */
export async function baselineStands(
  store: ObjectStore,
  datasetId: string,
  { head, digests }: Baseline,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const now = digestsOf(await readVersion(store, datasetId, head, signal));
    return now.length === digests.length && now.every((digest) => digests.includes(digest));
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) return true;
    throw error;
  }
}

interface Head {
  readonly isListed: boolean;
  readonly version: number;
  readonly uploadId: string;
  readonly sha256: readonly string[];
}

/** Undefined when there is no version yet, or none that this writer can know of. @throws what reading it throws */
export async function findBaseline(options: BaselineOptions): Promise<Baseline | undefined> {
  const { store, cache, signal } = options;
  const head = await findHead(options);
  if (head === undefined) {
    if (options.previousManifest !== undefined) throw notInChain(options, options.previousManifest.name);
    return undefined;
  }
  const { uploadId, sha256 } = head;
  const given = options.previousManifest;
  if (given !== undefined) return baselineOf(head, await viewOfFile(options, head, given));
  try {
    return baselineOf(head, await openView(store, { uploadId, sha256, signal, ...(cache ? { cache } : {}) }));
  } catch (error) {
    if (isArchiverError(error, 'access-denied')) {
      options.emit({ type: 'note', text: 'this writer may not read, and no cached manifest is left: a full version' });
      return undefined;
    }
    if (!isArchiverError(error)) throw error;
    throw new ArchiverError(
      error.code,
      `the latest version of dataset ${options.datasetId} is unreadable: ${error.message}`,
      {
        cause: error,
        hint: 'run again with --force for a full new version, or `archiver repair` the upload',
      },
    );
  }
}

async function findHead(options: BaselineOptions): Promise<Head | undefined> {
  const { store, datasetId, highest, heads, signal } = options;
  if (highest === 0) return undefined;
  const remembered = await heads?.get(store.url, datasetId);
  const cached =
    remembered === undefined || (highest !== undefined && highest !== remembered.version)
      ? undefined
      : { ...remembered, isListed: highest !== undefined, sha256: [remembered.manifestSha256] };
  if (highest === undefined) return cached;
  try {
    const record = await readVersion(store, datasetId, highest, signal);
    return { version: highest, isListed: true, uploadId: record.uploadId, sha256: digestsOf(record) };
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return cached;
  }
}

async function viewOfFile(
  { store, datasetId, cache, signal }: BaselineOptions,
  head: Head,
  { name, uploadId, bytes }: PreviousFile,
): Promise<View> {
  const sha256 = bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
  const withFile: ManifestCache = {
    get: async (digest) => (bytes !== undefined && digest === sha256 ? { bytes } : await cache?.get(digest)),
    put: async (digest, content) => await cache?.put(digest, content),
  };
  const expected = sha256 === undefined ? {} : { sha256 };
  const view = await openView(store, { uploadId, ...expected, cache: withFile, signal });
  const recorded = await digestsInChain(store, datasetId, head, uploadId, signal);
  if (view.head.datasetId !== datasetId || recorded === undefined) throw notInChain({ datasetId }, name);
  if (sha256 !== undefined && !recorded.includes(sha256)) throw rewritten(name, uploadId);
  return view;
}

const rewritten = (name: string, uploadId: string): ArchiverError =>
  new ArchiverError('unsupported', `${name} is no longer the manifest of upload ${uploadId}: it was rewritten since`, {
    hint: 'chunks may lie elsewhere now; fetch the manifest again, or leave out --prev-manifest',
  });

/** What the version of this upload records; undefined when there is none. Newest first. */
async function digestsInChain(
  store: ObjectStore,
  datasetId: string,
  head: Head,
  uploadId: string,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (head.uploadId === uploadId) return head.sha256;
  for (let version = head.version - 1; version >= 1; version--) {
    try {
      const record = await readVersion(store, datasetId, version, signal);
      if (record.uploadId === uploadId) return digestsOf(record);
    } catch (error) {
      if (!isArchiverError(error, 'not-found')) throw error; // pruned
    }
  }
  return undefined;
}

const notInChain = ({ datasetId }: Pick<BaselineOptions, 'datasetId'>, name: string): ArchiverError =>
  new ArchiverError('unsupported', `${name} is not the manifest of a version of dataset ${datasetId}`, {
    hint: `chunks of other datasets may be pruned at any time; leave out --prev-manifest to compare with the latest version`,
  });

export interface NewHead {
  readonly version: number;
  readonly uploadId: string;
  readonly encoded: EncodedManifest;
}

/** Keeps what was just committed at hand for the next run. */
export async function rememberHead(
  { cache, heads }: { readonly cache?: ManifestCache | undefined; readonly heads?: HeadCache | undefined },
  baseUrl: string,
  datasetId: string,
  { version, uploadId, encoded }: NewHead,
): Promise<void> {
  await cache?.put(encoded.sha256, encoded.opened ?? { bytes: encoded.bytes });
  await heads?.put(baseUrl, datasetId, { version, uploadId, manifestSha256: encoded.sha256 });
}
