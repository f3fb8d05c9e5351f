// Writes the entries of a listing as segments. Each segment is a small manifest: it has the records of the chunks that its entries refer to,
// and their positions are those in its own list. So it means the same wherever a manifest names it.
import { hash } from 'node:crypto';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { useTables } from './direct-record.js';
import { MAX_HEAD_BYTES } from './manifest-lines.js';
import { manifestIndexOf } from './manifest-index.js';
import { ManifestText } from './manifest-text.js';
import type { ChunkRecord, EntryType, SegmentPlace } from './manifest-types.js';
import { segmentHeadText } from './segment-head.js';
import { segmentName } from './segment-key.js';
import { defined } from '../../platform/defined.js';

export interface EncodedSegment {
  readonly place: SegmentPlace;
  /** Gzipped, as it is stored. */
  readonly bytes: Buffer;
}

export interface FinishedSegments {
  readonly segments: readonly EncodedSegment[];
  readonly unlisted: readonly ChunkRecord[];
}

/** Records of chunks in one segment, unless a single entry has more. */
const MOST_CHUNKS = 4096;

type Counts = { -readonly [K in keyof SegmentPlace['counts']]: SegmentPlace['counts'][K] };

interface Begun {
  readonly text: ManifestText;
  readonly first: RawPath;
  readonly counts: Counts;
  /** Positions in the list of all chunks, in the order of the segment's own. */
  readonly chunks: Map<number, number>;
}

/** What the counts of a segment need of an entry. */
export interface CountedEntry {
  readonly path: RawPath;
  readonly type: EntryType;
  readonly size: number;
  readonly linkGroup?: number | undefined;
}

export class SegmentTexts {
  /** The highest number of a group of hard links that was written. */
  linkGroups = 0;
  private readonly begun: Begun[] = [];
  private isCut = true;

  /** Entries of each segment that is begun now. */
  private limit: number;

  /**
   * @param entries Entries of a segment
   * @param after Highest number that segments of this upload may not have
   */
  constructor(
    private readonly entries: number,
    private readonly after = 0,
  ) {
    this.limit = entries;
  }

  /** Segments so far. */
  get count(): number {
    return this.begun.length;
  }

  /** Begins a run of at most so many entries in a segment of its own, or in several of equal size. */
  begin(most: number): void {
    if (!this.isCut) this.cut();
    this.limit = Math.max(1, Math.ceil(most / Math.max(1, Math.round(most / this.entries))));
  }

  /**
   * Adds an entry. `line` makes its line, without a line end, from the positions of chunks in the segment. When it returns false, wait for
   * `drained` before adding more.
   */
  add(entry: CountedEntry, line: (place: (chunk: number) => number) => string): boolean {
    const { type, size, linkGroup = 0 } = entry;
    const { text, counts, chunks } = this.room(entry.path);
    const place = (chunk: number): number => {
      const known = chunks.get(chunk);
      if (known !== undefined) return known;
      chunks.set(chunk, chunks.size);
      return chunks.size - 1;
    };
    const isReady = text.add((counts.entries === 0 ? '' : ',\n') + line(place));
    counts.entries++;
    if (type === 'directory') counts.directories++;
    else {
      counts.files++;
      counts.bytes += size;
      if (type === 'symlink') counts.symlinks++;
      else if (type === 'hardlink') counts.hardlinks++;
    }
    if (linkGroup > this.linkGroups) this.linkGroups = linkGroup;
    return isReady;
  }

  /** Ends the segment that is being written: the next entry begins another. */
  cut(): void {
    const last = this.begun.at(-1);
    if (last !== undefined && !this.isCut) {
      last.text.add('\n]}\n');
      last.text.end();
    }
    this.isCut = true;
  }

  /** The segment for the next entry. */
  private room(path: RawPath): Begun {
    const last = this.begun.at(-1);
    if (last !== undefined && !this.isCut) {
      if (last.counts.entries < this.limit && last.chunks.size < MOST_CHUNKS) return last;
      this.cut();
    }
    const next: Begun = {
      text: new ManifestText(),
      first: path,
      counts: { entries: 0, files: 0, directories: 0, symlinks: 0, hardlinks: 0, bytes: 0 },
      chunks: new Map(),
    };
    this.begun.push(next);
    this.isCut = false;
    return next;
  }

  async drained(): Promise<void> {
    await this.begun.at(-2)?.text.written();
    await this.begun.at(-1)?.text.drained();
  }

  /**
   * The segments, for upload `uploadId`, and those of `chunks` that none of them lists; `chunks` are all that entries refer to. Called once.
   * @throws unsupported for one that is too large
   */
  async finish(uploadId: UploadId, chunks: readonly ChunkRecord[]): Promise<FinishedSegments> {
    if (!this.isCut) this.cut();
    const tables = tablesOf(chunks);
    const segments: EncodedSegment[] = [];
    const listed = new Set<ChunkRecord>();
    for (const [position, { text, first, counts, chunks: own }] of this.begun.entries()) {
      const used = [...own.keys()].map((chunk) => recordAt(chunks, chunk));
      const records = [...used, ...tables(used)];
      for (const record of records) listed.add(record);
      const head = segmentHeadText({ uploadId, counts, chunks: records });
      if (Buffer.byteLength(head) > MAX_HEAD_BYTES)
        throw new ArchiverError('unsupported', 'one file would lie in more chunks than can be read', {
          hint: 'upload it with larger chunks',
        });
      const bytes = await text.finish(head);
      const sha256 = hash('sha256', bytes, 'hex');
      const key = segmentName(this.after + position + 1, sha256);
      const index = manifestIndexOf(bytes);
      segments.push({ place: { key, size: bytes.length, sha256, counts, first, ...defined({ index }) }, bytes });
    }
    return { segments, unlisted: chunks.filter((record) => !listed.has(record)) };
  }

  /** Frees the memory of compressors when the text is no longer wanted. */
  destroy(): void {
    for (const { text } of this.begun) text.destroy();
  }
}

function recordAt(chunks: readonly ChunkRecord[], position: number): ChunkRecord {
  const record = chunks[position];
  if (record === undefined)
    throw new ArchiverError('internal', `an entry refers to chunk ${position}, which is not listed`);
  return record;
}

/** Finds the chunks, not among `records`, whose tables of contents list direct files that are. */
function tablesOf(chunks: readonly ChunkRecord[]): (records: readonly ChunkRecord[]) => readonly ChunkRecord[] {
  if (!chunks.some(({ listedIn }) => listedIn !== undefined)) return () => [];
  return (records) => {
    if (!records.some(({ listedIn }) => listedIn !== undefined)) return [];
    const wanted = new Set(records);
    const used = Uint8Array.from(chunks, (record) => Number(wanted.has(record)));
    useTables(chunks, used);
    return chunks.filter((record, position) => used[position] === 1 && !wanted.has(record));
  };
}
