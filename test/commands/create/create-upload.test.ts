// How the flags of `create upload` become settings. What it does with folders is in test/e2e/resume.test.ts.
import { describe, expect, test } from 'vitest';
import { networkSettings } from '../../../src/commands/create/network.js';
import { uploadMemory } from '../../../src/commands/create/upload-memory.js';
import { memoryPlan } from '../../../src/core/platform/limits/memory-plan.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const NETWORK = { workers: 4, maxIdleConns: 100, idleConnTimeout: 300_000, http2: true, http2MaxStreams: 250 };

describe('network', () => {
  test.each([
    ['default', 4],
    ['aggressive', 8],
    ['conservative', 2],
  ] as const)('%s has %i requests in flight', (networkProfile, requests) => {
    const settings = networkSettings({ ...NETWORK, networkProfile });

    expect(settings).toMatchObject({ requests, maxSockets: requests + 4, idle: { sockets: 100, ms: 300_000 } });
  });

  test('aggressive gives up on silence sooner than conservative', () => {
    const timeouts = (networkProfile: 'aggressive' | 'conservative') =>
      networkSettings({ ...NETWORK, networkProfile }).timeouts;

    expect(timeouts('aggressive')).toMatchObject({ connectMs: 3000, idleMs: 20_000, answerMs: 60_000 });
    expect(timeouts('conservative')).toMatchObject({ connectMs: 30_000, idleMs: 180_000, answerMs: 300_000 });
  });

  test('HTTP/2 is offered unless it is switched off', () => {
    const networkProfile = 'default';

    expect(networkSettings({ ...NETWORK, networkProfile }).http2).toEqual({ maxStreams: 250 });
    expect(networkSettings({ ...NETWORK, networkProfile, http2: false }).http2).toBeUndefined();
  });

  test('one worker still sends', () => {
    expect(networkSettings({ ...NETWORK, workers: 1, networkProfile: 'conservative' }).requests).toBe(1);
  });
});

describe('memory', () => {
  const input = { limitBytes: undefined, machineBytes: 64 * GIB, workers: 4, requests: 4, frameBytes: 16 * MIB };

  test('what is planned with holds a chunk for every thread and every request', () => {
    const bytes = uploadMemory({ ...input, chunkSizeMb: 200 }) ?? 0;

    expect(memoryPlan(bytes, 4, 16 * MIB).buffers(200e6)).toBe(8);
  });

  test('at most half of the computer, as long as two chunks fit', () => {
    const bytes = uploadMemory({ ...input, machineBytes: 2 * GIB, chunkSizeMb: 200 }) ?? 0;

    expect(bytes).toBeLessThanOrEqual(GIB);
    expect(memoryPlan(bytes, 4, 16 * MIB).buffers(200e6)).toBeGreaterThanOrEqual(2);
  });

  test('--memory-limit is taken as it is', () => {
    expect(uploadMemory({ ...input, limitBytes: GIB, chunkSizeMb: 100 })).toBe(GIB);
  });

  test('0 leaves it to the engine', () => {
    expect(uploadMemory({ ...input, machineBytes: GIB, chunkSizeMb: 0 })).toBeUndefined();
  });

  test('what cannot fit is refused, and what is said to fit does', () => {
    const refused = (): unknown => {
      try {
        return uploadMemory({ ...input, limitBytes: GIB, chunkSizeMb: 500 });
      } catch (error) {
        return error;
      }
    };
    const failure = refused() as { message: string; hint: string };

    expect(failure.message).toContain('--memory-limit allows 1024 MiB');
    const fits = Number(/--chunk-size-mb (\d+) fits/.exec(failure.hint)?.[1]);
    expect(fits).toBeGreaterThan(100);
    expect(uploadMemory({ ...input, limitBytes: GIB, chunkSizeMb: fits })).toBe(GIB);
  });
});
