// Parses one 512-byte header of a tar file, as v7, ustar, pax and GNU tar write it. Pure; names are byte strings.
import { integrityError } from '../../platform/failures/errors.js';
import { type RawPath, rawFromBytes, TOP, joinPath } from '../../platform/paths/raw-path.js';
import { BLOCK } from './tar-block.js';

const ZERO = 48;
const USTAR = Buffer.from('ustar\0', 'latin1');
const CHECKSUM_AT = 148;
const CHECKSUM_END = 156;
const TYPE_AT = 156;
const NAME_BYTES = 100;
const SIZE_AT = 124;
const SIZE_BYTES = 12;
const PREFIX_AT = 345;

export interface HeaderBlock {
  /** The type flag; `0` when old tars write a zero byte. */
  readonly type: string;
  readonly size: number;
}

/** Fields of the header of a member. */
export interface HeaderFields {
  readonly path: RawPath;
  readonly target: RawPath;
  readonly mode: number;
  /** Undefined when the field is not a number. */
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly mtimeSeconds: number;
}

/** Reads a number: octal text, or base 256 when its first bit is set. NaN for anything else. */
export function headerNumber(block: Buffer, at: number, length: number): number {
  const first = block[at] ?? 0;
  if ((first & 0x80) === 0) {
    return octalNumber(block, at, at + length);
  }
  const isNegative = (first & 0x40) !== 0;
  let value = isNegative ? (first & 0x7f) - 0x80 : first & 0x3f;
  for (let index = at + 1; index < at + length; index++) value = value * 256 + (block[index] ?? 0);
  return value;
}

// Digits up to a zero byte or the end of the field, with white space around them. It runs six times for each member.
function octalNumber(block: Buffer, from: number, end: number): number {
  let value = 0;
  let at = from;
  while (at < end && isSpace(block[at])) at++;
  for (; at < end; at++) {
    const byte = block[at] ?? 0;
    if (byte < 48 || byte > 55) break;
    value = value * 8 + byte - 48;
  }
  while (at < end && isSpace(block[at])) at++;
  return at === end || block[at] === 0 ? value : Number.NaN;
}

const isSpace = (byte: number | undefined): boolean => byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13);

/** The text of a field, up to its first zero byte. */
export function headerText(block: Buffer, at: number, length: number): RawPath {
  if (block[at] === 0) return TOP;
  const end = block.indexOf(0, at);
  return rawFromBytes(block, at, end < 0 || end > at + length ? at + length : end);
}

/** Where the name ends in the header that begins at `at`. */
export function nameEnd(block: Buffer, at: number): number {
  let end = at;
  while (end < at + NAME_BYTES && block[end] !== 0) end++;
  return end;
}

/** A block of zeros, which ends an archive. */
export function isZeroBlock(block: Buffer): boolean {
  for (let index = 0; index < BLOCK; index += 4) if (block.readInt32LE(index) !== 0) return false;
  return true;
}

function hasChecksum(block: Buffer): boolean {
  const spaces = 32 * (CHECKSUM_END - CHECKSUM_AT);
  const sum = spaces + sumOf(block, 0, CHECKSUM_AT) + sumOf(block, CHECKSUM_END, BLOCK);
  const stated = headerNumber(block, CHECKSUM_AT, 8);
  return stated === sum || stated === sum - 256 * highBytes(block);
}

function sumOf(block: Buffer, from: number, end: number): number {
  let sum = 0;
  for (let index = from; index < end; index++) sum += block[index] ?? 0;
  return sum;
}

// Some old tars summed signed bytes.
function highBytes(block: Buffer): number {
  let count = 0;
  for (let index = 0; index < BLOCK; index++) {
    const isCounted = index < CHECKSUM_AT || index >= CHECKSUM_END;
    if (isCounted && (block[index] ?? 0) > 127) count++;
  }
  return count;
}

/** True for a block that can begin a tar file. */
export const isTarBlock = (block: Buffer): boolean => isZeroBlock(block.subarray(0, BLOCK)) || hasChecksum(block);

/**
 * The size of a file about which its ustar header says everything, its whole name among it; -1 for any other block, which has to be parsed. `words`
 * are those of the archive, `at` is where the header begins.
 */
export function plainFileSize(block: Buffer, words: Int32Array, at: number): number {
  const isPlain = block[at + TYPE_AT] === ZERO && block[at + PREFIX_AT] === 0;
  if (!isPlain || block.compare(USTAR, 0, USTAR.length, at + 257, at + 257 + USTAR.length) !== 0) return -1;
  if (octalNumber(block, at + CHECKSUM_AT, at + CHECKSUM_END) !== sumOfWords(words, at >>> 2)) return -1;
  const size = octalNumber(block, at + SIZE_AT, at + SIZE_AT + SIZE_BYTES);
  return size >= 0 ? size : -1;
}

/** The checksum of a header: two sums of 16 bits go up in each number, one of its even bytes and one of the odd ones. */
function sumOfWords(words: Int32Array, from: number): number {
  let even = 0;
  let odd = 0;
  for (let index = from; index < from + BLOCK / 4; index++) {
    const word = words[index] ?? 0;
    even += word & 0xff00ff;
    odd += (word >>> 8) & 0xff00ff;
  }
  for (let index = from + CHECKSUM_AT / 4; index < from + CHECKSUM_END / 4; index++) {
    const word = words[index] ?? 0;
    even -= word & 0xff00ff;
    odd -= (word >>> 8) & 0xff00ff;
  }
  const spaces = 32 * (CHECKSUM_END - CHECKSUM_AT);
  return spaces + (even & 0xffff) + (even >>> 16) + (odd & 0xffff) + (odd >>> 16);
}

/** Parses a header. @throws integrity when its checksum or its size is wrong */
export function parseHeaderBlock(block: Buffer): HeaderBlock {
  if (!hasChecksum(block)) throw integrityError('the checksum of a header is wrong');
  const size = headerNumber(block, SIZE_AT, SIZE_BYTES);
  if (!Number.isSafeInteger(size) || size < 0) throw integrityError('a header has no sound size');
  return { type: String.fromCharCode(block[TYPE_AT] || ZERO), size };
}

/** Reads the other fields of a parsed header. */
export function readHeaderFields(block: Buffer): HeaderFields {
  const mode = headerNumber(block, 100, 8);
  const mtimeSeconds = headerNumber(block, 136, 12);
  const prefix = isUstar(block) ? headerText(block, PREFIX_AT, 155) : TOP;
  const name = headerText(block, 0, NAME_BYTES);
  return {
    path: joinPath(prefix, name),
    target: headerText(block, 157, 100),
    mode: Number.isNaN(mode) ? 0 : mode & 0o7777,
    uid: accountNumber(headerNumber(block, 108, 8)),
    gid: accountNumber(headerNumber(block, 116, 8)),
    mtimeSeconds: Number.isSafeInteger(mtimeSeconds) ? mtimeSeconds : 0,
  };
}

// GNU tar stores other fields in place of ustar's prefix.
const isUstar = (block: Buffer): boolean => block.compare(USTAR, 0, USTAR.length, 257, 257 + USTAR.length) === 0;

// The largest number means "unchanged" to the system.
const MAX_ACCOUNT = 0xffff_fffe;

/** Returns a user or group ID that the system can have; undefined for any other number. */
export const accountNumber = (value: number): number | undefined =>
  Number.isInteger(value) && value >= 0 && value <= MAX_ACCOUNT ? value : undefined;
