// Keeps a sync from trusting what it remembers of content that a check has found missing or damaged.
import type { Messages, Places } from '../../cli/context.js';

/**
 * Returns what `read` returns. When that is not sound, or `read` fails, forgets which content was seen to be whole earlier today, so that
 * the next sync checks it again. @throws what `read` throws
 */
export async function invalidatingChecks<T>(
  { home, warn }: Pick<Places, 'home'> & Pick<Messages, 'warn'>,
  isSound: (result: T) => boolean,
  read: () => Promise<T>,
): Promise<T> {
  let isWhole = false;
  try {
    const result = await read();
    isWhole = isSound(result);
    return result;
  } finally {
    if (!isWhole) {
      const { cacheFolder } = await import('../../core/dataset/cache/cache-folder.js');
      const { openCheckCache } = await import('../../core/dataset/cache/check-cache.js');
      await openCheckCache({ folder: cacheFolder(home), onTrouble: warn }).forgetAll();
    }
  }
}
