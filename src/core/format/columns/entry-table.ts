// Everything that an upload knows about every path, in columns of shared memory: about 100 bytes a path plus its name. The scan worker
// fills it in path order, pack workers add what they stored, the manifest writer reads it. A million files need no million objects, and no
// thread copies anything to another.
import { type ColumnsOf, growing, openRows, type Rows, RowsBuilder, type RowsData } from './rows.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

export const KIND = { file: 0, directory: 1, symlink: 2, hardlink: 3, dropped: 255 } as const;
/**
 * Status of an entry: not packed yet, stored, left out, stored though it changed while it was read; `same` as in the version before, or
 * `kept`: content as in that version, metadata new (`chunk` is then a position in that version's chunks); `twin`: not packed yet, with the
 * same content as entry `link`; `piece`: one piece of a file that others pack, too, not packed yet, and `packedPiece`: stored. No listing
 * has a row of a piece.
 */
export const STATUS = {
  pending: 0,
  stored: 1,
  skipped: 2,
  changed: 3,
  same: 4,
  kept: 5,
  twin: 6,
  piece: 7,
  packedPiece: 8,
} as const;

export const MD5_BYTES = 16;
export const SHA256_BYTES = 32;
export const XXH64_BYTES = 8;

const COLUMNS = {
  kind: Uint8Array,
  status: Uint8Array,
  mode: Uint16Array,
  uid: Uint32Array,
  gid: Uint32Array,
  size: Float64Array,
  /** Bytes on disk. When fewer than `size`, the file may have holes (or the file system compresses). */
  allocated: Float64Array,
  mtimeSeconds: Float64Array,
  mtimeNanos: Uint32Array,
  ctimeSeconds: Float64Array,
  ctimeNanos: Uint32Array,
  atimeSeconds: Float64Array,
  inode: BigUint64Array,
  pathEnd: Uint32Array,
  /** Symlinks: position in `targets`. Hard links: entry of the group's first member. Twins: entry of equal content. */
  link: Uint32Array,
  /** Hard link group number, 0 for none. */
  group: Uint32Array,
  chunk: Int32Array,
  offset: Float64Array,
} as const;

export type Columns = ColumnsOf<typeof COLUMNS>;

/** The part that is sent to another thread: shared memory and the few strings. */
export interface EntryTableData extends RowsData<typeof COLUMNS> {
  readonly md5: SharedArrayBuffer;
  readonly sha256: SharedArrayBuffer;
  readonly xxh64: SharedArrayBuffer;
  readonly targets: readonly RawPath[];
}

export interface EntryTable extends Rows<typeof COLUMNS> {
  readonly targets: readonly RawPath[];
  /** `MD5_BYTES` for each entry; zeros when it has none. */
  readonly md5: Buffer;
  /** `SHA256_BYTES` for each entry; untouched, and so without memory, unless equal content is stored once. */
  readonly sha256: Buffer;
  /** `XXH64_BYTES` for each entry, big-endian; untouched when `sha256` is computed. */
  readonly xxh64: Buffer;
}

/** A view of a table made by `EntryTableBuilder`, in any thread. */
export function openEntryTable(data: EntryTableData): EntryTable {
  const { targets, md5, sha256, xxh64 } = data;
  const digests = { md5: Buffer.from(md5), sha256: Buffer.from(sha256), xxh64: Buffer.from(xxh64) };
  return { ...openRows(COLUMNS, data), targets, ...digests };
}

/** Copies the checksums of row `from` to row `to`. */
export function copyDigests({ md5, sha256, xxh64 }: EntryTable, from: number, to: number): void {
  md5.copy(md5, to * MD5_BYTES, from * MD5_BYTES, (from + 1) * MD5_BYTES);
  sha256.copy(sha256, to * SHA256_BYTES, from * SHA256_BYTES, (from + 1) * SHA256_BYTES);
  xxh64.copy(xxh64, to * XXH64_BYTES, from * XXH64_BYTES, (from + 1) * XXH64_BYTES);
}

const DIGEST_BYTES = { md5: MD5_BYTES, sha256: SHA256_BYTES, xxh64: XXH64_BYTES } as const;
/** Rows whose digests have room at first. */
const FIRST_ROWS = 4096;

export class EntryTableBuilder extends RowsBuilder<typeof COLUMNS> {
  readonly targets: RawPath[] = [];
  private readonly digests = {
    md5: growing(FIRST_ROWS * MD5_BYTES),
    sha256: growing(FIRST_ROWS * SHA256_BYTES),
    xxh64: growing(FIRST_ROWS * XXH64_BYTES),
  };

  constructor() {
    super(COLUMNS);
  }

  override add(path: RawPath): number {
    const index = super.add(path);
    this.columns.chunk[index] = -1;
    return index;
  }

  /** Adds a row that is the same as another; returns it. */
  addCopy(from: number, path: RawPath): number {
    const index = this.add(path);
    for (const [name, column] of Object.entries(this.columns))
      if (name !== 'pathEnd') column.copyWithin(index, from, from + 1);
    return index;
  }

  /** The entries so far; of those, digests may be added while further entries are, unless `hasMoved` says otherwise then. */
  finish(): EntryTableData {
    const { digests } = this;
    for (const name of ['md5', 'sha256', 'xxh64'] as const) {
      const bytes = this.count * DIGEST_BYTES[name];
      if (bytes > digests[name].byteLength) digests[name] = this.larger(digests[name], bytes);
    }
    return { ...this.data(), ...digests, targets: this.targets };
  }
}
