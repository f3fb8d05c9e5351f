import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { TarReader, type TarSink } from '../tar/tar-reader.js';

/** A sink that must rest now and then. */
export interface PausingSink extends TarSink {
  settle(signal: AbortSignal): Promise<void>;
}

// A bomb gives many pieces for each one that is received: others must get their turn all the same.
const PIECES_AT_ONCE = 64;

/** Reads a tar stream to its end into `sink`; `onPiece` is called now and then. @throws integrity, unsupported, cancelled */
export async function readTar(
  pieces: AsyncIterable<Uint8Array>,
  sink: PausingSink,
  onPiece: () => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = new TarReader(sink);
  let count = 0;
  for await (const { buffer, byteOffset, byteLength } of pieces) {
    signal.throwIfAborted();
    if (++count % PIECES_AT_ONCE === 0) await yieldToOthers();
    let rest = Buffer.from(buffer, byteOffset, byteLength);
    while (rest.byteLength > 0) {
      rest = rest.subarray(reader.push(rest));
      if (sink.isBusy) await sink.settle(signal);
    }
    onPiece();
  }
  reader.finish();
}
