// Statistics of this process's runtime: memory, event loop, garbage collection, what keeps it busy, threads.
import { monitorEventLoopDelay, performance, PerformanceObserver, constants } from 'node:perf_hooks';
import { readdir } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import { runningThreads } from '../../platform/threads/threads.js';

export interface RuntimeStats {
  readonly pid: number;
  readonly nodeVersion: string;
  readonly uptimeMs: number;
  readonly cpuUserMs: number;
  readonly cpuSystemMs: number;
  readonly rssBytes: number;
  readonly maxRssBytes: number;
  readonly heapUsedBytes: number;
  readonly heapTotalBytes: number;
  readonly heapLimitBytes: number;
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
  readonly eventLoop: {
    /** Share of the time that it was busy, 0 to 1. */
    readonly utilization: number;
    /** How late timers fired. */
    readonly meanDelayMs: number;
    readonly p99DelayMs: number;
    readonly maxDelayMs: number;
  };
  readonly collections: readonly {
    readonly collector: string;
    readonly collectionCount: number;
    readonly pauseMs: number;
  }[];
  /** Number of resources that the process waits for, by kind. */
  readonly activeResources: Readonly<Record<string, number>>;
  /** Our own worker threads. */
  readonly workerThreads: readonly string[];
  /** Number of all threads, including those of Node and V8; null when the system does not tell. */
  readonly osThreads: number | null;
}

export interface RuntimeWatch {
  readonly stats: () => Promise<RuntimeStats>;
  readonly stop: () => void;
}

const COLLECTORS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weak callbacks',
};
const DELAY_RESOLUTION_MS = 20;
const NS_PER_MS = 1e6;

/** Starts counting what is not counted otherwise: garbage collections, and delays of the event loop. */
export function watchRuntime(): RuntimeWatch {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const collections = new Map<string, { collectionCount: number; pauseMs: number }>();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as typeof entry & { readonly detail: { readonly kind: number } };
      const { kind } = detail;
      const name = COLLECTORS[kind] ?? 'other';
      const { collectionCount, pauseMs } = collections.get(name) ?? { collectionCount: 0, pauseMs: 0 };
      collections.set(name, { collectionCount: collectionCount + 1, pauseMs: pauseMs + duration });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  // A histogram without any tick has no mean.
  const lateMs = (ns: number): number =>
    Number.isFinite(ns) ? Math.max(0, round(ns / NS_PER_MS - DELAY_RESOLUTION_MS)) : 0;
  return {
    async stats() {
      const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      const osThreads = await osThreadCount();
      return {
        pid: process.pid,
        nodeVersion: process.version,
        uptimeMs: Math.round(process.uptime() * 1000),
        cpuUserMs: Math.round(userCPUTime / 1000),
        cpuSystemMs: Math.round(systemCPUTime / 1000),
        rssBytes: rss,
        maxRssBytes: maxRSS * 1024,
        heapUsedBytes: heapUsed,
        heapTotalBytes: heapTotal,
        heapLimitBytes: getHeapStatistics().heap_size_limit,
        externalBytes: external,
        arrayBufferBytes: arrayBuffers,
        eventLoop: {
          utilization: round(performance.eventLoopUtilization().utilization),
          meanDelayMs: lateMs(delay.mean),
          p99DelayMs: delay.max === 0 ? 0 : lateMs(delay.percentile(99)),
          maxDelayMs: lateMs(delay.max),
        },
        collections: [...collections].map(([collector, { collectionCount, pauseMs }]) => ({
          collector,
          collectionCount,
          pauseMs: round(pauseMs),
        })),
        activeResources: activeResources(),
        osThreads,
        workerThreads: [...runningThreads.values()],
      };
    },
    stop() {
      delay.disable();
      observer.disconnect();
    },
  };
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Returns the number of resources that keep the process running, by kind. */
export function activeResources(): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo().toSorted()) found[kind] = (found[kind] ?? 0) + 1;
  return found;
}

/** Counts threads on Linux; null elsewhere. */
export const osThreadCount = async (): Promise<number | null> =>
  await readdir('/proc/self/task').then(
    ({ length }) => length,
    () => null,
  );

/** Counts threads by purpose. */
export async function threadCounts(): Promise<Readonly<Record<string, number>>> {
  const workers = Object.fromEntries([...runningThreads.values()].map((name) => [`thread ${name}`, 1]));
  const ours = 1 + runningThreads.size;
  const all = (await osThreadCount()) ?? ours;
  return { 'thread main': 1, ...workers, ...(all > ours && { 'threads of Node and V8': all - ours }) };
}

/** Counts threads, and what the process waits for. */
export async function waitingCounts(): Promise<Readonly<Record<string, number>>> {
  const waits = Object.entries(activeResources()).map(([kind, count]) => [`waits for ${kind}`, count] as const);
  return { ...(await threadCounts()), ...Object.fromEntries(waits) };
}
