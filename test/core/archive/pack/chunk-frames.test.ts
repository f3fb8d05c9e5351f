// The digest of a chunk, which begins as that of its first frame.
import { hash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { ChunkFrames } from '../../../../src/core/archive/pack/chunk-frames.js';

const sha256 = (bytes: Uint8Array): string => hash('sha256', bytes);

function add(chunk: ChunkFrames, stored: Buffer): void {
  chunk.append(stored);
  chunk.records.push({ size: stored.length, rawSize: stored.length, sha256: chunk.frameDigest(stored) });
}

test('frames and chunk have the digests of their bytes, also where the first frame was taken back', () => {
  const start = 10;
  const chunk = new ChunkFrames(Buffer.alloc(100), 3);
  chunk.append(Buffer.alloc(start));
  const frames = [300, 200, 1].map((bytes) => randomBytes(bytes));
  expect(chunk.digestFrom(start)).toBe(sha256(Buffer.of()));

  for (const frame of frames) add(chunk, frame);
  expect(chunk.records.map((record) => record.sha256)).toEqual(frames.map(sha256));
  chunk.append(Buffer.from('toc'));
  expect(chunk.digestFrom(start)).toBe(sha256(Buffer.concat([...frames, Buffer.from('toc')])));
  chunk.length -= 3;

  chunk.dropFrom(1);
  expect(chunk.digestFrom(start)).toBe(sha256(Buffer.concat(frames.slice(0, 1))));

  chunk.dropFrom(0);
  expect(chunk.digestFrom(start)).toBe(sha256(Buffer.of()));
  add(chunk, randomBytes(50));
  add(chunk, randomBytes(50));
  expect(chunk.digestFrom(start)).toBe(sha256(chunk.output.subarray(start, chunk.length)));
});

test('a first frame that another thread has hashed is part of it', () => {
  const chunk = new ChunkFrames(Buffer.alloc(100), 3);
  add(chunk, randomBytes(20));
  chunk.dropFrom(0);
  const stored = randomBytes(30);
  chunk.append(stored);
  chunk.records.push({ size: 30, rawSize: 30, sha256: sha256(stored) });
  add(chunk, randomBytes(20));

  expect(chunk.digestFrom(0)).toBe(sha256(chunk.output.subarray(0, chunk.length)));
});
