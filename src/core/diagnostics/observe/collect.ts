// Takes profiles of this process, under Go's names. Where Node has no counterpart, the closest equivalent is taken, and the file says what
// it is.
import { errorText } from '../../platform/failures/errors.js';
import { startTrace } from './execution-trace.js';
import { type Kind, MEANINGS } from './kinds.js';
import { type PprofOptions, PprofProfile } from './pprof-profile.js';
import { addBlocks, addCpu, addHeap, addWaits, type Blocked } from './profile-stacks.js';
import { waitingCounts } from './runtime-stats.js';
import {
  ALLOCATED,
  CPU,
  CPU_INTERVAL_US,
  type CpuProfile,
  HEAP_INTERVAL_BYTES,
  type HeapProfile,
  LIVE,
  type OfThread,
  ThreadSampler,
} from './thread-sampler.js';

export interface CollectedFile {
  /** Such as `cpu.pb.gz`. */
  readonly name: string;
  readonly content: Buffer | string;
}

export interface Collected {
  readonly files: readonly CollectedFile[];
  /** Parts that could not be collected, as sentences. */
  readonly troubles: readonly string[];
}

/** Returns the name of the file in pprof format. */
export const pprofName = (kind: Exclude<Kind, 'trace'>): string => `${kind === 'memory' ? 'heap' : kind}.pb.gz`;

const CPU_NS = ['cpu', 'nanoseconds'] as const;
const DELAYS = [
  ['contentions', 'count'],
  ['delay', 'nanoseconds'],
] as const;
const OPTIONS: Readonly<Record<Exclude<Kind, 'trace'>, Omit<PprofOptions, 'comments'>>> = {
  cpu: { values: [['samples', 'count'], CPU_NS], period: { of: CPU_NS, value: CPU_INTERVAL_US * 1000 } },
  memory: { values: [['inuse_space', 'bytes']], period: { of: ['space', 'bytes'], value: HEAP_INTERVAL_BYTES.live } },
  allocs: {
    values: [['alloc_space', 'bytes']],
    period: { of: ['space', 'bytes'], value: HEAP_INTERVAL_BYTES.allocated },
  },
  block: { values: DELAYS },
  mutex: { values: DELAYS },
  goroutine: { values: [['goroutine', 'count']] },
};
const emptyPprof = (kind: Exclude<Kind, 'trace'>): PprofProfile =>
  new PprofProfile({ ...OPTIONS[kind], comments: [MEANINGS[kind]] });

/** V8 keeps all samples of a thread; they are added up and discarded this often. */
const SLICE_MS = 600_000;

type Stop = () => Promise<Collected>;

/** Collects profiles of this process. With `live`, memory is sampled from now on, so that current usage is known at any time. */
export class Collector {
  private live: ThreadSampler<HeapProfile> | undefined;

  /** @throws unsupported without an inspector */
  static async open({ live }: { readonly live: boolean }): Promise<Collector> {
    const collector = new Collector();
    if (live) collector.live = await ThreadSampler.start(LIVE);
    return collector;
  }

  /**
   * Begins collecting; the returned function ends it. CPU samples are added up every `sliceMs`. @throws conflict when the same kind is
   * already being collected
   */
  async begin(kinds: readonly Kind[], sliceMs = SLICE_MS): Promise<Stop> {
    const startedAtMs = Date.now();
    const starts: readonly (() => Promise<Stop | undefined>)[] = [
      async () => await startTracing(kinds),
      async () => await this.startHeap(kinds, startedAtMs),
      async () => await startCpu(kinds, startedAtMs, sliceMs),
      async () => await startWaiting(kinds, startedAtMs),
    ];
    const stops: Stop[] = [];
    const stopAll = async (): Promise<Collected> => {
      const all: Collected[] = [];
      for (const stop of stops.toReversed()) all.push(await stop());
      return { files: all.flatMap(({ files }) => files), troubles: all.flatMap(({ troubles }) => troubles) };
    };
    try {
      for (const start of starts) {
        const stop = await start();
        if (stop !== undefined) stops.push(stop);
      }
    } catch (error) {
      await stopAll();
      throw error;
    }
    return stopAll;
  }

  async close(): Promise<void> {
    await this.live?.stop();
    this.live = undefined;
  }

  private async startHeap(kinds: readonly Kind[], startedAtMs: number): Promise<Stop | undefined> {
    if (kinds.includes('allocs')) {
      const wasLive = this.live !== undefined;
      await this.close();
      const sampler = await ThreadSampler.start(ALLOCATED);
      return async () => {
        const threads = await sampler.stop();
        if (wasLive) this.live = await ThreadSampler.start(LIVE);
        return { files: await heapFiles('allocs', threads, startedAtMs), troubles: sampler.troubles };
      };
    }
    if (!kinds.includes('memory')) return undefined;
    const { live } = this;
    const sampler = live ?? (await ThreadSampler.start(LIVE));
    return async () => {
      const threads = await (live === undefined ? sampler.stop() : sampler.look());
      return { files: await heapFiles('memory', threads, startedAtMs), troubles: sampler.troubles };
    };
  }
}

