// Checks --memory-limit for commands that move content.
import type { MemoryLimit } from '../../cli/context.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { MIN_MEMORY_BYTES } from '../../core/platform/limits/memory-plan.js';

const MIB = 2 ** 20;

/** Returns the limit in bytes, undefined for none. @throws usage when it is too small for `work` */
export function memoryLimit({ memoryLimitBytes }: MemoryLimit, work: string): number | undefined {
  if (memoryLimitBytes !== undefined && memoryLimitBytes < MIN_MEMORY_BYTES)
    throw usageError(`--memory-limit must be at least ${MIN_MEMORY_BYTES / MIB}MiB for ${work}`);
  return memoryLimitBytes;
}
