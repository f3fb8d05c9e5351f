// The interface of a zstd codec. Decoding writes exactly into the given buffer: a frame that announces or yields a different size is
// refused, so no frame can make this process allocate memory.

export interface Codec {
  /** Name and version as in the manifest: `zstd 1.5.7`. */
  readonly version: string;
  /** A note for the user that a faster codec is available, and how; undefined for the fastest. */
  readonly slowness: string | undefined;
  /** Says whether the checksum in a frame is compared with its content from here on, where the codec can leave that out: it is at first. */
  compareChecksums?(isCompared: boolean): void;
  /** Returns the largest possible size of a frame of `rawSize` bytes. */
  compressBound(rawSize: number): number;
  /** Compresses `source` into the start of `target` as one frame; returns its size. */
  compressFrame(target: Uint8Array, source: Uint8Array, level: number): number;
  /** Decodes `source`, exactly one frame, filling `target` exactly; returns the size. @throws integrity */
  decompressFrame(target: Uint8Array, source: Uint8Array): number;
  /**
   * Decodes the first bytes of `source`, a frame of `rawSize` bytes, filling `target` exactly, where the codec can leave out the rest: its
   * checksum is not compared then. @throws integrity
   */
  decompressStart?(target: Uint8Array, source: Uint8Array, rawSize: number): void;
  /**
   * Decodes one frame of `rawSize` bytes piece by piece through `piece`, for frames too large to hold decoded.
   * Each call of `onPiece` gets a view that is only valid until it returns. @throws integrity
   */
  decompressPieces(source: Uint8Array, rawSize: number, piece: Uint8Array, onPiece: (bytes: Uint8Array) => void): void;
  /** Returns the content size that the frame announces; undefined when it has none. @throws integrity */
  frameContentSize(source: Uint8Array): number | undefined;
}