/** Encodes counts as stacks of a single frame. */
export async function countsPprof(
  type: 'goroutine' | 'threadcreate',
  counts: Readonly<Record<string, number>>,
  atMs: number,
): Promise<Buffer> {
  const comments = type === 'goroutine' ? [MEANINGS.goroutine] : ['threads of the process'];
  const pprof = new PprofProfile({ values: [[type, 'count']], comments });
  for (const [name, count] of Object.entries(counts)) pprof.add([{ name }], [count], 'main');
  return await pprof.encode(atMs, 0);
}

async function heapFiles(
  kind: 'memory' | 'allocs',
  threads: readonly OfThread<HeapProfile>[],
  startedAtMs: number,
): Promise<readonly CollectedFile[]> {
  const pprof = emptyPprof(kind);
  addHeap(pprof, threads);
  const content = await pprof.encode(startedAtMs, Date.now() - startedAtMs);
  return [{ name: pprofName(kind), content }, ...chromeFiles(kind === 'memory' ? 'heap' : 'allocs', threads)];
}

/** Makes a file for each thread in the format of Chrome and Visual Studio Code. */
const chromeFiles = (kind: 'cpu' | 'heap' | 'allocs', threads: readonly OfThread<unknown>[]): CollectedFile[] =>
  threads.map(({ thread, profile }) => ({
    name: `${kind}-${thread.replaceAll(' ', '-')}.${kind === 'cpu' ? 'cpuprofile' : 'heapprofile'}`,
    content: JSON.stringify(profile),
  }));

async function startTracing(kinds: readonly Kind[]): Promise<Stop | undefined> {
  if (!kinds.includes('trace')) return undefined;
  const trace = await startTrace();
  return async () => ({
    files: [{ name: 'trace.json', content: JSON.stringify(await trace.stop()) }],
    troubles: [],
  });
}

async function startCpu(kinds: readonly Kind[], startedAtMs: number, sliceMs: number): Promise<Stop | undefined> {
  const wanted = (['cpu', 'block', 'mutex'] as const).filter((kind) => kinds.includes(kind));
  if (wanted.length === 0) return undefined;
  const made = new Map(wanted.map((kind) => [kind, emptyPprof(kind)]));
  const sampler = await ThreadSampler.start(CPU);
  let loop = watchLoop();
  const add = (threads: readonly OfThread<CpuProfile>[]): void => {
    const blocks = loop.stop();
    for (const [kind, pprof] of made)
      if (kind === 'cpu') addCpu(pprof, threads);
      else if (kind === 'block') addBlocks(pprof, threads, blocks);
      else addWaits(pprof, threads);
  };
  let slicing = Promise.resolve();
  const slice = async (): Promise<void> => {
    add(await sampler.take());
    loop = watchLoop();
  };
  const trouble = (error: unknown): void =>
    void sampler.troubles.push(`some of the profile is lost: ${errorText(error)}`);
  const timer = setInterval(() => void (slicing = slicing.then(slice).catch(trouble)), sliceMs).unref();
  return async () => {
    clearInterval(timer);
    await slicing;
    const last = await sampler.stop();
    add(last);
    const durationMs = Date.now() - startedAtMs;
    const files: CollectedFile[] = [];
    for (const [kind, pprof] of made)
      files.push({ name: pprofName(kind), content: await pprof.encode(startedAtMs, durationMs) });
    if (made.has('cpu')) files.push(...chromeFiles('cpu', last));
    return { files, troubles: sampler.troubles };
  };
}

async function startWaiting(kinds: readonly Kind[], startedAtMs: number): Promise<Stop | undefined> {
  if (!kinds.includes('goroutine')) return undefined;
  const content = await countsPprof('goroutine', await waitingCounts(), startedAtMs);
  return async () => await Promise.resolve({ files: [{ name: pprofName('goroutine'), content }], troubles: [] });
}

// Detects when the event loop of the main thread was blocked: a timer that fires late shows since when nothing else could run.

/** Time between checks. */
const TICK_MS = 10;
/** Least duration of a block, which the web calls a long task. */
const LONG_MS = 50;

/** Watches until `stop`, which returns the blocks. Does not keep the process alive. */
export function watchLoop(nowUs = (): number => Number(process.hrtime.bigint() / 1000n)): {
  readonly stop: () => readonly Blocked[];
} {
  const blocks: Blocked[] = [];
  let lastUs = nowUs();
  const tick = (): void => {
    const untilUs = nowUs();
    const fromUs = lastUs + TICK_MS * 1000;
    if (untilUs - fromUs >= LONG_MS * 1000) blocks.push({ fromUs, untilUs });
    lastUs = untilUs;
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return {
    stop() {
      clearInterval(timer);
      tick();
      return blocks;
    },
  };
}
