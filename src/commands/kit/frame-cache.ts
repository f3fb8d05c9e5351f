// Opens the cache of fetched data that restores, shells and browsers share.
import { join } from 'node:path';
import type { MemoryLimit, Places } from '../../cli/context.js';
import { waitingBytes } from '../../core/platform/limits/memory-plan.js';
import type { FrameCache } from '../../core/restore/frame-cache.js';

const GB = 1e9;
const DEFAULT_GB = 10;

/** Opens the cache with the size (in GB) of --cache-gb; 0 stands for the default. */
export async function openFrameCache(
  { cacheGb }: { readonly cacheGb: number },
  { home, memoryLimitBytes }: Pick<Places, 'home'> & MemoryLimit,
): Promise<FrameCache> {
  const { FrameCache } = await import('../../core/restore/frame-cache.js');
  return new FrameCache({
    folder: join(home, 'cache'),
    limitBytes: (cacheGb === 0 ? DEFAULT_GB : cacheGb) * GB,
    waitingBytes: waitingBytes(memoryLimitBytes),
  });
}
