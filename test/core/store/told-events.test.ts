// What a store tells of requests that are sent again, and of bodies as they leave.
import { describe, expect, it } from 'vitest';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import type { Fault } from '../../faults/fault.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { tempFolder } from '../../support/temp-folder.js';

const s3 = useBrokenS3();
const MIB = 1024 ** 2;

async function putWith(fault: Fault | undefined, body: Buffer, onSent?: (bytes: number) => void) {
  const events: TransferEvent[] = [];
  const { store } = await s3.open({ onEvent: (event) => events.push(event) });
  if (fault !== undefined) s3.proxy.inject({ operation: 'PutObject', fault, times: 2 });
  await store.put('k', body, onSent === undefined ? {} : { onSent });
  return events;
}

describe('a request that is sent again', () => {
  it.each<[string, Fault, object]>([
    ['unreachable', { kind: 'reset' }, { trouble: 'unreachable' }],
    ['busy', { kind: 'status', status: 503, code: 'SlowDown' }, { trouble: 'busy' }],
    ['failed', { kind: 'status', status: 500, code: 'InternalError' }, { trouble: 'failed' }],
  ])('is told with tries, wait and %s, and when it is settled', async (_, fault, trouble) => {
    const events = await putWith(fault, Buffer.from('x'));

    const told = { type: 'retry', request: 'put k', service: 'store', maxAttempts: 10, ...trouble };
    expect(events).toEqual([
      expect.objectContaining({ ...told, attempt: 1, waitMs: expect.any(Number) }),
      expect.objectContaining({ ...told, attempt: 2, waitMs: expect.any(Number) }),
      { type: 'settled', request: 'put k' },
    ]);
  });

  it('is settled when it is given up, too', async () => {
    const events: TransferEvent[] = [];
    const { store } = await s3.open({ retry: { maxAttempts: 2 }, onEvent: (event) => events.push(event) });
    s3.proxy.inject({ operation: 'PutObject', fault: { kind: 'reset' } });

    await expect(store.put('k', Buffer.from('x'))).rejects.toThrow(/tried 2 times/);

    expect(events.map(({ type }) => type)).toEqual(['retry', 'settled']);
  });
});

describe('onSent', () => {
  it('tells of a body over HTTP slice by slice, and anew for each try', async () => {
    const told: number[] = [];

    await putWith({ kind: 'status', status: 500, code: 'InternalError' }, Buffer.alloc(3 * MIB), (bytes) => {
      told.push(bytes);
    });

    expect(told.slice(-3)).toEqual([MIB, 2 * MIB, 3 * MIB]);
    expect(told.filter((bytes) => bytes === MIB).length).toBeGreaterThanOrEqual(1);
    expect(Math.max(...told)).toBe(3 * MIB);
  });

  it('tells of a body that goes to a folder', async () => {
    const told: number[] = [];

    await fileStore(await tempFolder()).put('k', Buffer.alloc(9 * MIB), { onSent: (bytes) => void told.push(bytes) });

    expect(told).toEqual([8 * MIB, 9 * MIB]);
  });
});
