import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { EventSink } from '../events.js';
import { TarReader, type TarSink } from '../tar/tar-reader.js';
import { scanMeter } from '../progress-meter.js';

/** A sink that must rest now and then, and says what it has found so far. */
export interface PausingSink extends TarSink {
  readonly files: number;
  readonly bytes: number;
  settle(signal: AbortSignal): Promise<void>;
}

// A bomb gives many pieces for each one that is received: others must get their turn all the same.
const PIECES_AT_ONCE = 64;

/** Reads a tar stream to its end into `sink`; `emit` is told how much has been found. @throws integrity, unsupported, cancelled */
export async function readTar(
  pieces: AsyncIterable<Uint8Array>,
  sink: PausingSink,
  emit: EventSink,
  signal: AbortSignal,
): Promise<void> {
  const tell = scanMeter(emit);
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
    tell(sink.files, sink.bytes);
  }
  reader.finish();
}
