// Spans from a server behind a proxy that breaks answers: the bytes are those of the object, and buffers are used again.
import { createHash, randomBytes } from 'node:crypto';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { FrameCache } from '../../../../src/core/restore/frame-cache.js';
import { SpanSource } from '../../../../src/core/restore/fetch/span-source.js';
import type { LaneChunk } from '../../../../src/core/restore/plan/lanes.js';
import type { Fault } from '../../../faults/fault.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';

const s3 = useBrokenS3();
const content = randomBytes(3_000_000);
const RANGE = [100_000, 2_900_000] as const;
const wanted = content.subarray(...RANGE);
const chunk = { chunk: 7, record: { key: 'k', size: content.byteLength, frames: [] } } as unknown as LaneChunk;

async function sourceOf() {
  s3.put('k', content);
  const { store } = await s3.open({ watchdog: { stallMs: 200 } });
  return new SpanSource({ reader: store, keyOf: ({ record }) => record.key, fillsCache: false });
}

const fetched = async (source: SpanSource) => await source.range(chunk, ...RANGE, new AbortController().signal);

test.each<[string, Fault]>([
  ['comes whole', { kind: 'delay', ms: 0 }],
  ['is cut', { kind: 'cut-response', afterBytes: 900_000 }],
  ['stalls', { kind: 'stall-response', afterBytes: 900_000 }],
  ['stalls before its first byte', { kind: 'stall-response', afterBytes: 1 }],
  ['is an error', { kind: 'status', status: 503, code: 'SlowDown' }],
  ['is lost', { kind: 'lost-answer' }],
])('an answer that %s fills its buffer in the end', async (_name, fault) => {
  const source = await sourceOf();
  s3.proxy.inject({ operation: 'GetObject', fault, times: 2 });

  for (let round = 0; round < 2; round++) {
    const { buffer, length } = await fetched(source);
    expect(Buffer.from(buffer, 0, length).equals(wanted)).toBe(true);
    new Uint8Array(buffer).fill(0);
    source.recycle(buffer);
  }
  expect(source.fetched).toEqual({ bytesFetched: 2 * wanted.byteLength, ranges: 2 });
});

test('behind all layers of a store the pieces of a range lie where they were asked for', async () => {
  s3.put('k', content);
  const { store } = await s3.open();
  const memory = Buffer.from(new SharedArrayBuffer(wanted.byteLength));
  const { body } = await store.get('k', { range: { start: RANGE[0], end: RANGE[1] }, into: () => memory });
  let bytes = 0;
  let isThere = true;
  body.on('data', (piece: Buffer) => {
    isThere &&= piece.buffer === memory.buffer && piece.byteOffset === bytes;
    bytes += piece.byteLength;
  });
  await finished(body);

  expect([bytes, isThere, memory.equals(wanted)]).toEqual([wanted.byteLength, true, true]);
});

test('a limited download fills its buffer as well', async () => {
  s3.put('k', content);
  const { store } = await s3.open({ downloadLimit: 4_000_000 });
  const source = new SpanSource({ reader: store, keyOf: ({ record }) => record.key, fillsCache: false });

  const { buffer, length } = await fetched(source);

  expect(Buffer.from(buffer, 0, length).equals(wanted)).toBe(true);
});

test('an object that is shorter gives its buffer back', async () => {
  const source = await sourceOf();
  const { buffer } = await fetched(source);
  source.recycle(buffer);
  s3.put('k', content.subarray(0, 1_000_000));

  await expect(fetched(source)).rejects.toThrow('k has 1000000 bytes, and 3000000 are expected');
  expect(source.failed).toEqual(new Set([7]));
  s3.put('k', content);
  expect((await fetched(source)).buffer).toBe(buffer);
});

test('a fetch that is cancelled gives its buffer back, and nothing is written to it any more', async () => {
  const source = await sourceOf();
  const { buffer } = await fetched(source);
  source.recycle(buffer);
  s3.proxy.inject({ operation: 'GetObject', fault: { kind: 'slow-response', bytesPerSecond: 2_000_000 }, times: 1 });
  const stop = new AbortController();
  const asked = source.range(chunk, ...RANGE, stop.signal);
  setTimeout(() => stop.abort(), 300);

  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  const again = await fetched(source);
  expect(again.buffer).toBe(buffer);
  new Uint8Array(buffer).fill(1);
  await new Promise((resolve) => setTimeout(resolve, 300));

  expect(Buffer.from(buffer).equals(Buffer.alloc(buffer.byteLength, 1))).toBe(true);
});

test('a buffer is used again only when the cache has written what is in it', async () => {
  s3.put('k', content);
  const { store } = await s3.open();
  let write = (): void => undefined;
  const written = new Promise<void>((resolve) => (write = resolve));
  const slow = new (class extends FrameCache {
    override put = (): Promise<void> => written;
  })({ folder: await tempFolder(), limitBytes: 1e9 });
  const frames = [{ sha256: createHash('sha256').update(content).digest('hex'), size: content.byteLength }];
  const whole = { chunk: 7, record: { key: 'k', size: content.byteLength, frames } } as unknown as LaneChunk;
  const span = { first: 0, last: 0, start: 0, end: content.byteLength };
  const source = new SpanSource({ reader: store, keyOf: () => 'k', cache: slow, fillsCache: true });
  const buffers: SharedArrayBuffer[] = [];
  const fetchOne = async (): Promise<void> => {
    const { buffer } = await source.fetch(whole, span, new AbortController().signal);
    buffers.push(buffer);
    source.recycle(buffer);
  };

  await fetchOne();
  await fetchOne();
  write();
  await written;
  await fetchOne();

  expect(buffers[1]).not.toBe(buffers[0]);
  expect(buffers.slice(0, 2)).toContain(buffers[2]);
});
