// Plans the memory of `create upload`: its chunks are large, and each of them is a buffer.
import { memoryPlan } from '../../core/platform/limits/memory-plan.js';
import { usageError } from '../../core/platform/failures/errors.js';

const MIB = 2 ** 20;
const MB = 1e6;
/** One chunk is packed while another is sent. */
const LEAST_BUFFERS = 2;
/** Share of this computer's memory to use when no limit is given. */
const SHARE = 0.5;

export interface UploadMemoryInput {
  /** Undefined when not given. */
  readonly limitBytes: number | undefined;
  readonly machineBytes: number;
  readonly workers: number;
  readonly requests: number;
  readonly frameBytes: number;
  /** 0 chooses by the amount of data and memory. */
  readonly chunkSizeMb: number;
}

/** Returns the bytes to plan with; undefined leaves it to the engine. @throws usage when the chunks do not fit */
export function uploadMemory(input: UploadMemoryInput): number | undefined {
  const { limitBytes, machineBytes, workers, requests, frameBytes, chunkSizeMb } = input;
  if (chunkSizeMb === 0) return limitBytes;
  const plan = memoryPlan(limitBytes, workers, frameBytes);
  const buffer = plan.outputBytes(chunkSizeMb * MB);
  const given = limitBytes ?? machineBytes * SHARE;
  // The memory that the plan sets aside does not depend on the limit.
  const aside = limitBytes === undefined ? asideBytes(workers, frameBytes) : limitBytes - plan.bufferBytes;
  const least = aside + LEAST_BUFFERS * buffer;
  if (given < least) {
    const mib = (bytes: number): string => `${Math.ceil(bytes / MIB)} MiB`;
    const where = limitBytes === undefined ? 'half of the memory of this computer' : '--memory-limit';
    const fits = Math.floor((given - aside) / LEAST_BUFFERS / 1.02 / MB) - 1;
    throw usageError(
      `chunks of ${chunkSizeMb} MB with ${workers} workers need ${mib(least)} of memory, and ${where} allows ${mib(given)}`,
      fits >= 1
        ? `--chunk-size-mb ${fits} fits, and so may fewer --workers`
        : 'use fewer --workers, or --chunk-size-mb 0',
    );
  }
  return limitBytes ?? Math.min(given, aside + (workers + requests) * buffer);
}

const PROBE = 4 * 2 ** 30;
const asideBytes = (workers: number, frameBytes: number): number =>
  PROBE * workers - memoryPlan(PROBE * workers, workers, frameBytes).bufferBytes;
