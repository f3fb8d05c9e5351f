// The version that an upload of changes is compared with: the head of its dataset, from the store where this writer may
// read it, else from what this computer remembers. No baseline means a full version; doubt about a baseline that exists
// is an error, because silently uploading everything again would be expensive.
import { createHash } from 'node:crypto';
import { RetiredVersion } from '../../dataset/records/tombstone.js';
import { comparePlaces, type HighestVersion, highestVersion } from '../../dataset/records/version-record.js';
import type { CachedHead } from '../../dataset/cache/head-cache.js';
import type { ManifestCache } from '../../dataset/cache/manifest-cache.js';
import { batchesOf, type EntryBatch } from '../../dataset/chain/merged-view.js';
import { begun, readAhead } from '../../dataset/chain/read-ahead.js';
import { recordIfAllowed } from '../../dataset/records/versions.js';
import { recordedDigests } from '../../dataset/records/recorded-digests.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import { openView, type View } from '../../dataset/chain/view.js';
import type { Remembered } from '../run/remembered.js';
import type { PreviousFile } from '../run/settings.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import type { ComparedWith } from '../run/change-counts.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ObjectStore } from '../../store/object-store.js';
import { type ExpectedDigests, expectedIn } from '../../dataset/records/assert-expected.js';
import { isSameEtag } from '../../store/same-etag.js';

