// Parses the structure of a zstd frame (RFC 8878) without decoding it, so that a hostile one is refused before a decoder allocates
// anything: its content size, window, dictionary, and its end.
import { integrityError } from '../failures/errors.js';

const MAGIC = 0xfd2fb528;
export const MAX_BLOCK = 128 * 1024;
/** The largest window of any level (2^27), and the limit of the zstd command by default. */
export const MAX_WINDOW = 1 << 27;

export interface FrameHeader {
  /** Undefined when the frame does not contain it. */
  readonly contentSize: number | undefined;
  readonly windowSize: number;
  readonly dictionaryId: number;
  readonly hasChecksum: boolean;
  readonly headerSize: number;
}

const damaged = (what: string): Error => integrityError(`not a sound zstd frame: ${what}`);

function readNumber(view: DataView, at: number, bytes: number): number {
  if (at + bytes > view.byteLength) throw damaged('it ends within its header');
  let value = 0;
  for (let index = bytes - 1; index >= 0; index--) value = value * 256 + view.getUint8(at + index);
  return value;
}

/** Reads the header at the start of `source`. @throws integrity */
export function readFrameHeader(source: Uint8Array): FrameHeader {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  if (readNumber(view, 0, 4) !== MAGIC) throw damaged('the magic number is wrong');
  const descriptor = readNumber(view, 4, 1);
  if ((descriptor & 0x08) !== 0) throw damaged('a reserved bit is set');
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  let at = 5;
  let windowSize = 0;
  if (!isSingleSegment) {
    const packed = readNumber(view, at++, 1);
    const base = 2 ** (10 + (packed >> 3));
    windowSize = base + (base / 8) * (packed & 7);
  }
  const dictionaryId = readNumber(view, at, dictionaryBytes);
  at += dictionaryBytes;
  const size = readNumber(view, at, sizeBytes) + (sizeBytes === 2 ? 256 : 0);
  at += sizeBytes;
  const contentSize = sizeBytes === 0 ? undefined : size;
  return {
    contentSize,
    windowSize: isSingleSegment ? size : windowSize,
    dictionaryId,
    hasChecksum: (descriptor & 4) !== 0,
    headerSize: at,
  };
}

/** Returns the bytes from the start of `source` to the end of its first frame. @throws integrity when it is cut off */
function measureFrame(source: Uint8Array, header: FrameHeader): number {
  let at = header.headerSize;
  for (;;) {
    if (at + 3 > source.byteLength) throw damaged('it is cut off');
    const block = (source[at] ?? 0) | ((source[at + 1] ?? 0) << 8) | ((source[at + 2] ?? 0) << 16);
    const type = (block >> 1) & 3;
    const size = block >> 3;
    if (type === 3 || size > MAX_BLOCK) throw damaged('a block header is wrong');
    at += 3 + (type === 1 ? 1 : size);
    if ((block & 1) === 1) break;
  }
  at += header.hasChecksum ? 4 : 0;
  if (at > source.byteLength) throw damaged('it is cut off');
  return at;
}

/**
 * Checks that `source` is exactly one frame that announces `rawSize` bytes and needs nothing unusual to decode.
 * @throws integrity
 */
export function checkFrame(source: Uint8Array, rawSize: number): void {
  const header = readFrameHeader(source);
  if (header.contentSize === undefined) throw damaged('it does not say how large its content is');
  if (header.contentSize !== rawSize) {
    throw damaged(`it claims ${header.contentSize} bytes of content where ${rawSize} are expected`);
  }
  if (header.dictionaryId !== 0)
    throw damaged(`it wants the dictionary ${header.dictionaryId}, and archives have none`);
  if (header.windowSize > Math.max(MAX_WINDOW, rawSize)) {
    throw damaged(`it wants a window of ${header.windowSize} bytes, and at most ${MAX_WINDOW} are allowed`);
  }
  const length = measureFrame(source, header);
  if (length !== source.byteLength) throw damaged(`${source.byteLength - length} bytes follow it`);
}
