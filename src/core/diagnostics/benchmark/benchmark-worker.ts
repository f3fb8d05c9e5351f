// Worker thread that holds one block at a time, and compresses and decompresses it with each requested compressor.
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { chooseLevel } from '../../archive/run/compression-level.js';
import { loadCodec } from '../../platform/codec/codec.js';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import { collectGarbage } from '../../platform/threads/collect-garbage.js';
import { whenReady } from '../../format/chunk/when-ready.js';
import { type Candidate, type Compressor, openCompressor } from './compressors.js';
import { type DataType, fillGenerated } from '../../platform/generated-data.js';

/** The data to compress: generated, or a file. */
export type DataSource = { readonly type: DataType } | { readonly file: string };

export type BenchmarkMessage =
  | {
      readonly type: 'load';
      readonly source: DataSource;
      readonly block: number;
      readonly offset: number;
      readonly bytes: number;
    }
  | { readonly type: 'measure'; readonly candidate: Candidate }
  | { readonly type: 'close' };

export type BenchmarkReply =
  /** `level` is the one that an upload would choose for a chunk that begins with this block. */
  | { readonly type: 'loaded'; readonly bytes: number; readonly level: number }
  | {
      readonly type: 'measured';
      readonly storedBytes: number;
      readonly compressMs: number;
      readonly decompressMs: number;
      readonly isSame: boolean;
    }
  | { readonly type: 'missing' }
  | { readonly type: 'failed'; readonly message: string; readonly code: string | undefined };

/** Work that takes less time is repeated, up to this many bytes, because results are freed late. */
const LEAST_MS = 20;
const MOST_BYTES = 2 ** 24;
/** Least duration that is returned, so that it is never zero. */
const LEAST_TIME_MS = 0.001;

const port = parentPort;
const opened = new Map<string, Compressor | undefined>();
let raw: Buffer = Buffer.alloc(0);

function receive(message: BenchmarkMessage): void {
  if (message.type === 'close') return port?.close();
  answer(message).then(
    (reply) => port?.postMessage(reply),
    (error: unknown) => port?.postMessage({ type: 'failed', message: errorText(error), code: systemCode(error) }),
  );
}

whenReady(() => port?.on('message', receive));

async function answer(message: Exclude<BenchmarkMessage, { type: 'close' }>): Promise<BenchmarkReply> {
  if (message.type === 'measure') return await measure(message.candidate);
  const { source, block, offset, bytes } = message;
  if (raw.length !== bytes) raw = Buffer.allocUnsafeSlow(bytes);
  if ('type' in source) fillGenerated(source.type, block, raw);
  else raw = readBlock(source.file, offset, raw);
  return { type: 'loaded', bytes: raw.length, level: raw.length === 0 ? 0 : chooseLevel(loadCodec(), raw) };
}

/** Reads the block; less than requested if the file has become shorter. */
function readBlock(file: string, offset: number, into: Buffer): Buffer {
  const fd = openSync(file, 'r');
  try {
    let got = 0;
    while (got < into.length) {
      const count = readSync(fd, into, got, into.length - got, offset + got);
      if (count === 0) break;
      got += count;
    }
    return into.subarray(0, got);
  } finally {
    closeSync(fd);
  }
}

async function measure(candidate: Candidate): Promise<BenchmarkReply> {
  const name = `${candidate.algorithm} ${candidate.level ?? ''}`;
  if (!opened.has(name)) {
    const compressor = await openCompressor(candidate);
    // Work that happens only once is not measured.
    compressor?.decompress(compressor.compress(raw.subarray(0, 4096)), Math.min(4096, raw.length));
    opened.set(name, compressor);
  }
  const compressor = opened.get(name);
  collectGarbage();
  if (compressor === undefined) return { type: 'missing' };
  const compressed = timed(() => compressor.compress(raw));
  const stored = compressed.result;
  const back = timed(() => compressor.decompress(stored, raw.length));
  return {
    type: 'measured',
    storedBytes: stored.length,
    compressMs: compressed.ms,
    decompressMs: back.ms,
    isSame: raw.equals(back.result),
  };
}

/** Returns the shortest of several durations, because other load on the computer can only make it longer. */
function timed<T>(work: () => T): { readonly result: T; readonly ms: number } {
  for (let total = 0, bytes = 0, least = Number.POSITIVE_INFINITY; ;) {
    const begun = performance.now();
    const result = work();
    const ms = performance.now() - begun;
    [total, least] = [total + ms, Math.min(least, ms)];
    bytes += raw.length;
    if (total >= LEAST_MS || bytes >= MOST_BYTES) return { result, ms: Math.max(least, LEAST_TIME_MS) };
  }
}
