// The layout of sealed bytes; docs/format.md, "Encrypted manifests", is the specification. A header in the clear, then
// frames of AES-256-GCM. Each frame authenticates the header and the context, its number, and whether it is the last.
import { readObject, readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { KeyContext, WrappedKey } from '../../store/key-service.js';

export const CIPHER = 'aes-256-gcm';
export const FRAME_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
/** Length of the magic and of the number that gives the length of the JSON after it. */
export const PREAMBLE_BYTES = 12;
const MAGIC = Buffer.from('ARCHENC1', 'latin1');
const FAMILY = MAGIC.subarray(0, -1);
const ALGORITHM = 'AES-256-GCM';
const MAX_JSON_BYTES = 16 * 1024;
const MAX_DEPTH = 2;
const MAX_KEY_ID = 2048;
const MAX_WRAPPED_BYTES = 6144;
/** Frame numbers have four bytes. */
const MAX_CONTENT_BYTES = 2 ** 32 * FRAME_BYTES;

const HEADER = s.schema(() =>
  s.object({
    upload: s.text,
    size: s.countTo(MAX_CONTENT_BYTES),
    kmsKeyId: s.textThat((one) => one !== '' && one.length <= MAX_KEY_ID, 'the name of a key'),
    wrappedKey: s.parsed(wrappedKeyOf, 'a wrapped key'),
  }),
);

function wrappedKeyOf(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  return key.length > 0 && key.length <= MAX_WRAPPED_BYTES ? key : undefined;
}

export interface EnvelopeHeader extends WrappedKey {
  /** The place it was written for. Only used in error messages: the place it is read from counts. */
  readonly place: string;
  /** Size of the content in bytes. */
  readonly contentBytes: number;
}

/** Number of first bytes that tell whether something is sealed. */
export const MAGIC_BYTES = MAGIC.length;

/** True for sealed bytes, also those of a later format. */
export const isSealed = (start: Uint8Array): boolean => FAMILY.equals(start.subarray(0, FAMILY.length));

/** Number of frames for content of this size in bytes; empty content has one. */
export const frameCount = (contentBytes: number): number => Math.max(1, Math.ceil(contentBytes / FRAME_BYTES));

/** Encodes everything before the frames. */
export function encodeHeader({ place, contentBytes, kmsKeyId, wrappedKey }: EnvelopeHeader): Buffer {
  const json = Buffer.from(
    JSON.stringify({
      format: 1,
      algorithm: ALGORITHM,
      upload: place,
      size: contentBytes,
      kmsKeyId,
      wrappedKey: wrappedKey.toString('base64'),
    }),
  );
  const length = Buffer.alloc(PREAMBLE_BYTES - MAGIC.length);
  length.writeUInt32LE(json.length);
  return Buffer.concat([MAGIC, length, json]);
}

/** Length in bytes of the header that begins with this preamble. @throws integrity, unsupported for a later version */
export function headerLength(preamble: Buffer, what: string): number {
  if (!MAGIC.equals(preamble.subarray(0, MAGIC.length))) throw newerFormat(what);
  const length = preamble.readUInt32LE(MAGIC.length);
  if (length > MAX_JSON_BYTES)
    throw integrityError(`${what} announces an encryption header of ${length} bytes: refused`);
  return PREAMBLE_BYTES + length;
}

/** Parses a whole header. Nothing in it is authenticated before the first frame is. @throws integrity, unsupported */
export function parseHeader(bytes: Buffer, what: string): EnvelopeHeader {
  const about = `the encryption header of ${what}`;
  const parsed = readObject(parseBoundedJson(bytes.toString('utf8', PREAMBLE_BYTES), MAX_DEPTH, about), about);
  if (parsed['format'] !== 1 || parsed['algorithm'] !== ALGORITHM) throw newerFormat(what);
  const { upload, size, ...key } = readValue(HEADER, parsed, about);
  return { place: upload, contentBytes: size, ...key };
}

const newerFormat = (what: string): ArchiverError =>
  new ArchiverError('unsupported', `${what} is encrypted in a way that this archiver does not know`, {
    hint: 'update archiver',
  });

/** Data that every frame authenticates beside its content. */
export const frameAad = (header: Buffer, context: KeyContext): Buffer =>
  Buffer.concat([header, Buffer.from(JSON.stringify(context))]);

/** The nonce of a frame: seven zero bytes, the number of the frame, and 1 for the last one. Unique because a data key seals once. */
export function frameNonce(frame: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(frame, 7);
  nonce[11] = isLast ? 1 : 0;
  return nonce;
}

/** Refuses an envelope that states that it was written for another place. */
export function checkPlace(header: EnvelopeHeader, place: string, what: string): void {
  if (header.place === place) return;
  throw integrityError(`${what} is an encrypted one that was written as that of ${printable(header.place)}`, {
    hint: 'restore the one that belongs here from a copy, or read another version',
  });
}