export interface BaselineOptions {
  readonly store: ObjectStore;
  readonly datasetId: string;
  /** The highest version that is listed; undefined for a writer without permission to list. */
  readonly highest: HighestVersion | undefined;
  readonly remembered: Remembered;
  /** Manifest to compare with instead of that of the latest version. */
  readonly previousManifest?: PreviousFile | undefined;
  /** Makes a full new version, even if the latest one is damaged. */
  readonly isForced?: boolean | undefined;
  /** Continues an interrupted run: the version to compare with may have been pruned since. */
  readonly isResumed?: boolean;
  /** Whether the comparison with this view looks at every entry, not only at those that differ; rows are read where that is not known. */
  readonly looksAtEach?: (view: View) => boolean;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface Baseline {
  /** The highest ordinal: the new version is the next one. */
  readonly head: number;
  /** False for a writer that must guess `head`. */
  readonly isListed: boolean;
  /** False for a writer without permission to read, which only has its cache. */
  readonly isReadable: boolean;
  /** ETag of the record of `head`, where it is listed. */
  readonly recordEtag: string | undefined;
  readonly comparedWith: Exclude<ComparedWith, 'none'>;
  /** True if the view is that of `head`, false if it is that of an older version, which a prune may remove at any time. */
  readonly isNewest: boolean;
  readonly view: View;
  /** Digests of the manifests of the view that this computer remembered; the others were read from the store. */
  readonly recalled: ReadonlySet<string>;
  /** The entries of the view, or rows of them, which are read ahead; they can be iterated only once. */
  readonly entries: ReturnType<typeof begun<EntryBatch>>;
}

const NO_BASELINE = 'this writer may not read, and remembers nothing that the store still has: a full version';
/** Texts (of 256 KiB, some 800 entries) that are read ahead while the folder is scanned. */
const AHEAD = 64;
/** The same where they become entries, of 0.9 MiB each: half of a version of 65,000 files. */
const ENTRIES_AHEAD = 32;

const entriesOf = (view: View, looksAtEach = false): Baseline['entries'] =>
  looksAtEach ? readAhead(view.entries(), ENTRIES_AHEAD) : begun(batchesOf(view, undefined, AHEAD));

interface Opened {
  readonly view: View;
  readonly recalled: ReadonlySet<string>;
}

const baselineOf = (
  head: Head,
  { view, recalled }: Opened,
  { highest, looksAtEach }: Pick<BaselineOptions, 'highest' | 'looksAtEach'>,
): Baseline => ({
  head: head.version,
  recordEtag: highest?.version === head.version ? highest.etag : undefined,
  isListed: head.isListed,
  isReadable: head.isReadable,
  comparedWith: head.from,
  isNewest: view.head.uploadId === head.uploadId,
  view,
  recalled,
  entries: entriesOf(view, looksAtEach?.(view)),
});

/** Returns the baseline with fresh entries, to compare with it once more. */
export const withFreshEntries = (baseline: Baseline): Baseline => ({
  ...baseline,
  entries: entriesOf(baseline.view),
});

/** Returns the baseline for a version after `head` that lists all of the view. */
export const listingAll = (baseline: Baseline, head: number): Baseline => ({
  ...withFreshEntries(baseline),
  head,
  isNewest: false,
});

/** Returns the baseline for a writer that turned out to have no permission to read the store. */
export const withoutReadAccess = (baseline: Baseline): Baseline => ({
  ...withFreshEntries(baseline),
  isReadable: false,
});

/** Wraps a cache so that the digests of what it had are added to `recalled`. */
const noteRecalled = (cache: ManifestCache, recalled: Set<string>): ManifestCache => ({
  get: async (sha256) => {
    const found = await cache.get(sha256);
    if (found !== undefined) recalled.add(sha256);
    return found;
  },
  put: async (sha256, manifest) => await cache.put(sha256, manifest),
});

interface Head {
  readonly from: Baseline['comparedWith'];
  readonly isListed: boolean;
  readonly isReadable: boolean;
  readonly version: number;
  readonly uploadId: UploadId;
  readonly sha256: ExpectedDigests;
}

const FORCE = 'run again with --force for a full new version';

/**
 * Finds the version to compare with; undefined when there is none yet, or none that this writer can know of. @throws what reading it throws
 */
export async function findBaseline(options: BaselineOptions): Promise<Baseline | undefined> {
  const {
    store,
    remembered: { cache },
    signal,
  } = options;
  const given = options.previousManifest;
  try {
    const head = await findHead(options);
    if (given !== undefined) {
      if (head === undefined) throw notInChain(options, given.name);
      return baselineOf(head, await viewOfFile(options, head, given), options);
    }
    if (head === undefined) {
      if (options.highest !== undefined && options.highest.version > 0)
        options.emit({ type: 'note', text: NO_BASELINE });
      return undefined;
    }
    const { uploadId, sha256 } = head;
    const recalled = new Set<string>();
    const view = await openView(store, { uploadId, sha256, signal, cache: cache && noteRecalled(cache, recalled) });
    return baselineOf(head, { view, recalled }, options);
  } catch (error) {
    if (given !== undefined) return await latestInstead(options, error);
    // Permission is not checked beforehand: what the store refuses to give may be in the cache.
    if (isArchiverError(error, 'access-denied')) {
      options.emit({ type: 'note', text: NO_BASELINE });
      return undefined;
    }
    if (!isArchiverError(error)) throw error;
    const isLost: boolean = isArchiverError(error, 'integrity', 'not-found', 'unsupported');
    if (options.isForced === true && isLost) {
      const text = `the latest version of dataset ${options.datasetId} is unreadable, and nothing of it is reused: ${error.message}`;
      options.emit({ type: 'note', text });
      return undefined;
    }
    throw new ArchiverError(
      error.code,
      `the latest version of dataset ${options.datasetId} is unreadable: ${error.message}`,
      {
        cause: error,
        // A failure that may go away is no reason to do without the version.
        hint: isLost ? [error.hint, FORCE].filter(Boolean).join('; or ') : error.hint,
      },
    );
  }
}

/**
 * Compares with the latest version where a resumed upload cannot be compared with that of its file any more. @throws `error` in all other
 * cases
 */
async function latestInstead(options: BaselineOptions, error: unknown): Promise<Baseline | undefined> {
  if (options.isResumed !== true || !isArchiverError(error, 'unsupported', 'not-found', 'integrity')) throw error;
  options.emit({ type: 'note', text: `comparing with the latest version instead: ${error.message}` });
  return await findBaseline({ ...options, previousManifest: undefined });
}

async function findHead(options: BaselineOptions): Promise<Head | undefined> {
  const {
    store,
    datasetId,
    highest,
    remembered: { heads },
  } = options;
  if (highest?.version === 0) return undefined;
  const remembered = await heads?.get(store.url, datasetId);
  const isHead =
    remembered !== undefined &&
    (highest === undefined || highest.version === remembered.version) &&
    (highest?.uploadId ?? remembered.uploadId) === remembered.uploadId;
  const cached = !isHead ? undefined : { ...asHead(remembered, datasetId), isListed: highest !== undefined };
  if (highest === undefined) return cached;
  // The record is the one that was seen here before: there is nothing new in it.
  if (cached !== undefined && isSameEtag(remembered?.recordEtag, highest.etag)) return { ...cached, isReadable: true };
  return await readHead(options, highest);
}

const asHead = ({ version, uploadId, manifestSha256 }: CachedHead, datasetId: string): Omit<Head, 'isListed'> => {
  const sha256 = expectedIn(datasetId, [manifestSha256]);
  return { version, uploadId, from: 'cache', isReadable: false, sha256 };
};

/** Reads the record of the newest version; undefined for a writer without permission to read. */
async function readHead(options: BaselineOptions, newest: HighestVersion): Promise<Head | undefined> {
  const { store, datasetId, signal } = options;
  const { version } = newest;
  try {
    // The record was rewritten since it was seen: by a compaction, which would do no harm, or by a repair, after which nothing may build on
    // what is remembered. A writer that may not read cannot tell.
    const record = await recordIfAllowed(store, newest, signal);
    if (record === undefined) return undefined;
    const { uploadId } = record;
    return { version, from: 'store', isListed: true, isReadable: true, uploadId, sha256: digestsOf(record) };
  } catch (error) {
    if (!(error instanceof RetiredVersion)) throw error;
    // The version was retired since it was listed: there is a newer one.
    const highest = await highestVersion(store, datasetId, { signal });
    if (highest === undefined || comparePlaces(highest, newest) === 0) throw error;
    return await findHead({ ...options, highest });
  }
}

async function viewOfFile(
  { store, datasetId, remembered: { cache }, signal }: BaselineOptions,
  head: Head,
  { name, uploadId, bytes }: PreviousFile,
): Promise<Opened> {
  const sha256 = bytes === undefined ? undefined : createHash('sha256').update(bytes).digest('hex');
  const withFile: ManifestCache = {
    get: async (digest) => (bytes !== undefined && digest === sha256 ? { bytes } : await cache?.get(digest)),
    put: async (digest, content) => await cache?.put(digest, content),
  };
  const expected = sha256 === undefined ? {} : { sha256 };
  const recalled = new Set<string>();
  const view = await openView(store, { uploadId, ...expected, cache: noteRecalled(withFile, recalled), signal });
  const recorded = await digestsInChain(store, datasetId, head, uploadId, signal);
  if (view.head.datasetId !== datasetId || recorded === undefined) throw notInChain({ datasetId }, name);
  if (!recorded.includes(sha256 ?? view.chain[0]?.sha256 ?? '')) throw rewritten(name, uploadId);
  return { view, recalled };
}

const rewritten = (name: string, uploadId: UploadId): ArchiverError =>
  new ArchiverError('unsupported', `${name} is no longer the manifest of upload ${uploadId}: it was rewritten since`, {
    hint: 'chunks may have moved; fetch the manifest again, or leave out --prev-manifest',
  });

/** Manifest digests that the version of this upload records; undefined when there is none, or this writer may not list. */
async function digestsInChain(
  store: ObjectStore,
  datasetId: string,
  head: Head,
  uploadId: UploadId,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (head.uploadId === uploadId) return head.sha256;
  return await recordedDigests(store, { datasetId, uploadId }, signal);
}

const notInChain = ({ datasetId }: Pick<BaselineOptions, 'datasetId'>, name: string): ArchiverError =>
  new ArchiverError('unsupported', `${name} is not the manifest of a version of dataset ${datasetId}`, {
    hint: `chunks of other datasets may be pruned at any time; leave out --prev-manifest to compare with the latest version`,
  });
