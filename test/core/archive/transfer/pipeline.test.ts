/* eslint-disable vitest/no-conditional-expect -- the bound holds where there is more than one buffer */
// Packing and sending side by side, with packers and a wire that tests hold in their hands.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChunkTask } from '../../../../src/core/archive/run/chunk-task.js';
import { memoryPlan } from '../../../../src/core/platform/limits/memory-plan.js';
import type { PackedChunk } from '../../../../src/core/archive/run/packed-chunk.js';
import type { PackPool } from '../../../../src/core/archive/pack/pack-pool.js';
import { runPipeline } from '../../../../src/core/archive/transfer/pipeline.js';
import type { SendOutcome } from '../../../../src/core/archive/run/sender.js';
import {
  CONGESTION_CONTROLS,
  TRANSPORTERS,
  type TransferOptions,
  transferPolicy,
} from '../../../../src/core/archive/run/transfer-policy.js';
import { cancelledError } from '../../../../src/core/platform/failures/errors.js';
import { MIB } from '../trees.js';

// By a clock of the test's own: what is counted must not hang on how busy the machine is.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

interface World {
  readonly tasks: number;
  readonly workers: number;
  readonly maxBuffers?: number;
  readonly transfer?: Partial<TransferOptions>;
  readonly packMs?: number;
  readonly sendMs?: number;
  readonly signal?: AbortSignal;
  readonly pack?: (chunk: number) => Promise<void>;
  readonly send?: (chunk: number, signal: AbortSignal) => Promise<Partial<SendOutcome> | void>;
  /** Chunks of one lane; by default each chunk is a lane. */
  readonly laneLength?: number;
  readonly helpBuffers?: number;
}

