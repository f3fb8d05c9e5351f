// Decides what the rebuilt manifest lists: what the own chunks hold; that as a delta to the version before; or that on top
// of the version before as a full listing. The totals in the version record tell whether it is all there.
import { levelOf, openView, type View } from '../dataset/view.js';
import { compactView, summarize } from '../dataset/summarize.js';
import { mergeLevels } from '../dataset/merge-levels.js';
import { ArchiverError, errorText, isArchiverError } from '../errors.js';
import type { Entry, ManifestHead, PreviousManifest, Totals, VersionRecord } from '../manifest/manifest-types.js';
import type { ObjectReader } from '../object-store/object-store.js';
import type { FoundRecord } from './find-record.js';
import type { OwnView } from './own-view.js';
import type { DescriptiveHead } from './rebuild-head.js';

export interface RebuildOptions {
  readonly reader: ObjectReader;
  readonly own: OwnView;
  readonly describing: DescriptiveHead;
  readonly damaged: ManifestHead | undefined;
  readonly record: FoundRecord | undefined;
  /** Take over entries of the version before, also where nothing proves that they belong here. */
  readonly fromPrevious: boolean;
  readonly signal: AbortSignal;
}

export interface Rebuilt {
  readonly head: ManifestHead;
  entries(): AsyncIterable<readonly Entry[]>;
  /** Of the effective view. */
  readonly totals: Totals;
  /** The version before, from which entries were taken over. */
  readonly takenFrom: string | undefined;
}

/** @throws integrity when the version before is needed and cannot be read, or there is none */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { damaged, record, fromPrevious } = options;
  const before = previousOf(options);
  const listing = record?.record.listing ?? damaged?.listing ?? 'full';
  if (listing === 'delta') return await rebuildDelta(options, await openPrevious(options, before));
  // Only a full listing that took over content of older uploads refers to chunks of theirs.
  const tookOver = damaged?.chunks.some(({ key }) => key.startsWith('../')) === true;
  if (fromPrevious || (tookOver && before !== undefined))
    return await overPrevious(options, await openPrevious(options, before));
  return await rebuildFull(options, before);
}

/** Nothing but the totals in the record can tell an entry that was taken over from one that is lost. */
async function rebuildFull(options: RebuildOptions, before: Previous | undefined): Promise<Rebuilt> {
  const { own, record } = options;
  const expected = record?.record.totals;
  if (before === undefined || expected === undefined || sameContent(own.totals, expected)) return ownListing(options);
  const merged = await tryOverPrevious(options, before);
  return merged !== undefined && sameContent(merged.totals, expected) ? merged : ownListing(options);
}

/** The same number of entries of every type, and as many bytes. */
export function sameContent(a: Totals, b: Totals): boolean {
  const keys = ['entries', 'files', 'directories', 'symlinks', 'hardlinks', 'bytes'] as const;
  return keys.every((key) => a[key] === b[key]);
}

function ownListing({ own, describing, record }: RebuildOptions): Rebuilt {
  const totals = { ...own.totals, skipped: record?.record.totals.skipped ?? 0 };
  const head = { ...describing, listing: 'full', totals, shards: own.shards, chunks: own.chunks } as const;
  return { head, entries: () => own.entries(), totals, takenFrom: undefined };
}

interface Previous {
  readonly uploadId: string;
  readonly sha256: readonly string[];
}

function previousOf({ record, damaged }: RebuildOptions): Previous | undefined {
  const before: VersionRecord | undefined = record?.previous;
  if (before !== undefined) {
    const { uploadId, manifestSha256, replacementSha256 } = before;
    return { uploadId, sha256: [manifestSha256, ...(replacementSha256 === undefined ? [] : [replacementSha256])] };
  }
  const named: PreviousManifest | undefined = damaged?.previous;
  return named === undefined ? undefined : { uploadId: named.uploadId, sha256: [named.sha256] };
}

async function openPrevious(
  { reader, signal, describing }: RebuildOptions,
  before: Previous | undefined,
): Promise<View> {
  if (before === undefined) {
    throw new ArchiverError(
      'integrity',
      `uploads/${describing.uploadId} builds on the version before it, and there is none, or its record is gone or damaged`,
      { hint: 'restore another version: archiver dataset versions shows them' },
    );
  }
  try {
    return await openView(reader, { ...before, signal });
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    throw new ArchiverError(
      error.code === 'not-found' ? 'integrity' : error.code,
      `uploads/${describing.uploadId} builds on uploads/${before.uploadId}, whose manifest cannot be read: ${errorText(error)}`,
      { cause: error, hint: `repair that one first: archiver repair ${reader.url}/uploads/${before.uploadId}` },
    );
  }
}

async function rebuildDelta(
  { own, describing, record, reader: _reader }: RebuildOptions,
  before: View,
): Promise<Rebuilt> {
  const { uploadId } = describing;
  const [newest] = before.chain;
  const merged = mergeLevels([own.level, ...before.chain.map(levelOf)], uploadId);
  const skipped = record?.record.totals.skipped ?? 0;
  const view = { ...(await summarize(merged)).totals, skipped };
  const { deltas = 0, entries = 0 } = before.head.chain ?? {};
  const head: ManifestHead = {
    ...describing,
    listing: 'delta',
    previous: { uploadId: before.head.uploadId, sha256: newest?.sha256 ?? '' },
    chain: { deltas: deltas + 1, entries: entries + own.totals.entries },
    view,
    datasetId: before.head.datasetId,
    totals: { ...own.totals, skipped },
    shards: own.shards,
    chunks: own.chunks,
  };
  return { head, entries: () => own.entries(), totals: view, takenFrom: undefined };
}

async function overPrevious({ own, describing, record }: RebuildOptions, before: View): Promise<Rebuilt> {
  const merged = mergeLevels([own.level, ...before.chain.map(levelOf)], describing.uploadId);
  const { used, shards, totals: counted } = await summarize(merged);
  const view = compactView(merged, used);
  const totals = { ...counted, skipped: record?.record.totals.skipped ?? 0 };
  const head = { ...describing, listing: 'full', totals, shards, chunks: view.chunks } as const;
  return { head, entries: () => view.entries(), totals, takenFrom: before.head.uploadId };
}

async function tryOverPrevious(options: RebuildOptions, before: Previous): Promise<Rebuilt | undefined> {
  try {
    return await overPrevious(options, await openPrevious(options, before));
  } catch (error) {
    // Without it the upload is what its own chunks hold.
    if (isArchiverError(error, 'integrity') || isArchiverError(error, 'unsupported')) return undefined;
    throw error;
  }
}
