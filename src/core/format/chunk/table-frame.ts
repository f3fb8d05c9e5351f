// The skippable frame that ends every chunk and holds its table of contents (docs/format.md): the compressed document between a zstd header
// and a footer, from which a reader learns how much to read before the end of the object.
import { hash } from 'node:crypto';
import type { Codec } from '../../platform/codec/codec-type.js';
import { integrityError } from '../../platform/failures/errors.js';

export const FOOTER_BYTES = 32;
const HEADER_BYTES = 8;
const SKIPPABLE_MAGIC = 0x184d2a50;
const FOOTER_MAGIC = 'ARCHTOC1';

/** Encodes this JSON document as a skippable frame. */
export function encodeTable(codec: Codec, raw: Uint8Array): Buffer {
  const bound = codec.compressBound(raw.length);
  const frame = Buffer.allocUnsafeSlow(HEADER_BYTES + bound + FOOTER_BYTES);
  const size = codec.compressFrame(frame.subarray(HEADER_BYTES, HEADER_BYTES + bound), raw, 3);
  const total = HEADER_BYTES + size + FOOTER_BYTES;
  frame.writeUInt32LE(SKIPPABLE_MAGIC, 0);
  frame.writeUInt32LE(size + FOOTER_BYTES, 4);
  const footer = HEADER_BYTES + size;
  frame.writeUInt32LE(size, footer);
  frame.writeUInt32LE(total, footer + 4);
  frame.write(hash('sha256', frame.subarray(HEADER_BYTES, footer)).slice(0, 32), footer + 8, 'hex');
  frame.write(FOOTER_MAGIC, footer + 24, 'latin1');
  return frame.subarray(0, total);
}

/** Number of bytes of the whole skippable frame, from the last 32 bytes of the chunk. @throws integrity */
export function tableBytes(footer: Buffer): number {
  if (footer.length < FOOTER_BYTES || footer.toString('latin1', footer.length - 8) !== FOOTER_MAGIC)
    throw integrityError('it does not end in a table of contents');
  return footer.readUInt32LE(footer.length - FOOTER_BYTES + 4);
}

/** The compressed document in the frame, checked against its digest. @throws integrity */
export function tableText(bytes: Buffer): Buffer {
  const footer = bytes.length - FOOTER_BYTES;
  const length = footer < HEADER_BYTES ? -1 : bytes.readUInt32LE(footer);
  const isSound =
    tableBytes(bytes) === bytes.length &&
    length === footer - HEADER_BYTES &&
    bytes.readUInt32LE(0) === SKIPPABLE_MAGIC &&
    bytes.readUInt32LE(4) === bytes.length - HEADER_BYTES;
  if (!isSound) throw integrityError('the frame of its table of contents is damaged');
  const payload = bytes.subarray(HEADER_BYTES, footer);
  if (hash('sha256', payload).slice(0, 32) !== bytes.toString('hex', footer + 8, footer + 24))
    throw integrityError('its table of contents does not match its digest');
  return payload;
}
