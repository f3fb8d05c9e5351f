// Combines everything that features have opened to observe one run.
import { tellAll } from '../core/events/fan-out.js';
import type { Context } from './context.js';
import type { BegunCall, Slots, Watcher } from './slots.js';

export interface Watched {
  /** Added to the context of the run. */
  readonly parts: Partial<Pick<Context, 'observer' | 'followers'>>;
  /** Never throws. */
  readonly close: () => Promise<void>;
}

/** Opens the observers. @throws what a feature cannot open; nothing is left open then */
export async function watchedBy(features: readonly Slots<Context>[], begun: BegunCall<Context>): Promise<Watched> {
  const watchers: Watcher[] = [];
  const close = async (): Promise<void> => void (await Promise.all(watchers.map((watcher) => watcher.close())));
  try {
    for (const { watch } of features) {
      const watcher = await watch?.(begun);
      if (watcher !== undefined) watchers.push(watcher);
    }
  } catch (error) {
    await close();
    throw error;
  }
  if (watchers.length === 0) return { parts: {}, close };
  const metrics = watchers.map(({ observer }) => observer.metrics).find((found) => found !== undefined);
  const observer = {
    onRequest: tellAll(watchers.map((one) => one.observer.onRequest)),
    ...(metrics && { metrics }),
  };
  const consumers = watchers.flatMap((watcher) => watcher.consumers);
  return { parts: { observer, followers: [...(begun.context.followers ?? []), ...consumers] }, close };
}
