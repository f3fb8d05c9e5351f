// Detects the format of an archive by its first bytes, because names lie, and decodes it to the bytes of the tar stream.
import { createGunzip } from 'node:zlib';
import { decodeZstdStream, throughTransform } from '../../platform/codec/zstd-stream.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { BLOCK } from '../../format/tar/tar-block.js';
import { isTarBlock } from '../../format/tar/header-block.js';

export type ArchiveFormat = 'tar' | 'tar.gz' | 'tar.zst';

export interface TarStream {
  readonly format: ArchiveFormat;
  /** Bytes of the tar stream. Each piece is valid only until the next one is requested. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** The first stored bytes, which may say how large the content is. */
  readonly start: Buffer;
}

const HEAD_BYTES = BLOCK;
const OTHERS: readonly (readonly [magic: string, name: string])[] = [
  ['fd377a585a00', 'xz'],
  ['425a68', 'bzip2'],
  ['04224d18', 'lz4'],
  ['5d0000', 'lzma'],
  ['504b0304', 'zip'],
  ['377abcaf271c', '7z'],
];

/** Opens the tar stream in `body`. @throws unsupported, saying what it is instead, and what the body throws */
export async function openTarStream(body: AsyncIterable<Uint8Array>): Promise<TarStream> {
  const pieces = body[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.byteLength < HEAD_BYTES) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    start = Buffer.concat([start, value]);
  }
  const whole = (async function* (): AsyncGenerator<Uint8Array> {
    if (start.byteLength > 0) yield start;
    yield* { [Symbol.asyncIterator]: () => pieces };
  })();
  const format = formatOf(start);
  return { format, pieces: decoded(format, whole), start };
}

function decoded(format: ArchiveFormat, source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  switch (format) {
    case 'tar':
      return source;
    case 'tar.gz':
      return throughTransform(createGunzip({ chunkSize: 256 * 1024 }), source);
    case 'tar.zst':
      return decodeZstdStream(source);
    default:
      return format satisfies never;
  }
}

function formatOf(start: Buffer): ArchiveFormat {
  const magic = start.subarray(0, 6).toString('hex');
  if (magic.startsWith('28b52ffd') || /^5[0-9a-f]2a4d18/.test(magic)) return 'tar.zst';
  if (magic.startsWith('1f8b')) return 'tar.gz';
  if (start.byteLength >= BLOCK && isTarBlock(start)) return 'tar';
  const other = OTHERS.find(([bytes]) => magic.startsWith(bytes))?.[1];
  const what =
    start.byteLength === 0
      ? 'it is empty'
      : other === undefined
        ? 'its first bytes are those of no tar, tar.gz or tar.zst'
        : `it is compressed with ${other}, and only tar, tar.gz and tar.zst are read`;
  const hint = other === undefined ? undefined : 'unpack it and pack it again, e.g. with `zstd`';
  throw new ArchiverError('unsupported', what, { hint });
}
