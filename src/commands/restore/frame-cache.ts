import { join } from 'node:path';
import type { Context } from '../../cli/context.js';
import { FrameCache } from '../../core/restore/frame-cache.js';

const GB = 1e9;
const DEFAULT_GB = 10;

/** The cache of fetched data, as large as --cache-gb says; 0 stands for the default. */
export const openFrameCache = ({ cacheGb }: { readonly cacheGb: number }, { home }: Context): Promise<FrameCache> =>
  FrameCache.open({ folder: join(home, 'cache'), limitBytes: (cacheGb === 0 ? DEFAULT_GB : cacheGb) * GB });
