import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { EventSink } from '../../events/events.js';
import { TarReader, type TarSink } from '../../format/tar/tar-reader.js';
import { scanMeter } from '../../events/progress-meter.js';

/** A tar sink that must pause now and then, and counts what it has found so far. */
export interface PausingSink extends TarSink {
  readonly files: number;
  readonly bytes: number;
  settle(signal: AbortSignal): Promise<void>;
}

// A decompression bomb gives many pieces for each one received: yield regularly all the same.
const PIECES_AT_ONCE = 64;

const LONE_END =
  'it ends with one block of zeros, and a tar ends with two: it may have been cut off, and nobody can tell what came after';

/**
 * Reads a tar stream to its end into `sink`, reporting progress to `emit`. Returns false when the end mark is only half there, which `emit`
 * also gets as a note. @throws integrity, unsupported, cancelled
 */
export async function readTar(
  pieces: AsyncIterable<Uint8Array>,
  sink: PausingSink,
  emit: EventSink,
  signal: AbortSignal,
): Promise<boolean> {
  const reportProgress = scanMeter(emit);
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
    reportProgress(sink.files, sink.bytes);
  }
  reader.finish();
  if (!reader.hasWholeEnd) emit({ type: 'note', text: LONE_END });
  return reader.hasWholeEnd;
}
