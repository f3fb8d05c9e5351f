// Whatever goes wrong in a callback or a thread ends the run, in words, and never leaves anybody waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { cancelledError } from '../../../../src/core/platform/failures/errors.js';
import type { ChunkTask } from '../../../../src/core/archive/run/chunk-task.js';
import type { PackedChunk } from '../../../../src/core/archive/run/packed-chunk.js';
import { PackPool } from '../../../../src/core/archive/pack/pack-pool.js';
import { type PipelineOptions, runPipeline } from '../../../../src/core/archive/transfer/pipeline.js';
import { transferPolicy } from '../../../../src/core/archive/run/transfer-policy.js';
import { fixedWindow } from '../../../../src/core/platform/limits/transfer-window.js';
import { runningThreads } from '../../../../src/core/platform/threads/threads.js';
import { WorkerThread } from '../../../../src/core/platform/threads/worker-thread.js';
import { mortalThread } from '../../../support/mortal-thread.js';

const task = (chunk: number): ChunkTask => {
  return { chunk, shard: 0, storageClass: '', entries: new Uint32Array(), rawBytes: 1, bytes: 1 };
};
const packed = (chunk: number, output: SharedArrayBuffer): PackedChunk =>
  ({ chunk, size: 10, output: Buffer.from(output) }) as PackedChunk;
const policy = transferPolicy(
  { optimization: true, congestionControl: 'cubic', transporter: 'staging', disableStaging: false },
  2,
);

const packing = {
  size: 2,
  pack: async (_: number, { chunk }: ChunkTask, output: SharedArrayBuffer) => {
    await sleep(1);
    return packed(chunk, output);
  },
};
const goodPool = { ...packing, stop: () => undefined } as unknown as PackPool;

const run = (changes: Partial<PipelineOptions>): Promise<void> =>
  runPipeline({
    lanes: Array.from({ length: 6 }, (_, chunk) => [task(chunk)]),
    pool: goodPool,
    policy,
    bufferBytes: 16,
    maxBuffers: 4,
    helpBuffers: 1,
    now: () => performance.now(),
    send: async () => {
      await sleep(1);
      return { durationMs: 1, troubled: false };
    },
    signal: new AbortController().signal,
    ...changes,
  });

const broken = (): never => {
  throw new Error('broken');
};
const atThird = (): (() => void) => {
  let calls = 0;
  return () => void (++calls === 3 && broken());
};

test.each<[string, () => Partial<PipelineOptions>]>([
  ['onStart throws', () => ({ onStart: atThird() })],
  ['onPacked throws', () => ({ onPacked: atThird() })],
  ['send throws before it promises anything', () => ({ send: broken })],
  ['the clock throws after a chunk was sent', () => ({ now: broken })],
  ['the window throws', () => ({ policy: { ...policy, window: { ...fixedWindow(2), size: 2, acknowledge: broken } } })],
  ['pack throws before it promises anything', () => ({ pool: { size: 2, pack: broken } as unknown as PackPool })],
  ['there is no memory for a buffer', () => ({ bufferBytes: Number.MAX_SAFE_INTEGER })],
])('the run fails when %s', async (_, changes) => {
  await expect(run(changes())).rejects.toThrow(/broken|Array buffer allocation failed|Invalid array buffer length/);
});

test('a failure does not wait for a packer that is stuck', async () => {
  const stuck = {
    size: 2,
    pack: (worker: number) => (worker === 0 ? Promise.reject(new Error('broken')) : new Promise(() => undefined)),
  } as unknown as PackPool;

  await expect(run({ pool: stuck })).rejects.toThrow('broken');
});

describe('an interruption', () => {
  const interrupted = (sendMs: number) => {
    const controller = new AbortController();
    const [started, arrived, stop]: [number[], number[], () => void] = [[], [], vi.fn<() => void>()];
    const send: PipelineOptions['send'] = async ({ chunk }, _packed, signal) => {
      if (started.push(chunk) === 2) controller.abort(cancelledError());
      await sleep(sendMs, undefined, { signal });
      arrived.push(chunk);
      return { durationMs: 1, troubled: false };
    };
    const pool = { ...packing, stop } as unknown as PackPool;
    return {
      ended: run({ pool, policy: { ...policy, window: fixedWindow(2) }, send, signal: controller.signal }),
      started,
      arrived,
      stop,
    };
  };

  test('ends reading at once and lets what is on the wire arrive', async () => {
    const { ended, started, arrived, stop } = interrupted(500);

    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });

    expect([started.length, arrived.length]).toEqual([2, 2]);
    expect(stop).toHaveBeenCalledOnce();
  });

  test('waits for it no longer than some seconds', async () => {
    const began = performance.now();
    const { ended, arrived } = interrupted(60_000);

    await expect(ended).rejects.toMatchObject({ code: 'cancelled' });

    expect(arrived).toEqual([]);
    expect(performance.now() - began).toBeLessThan(8000);
  });
});

describe.each(['throws', 'rejects', 'exits', 'closes its port'] as const)('a packing thread that %s', (fate) => {
  test.each(['start', 'open', 'pack'])('ends the run with a sentence (when it gets: %s)', async (when) => {
    const pool = new PackPool(2, mortalThread(fate, when));
    onTestFinished(() => pool.close());
    pool.open({} as never, { frameBytes: 0 } as never);

    await expect(run({ pool })).rejects.toThrow(
      /^a packing thread failed: (?:it broke|it ended unexpectedly with status 0)$/,
    );
  });
});

test('a thread that died while it had nothing to do fails the next chunk', async () => {
  const others = runningThreads.size;
  const pool = new PackPool(1, mortalThread('exits', 'open'));
  onTestFinished(() => pool.close());
  pool.open({} as never, { frameBytes: 0 } as never);
  await expect.poll(() => runningThreads.size).toBe(others);

  await expect(pool.pack(0, task(0), new SharedArrayBuffer(1))).rejects.toThrow('it ended unexpectedly with status 0');
});

test('closing gives up on a thread that does not end', async () => {
  const thread = new WorkerThread<{ type: string }, never>({
    name: '',
    what: 'a stuck thread',
    url: mortalThread('does not even end', 'close'),
    patienceMs: 300,
    onMessage: () => undefined,
    onFailure: () => undefined,
  });
  onTestFinished(() => thread.terminate());

  await expect(thread.close({ type: 'close' })).resolves.toBeUndefined();
});
