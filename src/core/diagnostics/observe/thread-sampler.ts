// Runs V8's sampling profilers in all threads at once: for CPU time, and for memory allocations.
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
  /** Never set; declares the type of the profiles. */
  readonly profile?: P;
}

/** Go's rate: a hundred samples per second. */
export const CPU_INTERVAL_US = 10_000;
/**
 * Bytes allocated between two samples. `live` sampling runs as long as the run: with V8's default of 32 KiB it took a tenth of an upload's
 * CPU time, and with Go's 512 KiB little would be seen in heaps of 50 MB.
 */
export const HEAP_INTERVAL_BYTES = { live: 128 * 1024, allocated: 32 * 1024 } as const;

export const CPU: Sampling<CpuProfile> = {
  kind: 'cpu',
  start: [['Profiler.enable'], ['Profiler.setSamplingInterval', { interval: CPU_INTERVAL_US }], ['Profiler.start']],
  stop: 'Profiler.stop',
};
/** Memory that is still in use when the profile is taken. */
export const LIVE: Sampling<HeapProfile> = {
  kind: 'live',
  start: [['HeapProfiler.startSampling', { samplingInterval: HEAP_INTERVAL_BYTES.live }]],
  stop: 'HeapProfiler.stopSampling',
};
/** All allocated memory, collected or not. V8 keeps each sample, so not for long. */
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

/** A thread has only one heap profiler, so a process has only one heap sampler at a time. */
let heapIsTaken = false;

export class ThreadSampler<P> {
  /** Profiles of threads that have ended. */
  private left: OfThread<P>[] = [];
  /** Profiles that could not be taken, as sentences. */
  readonly troubles: string[] = [];

  private constructor(private readonly sampling: Sampling<P>) {}

  private inspection!: Inspection;

  /** Starts sampling. @throws unsupported without an inspector, `conflict` when the heap is already being sampled */
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

  /** Returns the heap profiles so far; sampling continues. */
  async look(): Promise<readonly OfThread<P>[]> {
    return await this.ofAll('HeapProfiler.getSamplingProfile');
  }

  /** Returns the profiles so far, and starts new ones. */
  async take(): Promise<readonly OfThread<P>[]> {
    const taken = await this.ofAll(this.sampling.stop);
    await Promise.all(this.inspection.all().map(async (thread) => await this.begin(thread).catch(() => undefined)));
    return taken;
  }

  /** Returns the profiles and stops sampling. */
  async stop(): Promise<readonly OfThread<P>[]> {
    try {
      return await this.ofAll(this.sampling.stop);
    } finally {
      this.inspection.close();
      if (this.sampling.kind !== 'cpu') heapIsTaken = false;
    }
  }

  private async begin(thread: InspectedThread): Promise<void> {
    // Send all at once: otherwise a thread that ends soon would be asked for a profile that has not begun.
    await Promise.all(this.sampling.start.map(async ([method, params]) => await thread.post(method, params)));
  }

  /** Keeps the profile of a thread that ends: its allocations and CPU time count, but its memory in use is gone. */
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
