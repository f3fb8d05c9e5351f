// Helpers for codecs that return a frame in a buffer of their own.

/** ZSTD_COMPRESSBOUND of zstd.h. */
export const maxCompressedSize = (rawSize: number): number =>
  rawSize + Math.floor(rawSize / 256) + (rawSize < 131_072 ? Math.floor((131_072 - rawSize) / 2048) : 0);

/** Passes on decoded bytes through `piece`. */
export function copyPieces(decoded: Uint8Array, piece: Uint8Array, onPiece: (bytes: Uint8Array) => void): void {
  for (let at = 0; at < decoded.byteLength; at += piece.byteLength) {
    const bytes = decoded.subarray(at, at + piece.byteLength);
    piece.set(bytes);
    onPiece(piece.subarray(0, bytes.byteLength));
  }
}