async function run(world: World) {
  const {
    tasks,
    workers,
    maxBuffers = 100,
    transfer = {},
    packMs = 1,
    sendMs = 1,
    laneLength = 1,
    helpBuffers = 0,
  } = world;
  const seen = { packing: 0, sending: 0, outstanding: 0, mostPacking: 0, mostSending: 0, mostOutstanding: 0 };
  const late: number[] = [];
  const packed: [worker: number, chunk: number][] = [];
  const sent: number[] = [];
  const helped = new Set<number>();
  const buffers = new Set<SharedArrayBuffer>();
  const inUse = new Set<SharedArrayBuffer>();
  const pool = {
    size: workers,
    stop: () => undefined,
    help: (worker: number) => helped.add(worker).has(worker),
    async pack(worker: number, task: ChunkTask, output: SharedArrayBuffer): Promise<PackedChunk> {
      expect(inUse.has(output)).toBe(false);
      inUse.add(output);
      buffers.add(output);
      if (task.chunk >= tasks / 2 && task.chunk < tasks * 0.8) late.push(seen.outstanding + 1);
      seen.mostPacking = Math.max(seen.mostPacking, ++seen.packing);
      seen.mostOutstanding = Math.max(seen.mostOutstanding, ++seen.outstanding);
      packed.push([worker, task.chunk]);
      await (world.pack?.(task.chunk) ?? sleep(packMs));
      seen.packing--;
      return { chunk: task.chunk, size: 1000, output: Buffer.from(output) } as PackedChunk;
    },
  } as unknown as PackPool;
  const task = (chunk: number): ChunkTask => ({
    chunk,
    shard: 0,
    storageClass: '',
    entries: new Uint32Array(),
    rawBytes: 1,
    bytes: 1,
  });
  const lanes = Array.from({ length: Math.ceil(tasks / laneLength) }, (_, lane) =>
    Array.from({ length: Math.min(laneLength, tasks - lane * laneLength) }, (_unused, index) =>
      task(lane * laneLength + index),
    ),
  );
  const policy = transferPolicy(
    { optimization: true, congestionControl: 'cubic', transporter: 'staging', disableStaging: false, ...transfer },
    workers,
  );
  const result = runPipeline({
    lanes,
    pool,
    policy,
    bufferBytes: 16,
    maxBuffers,
    helpBuffers,
    now: () => performance.now(),
    send: async ({ chunk }, { output }, signal) => {
      seen.mostSending = Math.max(seen.mostSending, ++seen.sending);
      try {
        const outcome = (await (world.send?.(chunk, signal) ?? sleep(sendMs))) ?? {};
        sent.push(chunk);
        return { durationMs: sendMs, troubled: false, ...outcome };
      } finally {
        seen.sending--;
        seen.outstanding--;
        inUse.delete(output.buffer as SharedArrayBuffer);
      }
    },
    signal: world.signal ?? new AbortController().signal,
  });
  let isOver = false;
  const settled = result
    .then(
      () => undefined,
      (error: unknown) => error,
    )
    .finally(() => (isOver = true));
  while (!isOver) await vi.advanceTimersByTimeAsync(1);
  const failure = await settled;
  const lateOutstanding = Math.round(late.reduce((sum, count) => sum + count, 0) / late.length);
  return { ...seen, lateOutstanding, packed, sent, helped, buffers: buffers.size, failure };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('a pipeline', () => {
  test('packs and sends every chunk once', async () => {
    const { packed, sent, failure } = await run({ tasks: 60, workers: 3 });

    expect(failure).toBeUndefined();
    expect(packed.map(([, chunk]) => chunk).sort((a, b) => a - b)).toEqual(range(60));
    expect([...sent].sort((a, b) => a - b)).toEqual(range(60));
  });

  test('with nothing to do is done', async () => {
    expect((await run({ tasks: 0, workers: 2 })).failure).toBeUndefined();
  });

  test('has workers without a lane help the one that packs the last', async () => {
    const { packed, helped, mostPacking, failure } = await run({ tasks: 12, workers: 3, laneLength: 12 });

    expect(failure).toBeUndefined();
    expect([...helped]).toEqual([1, 2]);
    expect(packed).toEqual(range(12).map((chunk) => [0, chunk]));
    expect(mostPacking).toBe(3); // it never waits for the next chunk
  });

  test('has nobody help with the last chunk of each', async () => {
    expect((await run({ tasks: 13, workers: 3 })).helped.size).toBe(0);
  });

  test('has nobody help where there is no memory for it', async () => {
    const { helped, mostPacking } = await run({ tasks: 12, workers: 3, laneLength: 12, maxBuffers: 5, helpBuffers: 2 });

    expect([helped.size, mostPacking]).toEqual([0, 1]);
  });

  test('takes the memory of workers that help from its buffers', async () => {
    const { mostOutstanding, buffers } = await run({
      tasks: 40,
      workers: 2,
      laneLength: 40,
      maxBuffers: 9,
      helpBuffers: 4,
      sendMs: 8,
    });

    expect(mostOutstanding).toBe(5);
    expect(buffers).toBeLessThanOrEqual(6);
  });

  test.each([1, 2, 3, 5])('never has more than %s buffers, whichever side is slow', async (maxBuffers) => {
    for (const world of [{ sendMs: 5 }, { packMs: 5 }]) {
      for (const transporter of TRANSPORTERS) {
        const { buffers, mostOutstanding, sent } = await run({
          tasks: 25,
          workers: 3,
          maxBuffers,
          transfer: { transporter },
          ...world,
        });

        expect(sent).toHaveLength(25);
        expect(buffers).toBeLessThanOrEqual(maxBuffers);
        expect(mostOutstanding).toBeLessThanOrEqual(maxBuffers);
      }
    }
  });

  test('packs the chunks of a lane on one worker, in order', async () => {
    const { packed } = await run({ tasks: 40, workers: 3, laneLength: 8 });

    for (const lane of range(5)) {
      const ofLane = packed.filter(([, chunk]) => Math.floor(chunk / 8) === lane);
      expect(new Set(ofLane.map(([worker]) => worker)).size).toBe(1);
      expect(ofLane.map(([, chunk]) => chunk)).toEqual(range(8).map((index) => lane * 8 + index));
    }
  });

  test('a chunk that cannot be sent fails it, after what is in flight has ended', async () => {
    let ended = 0;
    const { failure, sent, sending, packing } = await run({
      tasks: 30,
      workers: 2,
      transfer: { optimization: false },
      send: async (chunk) => {
        await sleep(chunk === 3 ? 2 : 15);
        if (chunk === 3) throw new Error('no chunk three');
        ended++;
      },
    });

    expect(failure).toMatchObject({ message: 'no chunk three' });
    expect(ended).toBe(sent.length);
    expect([sending, packing]).toEqual([0, 0]);
    expect(sent.length).toBeLessThan(12);
  });

  test('a chunk that cannot be packed fails it, and the requests in flight are told to stop', async () => {
    let told = 0;
    const { failure } = await run({
      tasks: 30,
      workers: 2,
      pack: async (chunk) => {
        await sleep(1);
        if (chunk === 5) throw new Error('no chunk five');
      },
      send: (_chunk, signal) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => resolve(), 50);
          signal.addEventListener('abort', () => {
            told++;
            clearTimeout(timer);
            reject(signal.reason as Error);
          });
        }),
    });

    expect(failure).toMatchObject({ message: 'no chunk five' });
    expect(told).toBeGreaterThan(0);
  });

  test('stops when it is cancelled, with the reason', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(cancelledError()), 20);

    const { failure, sent, sending } = await run({ tasks: 10_000, workers: 2, signal: controller.signal, sendMs: 2 });

    expect(failure).toMatchObject({ code: 'cancelled' });
    expect(sent.length).toBeLessThan(1000);
    expect(sending).toBe(0);
  });
});

