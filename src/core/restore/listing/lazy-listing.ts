// A listing that is read as it is wanted: of a large manifest with an index only the blocks that a question needs. What was read is a
// `Listing` like any other, which says what it does not have; a larger one takes its place with each reading.
import { setImmediate } from 'node:timers/promises';
import type { EventSink } from '../../events/events.js';
import { readView, type ReadView, type ReadViewOptions } from '../../dataset/chain/read-view.js';
import type { Entry, ManifestHead } from '../../format/manifest/manifest-types.js';
import {
  AFTER_ALL,
  foldersBefore,
  isWithin,
  outside,
  type PathRange,
  rangeBelow,
  united,
} from '../../format/manifest/path-range.js';
import { moveEntry } from '../../format/manifest/move-entry.js';
import { UnitedChunks } from '../../format/manifest/united-chunks.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { joinPath, type RawPath, rawFromText, TOP, withEnd } from '../../platform/paths/raw-path.js';
import type { ObjectReader } from '../../store/object-store.js';
import { Blocks } from './blocks.js';
import { FolderSums } from './folder-sums.js';
import type { Child, Listing, Sum } from './listing.js';
import { ListingColumns, type LoadListingOptions } from './load-listing.js';

/** Numbers of entries. */
export interface LazySizes {
  /** Manifests of up to so many are read at once: that takes a third of a second. */
  readonly small: number;
  /** Read at first for the names in a folder, and thereafter at a time. */
  readonly first: number;
  readonly page: number;
  /** Of one reading: they are objects until it ends. */
  readonly piece: number;
  /** More than take 1 GiB of memory are not kept. */
  readonly maxKept: number;
}

const SIZES: LazySizes = { small: 1 << 16, first: 1 << 14, page: 1 << 15, piece: 1 << 17, maxKept: 5_000_000 };
const ZERO = rawFromText('\0');

/** Who reads. */
export interface Reading {
  /** Ends this reading alone. */
  readonly signal?: AbortSignal | undefined;
  readonly emit?: EventSink | undefined;
}

export interface ReadAllOptions extends Reading {
  /** Gets the share that has come, 0 to 1; more is read when its promise is resolved. */
  readonly onShare?: (share: number) => Promise<void> | void;
}

