// The result of an upload as the newest level of a chain: the rows that it stored or keeps with new metadata, and what was deleted, in path
// order (core/dataset/chain/merge-levels.ts).
import type { Level } from '../../dataset/chain/merged-view.js';
import { digestsOf, ENTRY_TYPES, type EntryExtra, type LineSources } from '../../format/manifest/entry-line.js';
import { chunkKey, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Entry, Mention, Segment } from '../../format/manifest/manifest-types.js';
import { provenanceOf } from '../../format/manifest/provenance.js';
import { type RawPath, rawFromNumber, TOP } from '../../platform/paths/raw-path.js';
import type { UploadRun } from '../run/upload-run.js';
import { defined } from '../../platform/defined.js';
import { lineSources } from '../run/upload-provenance.js';
import { type EntryTable, KIND, STATUS } from '../../format/columns/entry-table.js';

const BATCH = 1024;

export type LevelInput = Pick<UploadRun, 'uploadId' | 'ledger' | 'labels'>;

/** The parts of a level besides the rows that this upload has stored itself. */
export interface LevelBase {
  /** The chunks that `kept` rows refer to, with keys relative to `uploads/<uploadId>`. */
  readonly view: { readonly uploadId: UploadId; readonly chunks: readonly ChunkRecord[] };
  /** Deleted paths, in byte order. */
  readonly deleted: readonly RawPath[];
}

interface TableLevelInput extends LevelBase {
  readonly uploadId: UploadId;
  readonly table: EntryTable;
  readonly extras: ReadonlyMap<number, EntryExtra>;
  readonly names: LineSources;
}

export interface TableLevel extends Level {
  /** Number of mentions, deletions included. */
  readonly count: number;
  mentions(): AsyncIterable<readonly Mention[]>;
}

/** Builds the level. Its chunks are those that its mentions refer to, and those that list direct files among them. */
export function tableLevel({ uploadId, ledger, labels }: LevelInput, base?: LevelBase): TableLevel {
  const { view = { uploadId, chunks: [] }, deleted = [] } = base ?? {};
  const { table, extras } = ledger;
  const input = { uploadId, table, extras, names: lineSources(labels.provenance), view, deleted };
  const places = new Places(input);
  const rows = places.collect(ledger.chunks());
  return {
    uploadId,
    chunks: places.chunks,
    count: rows + deleted.length,
    mentions: () => mentions(input, places),
  };
}

const isMentioned = ({ columns }: EntryTable, index: number): boolean => {
  const status = columns.status[index];
  const isRow = status === STATUS.stored || status === STATUS.changed || status === STATUS.kept;
  return isRow && columns.kind[index] !== KIND.dropped;
};

/** Positions of chunks in the list of the new level. */
class Places {
  readonly chunks: ChunkRecord[] = [];
  private readonly own = new Map<number, number>();
  private readonly kept = new Map<number, number>();

  constructor(private readonly input: TableLevelInput) {}

  /** Finds the chunks that are referred to, `own` being this upload's; returns the number of rows that are mentioned. */
  collect(own: readonly ChunkRecord[]): number {
    const { table, view, uploadId } = this.input;
    let rows = 0;
    for (let index = 0; index < table.count; index++) {
      if (!isMentioned(table, index)) continue;
      rows++;
      const places = table.columns.status[index] === STATUS.kept ? this.kept : this.own;
      for (const chunk of this.chunksOf(index)) places.set(chunk, -1);
    }
    const byNumber = new Map(own.map((record) => [record.chunk, record]));
    for (const chunk of this.own.keys()) {
      const table = byNumber.get(chunk)?.listedIn;
      if (table !== undefined) this.own.set(table, -1);
    }
    for (const chunk of sorted(this.own)) this.place(this.own, chunk, byNumber.get(chunk));
    for (const chunk of sorted(this.kept)) {
      const record = view.chunks[chunk];
      const key = record === undefined ? undefined : chunkKey(view.uploadId, record.key);
      if (record !== undefined && key !== undefined)
        this.place(this.kept, chunk, { ...record, key: relativeChunkKey(uploadId, key) });
    }
    return rows;
  }

  private place(places: Map<number, number>, chunk: number, record: ChunkRecord | undefined): void {
    if (record !== undefined) places.set(chunk, this.chunks.push(record) - 1);
  }

  private *chunksOf(index: number): Generator<number> {
    const segments = this.input.extras.get(index)?.segments;
    const chunk = this.input.table.columns.chunk[index] ?? -1;
    if (segments !== undefined) for (const segment of segments) yield segment.chunk;
    else if (chunk >= 0) yield chunk;
  }

