// Decides when sources are read again: those of the current view, at an interval from the start of one read to that of the next, and at
// once when a view is shown whose figures are older. What rests is asked at each interval whether it answers. Sources on this computer that
// change by themselves are read twice a second. Nothing else wakes the process.
import type { DashboardStore } from './dashboard-store.js';
import type { AnySource } from './source.js';
import type { DashboardSources } from './sources.js';
import type { ViewModel } from './view-model.js';

/** Milliseconds between two reads of what changes by itself. */
export const LIVE_MS = 500;

export interface RefreshingOptions {
  readonly dashboard: DashboardStore;
  readonly views: readonly ViewModel[];
  readonly sources: DashboardSources;
  readonly everyMs: number;
  readonly now: () => Date;
  /** Calls `call` later; the returned function cancels that. */
  readonly later: (ms: number, call: () => void) => () => void;
}

/** Reads until the returned function is called, which also cancels reads in progress. */
export function startRefreshing({ dashboard, views, sources, everyMs, now, later }: RefreshingOptions): () => void {
  const begunMs = new Map<AnySource, number>();
  let stopWaiting: () => void = () => undefined;
  let stopLive: () => void = () => undefined;
  let isOver = false;
  const shown = (): ViewModel | undefined => views.find(({ id }) => id === dashboard.getState().view);
  const read = async (source: AnySource): Promise<void> => {
    begunMs.set(source, now().getTime());
    await source.getState().refresh();
  };
  const isOlder = (source: AnySource, ms: number): boolean =>
    now().getTime() - (begunMs.get(source) ?? -Infinity) >= ms;
  const isDue = (source: AnySource, isTime: boolean): boolean => {
    const restMs = source.getState().restMs();
    return isTime && restMs <= everyMs ? true : isOlder(source, Math.max(everyMs, restMs));
  };
  const lookLive = (): void => {
    stopLive();
    const live = shown()?.live?.(sources) ?? [];
    if (live.length > 0 && !isOver) stopLive = later(LIVE_MS, () => void Promise.all(live.map(read)).then(lookLive));
  };
  const tick = (isTime: boolean): void => {
    stopWaiting();
    const view = shown();
    const reads = view?.reads(sources) ?? [];
    const again = reads.filter((source) => isDue(source, isTime));
    const first = (view?.asks?.(sources) ?? []).filter((source) => !begunMs.has(source));
    if (isTime) for (const source of reads) if (!again.includes(source)) void source.getState().probe();
    // One that takes long keeps nothing waiting that changes meanwhile.
    for (const source of [...again, ...first]) void read(source).then(lookLive);
    lookLive();
    stopWaiting = later(everyMs, () => tick(true));
  };
  tick(true);
  const unsubscribe = dashboard.subscribe((state, before) => {
    if (state.view !== before.view) tick(false);
  });
  return () => {
    isOver = true;
    unsubscribe();
    stopWaiting();
    stopLive();
    for (const source of begunMs.keys()) source.getState().stop();
  };
}