export class LazyListing {
  private readonly blocks: Blocks;
  private whole: Promise<void> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly reader: ObjectReader,
    private readonly options: LoadListingOptions,
    private readonly opened: ReadView,
    /** What has been read. */
    public listing: Listing,
    /** Sums of folders as they become known; a listing has them, too. */
    readonly sums: FolderSums,
    private readonly sizes: LazySizes,
    /** Of what has been read: segments have a list of chunks each. */
    private readonly chunks: UnitedChunks,
  ) {
    this.blocks = new Blocks(opened.borders);
  }

  /** Opens an upload: reads all of a small one, and the beginning of a large one. @throws what `readView` throws */
  static async open(reader: ObjectReader, options: LoadListingOptions, sizes: LazySizes = SIZES): Promise<LazyListing> {
    const columns = new ListingColumns();
    const opened = await readView(reader, { ...columnsFrom(columns, options), ranges: [] });
    const sums = new FolderSums();
    const part = opened.borders && { read: [], sums };
    const listing = (part === undefined ? columns : new ListingColumns()).listing(opened, part);
    const chunks = new UnitedChunks(opened.head.uploadId);
    for (const record of opened.head.chunks) chunks.add(opened.head.uploadId, record, opened.key);
    const lazy = new LazyListing(reader, options, opened, listing, sums, sizes, chunks);
    if (part !== undefined && lazy.blocks.mostEntries <= sizes.small) await lazy.readAll();
    return lazy;
  }

  get head(): ManifestHead {
    return this.opened.head;
  }

  /** Files and bytes of everything. */
  get total(): Sum {
    const { totals, view = totals } = this.head;
    return this.listing.sumBelow(TOP) ?? view;
  }

  /** Whether all entries are few enough to be kept. */
  get isKept(): boolean {
    const { totals, view = totals } = this.head;
    return this.listing.isWhole || view.entries <= this.sizes.maxKept;
  }

  /** Reads everything and keeps it; what is begun already is waited for. @throws unsupported when it is too much to keep; what `readView` throws */
  async readAll(options: ReadAllOptions = {}): Promise<Listing> {
    if (!this.isKept) throw tooMuch('all of it', (this.head.view ?? this.head.totals).entries, this.sizes.maxKept);
    if (!this.listing.isWhole) {
      this.whole ??= this.stream(true, options).finally(() => (this.whole = undefined));
      await this.whole;
    }
    return this.listing;
  }

  /** Reads everything and keeps nothing but the sums of folders. @throws what `readView` throws */
  async addUp(options: ReadAllOptions = {}): Promise<void> {
    await this.stream(false, options);
  }

  private async stream(isKept: boolean, { onShare, ...how }: ReadAllOptions): Promise<void> {
    const { sums } = this;
    const columns = new ListingColumns();
    const options = columnsFrom(columns, this.as(how));
    const read = await readView(this.reader, {
      ...options,
      onHead(parsed) {
        options.onHead?.(parsed);
        sums.begin(parsed.head.chunks);
      },
      onEntry(entry) {
        if (isKept) columns.take(entry);
        sums.add(entry);
      },
      async onPiece(bytes, of) {
        await setImmediate();
        await onShare?.(bytes / of);
      },
    });
    assertSame(this.opened, read);
    sums.finish();
    if (isKept) this.listing = columns.listing(read);
  }

  /** Reads what there is of a path: its entry, and whether anything is below it. @throws what `readView` throws */
  async readPath(path: RawPath, how: Reading = {}): Promise<Listing> {
    const { from } = rangeBelow(path);
    const border = this.blocks.at(this.blocks.of(from)).before;
    // The first entry below it may be the first one of the next block.
    const before = border.startsWith(from) ? withEnd(border, ZERO) : withEnd(from, ZERO);
    return await this.read(
      [
        { from: path, before: withEnd(path, ZERO) },
        { from, before },
      ],
      how,
    );
  }

  /** Reads everything below a folder. @throws unsupported when that is too much to keep; what `readView` throws */
  async readBelow(folder: RawPath, how: Reading = {}): Promise<Listing> {
    return await this.read([rangeBelow(folder)], how);
  }

  /** Reads the names in a folder, and the sums of all folders in it. @throws unsupported for too many names; what `readView` throws */
  async readSums(folder: RawPath, how: Reading = {}): Promise<void> {
    if (this.isKept && this.segments === undefined) return void (await this.readBelow(folder, how));
    while (!(await this.readNames(folder, TOP, how)));
    const unknown = (): readonly RawPath[] =>
      [folder, ...Array.from(this.listing.children(folder), ({ name }) => joinPath(folder, name))].filter(
        (path) => this.listing.isFolder(path) && this.listing.sumBelow(path) === undefined,
      );
    if (unknown().length > 0 && !this.sums.isDone && !this.isKept) await this.addUp(how);
    for (const path of unknown()) await this.readBelow(path, how);
  }

  /**
   * Reads more of the names in a folder, of those that begin with `prefix`: some thousands of files, or fewer folders. True when there are no
   * more. @throws what `readView` throws
   */
  async readNames(folder: RawPath, prefix: RawPath = TOP, how: Reading = {}): Promise<boolean> {
    const wanted: PathRange[] = [];
    const { first, page } = this.sizes;
    const most = this.blocks.having(this.listing.ranges.length === 0 ? first : page);
    for (const block of this.unreadNames(folder, prefix)) if (wanted.push(block) === most) break;
    if (wanted.length > 0) await this.read(wanted, how);
    return this.namesEnd(folder, prefix) === undefined;
  }

  /** Yields the names in a folder that begin with `prefix`, in order, and reads on where they are not known. @throws what `readView` throws */
  async *names(folder: RawPath, prefix: RawPath = TOP, how: Reading = {}): AsyncGenerator<Omit<Child, 'index'>> {
    let from = TOP;
    let last: RawPath | undefined;
    for (;;) {
      const end = this.namesEnd(folder, prefix);
      for (const child of this.listing.children(folder, prefix, { from, before: end ?? AFTER_ALL })) {
        // A folder may go on where the rest was not known.
        if (child.name !== last) yield child;
        last = child.name;
      }
      if (end === undefined) return;
      from = end;
      await this.readNames(folder, prefix, how);
    }
  }

  /** The path from which on the names in a folder are not known yet; undefined when all are. */
  namesEnd(folder: RawPath, prefix: RawPath = TOP): RawPath | undefined {
    for (const { from } of this.unreadNames(folder, prefix)) return from;
    return undefined;
  }

  /** The blocks that have names of a folder and are not read. Others lie within a folder in it. */
  private *unreadNames(folder: RawPath, prefix: RawPath): Generator<PathRange> {
    if (this.listing.isWhole) return;
    const { from, before } = rangeBelow(folder);
    const start = folder === TOP ? prefix : withEnd(from, prefix);
    const end = prefix === TOP ? before : withEnd(start, AFTER_ALL);
    const above = folder === TOP ? 0 : from.length;
    for (let at = this.blocks.of(start); at < this.blocks.count && this.blocks.at(at).from < end; at++) {
      const block = this.blocks.at(at);
      const first = this.blocks.first(at);
      const slash = first.startsWith(folder === TOP ? TOP : from) ? first.indexOf('/', above) : -1;
      const isInside = slash >= 0 && block.before.startsWith(first.slice(0, slash + 1));
      if (!isInside && outside(block, this.listing.ranges).length > 0) yield block;
    }
  }

  /** Reads these ranges, one reading at a time. @throws unsupported when there is too much in them; what `readView` throws */
  private async read(ranges: readonly PathRange[], how: Reading): Promise<Listing> {
    // Not in the queue: a stream of everything may wait for what is in it.
    if (this.isKept && this.missing(ranges).length > this.blocks.count / 2) return await this.readAll(how);
    const reading = this.last.then(() => this.readNow(ranges, how));
    this.last = reading.catch(() => undefined);
    await reading;
    return this.listing;
  }

  private async readNow(ranges: readonly PathRange[], how: Reading): Promise<void> {
    const { maxKept } = this.sizes;
    const pieceBlocks = this.blocks.having(this.sizes.piece);
    const wanted = this.missing(ranges);
    const entries = wanted.length * this.blocks.entries + this.listing.count;
    if (entries > maxKept && !this.isKept) throw tooMuch('this', entries, maxKept);
    for (let at = 0; at < wanted.length; at += pieceBlocks)
      await this.readPiece(united(wanted.slice(at, at + pieceBlocks).map((block) => this.blocks.at(block))), how);
  }

  /** The segments, where the listing is nothing but them. */
  private get segments(): ManifestHead['segments'] {
    return this.opened.chain.length === 1 ? this.head.segments : undefined;
  }

  /** The sum of a folder from the stream, or from what has been read and the head, which has the sums of whole segments. */
  private sumOf(folder: RawPath): Sum | undefined {
    const { segments, listing } = this;
    const streamed = this.sums.of(folder);
    if (streamed !== undefined || segments === undefined) return streamed;
    let { files, bytes } = listing.sum(listing.below(folder));
    for (const part of outside(rangeBelow(folder), listing.ranges))
      for (const at of this.blocks.over(part)) {
        const { before } = this.blocks.at(at);
        const from = this.blocks.first(at);
        const counts = segments[at]?.counts;
        if (counts === undefined || from < part.from || before > part.before) return undefined;
        files += counts.files;
        bytes += counts.bytes;
      }
    return { files, bytes };
  }

  /** Positions of the blocks that have something of these ranges, and are not read; in order. */
  private missing(ranges: readonly PathRange[]): readonly number[] {
    const parts = ranges.flatMap((range) => outside(range, this.listing.ranges));
    return [...new Set(parts.flatMap((part) => this.blocks.over(part)))].sort((a, b) => a - b);
  }

  private async readPiece(ranges: readonly PathRange[], how: Reading): Promise<void> {
    const found: Entry[] = [];
    const isWanted = (path: RawPath): boolean => isWithin(path, ranges);
    const columns = new ListingColumns();
    const options = columnsFrom(columns, this.as(how));
    const read = await readView(this.reader, {
      ...options,
      // What became of a folder in a delta hides what is below it.
      ranges: [...ranges, ...ranges.flatMap(foldersBefore)],
      onEntry: (entry) => isWanted(entry.path) && found.push(entry),
      onForeign: (entry) => isWanted(entry.path) && columns.refuse(entry),
    });
    assertSame(this.opened, read);
    const { listing } = this;
    const places = read.head.chunks.map((record) => this.chunks.add(read.head.uploadId, record, read.key));
    const placeOf = (chunk: number): number => places[chunk] ?? Number.MAX_SAFE_INTEGER;
    columns.chunks = this.chunks.list;
    // Everything may have come meanwhile.
    if (listing.isWhole) return;
    let at = 0;
    for (const entry of found) {
      for (; at < listing.count && listing.path(at) < entry.path; at++) columns.take(listing.entry(at));
      columns.take(moveEntry(entry, placeOf));
    }
    for (; at < listing.count; at++) columns.take(listing.entry(at));
    for (const refused of listing.refused) columns.refused.push(refused);
    const head = { ...this.opened.head, chunks: this.chunks.list };
    this.listing = columns.listing(
      { head },
      { read: united([...listing.ranges, ...ranges]), sums: { of: (folder) => this.sumOf(folder) } },
    );
  }

  private as({ signal, emit }: Reading): LoadListingOptions {
    const signals = [this.options.signal, signal].filter((one) => one !== undefined);
    return { ...this.options, emit, signal: AbortSignal.any(signals) };
  }
}

function columnsFrom(
  columns: ListingColumns,
  { uploadId, sha256, cache, emit, signal }: LoadListingOptions,
): ReadViewOptions {
  return {
    uploadId,
    sha256,
    cache,
    emit,
    signal,
    withoutNames: true,
    onHead: ({ head }) => (columns.chunks = head.chunks),
    onEntry: (entry) => columns.take(entry),
    onForeign: (entry) => columns.refuse(entry),
  };
}

/** @throws conflict when it is no longer the manifest that was opened */
function assertSame(opened: ReadView, { sha256, key }: ReadView): void {
  if (sha256 === opened.sha256) return;
  throw new ArchiverError('conflict', `the manifest ${key} was replaced while it was being read`, {
    hint: 'open it again',
  });
}

const tooMuch = (what: string, entries: number, most: number): ArchiverError =>
  new ArchiverError(
    'unsupported',
    `${what} has ${entries.toLocaleString('en')} entries, and at most ${most.toLocaleString('en')} are kept in memory`,
    { hint: 'archiver list and archiver find read them as a stream' },
  );
