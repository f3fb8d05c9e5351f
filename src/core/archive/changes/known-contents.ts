// Contents that an earlier version holds: sizes, times, digests and places of its files, gathered while it is compared with the scan. Kept
// in columns, some 80 bytes a file; callers bring digests of their own. An MD5 finds a content, and SHA-256 or a seeded XXH64 proves that
// it is the same (docs/decisions/059).
import { defined } from '../../platform/defined.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { MD5_BYTES, SHA256_BYTES, XXH64_BYTES } from '../../format/columns/entry-table.js';
import { PlaceIndex } from './place-index.js';

/** The place of a content (`chunk` is a position in the chunks of the view), and its digests as they were recorded. */
export type Content = Pick<Entry, 'chunk' | 'offset' | 'segments' | 'holes' | 'md5' | 'sha256' | 'xxh64'>;

/** The digest that, besides the MD5, tells whether a file is a known one: a SHA-256, or an XXH64 with this seed. */
export type Proof = 'sha256' | { readonly seed: bigint };

/** The digests of a file: `digest` begins with the one that `proof` names. */
export interface MadeDigests {
  readonly md5: Buffer;
  readonly proof: Proof;
  readonly digest: Buffer;
}

type Stamp = Pick<Entry, 'size' | 'mtime'>;

/** What a content may be known by where its path is another; without a path its name is not enough. */
type Looks = Stamp & { readonly path: RawPath | undefined };

/** Parts of a place that only few contents have. */
type RarePlace = Pick<Entry, 'segments' | 'holes'>;

/** Kind of digest that was recorded of a content besides its MD5. */
const RECORDED = { nothing: 0, sha256: 1, xxh64: 2 } as const;

export class KnownContents {
  private count = 0;
  private sizes = new Float64Array(1024);
  private seconds = new Float64Array(1024);
  private nanos = new Uint32Array(1024);
  private chunks = new Int32Array(1024);
  private offsets = new Float64Array(1024);
  private recorded = new Uint8Array(1024);
  private names = new Uint32Array(1024);
  private md5s = Buffer.alloc(1024 * MD5_BYTES);
  private proofs = Buffer.alloc(1024 * SHA256_BYTES);
  private readonly rare = new Map<number, RarePlace>();
  /** For each row, the position plus one of the content that its path had before; 0 for none. */
  private before = new Int32Array(0);
  /** For each row, the stage and commit that its path had, and the MD5 of the content that they were recorded with. */
  private readonly said = new Map<number, Pick<Entry, 'md5' | 'stage' | 'commit'>>();
  private byMd5 = new PlaceIndex(0);
  private byStamp = new PlaceIndex(0);
  private byName = new PlaceIndex(0);
  private sorted = new Float64Array(0);

  constructor(
    /** Number of rows that are compared. */
    private readonly rows: number,
    /** Returns the XXH64 seed of what lies in a chunk of the view. */
    private readonly seedOf: (chunk: number) => bigint | undefined,
  ) {}

  /** Remembers the content of a file that has an MD5; returns its position, or undefined for a file without. */
  add({ path, size, mtime, md5, sha256, xxh64, chunk, offset, segments, holes, changed }: Entry): number | undefined {
    if (md5 === undefined || size === 0 || changed === true) return undefined;
    if (this.count === this.sizes.length) this.grow();
    const position = this.count++;
    this.sizes[position] = size;
    this.seconds[position] = mtime.seconds;
    this.nanos[position] = mtime.nanos;
    this.chunks[position] = chunk ?? -1;
    this.offsets[position] = offset ?? 0;
    this.recorded[position] = sha256 ? RECORDED.sha256 : xxh64 ? RECORDED.xxh64 : RECORDED.nothing;
    this.names[position] = nameHash(path);
    this.md5s.write(md5, position * MD5_BYTES, 'hex');
    this.proofs.write(sha256 ?? xxh64 ?? '', position * SHA256_BYTES, 'hex');
    if ((segments ?? holes) !== undefined)
      this.rare.set(position, { ...(segments && { segments }), ...(holes && { holes }) });
    return position;
  }

