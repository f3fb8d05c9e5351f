import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { receive } from '../../../../src/core/restore/fetch/span-source.js';
import { roundedCapacity, SpanBuffers } from '../../../../src/core/restore/fetch/span-source.js';

const MIB = 1 << 20;

test('capacities are at most a quarter larger than asked for, and few', () => {
  const sizes = Array.from({ length: 16 * 16 }, (_, index) => (index + 1) * (MIB / 16));
  const capacities = sizes.map(roundedCapacity);

  sizes.forEach((size, index) => {
    expect(capacities[index]).toBeGreaterThanOrEqual(size);
    expect(capacities[index]).toBeLessThanOrEqual(size * 1.25);
  });
  expect(new Set(capacities).size).toBeLessThan(40);
});

test('the smallest buffer that fits is used again', () => {
  const buffers = new SpanBuffers(64 * MIB);
  const [large, small] = [buffers.take(8 * MIB), buffers.take(2 * MIB)];
  buffers.give(large);
  buffers.give(small);

  expect(buffers.take(MIB)).toBe(small);
  expect(buffers.take(MIB)).toBe(large);
  expect(buffers.heldBytes).toBe(10 * MIB);
});

test('free buffers that do not fit are given up at the limit', () => {
  const buffers = new SpanBuffers(16 * MIB);
  for (const buffer of [1, 2, 3, 4].map(() => buffers.take(4 * MIB))) buffers.give(buffer);

  const large = buffers.take(12 * MIB);

  expect(large.byteLength).toBe(12 * MIB);
  expect(buffers.heldBytes).toBe(16 * MIB);
});

const contentOf = (body: Readable, sizeBytes: number) => ({
  body,
  sizeBytes,
  start: 0,
  totalBytes: sizeBytes,
  etag: 'e',
});
const target = (bytes: number): Buffer => Buffer.from(new SharedArrayBuffer(bytes));

test('a body is received whole, whatever its pieces', async () => {
  const into = target(8);
  const pieces = ['al', '', 'ph', 'a'].map((text) => Buffer.from(text));

  await receive(contentOf(Readable.from(pieces, { objectMode: true }), 5), into);

  expect(into.toString('latin1', 0, 5)).toBe('alpha');
});

test.each([
  [['alp', 'habet'], 'larger than the 5 bytes'],
  [['al'], 'ended after 2 of 5 bytes'],
])('a body %j of another length is refused, and ended', async (texts, message) => {
  const body = new PassThrough({ autoDestroy: false });
  texts.forEach((text) => body.write(text));
  body.end();

  await expect(receive(contentOf(body, 5), target(8))).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringContaining(message),
  });
  expect(body.destroyed).toBe(true);
});

test.each([new Error('gone'), undefined])('a body that breaks with %s is refused', async (error) => {
  const body = new PassThrough();
  body.write('al');
  setImmediate(() => body.destroy(error));

  await expect(receive(contentOf(body, 5), target(8))).rejects.toThrow(error?.message ?? 'ended after 2 of 5');
});

test('what a body gives after it was given up goes nowhere', async () => {
  const body = new PassThrough();
  const into = target(5);
  body.write('al');
  setImmediate(() => body.destroy(new Error('gone')));

  await expect(receive(contentOf(body, 5), into)).rejects.toThrow('gone');
  body.emit('data', Buffer.from('pha'));

  expect(into.toString('latin1')).toBe('al\0\0\0');
});
