// Divides the memory of an upload, and of what reads content. Of an upload only the output buffers vary; the rest is fixed: Node with the
// store's client, and for each worker its isolate, its frame buffer and zstd's tables.
const MIB = 2 ** 20;
/** The least memory for an upload, or for commands that read content. */
export const MIN_MEMORY_BYTES = 192 * MIB;
const PROCESS = 110 * MIB;
const WORKER = 36 * MIB;
/** Defaults without --memory-limit: enough for two workers to keep eight requests busy, plus room for each further worker. */
const DEFAULT_FIRST = 448 * MIB;
const DEFAULT_NEXT = 96 * MIB;

export interface MemoryPlan {
  /** Bytes for all output buffers together. */
  readonly bufferBytes: number;
  /** Bytes that workers need to compress each other's frames: one more frame, and an output for each. */
  readonly helpBytes: number;
  /** Returns the bytes of one output buffer for chunks of this size: incompressible content plus the table of contents. */
  outputBytes(chunkBytes: number): number;
  /** Returns the number of output buffers that fit, at least 1. */
  buffers(chunkBytes: number): number;
}

/** Makes the plan. `limitBytes` is `--memory-limit`; `frameBytes` 0 counts as a whole chunk. */
export function memoryPlan(limitBytes: number | undefined, workers: number, frameBytes: number): MemoryPlan {
  const limit = limitBytes ?? DEFAULT_FIRST + Math.max(0, workers - 2) * DEFAULT_NEXT;
  const frame = frameBytes === 0 ? 32 * MIB : frameBytes;
  const bufferBytes = Math.max(8 * MIB, limit - PROCESS - workers * (WORKER + frame));
  const outputBytes = (chunkBytes: number): number => Math.ceil(chunkBytes * 1.01) + MIB;
  return {
    bufferBytes,
    helpBytes: (workers + 1) * frame,
    outputBytes,
    buffers: (chunkBytes) => Math.max(1, Math.floor(bufferBytes / outputBytes(chunkBytes))),
  };
}

/** What a restore or a check takes with one thread and nothing under way, and some ten thousand entries (measured, docs/decisions/109). */
const READER = 208 * MIB;
const MOST_UNDER_WAY = 128 * MIB;
/** For each thread, without a limit: three ranges of 10 MiB, one that is unpacked and two that come. */
const DEFAULT_UNDER_WAY = 32 * MIB;
const LEAST_UNDER_WAY = 4 * MIB;
/** Of a thread beyond the first that unpacks: its heap, its frame and its part of the allocator's. */
const UNPACKER = 44 * MIB;
/** With less under way, two threads wait for each other's bytes. */
const WORTH_ANOTHER = 24 * MIB;

export interface ReadPlan {
  /** Threads that unpack, at least 1. */
  readonly workers: number;
  /** Stored bytes that are being fetched, or wait for a thread. */
  readonly bytesUnderWay: number;
}

/** Makes the plan of a restore or a check with up to this many threads. */
export function readPlan(limitBytes: number | undefined, workers: number): ReadPlan {
  if (limitBytes === undefined)
    return { workers, bytesUnderWay: Math.min(MOST_UNDER_WAY, workers * DEFAULT_UNDER_WAY) };
  const free = Math.max(LEAST_UNDER_WAY, limitBytes - READER);
  const further = Math.max(0, Math.min(workers - 1, Math.floor((free - WORTH_ANOTHER) / UNPACKER)));
  return { workers: 1 + further, bytesUnderWay: Math.min(MOST_UNDER_WAY, free - further * UNPACKER) };
}

const MOST_WAITING = 32 * MIB;

/** Bytes that may wait to be written to the cache of fetched data, beside those under way. */
export const waitingBytes = (limitBytes: number | undefined): number =>
  limitBytes === undefined ? MOST_WAITING : Math.min(MOST_WAITING, readPlan(limitBytes, 1).bytesUnderWay / 4);