  /**
   * Remembers the content that the path of `row` had before, if it is as large. If only an MD5 was recorded, that is enough when the
   * modification time is the same as well: a file that was secretly changed into a twin of its MD5 goes as unnoticed as before more was
   * recorded.
   */
  addBefore(row: number, entry: Entry, isSameTime: boolean): void {
    const position = this.add(entry);
    if (position === undefined || (this.recorded[position] === RECORDED.nothing && !isSameTime)) return;
    if (this.before.length === 0) this.before = new Int32Array(this.rows);
    this.before[row] ||= position + 1;
  }

  /** Remembers the stage and commit of the content that the path of `row` had before. */
  addSaid(row: number, { md5, stage, commit }: Entry): void {
    if ((stage ?? commit) !== undefined) this.said.set(row, defined({ md5, stage, commit }));
  }

  /** Returns the stage and commit recorded for this content under the path of `row`. */
  saidOf(row: number, md5: string | undefined): Pick<Entry, 'stage' | 'commit'> | undefined {
    const said = this.said.get(row);
    return said === undefined || said.md5 !== md5 ? undefined : defined({ stage: said.stage, commit: said.commit });
  }

  private grow(): void {
    const capacity = this.count * 2;
    const larger = <T extends { set(from: T): void }>(column: T, fresh: T): T => (fresh.set(column), fresh);
    this.sizes = larger(this.sizes, new Float64Array(capacity));
    this.seconds = larger(this.seconds, new Float64Array(capacity));
    this.nanos = larger(this.nanos, new Uint32Array(capacity));
    this.chunks = larger(this.chunks, new Int32Array(capacity));
    this.offsets = larger(this.offsets, new Float64Array(capacity));
    this.recorded = larger(this.recorded, new Uint8Array(capacity));
    this.names = larger(this.names, new Uint32Array(capacity));
    this.md5s = larger(this.md5s, Buffer.alloc(capacity * MD5_BYTES));
    this.proofs = larger(this.proofs, Buffer.alloc(capacity * SHA256_BYTES));
  }

  /** Builds the indexes, once everything is added; only then can it be asked. */
  finish(): void {
    const { count, recorded } = this;
    this.sorted = this.sizes.filter((_size, at) => at < count && recorded[at] === RECORDED.sha256).sort();
    this.byMd5 = new PlaceIndex(count);
    this.byStamp = new PlaceIndex(count);
    this.byName = new PlaceIndex(count);
    for (let position = 0; position < count; position++) {
      if (recorded[position] === RECORDED.nothing) continue;
      this.byMd5.add(this.md5s.readUInt32LE(position * MD5_BYTES), position, (other) => this.isTwin(position, other));
      const stamp = this.stampOf(position);
      this.byStamp.add(hashOf(stamp), position, (other) => this.hasStamp(other, stamp));
      const name = this.names[position] ?? 0;
      this.byName.add(name ^ stamp.size, position, (other) => this.hasName(other, name, stamp.size));
    }
  }

  /**
   * Returns which digest tells whether a row is the content that its path had before, or one with its size and time, or one with its size
   * and name in another folder; undefined if it cannot be.
   */
  proofFor(row: number, looks: Looks): Proof | undefined {
    const before = (this.before[row] ?? 0) - 1;
    const position = before >= 0 ? before : this.alike(looks);
    return position === undefined ? undefined : this.proofOf(position);
  }

  private alike(looks: Looks): number | undefined {
    const { path, size } = looks;
    const moved = this.byStamp.find(hashOf(looks), (other) => this.hasStamp(other, looks));
    if (moved !== undefined || path === undefined) return moved;
    const name = nameHash(path);
    return this.byName.find(name ^ size, (other) => this.hasName(other, name, size));
  }