  of(index: number, chunk: number): number | undefined {
    const isKept = this.input.table.columns.status[index] === STATUS.kept;
    return (isKept ? this.kept : this.own).get(chunk);
  }
}

const sorted = (places: ReadonlyMap<number, number>): number[] => [...places.keys()].sort((a, b) => a - b);

/** Returns the positions, in the chunks of the view, that `kept` rows refer to. */
export function keptChunks({ table, extras }: LevelInput['ledger']): ReadonlySet<number> {
  const { status, chunk } = table.columns;
  const chunks = new Set<number>();
  for (let index = 0; index < table.count; index++) {
    if (status[index] !== STATUS.kept) continue;
    const segments = extras.get(index)?.segments;
    if (segments === undefined) chunks.add(chunk[index] ?? -1);
    else for (const part of segments) chunks.add(part.chunk);
  }
  return chunks;
}

async function* mentions(input: TableLevelInput, places: Places): AsyncGenerator<readonly Mention[]> {
  const { table, deleted } = input;
  let batch: Mention[] = [];
  let next = 0;
  for (let index = 0; index < table.count; index++) {
    if (!isMentioned(table, index)) continue;
    const entry = rowEntry(input, places, index);
    for (let path = deleted[next]; path !== undefined && path < entry.path; path = deleted[++next])
      batch.push({ path, type: 'deleted' });
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  for (const path of deleted.slice(next)) batch.push({ path, type: 'deleted' });
  if (batch.length > 0) yield batch;
}

function rowEntry(input: TableLevelInput, places: Places, index: number): Entry {
  const { table, names } = input;
  const c = table.columns;
  const at = (column: ArrayLike<number>): number => column[index] ?? 0;
  const kind = at(c.kind);
  const user = names.user(at(c.uid));
  const group = names.group(at(c.gid));
  return {
    path: table.path(index),
    type: ENTRY_TYPES[kind] ?? 'file',
    size: kind === KIND.file || kind === KIND.hardlink ? at(c.size) : 0,
    mtime: { seconds: at(c.mtimeSeconds), nanos: at(c.mtimeNanos) },
    ctime: { seconds: at(c.ctimeSeconds), nanos: at(c.ctimeNanos) },
    mode: at(c.mode),
    uid: at(c.uid),
    gid: at(c.gid),
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
    inode: rawFromNumber(c.inode[index] ?? 0),
    ...content(input, places, index),
    ...rareParts(input, index),
  };
}

type Content = Pick<Entry, 'md5' | 'sha256' | 'xxh64' | 'chunk' | 'offset' | 'segments'>;

function content({ table, extras }: TableLevelInput, places: Places, index: number): Content {
  const c = table.columns;
  const chunk = places.of(index, c.chunk[index] ?? -1);
  if (c.kind[index] === KIND.directory || c.kind[index] === KIND.symlink) return chunk === undefined ? {} : { chunk };
  const digests = defined(digestsOf(table, index));
  const segments = extras.get(index)?.segments;
  if (segments !== undefined) return { ...digests, segments: segments.map((segment) => moved(segment, places, index)) };
  return chunk === undefined ? digests : { ...digests, chunk, offset: c.offset[index] ?? 0 };
}

const moved = (segment: Segment, places: Places, index: number): Segment => ({
  ...segment,
  chunk: places.of(index, segment.chunk) ?? segment.chunk,
});

function rareParts({ table, extras, names }: TableLevelInput, index: number): Partial<Entry> {
  const c = table.columns;
  const { holes, xattrs, before } = extras.get(index) ?? {};
  return {
    ...(c.kind[index] === KIND.symlink ? { target: table.targets[c.link[index] ?? 0] ?? TOP } : {}),
    ...(c.group[index] === 0 ? {} : { linkGroup: c.group[index] ?? 0 }),
    ...(holes === undefined ? {} : { holes }),
    ...(xattrs === undefined ? {} : { xattrs: toBuffers(xattrs) }),
    ...(c.status[index] === STATUS.changed ? { changed: true } : {}),
    ...(c.status[index] === STATUS.kept && before?.ctime !== undefined ? { ctime: before.ctime } : {}),
    ...provenanceOf(names.provenance, table.path(index), c.status[index] === STATUS.kept ? before : undefined),
  };
}

const toBuffers = (xattrs: ReadonlyMap<RawPath, Uint8Array>): Map<RawPath, Buffer> =>
  new Map([...xattrs].map(([name, value]) => [name, Buffer.from(value)]));
