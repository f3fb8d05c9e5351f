// Compares compressors as an upload would use them: in blocks of the size of its frames, one per thread at a time, with all threads using
// the same compressor. Every block is decompressed and compared byte for byte. Memory does not grow with the data.
import { DEFAULT_FRAME_BYTES } from '../../archive/run/settings.js';
import type { EventSink } from '../../events/events.js';
import { ArchiverError, integrityError } from '../../platform/failures/errors.js';
import { meaningOf } from '../../platform/failures/errno.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { WorkerThread } from '../../platform/threads/worker-thread.js';
import type { BenchmarkMessage, BenchmarkReply, DataSource } from './benchmark-worker.js';
import { CANDIDATES, type Candidate } from './compressors.js';

export interface BenchmarkOptions {
  readonly source: DataSource;
  readonly bytes: number;
  readonly threads: number;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Rates are those of all threads together, in bytes of uncompressed content per second. */
export interface Measured {
  readonly storedBytes: number;
  readonly compressBytesPerSecond: number;
  readonly decompressBytesPerSecond: number;
}

export interface BenchmarkRow extends Candidate {
  /** Undefined when the compressor is not installed. */
  readonly measured: Measured | undefined;
}

export interface BenchmarkResult {
  readonly bytes: number;
  readonly blockBytes: number;
  readonly threads: number;
  readonly rows: readonly BenchmarkRow[];
  /** The levels that an upload would choose, with the bytes of each, the most frequent first. */
  readonly chosen: readonly { readonly level: number; readonly bytes: number }[];
}

const LEAST_BLOCK_BYTES = 2 ** 20;

/** Runs the benchmark. @throws io, not-found, access-denied for the file; integrity when decompressed data differs; cancelled */
export async function runBenchmark({
  source,
  bytes,
  threads: wanted,
  emit,
  signal,
}: BenchmarkOptions): Promise<BenchmarkResult> {
  const blockBytes = Math.min(DEFAULT_FRAME_BYTES, Math.max(LEAST_BLOCK_BYTES, Math.ceil(bytes / wanted)));
  const blocks = Math.ceil(bytes / blockBytes);
  const threads = Math.min(wanted, blocks);
  const workers = Array.from({ length: threads }, () => new Worker());
  const tallies = CANDIDATES.map(() => workers.map(() => new Tally()));
  const levels = new Map<number, number>();
  let read = 0;
  emit({ type: 'phase', phase: 'comparing' });
  emit({ type: 'plan', items: blocks * CANDIDATES.length, bytes });
  try {
    for (let first = 0; first < blocks; first += threads) {
      const loaded = await Promise.all(
        workers.slice(0, blocks - first).map(async (worker, index) => {
          const block = first + index;
          const offset = block * blockBytes;
          const reply = await worker.ask({
            type: 'load',
            source,
            block,
            offset,
            bytes: Math.min(blockBytes, bytes - offset),
          });
          if (reply.type !== 'loaded') throw fileFailed(source, reply);
          return { worker, index, ...reply };
        }),
      );
      const full = loaded.filter((one) => one.bytes > 0);
      for (const { level, bytes: size } of full) levels.set(level, (levels.get(level) ?? 0) + size);
      for (const [number, candidate] of CANDIDATES.entries()) {
        throwIfCancelled(signal);
        await Promise.all(
          full.map(async ({ worker, index, bytes: size }) => {
            const reply = await worker.ask({ type: 'measure', candidate });
            if (reply.type === 'missing') return;
            if (reply.type !== 'measured') throw failed(candidate, reply);
            if (!reply.isSame) throw integrityError(`${nameOf(candidate)} did not give back what was compressed`);
            tallies[number]?.[index]?.add(size, reply);
          }),
        );
        const share = (number + 1) / CANDIDATES.length;
        const size = full.reduce((sum, one) => sum + one.bytes, 0);
        emit({
          type: 'progress',
          items: first * CANDIDATES.length + (number + 1) * full.length,
          bytes: Math.floor(read + size * share),
        });
        if (number === CANDIDATES.length - 1) read += size;
      }
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.close()));
  }
  if (read === 0) throw new ArchiverError('io', 'the file is empty by now: there is nothing to compress');
  return {
    bytes: read,
    blockBytes,
    threads,
    rows: CANDIDATES.map((candidate, number) => ({ ...candidate, measured: sumOf(tallies[number] ?? []) })),
    chosen: [...levels].map(([level, size]) => ({ level, bytes: size })).toSorted((a, b) => b.bytes - a.bytes),
  };
}

export const nameOf = ({ algorithm, level }: Candidate): string =>
  level === null ? algorithm : `${algorithm} ${level}`;

const failed = (candidate: Candidate, reply: BenchmarkReply): ArchiverError =>
  new ArchiverError('internal', `${nameOf(candidate)}: ${'message' in reply ? reply.message : reply.type}`);

function fileFailed(source: DataSource, reply: BenchmarkReply): ArchiverError {
  const code = 'code' in reply ? reply.code : undefined;
  const what = 'file' in source ? source.file : source.type;
  return new ArchiverError(
    meaningOf(code)?.code ?? 'io',
    `cannot read ${what} (${code ?? ('message' in reply ? reply.message : reply.type)})`,
  );
}

/** The totals of one thread with one compressor. */
class Tally {
  bytes = 0;
  storedBytes = 0;
  compressMs = 0;
  decompressMs = 0;

  add(bytes: number, { storedBytes, compressMs, decompressMs }: Extract<BenchmarkReply, { type: 'measured' }>): void {
    this.bytes += bytes;
    this.storedBytes += storedBytes;
    this.compressMs += compressMs;
    this.decompressMs += decompressMs;
  }
}

function sumOf(all: readonly Tally[]): Measured | undefined {
  const used = all.filter(({ bytes }) => bytes > 0);
  if (used.length === 0) return undefined;
  const rate = (msOf: (tally: Tally) => number): number =>
    Math.round(used.reduce((sum, tally) => sum + tally.bytes / (msOf(tally) / 1000), 0));
  return {
    storedBytes: used.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
    compressBytesPerSecond: rate(({ compressMs }) => compressMs),
    decompressBytesPerSecond: rate(({ decompressMs }) => decompressMs),
  };
}

/** A thread that answers one message at a time. */
class Worker {
  #settle: { resolve: (reply: BenchmarkReply) => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;
  readonly #thread = new WorkerThread<BenchmarkMessage, BenchmarkReply>({
    name: 'benchmark-worker',
    what: 'a thread that compresses',
    onMessage: (reply) => this.#settle?.resolve(reply),
    onFailure: (error) => {
      this.#failure = error;
      this.#settle?.reject(error);
    },
  });

  ask(message: BenchmarkMessage): Promise<BenchmarkReply> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#settle = { resolve, reject };
      this.#thread.post(message);
    });
  }

  close(): Promise<void> {
    return this.#thread.close({ type: 'close' });
  }
}
