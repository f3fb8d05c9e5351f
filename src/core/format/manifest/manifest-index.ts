// The index of a manifest: where its blocks of entries lie, and their digests, so that one path of a million is found without reading them
// all. It is written in empty gzip members before the blocks, in the extra field of their headers, which every other reader of gzip skips.
// docs/format.md (Index) is the specification.
import { hash } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import type { ManifestIndex } from './head-schema.js';
import { bytesOf, type RawPath, rawFromBytes } from '../../platform/paths/raw-path.js';

/** Where a block of entries lies. */
export interface IndexedBlock {
  /** Stored bytes, a gzip member of their own. */
  readonly size: number;
  /** Hex SHA-256 of the stored bytes. */
  readonly sha256: string;
  /** Path of its first entry. */
  readonly first: RawPath;
}

/** A longer path is the first one of no block: paths of files have 4096 bytes at most, those of foreign archives may have more. */
export const MAX_INDEXED_PATH = 16_384;

const GZIP_WITH_EXTRA = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff]);
/** Deflate's empty block, and checksum and length of nothing. */
const NO_CONTENT = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
/** Header, length of the extra field, and the header of its only subfield. */
const BEFORE_DATA = GZIP_WITH_EXTRA.length + 2 + 4;
const LOCATOR = 'AL';
const INDEX = 'AI';
/** An extra field has a length of 16 bits. */
const MAX_DATA = 65_531;
/** Bytes of the locator, the first member of a manifest with an index. */
export const LOCATOR_BYTES = BEFORE_DATA + 8 + NO_CONTENT.length;
const DIGEST_BYTES = 32;
const BLOCK_BYTES = 4 + DIGEST_BYTES + 2;
/** No writer makes larger ones: a head has at most 256 MiB of text, a block 2 MiB or one line of at most 64 MiB. */
export const MAX_BEGINNING_BYTES = 256 * 1024 * 1024;
const MAX_BLOCK_BYTES = 65 * 1024 * 1024;

function emptyMember(subfield: string, data: Buffer): Buffer {
  const lengths = Buffer.alloc(6);
  lengths.writeUInt16LE(data.length + 4, 0);
  lengths.write(subfield, 2, 'latin1');
  lengths.writeUInt16LE(data.length, 4);
  return Buffer.concat([GZIP_WITH_EXTRA, lengths, data, NO_CONTENT]);
}

/** The data of the member of this kind at `at`; undefined for another. */
function dataAt(bytes: Buffer, at: number, subfield: string): Buffer | undefined {
  if (at + BEFORE_DATA > bytes.length || !bytes.subarray(at, at + GZIP_WITH_EXTRA.length).equals(GZIP_WITH_EXTRA))
    return undefined;
  const lengths = at + GZIP_WITH_EXTRA.length;
  const size = bytes.readUInt16LE(lengths + 4);
  const isKind = bytes.toString('latin1', lengths + 2, lengths + 4) === subfield;
  if (!isKind || bytes.readUInt16LE(lengths) !== size + 4) return undefined;
  const end = at + BEFORE_DATA + size;
  if (!bytes.subarray(end, end + NO_CONTENT.length).equals(NO_CONTENT)) return undefined;
  return bytes.subarray(at + BEFORE_DATA, end);
}

function blockRecord({ size, sha256, first }: IndexedBlock): Buffer {
  const path = bytesOf(first);
  const numbers = Buffer.alloc(BLOCK_BYTES);
  numbers.writeUInt32LE(size, 0);
  numbers.write(sha256, 4, 'hex');
  numbers.writeUInt16LE(path.length, 4 + DIGEST_BYTES);
  return Buffer.concat([numbers, path]);
}

/** The beginning of a manifest with this (gzipped) head and these blocks, which follow it in this order. */
export function encodeBeginning(head: Buffer, blocks: readonly IndexedBlock[]): Buffer {
  const members: Buffer[] = [];
  let records: Buffer[] = [];
  let bytes = 0;
  const end = (): void => {
    members.push(emptyMember(INDEX, Buffer.concat(records)));
    records = [];
    bytes = 0;
  };
  for (const block of blocks) {
    const record = blockRecord(block);
    if (bytes + record.length > MAX_DATA) end();
    records.push(record);
    bytes += record.length;
  }
  end();
  const index = Buffer.concat(members);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(LOCATOR_BYTES + head.length + index.length, 0);
  sizes.writeUInt32LE(head.length, 4);
  return Buffer.concat([emptyMember(LOCATOR, sizes), head, index]);
}

/** Bytes of the beginning and of the head in it, as the locator says; undefined for a manifest without an index. */
export function locatorOf(manifest: Buffer): { readonly size: number; readonly head: number } | undefined {
  const data = dataAt(manifest, 0, LOCATOR);
  return data?.length === 8 ? { size: data.readUInt32LE(0), head: data.readUInt32LE(4) } : undefined;
}

/** Where the index of a gzipped manifest is; undefined for one without. */
export function manifestIndexOf(manifest: Buffer): ManifestIndex | undefined {
  const { size } = locatorOf(manifest) ?? {};
  return size === undefined || size > manifest.length
    ? undefined
    : { size, sha256: hash('sha256', manifest.subarray(0, size), 'hex') };
}

/**
 * Takes a beginning apart that has the digest that was recorded. Returns the gzipped head and the blocks. @throws integrity for one that no
 * writer makes
 */
export function parseBeginning(
  bytes: Buffer,
  what: string,
): { readonly head: Buffer; readonly blocks: readonly IndexedBlock[] } {
  const end = LOCATOR_BYTES + (locatorOf(bytes)?.head ?? bytes.length);
  const blocks: IndexedBlock[] = [];
  let at = end;
  while (at < bytes.length) {
    const data = dataAt(bytes, at, INDEX);
    if (data === undefined || !addBlocks(blocks, data)) break;
    at += BEFORE_DATA + data.length + NO_CONTENT.length;
  }
  if (at !== bytes.length || blocks.length === 0) throw integrityError(`${what} has an index that cannot be read`);
  return { head: bytes.subarray(LOCATOR_BYTES, end), blocks };
}

/** Adds the blocks that `data` records; false when it does not end with one, or they are out of order. */
function addBlocks(blocks: IndexedBlock[], data: Buffer): boolean {
  let at = 0;
  while (at + BLOCK_BYTES <= data.length) {
    const path = at + BLOCK_BYTES;
    const end = path + data.readUInt16LE(path - 2);
    const first = rawFromBytes(data.subarray(path, end));
    const last = blocks.at(-1);
    const size = data.readUInt32LE(at);
    if (end > data.length || size > MAX_BLOCK_BYTES || (last !== undefined && first <= last.first)) return false;
    blocks.push({ size, sha256: data.toString('hex', at + 4, at + 4 + DIGEST_BYTES), first });
    at = end;
  }
  return at === data.length;
}
