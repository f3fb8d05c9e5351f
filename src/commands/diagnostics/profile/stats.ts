import { defineCommand } from '../../../cli/command.js';
import type { Cancellation, Results } from '../../../cli/context.js';
import type { RuntimeStats } from '../../../core/diagnostics/observe/runtime-stats.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatDuration } from '../../../ui/format.js';
import { textOf } from '../../kit/lines.js';
import { runningFlag } from './running-flag.js';

export const command = defineCommand({
  path: 'profile stats',
  summary: 'print memory, event loop, garbage collection and threads',
  description:
    'Of the running archiver at --pprof-addr, or of this process. Node has no goroutines: threads, and what the process waits ' +
    'for by kind, stand in their place. Delays of the event loop and collections are counted since --pprof began.',
  flags: runningFlag,
  examples: ['archiver profile stats', 'archiver profile stats --pprof-addr localhost:6060 --json'],
  exits: { 0: 'printed', 1: 'no archiver answered' },
  async run({ pprofAddr }, _args, context: Results<'profile stats'> & Cancellation) {
    const stats = pprofAddr === undefined ? await ofThisProcess() : await ofRunning(pprofAddr, context);
    context.result(stats, () => textOf(linesOf(stats)));
  },
});

async function ofThisProcess(): Promise<RuntimeStats> {
  const { watchRuntime } = await import('../../../core/diagnostics/observe/runtime-stats.js');
  const watch = watchRuntime();
  try {
    return await watch.stats();
  } finally {
    watch.stop();
  }
}

async function ofRunning(address: string, { signal }: Cancellation): Promise<RuntimeStats> {
  const { runningStats } = await import('../../../core/diagnostics/observe/ask-running.js');
  return await runningStats(address, signal);
}

const LABEL_WIDTH = 14;
const line = (label: string, ...values: readonly string[]): string =>
  `${label.padEnd(LABEL_WIDTH)}${values.join(', ')}`;

function linesOf(stats: RuntimeStats): readonly string[] {
  const { eventLoop, collections, activeResources } = stats;
  const counted = Object.entries(activeResources).map(([kind, count]) => `${formatCount(count)} ${printable(kind)}`);
  const none = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? ['none'] : texts);
  return [
    line('process', `pid ${stats.pid}`, `Node ${printable(stats.nodeVersion)}`, `up ${formatDuration(stats.uptimeMs)}`),
    line('CPU', `${formatDuration(stats.cpuUserMs)} user`, `${formatDuration(stats.cpuSystemMs)} system`),
    line('memory', `${formatBytes(stats.rssBytes)} resident`, `${formatBytes(stats.maxRssBytes)} at most`),
    line(
      'heap',
      `${formatBytes(stats.heapUsedBytes)} of ${formatBytes(stats.heapTotalBytes)}`,
      `limit ${formatBytes(stats.heapLimitBytes)}`,
    ),
    line('buffers', formatBytes(stats.arrayBufferBytes), `all external ${formatBytes(stats.externalBytes)}`),
    line(
      'event loop',
      `busy ${Math.round(eventLoop.utilization * 100)}%`,
      `late by ${eventLoop.meanDelayMs} ms on average, ${eventLoop.p99DelayMs} ms p99, ${eventLoop.maxDelayMs} ms at most`,
    ),
    line(
      'collections',
      ...none(
        collections.map(
          ({ collector, collectionCount, pauseMs }) =>
            `${formatCount(collectionCount)} ${printable(collector)} (${pauseMs} ms)`,
        ),
      ),
    ),
    line('waits for', ...none(counted)),
    line('threads', `${formatCount(1 + stats.workerThreads.length)} of ours`, ...stats.workerThreads.map(printable)),
    line('all threads', stats.osThreads === null ? 'not known here' : formatCount(stats.osThreads)),
  ];
}
