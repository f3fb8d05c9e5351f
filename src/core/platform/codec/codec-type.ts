// What a zstd codec does. Decoding writes exactly into the buffer it is given: a frame that says or gives anything else is
// refused, so no frame can make this process allocate.

export interface Codec {
  /** As the manifest names it: `zstd 1.5.7`. */
  readonly version: string;
  /** What to tell a person once: that a faster codec could be had, and how. */
  readonly slowness: string | undefined;
  /** The largest a frame of `rawSize` bytes can become. */
  compressBound(rawSize: number): number;
  /** Compresses `source` into the start of `target` as one frame; returns its size. */
  compressFrame(target: Uint8Array, source: Uint8Array, level: number): number;
  /** Decodes `source`, exactly one frame, filling `target` exactly; returns the size. @throws integrity */
  decompressFrame(target: Uint8Array, source: Uint8Array): number;
  /**
   * Decodes one frame of `rawSize` bytes piece by piece through `piece`, for frames too large to hold decoded.
   * Each call of `onPiece` gets a view that is only valid until it returns. @throws integrity
   */
  decompressPieces(source: Uint8Array, rawSize: number, piece: Uint8Array, onPiece: (bytes: Uint8Array) => void): void;
  /** What the frame says of its content size; undefined when it does not. @throws integrity */
  frameContentSize(source: Uint8Array): number | undefined;
}
