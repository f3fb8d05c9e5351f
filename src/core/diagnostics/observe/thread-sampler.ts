// V8's sampling profilers in all threads at once: where CPU time goes, and where memory is allocated.
import type { HeapProfiler, Profiler } from 'node:inspector';
import { ArchiverError, errorText } from '../../platform/failures/errors.js';
import { Inspection, type InspectedThread } from './inspection.js';

export type CpuProfile = Profiler.Profile;
export type HeapProfile = HeapProfiler.SamplingHeapProfile;

export interface OfThread<P> {
  readonly thread: string;
  readonly profile: P;
}

export interface Sampling<P> {
  readonly kind: 'cpu' | 'live' | 'allocated';
  readonly start: readonly (readonly [method: string, params?: object])[];
  readonly stop: string;
  /** Never set: says what the answers hold. */
  readonly profile?: P;
}

/** Go's rate: a hundred a second. */
export const CPU_INTERVAL_US = 10_000;
/**
 * How much is allocated between two looks. What is in use is sampled for as long as a run takes: with V8's default of 32 KiB that
 * took a tenth of an upload's CPU time, with Go's 512 KiB little would be seen in heaps of 50 MB.
 */
export const HEAP_INTERVAL_BYTES = { live: 128 * 1024, allocated: 32 * 1024 } as const;

export const CPU: Sampling<CpuProfile> = {
  kind: 'cpu',
  start: [['Profiler.enable'], ['Profiler.setSamplingInterval', { interval: CPU_INTERVAL_US }], ['Profiler.start']],
  stop: 'Profiler.stop',
};
/** What is still in use when the profile is taken. */
export const LIVE: Sampling<HeapProfile> = {
  kind: 'live',
  start: [['HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES.live }]],
  stop: 'HeapProfiler.stopSampling',
};
/** All that was allocated, collected or not. V8 keeps each sample, so not for long. */
export const ALLOCATED: Sampling<HeapProfile> = {
  kind: 'allocated',
  start: [
    [
      'HeapProfiler.startSampling',
      {
        samplingInterval: HEAP_INTERVAL_BYTES.allocated,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      },
    ],
  ],
  stop: 'HeapProfiler.stopSampling',
};

/** A thread has one heap profiler, so a process has one of these at a time. */
let heapIsTaken = false;

export class ThreadSampler<P> {
  /** Profiles of threads that have ended. */
  private left: OfThread<P>[] = [];
  /** What could not be had, in words. */
  readonly troubles: string[] = [];

  private constructor(private readonly sampling: Sampling<P>) {}

  private inspection!: Inspection;

  /** @throws unsupported without an inspector, `conflict` where the heap is being sampled already */
  static async start<P>(sampling: Sampling<P>): Promise<ThreadSampler<P>> {
    const sampler = new ThreadSampler(sampling);
    if (sampling.kind !== 'cpu') {
      if (heapIsTaken)
        throw new ArchiverError('conflict', 'the memory of this process is being sampled already', {
          hint: 'one of --pprof, --self-profile and profile collect --memory or --allocs at a time',
        });
      heapIsTaken = true;
    }
    try {
      sampler.inspection = await Inspection.open({
        started: async (thread) => await sampler.begin(thread),
        leaving: async (thread) => await sampler.keep(thread),
      });
    } catch (error) {
      if (sampling.kind !== 'cpu') heapIsTaken = false;
      throw error;
    }
    return sampler;
  }

  /** The profiles so far of a heap, which goes on being sampled. */
  async look(): Promise<readonly OfThread<P>[]> {
    return await this.ofAll('HeapProfiler.getSamplingProfile');
  }

  /** The profiles so far; they begin anew. */
  async take(): Promise<readonly OfThread<P>[]> {
    const taken = await this.ofAll(this.sampling.stop);
    await Promise.all(this.inspection.all().map(async (thread) => await this.begin(thread).catch(() => undefined)));
    return taken;
  }

  /** The profiles, and no more of them. */
  async stop(): Promise<readonly OfThread<P>[]> {
    try {
      return await this.ofAll(this.sampling.stop);
    } finally {
      this.inspection.close();
      if (this.sampling.kind !== 'cpu') heapIsTaken = false;
    }
  }

  private async begin(thread: InspectedThread): Promise<void> {
    // Not one after the other: a thread that ends soon would be asked for a profile that has not begun.
    await Promise.all(this.sampling.start.map(async ([method, params]) => await thread.post(method, params)));
  }

  /** Memory of a thread that ends is free; what it has allocated or computed counts. */
  private async keep(thread: InspectedThread): Promise<void> {
    if (this.sampling.kind !== 'live') this.left.push(...(await this.profileOf(thread, this.sampling.stop)));
  }

  private async ofAll(method: string): Promise<readonly OfThread<P>[]> {
    const running = await Promise.all(this.inspection.all().map(async (one) => await this.profileOf(one, method)));
    const all = [...running.flat(), ...this.left];
    this.left = [];
    return all;
  }

  private async profileOf(thread: InspectedThread, method: string): Promise<readonly OfThread<P>[]> {
    try {
      const { profile } = (await thread.post(method)) as { readonly profile: P };
      return [{ thread: thread.name, profile }];
    } catch (error) {
      this.troubles.push(`no profile of the thread ${thread.name}: ${errorText(error)}`);
      return [];
    }
  }
}
