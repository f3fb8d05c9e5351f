// Converts the trees of V8's profiles to stacks with values.
import type { CpuProfile, HeapProfile, OfThread } from './thread-sampler.js';
import type { Frame, PprofProfile } from './pprof-profile.js';

type CallFrame = CpuProfile['nodes'][number]['callFrame'];

const frameOf = ({ functionName, url, lineNumber }: CallFrame): Frame => ({
  name: functionName,
  file: url.replace(/^file:\/\//, ''),
  line: lineNumber + 1,
});

/** V8's name for a thread that has nothing to do. */
export const IDLE = '(idle)';

/** One sample of a thread. */
interface Look {
  readonly stack: readonly Frame[];
  /** Time on the clock of `process.hrtime`, in µs. */
  readonly atUs: number;
  /** Duration until the next sample, in µs. */
  readonly us: number;
}

/** Yields the thread's samples in order; the innermost frame comes first, the root is left out. */
export function* stackSamples({
  nodes,
  samples = [],
  timeDeltas = [],
  startTime,
  endTime,
}: CpuProfile): Generator<Look> {
  const parents = new Map<number, number>();
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, frameOf(callFrame)]));
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id);
  const stacks = new Map<number, readonly Frame[]>();
  const stackOf = (id: number): readonly Frame[] => {
    const known = stacks.get(id);
    if (known !== undefined) return known;
    const parent = parents.get(id);
    const frame = frames.get(id);
    const stack = parent === undefined || frame === undefined ? [] : [frame, ...stackOf(parent)];
    stacks.set(id, stack);
    return stack;
  };
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    atUs += timeDeltas[index] ?? 0;
    const next = timeDeltas[index + 1];
    yield { stack: stackOf(id), atUs, us: Math.max(0, next ?? endTime - atUs) };
  }
}

/** Adds CPU time: samples and nanoseconds. Idle time is left out. */
export function addCpu(to: PprofProfile, threads: readonly OfThread<CpuProfile>[]): void {
  for (const { thread, profile } of threads)
    for (const { stack, us } of stackSamples(profile))
      if (stack[0] !== undefined && stack[0].name !== IDLE) to.add(stack, [1, us * 1000], thread);
}

/** Adds the waiting of worker threads: number of waits and nanoseconds. */
export function addWaits(to: PprofProfile, threads: readonly OfThread<CpuProfile>[]): void {
  for (const { thread, profile } of threads) {
    let wasIdle = false;
    for (const { stack, us } of stackSamples(profile)) {
      const isIdle = stack[0]?.name === IDLE;
      if (isIdle && thread !== 'main')
        to.add([{ name: '(waits for work)' }, { name: thread }], [wasIdle ? 0 : 1, us * 1000], thread);
      wasIdle = isIdle;
    }
  }
}

/** A period in which the event loop could do nothing else, on the clock of `process.hrtime`, in µs. */
export interface Blocked {
  readonly fromUs: number;
  readonly untilUs: number;
}

/** Adds what the main thread ran while its event loop was blocked: number of blocks, and nanoseconds. */
export function addBlocks(
  to: PprofProfile,
  threads: readonly OfThread<CpuProfile>[],
  blocks: readonly Blocked[],
): void {
  const main = threads.filter(({ thread }) => thread === 'main');
  for (const { thread, profile } of main) {
    const all = [...stackSamples(profile)];
    for (const { fromUs, untilUs } of blocks) {
      const during = all.filter(({ atUs, us }) => atUs < untilUs && atUs + us > fromUs && us > 0);
      for (const [index, { stack, atUs, us }] of during.entries()) {
        const inside = Math.min(untilUs, atUs + us) - Math.max(fromUs, atUs);
        if (stack.length > 0) to.add(stack, [index === 0 ? 1 : 0, inside * 1000], thread);
      }
    }
  }
}

type HeapNode = HeapProfile['head'];

/** Adds allocated bytes by call stack. */
export function addHeap(to: PprofProfile, threads: readonly OfThread<HeapProfile>[]): void {
  for (const { thread, profile } of threads) {
    const visit = ({ callFrame, selfSize, children }: HeapNode, above: readonly Frame[]): void => {
      const stack = [frameOf(callFrame), ...above];
      if (selfSize > 0) to.add(stack, [selfSize], thread);
      for (const child of children) visit(child, stack);
    };
    for (const child of profile.head.children) visit(child, []);
  }
}
