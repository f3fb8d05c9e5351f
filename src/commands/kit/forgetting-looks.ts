// Reading that may find content to be missing or damaged, and what a sync remembers of the same content.
import type { Messages, Places } from '../../cli/context.js';

/**
 * What `read` gives. What is not sound, or cannot be read, is not taken for whole because it was seen so earlier today: the
 * next sync looks. @throws what `read` throws
 */
export async function forgettingLooks<T>(
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
      const { cacheFolder } = await import('../../core/archive/run/remembered.js');
      const { openLookMemory } = await import('../../core/dataset/cache/look-memory.js');
      await openLookMemory(cacheFolder(home), warn).forgetAll();
    }
  }
}
