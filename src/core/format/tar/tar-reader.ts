// Reads a tar stream that arrives in pieces: v7, ustar, pax and GNU tar, with long names, extended attributes and sparse files. Reports the
// members and judges nothing. Memory is bounded whatever the stream contains; a stream that ends before its end marker is an error.
// Archives joined with `cat` are read to the end of the last one, as `tar --ignore-zeros`. For the stream of a chunk, it accepts only what
// archiver writes (docs/format.md): one archive, no headers of other tars.
import { ArchiverError, errorText, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { type HeaderBlock, headerText, isZeroBlock, nameEnd, parseHeaderBlock, plainFileSize } from './header-block.js';
import { BLOCK, padded } from './tar-block.js';
import { addPaxRecords, paxNumber, type PaxRecords } from './pax-records.js';
import {
  numbersOfRecord,
  oldRealSize,
  readExtensionPairs,
  readHeaderPairs,
  SparseMapReader,
  sparseRuns,
} from './sparse-runs.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { type Draft, draftMember, type LongNames, type TarMember } from './tar-member.js';

export interface TarSink {
  /** While true, `push` stops. */
  readonly isBusy: boolean;
  /** Called at the start of a member. `data` and `end` are only called for a file for which this returns true. */
  member(member: TarMember): boolean;
  /** Gets data of the file; returns how many bytes it took. Zero only when it is busy now. */
  data(bytes: Buffer): number;
  end(): void;
  /**
   * Gets files with data about which one header says everything, instead of `member`, where nobody wants the data: the name lies in `bytes`
   * from `from` to `to`.
   */
  plain?(bytes: Buffer, from: number, to: number, dataOffset: number): void;
}

export interface TarReaderOptions {
  /** Set for the stream of a chunk: anything that archiver does not write is an error. */
  readonly isChunk?: boolean;
}

/** Limit in bytes of one extended header, long name or sparse map. Our own archives may have more attributes and holes. */
const MAX_EXTRA = 16 * 1024 * 1024;
const MAX_CHUNK_EXTRA = 64 * 1024 * 1024;
const CHUNK_TYPES = new Set(['0', '1', '2', '5', 'x']);
type Take = (bytes: Buffer) => void;
const NO_NAMES: LongNames = {};
const SLASH = 47;

export class TarReader {
  private offset = 0;
  private held: Buffer = Buffer.alloc(0);
  private wanted = BLOCK;
  private readonly takeHeader: Take = (block) => this.header(block);
  private take: Take = this.takeHeader;
  private dataLeft = 0;
  private skipLeft = 0;
  private readonly global = new Map<string, RawPath>();
  private records = new Map<string, RawPath>();
  private long = NO_NAMES;
  private isAtEnd = false;
  /** Number of zero blocks since the last other block. */
  private zeroBlocks = 0;
  private hasMembers = false;

  private readonly isChunk: boolean;
  private readonly maxExtra: number;
  /** End of the block that is being taken. */
  private takenTo = 0;

  constructor(
    private readonly sink: TarSink,
    { isChunk = false }: TarReaderOptions = {},
  ) {
    this.isChunk = isChunk;
    this.maxExtra = isChunk ? MAX_CHUNK_EXTRA : MAX_EXTRA;
  }

  /** Takes bytes and returns how many it took: all, unless the sink is busy. @throws integrity, unsupported */
  push(bytes: Buffer): number {
    const words = this.sink.plain === undefined ? undefined : wordsOf(bytes);
    let at = 0;
    while (at < bytes.byteLength && !this.sink.isBusy) {
      const plain = words === undefined ? 0 : this.passPlain(bytes, words, at);
      this.offset += plain;
      at += plain;
      if (at === bytes.byteLength) break;
      const rest = at === 0 ? bytes : bytes.subarray(at);
      const took =
        this.dataLeft > 0 ? this.passData(rest) : this.skipLeft > 0 ? this.skipBytes(rest) : this.gather(rest);
      this.offset += took;
      at += took;
    }
    return at;
  }

  /** True when it ends with the two blocks of zeros of every tar: after a single one it may have been cut off. */
  get hasWholeEnd(): boolean {
    return this.zeroBlocks >= 2;
  }

  /** Call after the last piece. @throws integrity when the archive has no end */
  finish(): void {
    const isBetween = this.held.byteLength === 0 && this.dataLeft === 0 && this.skipLeft === 0;
    if (!this.isAtEnd || !isBetween) throw this.complaint(this.offset, 'the archive is cut off');
  }

  private complaint(offset: number, what: string, error?: unknown): ArchiverError {
    return integrityError(`its tar data is wrong at byte ${offset}: ${what}`, { cause: error });
  }

  /** Passes plain files from `at` on, as long as they follow one another; returns how many bytes they have here. */
  private passPlain(bytes: Buffer, words: Int32Array, at: number): number {
    if (!this.isBetween) return 0;
    const { sink, offset } = this;
    let next = at;
    while (next % 4 === 0 && next + BLOCK <= bytes.byteLength) {
      const size = plainFileSize(bytes, words, next);
      if (size < 0) break;
      const end = nameEnd(bytes, next);
      if (bytes[end - 1] === SLASH) break;
      this.hasMembers = true;
      if (size > 0) sink.plain?.(bytes, next, end, offset + next - at + BLOCK);
      next += BLOCK + padded(size);
    }
    this.skipLeft = Math.max(0, next - bytes.byteLength);
    return next - this.skipLeft - at;
  }

  /** Between two members: nothing of the next one has come, and nothing was said about it, nor that the archive has ended. */
  private get isBetween(): boolean {
    const { held, take, takeHeader, dataLeft, skipLeft, records, long, isAtEnd } = this;
    return (
      dataLeft + skipLeft + held.byteLength + records.size + this.global.size === 0 &&
      take === takeHeader &&
      long === NO_NAMES &&
      !isAtEnd
    );
  }

  private passData(bytes: Buffer): number {
    const took = this.sink.data(this.dataLeft < bytes.byteLength ? bytes.subarray(0, this.dataLeft) : bytes);
    this.dataLeft -= took;
    if (this.dataLeft === 0) this.sink.end();
    return took;
  }

  private skipBytes(bytes: Buffer): number {
    const took = Math.min(this.skipLeft, bytes.byteLength);
    this.skipLeft -= took;
    return took;
  }

  /** Gathers `wanted` bytes, padded to whole blocks, for `take`. */
  private gather(bytes: Buffer): number {
    const size = padded(this.wanted);
    const took = Math.min(size - this.held.byteLength, bytes.byteLength);
    const piece = bytes.subarray(0, took);
    const whole = this.held.byteLength === 0 ? piece : Buffer.concat([this.held, piece]);
    if (whole.byteLength < size) {
      this.held = this.held.byteLength === 0 ? Buffer.from(piece) : whole;
      return took;
    }
    const begin = this.offset - this.held.byteLength;
    this.held = Buffer.alloc(0);
    this.takenTo = begin + size;
    const { take, wanted } = this;
    this.wanted = BLOCK;
    this.take = this.takeHeader;
    try {
      take(whole.subarray(0, wanted));
    } catch (error) {
      if (isArchiverError(error, 'integrity')) throw this.complaint(begin, errorText(error), error);
      throw error;
    }
    return took;
  }

  private expect(bytes: number, take: Take): void {
    if (bytes > this.maxExtra)
      throw integrityError(`an extended header has ${bytes} bytes, and ${this.maxExtra} are allowed`);
    this.wanted = bytes;
    this.take = take;
  }

  private header(block: Buffer): void {
    if (isZeroBlock(block)) {
      this.isAtEnd = true;
      this.zeroBlocks++;
      this.forget();
      return;
    }
    if (this.isChunk && this.isAtEnd) throw integrityError('something follows the end of the archive');
    const header = this.parse(block);
    if (this.isChunk && !CHUNK_TYPES.has(header.type))
      throw integrityError(`no chunk has a header of type '${header.type}'`);
    this.isAtEnd = false;
    this.zeroBlocks = 0;
    this.hasMembers = true;
    switch (header.type) {
      case 'x':
      case 'X':
        return this.extra(header, (bytes) => addPaxRecords(this.records, bytes));
      case 'g':
        return this.extra(header, (bytes) => addPaxRecords(this.global, bytes));
      case 'L':
        return this.extra(
          header,
          (bytes) => void (this.long = { ...this.long, path: headerText(bytes, 0, bytes.byteLength) }),
        );
      case 'K':
        return this.extra(
          header,
          (bytes) => void (this.long = { ...this.long, target: headerText(bytes, 0, bytes.byteLength) }),
        );
      case 'V':
        this.skipLeft = padded(header.size); // the label of a volume: no member
        return;
      case 'M':
        throw new ArchiverError('unsupported', 'it is one volume of several: join them first (tar --multi-volume)');
      default:
        this.begin(header, block);
    }
  }

  /** Drops what headers stated for later members; it ends with the archive. */
  private forget(): void {
    this.global.clear();
    this.records = new Map();
    this.long = NO_NAMES;
  }

  private parse(block: Buffer): HeaderBlock {
    try {
      return parseHeaderBlock(block);
    } catch (error) {
      if (this.isAtEnd) throw integrityError('something that is not a tar archive follows its end', { cause: error });
      if (!this.hasMembers) throw integrityError('there is no tar archive in it', { cause: error });
      throw error;
    }
  }

  private extra({ size }: HeaderBlock, take: Take): void {
    if (size > 0) this.expect(size, take);
  }

  private begin(header: HeaderBlock, block: Buffer): void {
    const records: PaxRecords = this.global.size === 0 ? this.records : new Map([...this.global, ...this.records]);
    this.records = new Map();
    const size = header.type === '1' ? 0 : (paxNumber(records, 'size') ?? header.size);
    const member = draftMember(block, { type: header.type, size, records, long: this.long });
    this.long = NO_NAMES;
    if (header.type === 'S') this.oldSparse(block, member, size);
    else if (records.get('GNU.sparse.major') === '1') this.mapped(member, records, size);
    else if (records.has('GNU.sparse.map') || records.has('GNU.sparse.size')) {
      const realSize = paxNumber(records, 'GNU.sparse.size') ?? size;
      const map = records.get('GNU.sparse.map');
      this.sparse(member, map === undefined ? [] : numbersOfRecord(map), realSize, size);
    } else this.start(member, size);
  }

  private oldSparse(block: Buffer, member: Draft, size: number): void {
    const numbers: number[] = [];
    const realSize = oldRealSize(block);
    let bytes = 0;
    const extension = (next: Buffer): void => {
      bytes += BLOCK;
      if (bytes > this.maxExtra) throw integrityError('the map of a sparse file is too long');
      if (readExtensionPairs(next, numbers)) this.expect(BLOCK, extension);
      else this.sparse(member, numbers, realSize, size);
    };
    if (readHeaderPairs(block, numbers)) this.expect(BLOCK, extension);
    else this.sparse(member, numbers, realSize, size);
  }

  /** Format 1.0: the map comes before the data, and its blocks count as data. */
  private mapped(member: Draft, records: PaxRecords, size: number): void {
    const map = new SparseMapReader();
    const realSize = paxNumber(records, 'GNU.sparse.realsize') ?? Number.NaN;
    const next = (block: Buffer): void => {
      const numbers = map.add(block);
      if (map.bytes > Math.min(size, this.maxExtra))
        throw integrityError('the map of a sparse file is longer than its data');
      if (numbers === undefined) this.expect(BLOCK, next);
      else this.sparse(member, numbers, realSize, size - map.bytes);
    };
    this.expect(BLOCK, next);
  }

  private sparse(member: Draft, numbers: readonly number[], realSize: number, dataSize: number): void {
    const runs = sparseRuns(numbers, realSize, dataSize);
    member.size = realSize;
    member.runs = runs;
    this.start(member, dataSize);
  }

  private start(member: Draft, dataSize: number): void {
    member.dataOffset = this.takenTo;
    member.dataSize = dataSize;
    const isTaken = this.sink.member(member) && member.kind === 'file';
    this.dataLeft = isTaken ? dataSize : 0;
    this.skipLeft = padded(dataSize) - this.dataLeft;
    if (isTaken && dataSize === 0) this.sink.end();
  }
}

/** The same memory; undefined where it does not begin with a whole word. */
const wordsOf = ({ buffer, byteOffset, byteLength }: Buffer): Int32Array | undefined =>
  byteOffset % 4 === 0 ? new Int32Array(buffer, byteOffset, byteLength >>> 2) : undefined;