describe('the flags of the transfer', () => {
  // A slow wire shows how many requests are allowed in flight, and how far packing runs ahead of them.
  const measure = async (transfer: Partial<TransferOptions>) => {
    const { mostSending, lateOutstanding } = await run({
      tasks: 100,
      workers: 2,
      packMs: 0,
      send: (chunk) => sleep(25 + ((chunk * 7) % 31)),
      transfer,
    });
    return { requests: mostSending, ahead: lateOutstanding - mostSending };
  };

  test.each([
    ['none', { requests: 1, ahead: 1 }],
    ['basic', { requests: 4, ahead: 2 }],
    ['staging', { requests: 8, ahead: 4 }],
    ['adaptive', { requests: 8, ahead: 2 }],
    ['optimized', { requests: 8, ahead: 2 }],
  ] as const)('--transporter %s: %o', async (transporter, expected) => {
    expect(await measure({ transporter })).toEqual(expected);
  });

  test('--transporter adaptive lets more chunks wait while the wire is the faster side', async () => {
    const { stagedMin, stagedMax } = transferPolicy(
      { optimization: true, congestionControl: 'auto', transporter: 'adaptive', disableStaging: false },
      2,
    );

    expect([stagedMin, stagedMax]).toEqual([0, 4]);
  });

  test('--disable-staging keeps no packed chunks waiting', async () => {
    for (const transporter of TRANSPORTERS) {
      const policy = transferPolicy(
        { optimization: true, congestionControl: 'auto', transporter, disableStaging: true },
        4,
      );
      expect([policy.stagedMin, policy.stagedMax]).toEqual([0, 0]);
    }
    expect((await measure({ transporter: 'staging', disableStaging: true })).ahead).toBe(2);
  });

  test('--optimization=false is four requests, whatever controls them otherwise', async () => {
    for (const congestionControl of CONGESTION_CONTROLS) {
      expect((await measure({ optimization: false, congestionControl })).requests).toBe(4);
    }
  });

  test('only the optimized transporter packs the largest chunks first', () => {
    for (const transporter of TRANSPORTERS) {
      const policy = transferPolicy(
        { optimization: true, congestionControl: 'auto', transporter, disableStaging: false },
        4,
      );
      expect(policy.largestFirst).toBe(transporter === 'optimized');
    }
  });

  test.each(CONGESTION_CONTROLS)('--congestion-control %s is what the window is called', (congestionControl) => {
    const { window } = transferPolicy(
      { optimization: true, congestionControl, transporter: 'staging', disableStaging: false },
      4,
    );

    expect(window.name).toBe(congestionControl === 'auto' ? 'auto (cubic)' : congestionControl);
  });
});

describe('the memory plan', () => {
  test.each([192, 256, 512, 1024, 4096])('of %s MiB leaves the process its part, and at least one buffer', (limit) => {
    for (const workers of [1, 2, 4]) {
      const plan = memoryPlan(limit * MIB, workers, 16 * MIB);
      for (const chunk of [4, 16, 32, 64]) {
        expect(plan.buffers(chunk * MIB)).toBeGreaterThanOrEqual(1);
        const buffers = plan.buffers(chunk * MIB);
        if (buffers > 1) expect(buffers * plan.outputBytes(chunk * MIB)).toBeLessThanOrEqual(plan.bufferBytes);
      }
    }
  });

  test('says what helping takes: one more frame, and an output of one for each thread', () => {
    expect(memoryPlan(undefined, 2, 16 * MIB).helpBytes).toBe(3 * 16 * MIB);
    expect(memoryPlan(undefined, 8, 4 * MIB).helpBytes).toBe(9 * 4 * MIB);
  });

  test('more memory is more buffers, larger frames are fewer', () => {
    const buffers = (limit: number, frame: number): number => memoryPlan(limit * MIB, 2, frame * MIB).buffers(16 * MIB);

    expect(buffers(2048, 16)).toBeGreaterThan(buffers(1024, 16));
    expect(buffers(1024, 64)).toBeLessThan(buffers(1024, 1));
  });
});
