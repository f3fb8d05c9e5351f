// Reads the headers of a pax tar stream that comes in pieces and says where each member's data begins. Data is passed
// over. Reads what archiver writes (docs/format.md); anything else is an error with the offset at which it stands.
import { integrityError } from '../failures/errors.js';
import type { RawPath } from '../paths/raw-path.js';

const BLOCK = 512;
const MAX_PAX = 64 * 1024 * 1024;

export interface TarMember {
  /** Of the file that this is (a part of). */
  readonly path: RawPath;
  /** ustar type flag: `0` file, `1` hard link, `2` symbolic link, `5` directory. */
  readonly type: string;
  /** Where its data begins in the stream, after the map of a sparse file. */
  readonly dataOffset: number;
  readonly dataSize: number;
}

type Want =
  | { readonly kind: 'header' }
  | { readonly kind: 'pax'; readonly size: number }
  | { readonly kind: 'map'; readonly member: TarMember };

const roundUp = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;

export class TarWalker {
  private offset = 0;
  private skip = 0;
  private want: Want = { kind: 'header' };
  private held: Buffer = Buffer.alloc(0);
  private pax = new Map<string, string>();
  private hasEnded = false;

  constructor(private readonly onMember: (member: TarMember) => void) {}

  /** @throws integrity */
  push(bytes: Uint8Array): void {
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    while (rest.byteLength > 0) {
      if (this.skip > 0) {
        const count = Math.min(this.skip, rest.byteLength);
        this.skip -= count;
        this.offset += count;
        rest = rest.subarray(count);
        continue;
      }
      rest = this.fill(rest);
    }
  }

  /** Gathers what is wanted next; returns what is left. */
  private fill(rest: Buffer): Buffer {
    const size =
      this.want.kind === 'pax' ? roundUp(this.want.size) : BLOCK * (1 + Math.floor(this.held.byteLength / BLOCK));
    const count = Math.min(size - this.held.byteLength, rest.byteLength);
    const piece = rest.subarray(0, count);
    const whole = this.held.byteLength === 0 ? piece : Buffer.concat([this.held, piece]);
    this.offset += count;
    if (whole.byteLength < size) {
      this.held = Buffer.from(whole);
      return rest.subarray(count);
    }
    this.held = Buffer.alloc(0);
    this.take(whole);
    return rest.subarray(count);
  }

  private take(block: Buffer): void {
    const { want } = this;
    this.want = { kind: 'header' };
    if (want.kind === 'header') this.header(block);
    else if (want.kind === 'pax') this.pax = parsePax(block.subarray(0, want.size));
    else this.map(block, want.member);
  }

  private header(block: Buffer): void {
    if (block.every((byte) => byte === 0)) {
      this.hasEnded = true;
      return;
    }
    if (this.hasEnded) throw this.complaint('something follows the end of the archive');
    if (checksumOf(block) !== octal(block, 148, 8)) throw this.complaint('the checksum of a header is wrong');
    const type = String.fromCharCode(block[156] || 48);
    const size = Number(this.pax.get('size') ?? octal(block, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) throw this.complaint('a header has no sound size');
    if (type === 'x' || type === 'g') {
      if (size > MAX_PAX) throw this.complaint('an extended header is too large');
      this.want = { kind: 'pax', size };
      return;
    }
    this.member(block, type, size);
  }

  private member(block: Buffer, type: string, size: number): void {
    const { pax } = this;
    this.pax = new Map();
    const path = pax.get('ARCHIVER.part.path') ?? pax.get('GNU.sparse.name') ?? pax.get('path') ?? ustarPath(block);
    const hasData = type === '0' || type === '7';
    const member: TarMember = {
      path: path.replace(/\/$/, ''),
      type,
      dataOffset: this.offset,
      dataSize: hasData ? size : 0,
    };
    if (pax.get('GNU.sparse.major') === '1') {
      this.want = { kind: 'map', member };
      return;
    }
    this.skip = hasData ? roundUp(size) : 0;
    this.onMember(member);
  }

  /** The map of a sparse file: a count, then offset and size of each run, one a line, filled up to a block. */
  private map(block: Buffer, member: TarMember): void {
    const lines = block.toString('latin1').split('\n');
    const count = Number(lines[0]);
    const isWhole = lines.length > 1 && lines.length - 1 > count * 2;
    if (!isWhole && block.byteLength < MAX_PAX && Number.isSafeInteger(count)) {
      this.want = { kind: 'map', member };
      this.held = block;
      return;
    }
    if (!isWhole) throw this.complaint('the map of a sparse file is wrong');
    const dataSize = member.dataSize - block.byteLength;
    if (dataSize < 0) throw this.complaint('the map of a sparse file is larger than its member');
    this.skip = roundUp(dataSize);
    this.onMember({ ...member, dataOffset: this.offset, dataSize });
  }

  /** Call after the last piece. @throws integrity when the archive has no end */
  end(): void {
    if (!this.hasEnded || this.skip > 0 || this.held.byteLength > 0) throw this.complaint('the archive is cut off');
  }

  private complaint(what: string): Error {
    return integrityError(`its tar stream is wrong at ${this.offset}: ${what}`);
  }
}

function octal(block: Buffer, at: number, length: number): number {
  if (((block[at] ?? 0) & 0x80) !== 0) {
    let value = (block[at] ?? 0) & 0x7f;
    for (let index = at + 1; index < at + length; index++) value = value * 256 + (block[index] ?? 0);
    return value;
  }
  const text = block
    .toString('latin1', at, at + length)
    .replace(/[\0 ]+$/, '')
    .trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

function checksumOf(block: Buffer): number {
  let sum = 8 * 32;
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += block[index] ?? 0;
  return sum;
}

const text = (block: Buffer, at: number, length: number): string => {
  const end = block.indexOf(0, at);
  return block.toString('latin1', at, end < 0 || end > at + length ? at + length : end);
};

function ustarPath(block: Buffer): RawPath {
  const prefix = block.toString('latin1', 257, 262) === 'ustar' ? text(block, 345, 155) : '';
  return prefix === '' ? text(block, 0, 100) : `${prefix}/${text(block, 0, 100)}`;
}

function parsePax(bytes: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < bytes.byteLength;) {
    const space = bytes.indexOf(32, at);
    const length = Number(bytes.toString('latin1', at, space));
    const equals = bytes.indexOf(61, space);
    if (space < 0 || equals < 0 || !Number.isSafeInteger(length) || length < 5 || at + length > bytes.byteLength) {
      throw integrityError('its tar stream is wrong: an extended header cannot be read');
    }
    records.set(bytes.toString('latin1', space + 1, equals), bytes.toString('latin1', equals + 1, at + length - 1));
    at += length;
  }
  return records;
}