  /** Tells whether a file of this size is known by its SHA-256. */
  hasSize(size: number): boolean {
    const { sorted } = this;
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((sorted[middle] ?? 0) < size) low = middle + 1;
      else high = middle;
    }
    return low < sorted.length && sorted[low] === size;
  }

  /** Finds the content with these digests; returns a proof instead if a content with this MD5 needs another digest than was made. */
  find(row: number, size: number, made: MadeDigests): Content | Proof | undefined {
    const before = (this.before[row] ?? 0) - 1;
    if (before >= 0 && this.recorded[before] === RECORDED.nothing && this.hasMd5(before, size, made.md5))
      return this.contentAt(before);
    let other: Proof | undefined;
    const isFound = (position: number): boolean => {
      if (!this.hasMd5(position, size, made.md5)) return false;
      const proof = this.proofOf(position);
      if (!isSameProof(proof, made.proof)) other ??= proof;
      else return this.hasProof(position, made.digest);
      return false;
    };
    const position = this.byMd5.find(made.md5.readUInt32LE(0), isFound);
    return position === undefined ? other : this.contentAt(position);
  }

  /** The place of some content, for files that have none; at least one content must be known. */
  get anyPlace(): Pick<Content, 'chunk' | 'offset'> {
    const piece = this.rare.get(0)?.segments?.[0];
    return { chunk: piece?.chunk ?? this.chunks[0] ?? -1, offset: piece?.offset ?? this.offsets[0] ?? 0 };
  }

  private proofOf(position: number): Proof {
    if (this.recorded[position] === RECORDED.sha256) return 'sha256';
    const chunk = this.rare.get(position)?.segments?.at(-1)?.chunk ?? this.chunks[position] ?? -1;
    return { seed: this.seedOf(chunk) ?? 0n }; // without one no content is found, so the file is sent again
  }

  private hasMd5(position: number, size: number, md5: Buffer): boolean {
    const start = position * MD5_BYTES;
    return this.sizes[position] === size && this.md5s.compare(md5, 0, MD5_BYTES, start, start + MD5_BYTES) === 0;
  }

  private hasProof(position: number, digest: Buffer): boolean {
    const start = position * SHA256_BYTES;
    const bytes = this.recorded[position] === RECORDED.sha256 ? SHA256_BYTES : XXH64_BYTES;
    return this.proofs.compare(digest, 0, bytes, start, start + bytes) === 0;
  }

  /** Whether two contents have the same digests: only one of them needs to be found. */
  private isTwin(position: number, other: number): boolean {
    const md5 = this.md5s.subarray(position * MD5_BYTES, (position + 1) * MD5_BYTES);
    const proof = this.proofs.subarray(position * SHA256_BYTES, (position + 1) * SHA256_BYTES);
    return (
      this.hasMd5(other, this.sizes[position] ?? 0, md5) &&
      isSameProof(this.proofOf(other), this.proofOf(position)) &&
      this.hasProof(other, proof)
    );
  }

  private stampOf(position: number): Stamp {
    const mtime = { seconds: this.seconds[position] ?? 0, nanos: this.nanos[position] ?? 0 };
    return { size: this.sizes[position] ?? 0, mtime };
  }

  private hasStamp(position: number, { size, mtime: { seconds, nanos } }: Stamp): boolean {
    const isSameTime = this.seconds[position] === seconds && this.nanos[position] === nanos;
    return isSameTime && this.sizes[position] === size;
  }

  private hasName(position: number, name: number, size: number): boolean {
    return this.names[position] === name && this.sizes[position] === size;
  }

  private contentAt(position: number): Content {
    const hexOf = (digests: Buffer, step: number, bytes = step): string =>
      digests.toString('hex', position * step, position * step + bytes);
    const recorded = this.recorded[position];
    const digests = {
      md5: hexOf(this.md5s, MD5_BYTES),
      ...(recorded === RECORDED.sha256 && { sha256: hexOf(this.proofs, SHA256_BYTES) }),
      ...(recorded === RECORDED.xxh64 && { xxh64: hexOf(this.proofs, SHA256_BYTES, XXH64_BYTES) }),
    };
    const rare = this.rare.get(position);
    if (rare?.segments !== undefined) return { ...rare, ...digests };
    return { chunk: this.chunks[position] ?? -1, offset: this.offsets[position] ?? 0, ...rare, ...digests };
  }
}

const isSameProof = (a: Proof, b: Proof): boolean => (a === 'sha256' || b === 'sha256' ? a === b : a.seed === b.seed);

const hashOf = ({ size, mtime }: Stamp): number =>
  Math.imul(size | 0, 0x9e_37_79_b1) ^
  Math.imul(mtime.seconds | 0, 0x85_eb_ca_77) ^
  Math.imul(mtime.nanos, 0xc2_b2_ae_3d);

/** FNV-1a of the last part of a path. */
function nameHash(path: RawPath): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = path.lastIndexOf('/') + 1; at < path.length; at++)
    hash = Math.imul(hash ^ path.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
}
