// Reads the contents of an upload, whatever kind of manifest it has: a full listing is streamed in one GET and flat memory, as with
// `readManifest`; a delta is merged with its chain, and looks the same to the caller.
import { type ErrorCode, integrityError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import { progressMeter } from '../../events/progress-meter.js';
import { type ReadManifest, readManifest, type ReadManifestOptions } from '../../format/manifest/manifest-reader.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import type { ListingKind, ManifestHead, ShardRecord } from '../../format/manifest/manifest-types.js';
import type { PathRange } from '../../format/manifest/path-range.js';
import type { Borders, LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { namingRepair } from '../../format/manifest/repair-hint.js';
import { loadSegments } from '../../format/manifest/load-segments.js';
import type { ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { assertExpected, type ExpectedDigests } from '../records/assert-expected.js';
import { compactView } from './compact-view.js';
import { defined } from '../../platform/defined.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { EntrySums } from './entry-sums.js';
import { loadChain, loadPrevious, partOf } from './load-chain.js';
import { batchesOf } from './merged-view.js';
import { isRows } from '../../format/rows/row-lines.js';
import type { ManifestCache } from '../cache/manifest-cache.js';
import { summarize } from './summarize.js';
import { type View, viewOf } from './view.js';

export interface ReadViewOptions extends ReadManifestOptions {
  readonly cache?: ManifestCache | undefined;
  /** Digests that a version record names for the manifest. Not allowed with `headOnly`, which does not read to the end. */
  readonly sha256?: ExpectedDigests | undefined;
  /** Entries that are wanted; others may be left out, and nothing is compared with the totals then. Undefined for all. */
  readonly ranges?: readonly PathRange[] | undefined;
  /** Gets the number of entries, and how many have been read. */
  readonly emit?: EventSink | undefined;
  /** Gets most plain files and folders instead of `onEntry`. */
  readonly onRows?: ((batch: RowBatch) => void) | undefined;
}

/** A manifest that the view is made of. */
export interface ChainLink {
  readonly uploadId: UploadId;
  readonly listing: ListingKind;
  readonly createdAt: string;
  /** Number of its mentions. */
  readonly entries: number;
}

/**
 * The view of an upload. `head` is that of the newest manifest. For a delta, its `totals` are those of the view, its `chunks` the union of
 * the chain, with keys relative to the newest upload, and its `shards` belong to that union: `files` and `bytes` then count superseded
 * entries too. After `headOnly` chunks and shards are exactly those that the view needs.
 */
export interface ReadView extends ReadManifest {
  /** Manifests of the chain, newest first. */
  readonly chain: readonly ChainLink[];
  /**
   * Set when entries outside of the ranges may have been left out: paths in order between which a range is read with few requests. Empty where
   * none is.
   */
  readonly borders?: Borders;
}

/**
 * Reads the view of an upload. For a full listing the callbacks have seen everything before its digest is known.
 * @throws what `readManifest` throws; integrity when the chain is broken, or the manifest is none of `sha256`
 */
export async function readView(reader: ObjectReader, { emit, ...wanted }: ReadViewOptions): Promise<ReadView> {
  const options = emit === undefined ? wanted : followed(wanted, emit);
  const lost: readonly ErrorCode[] = (options.sha256 ?? []).length === 0 ? [] : ['not-found'];
  return await namingRepair(reader, options.uploadId, () => viewAsRead(reader, options), lost);
}

async function viewAsRead(reader: ObjectReader, options: Omit<ReadViewOptions, 'emit'>): Promise<ReadView> {
  const sums = new EntrySums();
  const { uploadId, ranges, signal, sha256: expected = [] } = options;
  const part = await partOf(reader, { uploadId, expected, ranges, signal });
  let ahead: Promise<LoadedManifest> | undefined;
  const onWhole = ({ datasetId, previous }: ManifestHead): void => {
    if (previous === undefined) return;
    ahead = loadPrevious(reader, { key: manifestKeyOf(uploadId), datasetId, previous }, options);
    ahead.catch(() => undefined); // awaited with the chain, if nothing fails before
  };
  const read = part ?? (await readManifest(reader, { ...counted(options, sums), onWhole }));
  const { sha256: found } = read;
  if (part === undefined && found !== undefined)
    await assertExpected(reader, { ...read, sha256: found }, expected, signal);
  if (!('bytes' in read)) {
    refuseUnsound(read, sums, options);
    return { ...read, head: await withChunks(reader, read.head, options), chain: [linkOf(read)] };
  }
  const chain = await loadChain(reader, read, { ...options, ahead });
  const view = viewOf(chain, options.headOnly === true ? {} : options);
  const head = options.headOnly === true ? await exactHead(view) : unitedHead(view);
  const parsed = { head, document: read.document };
  options.onHead?.(parsed);
  const { key, sha256, bytes, sealedBy } = read;
  return {
    ...parsed,
    key,
    sha256,
    storedBytes: bytes.byteLength,
    firstUnordered: undefined,
    ...(sealedBy === undefined ? {} : { sealedBy }),
    entries: options.headOnly === true ? 0 : await passEntries(view, read, options),
    chain: chain.map(linkOf),
    ...defined({ borders: bordersOf(chain) }),
  };
}

/** The head with the chunks of its segments. */
async function withChunks(
  reader: ObjectReader,
  head: ManifestHead,
  { cache, signal }: Pick<ReadViewOptions, 'cache' | 'signal'>,
): Promise<ManifestHead> {
  return head.segments === undefined
    ? head
    : { ...head, chunks: (await loadSegments(head, { reader, cache, signal })).chunks };
}

function bordersOf(chain: readonly LoadedManifest[]): Borders | undefined {
  if (!chain.some(({ isPart }) => isPart === true)) return undefined;
  // What the full listing is read whole for, each range is read whole for.
  const base = chain.at(-1)?.borders;
  if (base === undefined) return { firsts: [], entries: 0 };
  const all = chain.flatMap(({ borders }) => borders?.firsts ?? []).sort();
  return { firsts: all.filter((border, at) => border !== all[at - 1]), entries: base.entries };
}

function counted(options: Omit<ReadViewOptions, 'emit'>, sums: EntrySums): ReadManifestOptions {
  const { onEntry, onForeign, needles, headOnly } = options;
  if (needles !== undefined || headOnly === true) return options;
  return {
    ...options,
    onEntry(entry) {
      sums.add(entry);
      onEntry?.(entry);
    },
    onForeign(entry) {
      sums.addForeign();
      onForeign?.(entry);
    },
  };
}

/** Refuses a full listing that is out of order or does not match its totals. @throws integrity */
function refuseUnsound({ key, head, firstUnordered }: ReadManifest, sums: EntrySums, options: ReadViewOptions): void {
  if (firstUnordered !== undefined)
    throw integrityError(`the manifest ${key} does not list its entries in path order: ${displayPath(firstUnordered)}`);
  if (options.needles === undefined && options.headOnly !== true) sums.assertAnnounced(head.totals, 'listing', key);
}

function followed(options: ReadViewOptions, emit: EventSink): ReadViewOptions {
  const meter = progressMeter(emit);
  let items: number | undefined;
  let come = 0;
  let told = 0;
  emit({ type: 'phase', phase: 'reading' });
  return {
    ...options,
    onHead(parsed) {
      items = (parsed.head.view ?? parsed.head.totals).entries;
      options.onHead?.(parsed);
    },
    onEntry(entry) {
      come++;
      options.onEntry?.(entry);
    },
    onRows:
      options.onRows &&
      ((batch) => {
        come += batch.count;
        options.onRows?.(batch);
      }),
    onPiece(storedBytes, of) {
      if (items !== undefined) emit({ type: 'plan', items, bytes: of });
      items = undefined;
      meter.add(come, storedBytes - told);
      come = 0;
      told = storedBytes;
      return options.onPiece?.(storedBytes, of);
    },
  };
}

const linkOf = ({ head: { uploadId, listing, createdAt, totals } }: { readonly head: ManifestHead }): ChainLink => ({
  uploadId,
  listing,
  createdAt,
  entries: totals.entries,
});

async function passEntries(view: View, { bytes }: LoadedManifest, options: ReadViewOptions): Promise<number> {
  const { onEntry, onRows, onPiece, signal, onForeign = () => undefined } = options;
  const expected = view.totals.entries;
  let entries = 0;
  for await (const batch of onRows === undefined ? view.entries(onForeign) : batchesOf(view, onForeign)) {
    throwIfCancelled(signal);
    if (isRows(batch)) {
      entries += batch.count;
      onRows?.(batch);
    } else {
      entries += batch.length;
      if (onEntry !== undefined) for (const entry of batch) onEntry(entry);
    }
    await onPiece?.(Math.min(1, entries / expected) * bytes.byteLength, bytes.byteLength);
  }
  return entries;
}

async function exactHead(view: View): Promise<ManifestHead> {
  const { shards, used } = await summarize(view, () => undefined);
  return { ...view.head, totals: view.totals, shards, chunks: compactView(view, used).chunks };
}

function unitedHead({ head, totals, chunks, chain }: View): ManifestHead {
  return { ...head, totals, chunks, shards: unitedShards({ chunks, chain }) };
}

type Counts = { -readonly [K in keyof ShardRecord]: ShardRecord[K] };

function unitedShards({ chunks, chain }: Pick<View, 'chunks' | 'chain'>): readonly ShardRecord[] {
  const shards = new Map<number, Counts>();
  for (const { head } of chain) {
    for (const { shard, prefix, files, bytes } of head.shards) {
      const record = shards.get(shard) ?? { shard, prefix, chunks: 0, files: 0, bytes: 0, storedBytes: 0 };
      shards.set(shard, record);
      record.files += files;
      record.bytes += bytes;
    }
  }
  for (const { shard, size } of chunks) {
    const record = shards.get(shard);
    if (record === undefined) continue; // verify reports a manifest that does not list it
    record.chunks++;
    record.storedBytes += size;
  }
  return [...shards.values()].sort((a, b) => a.shard - b.shard);
}
