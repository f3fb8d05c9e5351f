import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { createGunzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeZstdStream, throughTransform } from '../../../src/core/codec/zstd-stream.js';
import { frameOf } from '../../support/make-archive.js';

async function* inPieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

async function decoded(stored: Buffer, pieceBytes = 1000): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of decodeZstdStream(inPieces(stored, pieceBytes))) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

const sample = Buffer.concat([randomBytes(300_000), Buffer.alloc(2_000_000, 'text '), randomBytes(1)]);
const skippable = Buffer.from('5a2a4d1803000000aabbcc', 'hex');

test.each([1, 13, 1000, 1 << 20])(
  'frames, also empty and skippable ones, in pieces of %i bytes',
  async (pieceBytes) => {
    const small = Buffer.from('small');
    const stored = Buffer.concat([skippable, frameOf(small), frameOf(Buffer.alloc(0)), frameOf(small), skippable]);

    expect((await decoded(stored, pieceBytes)).toString()).toBe('smallsmall');
  },
);

test('content that grows a thousandfold comes in pieces of bounded size', async () => {
  let largest = 0;
  const hash = createHash('sha256');
  for await (const piece of decodeZstdStream(inPieces(frameOf(sample), 1 << 20))) {
    largest = Math.max(largest, piece.length);
    hash.update(piece);
  }

  expect(largest).toBeLessThanOrEqual(256 * 1024);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(sample).digest('hex'));
});

test.each([1, 5, 100])('a frame that lacks its last %i bytes is cut off', async (missing) => {
  await expect(decoded(frameOf(sample).subarray(0, -missing))).rejects.toThrow('cut off');
});

test('a few bytes of a header, or of a skippable frame, are cut off', async () => {
  await expect(decoded(frameOf(sample).subarray(0, 3))).rejects.toThrow('cut off');
  await expect(decoded(skippable.subarray(0, 9))).rejects.toThrow('cut off');
});

test('damage, and what is no zstd, cannot be decoded', async () => {
  const bent = frameOf(sample);
  bent[1000]! ^= 0xff;

  await expect(decoded(bent)).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringContaining('cannot be decoded'),
  });
  await expect(decoded(Buffer.from('no zstd at all'))).rejects.toThrow('cannot be decoded');
});

test('a window of more than 128 MiB is refused with what to do about it', async () => {
  // Magic, a descriptor without content size, a window of 2 GiB, one empty last block.
  const stored = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00]);

  await expect(decoded(stored)).rejects.toThrow(/window of more than 128 MiB \(zstd --long\)/);
});

test('what the zstd command makes of a pipe, which states no size, is read', async (context) => {
  const made = spawnSync('zstd', ['-q', '-c'], { input: sample, maxBuffer: 1 << 26 });
  if (made.error !== undefined) context.skip('zstd is not installed');

  expect((await decoded(made.stdout, 65_536)).equals(sample)).toBe(true);
});

test('an error of the source comes out as it is, also through a stream of Node', async () => {
  const failing = async function* (first: Buffer): AsyncGenerator<Buffer> {
    yield first;
    throw new Error('the store went away');
  };
  const drain = async (pieces: AsyncIterable<Buffer>): Promise<void> => {
    for await (const _ of pieces);
  };

  await expect(drain(decodeZstdStream(failing(frameOf(sample).subarray(0, 1000))))).rejects.toThrow(
    /^the store went away$/,
  );
  await expect(drain(throughTransform(createGunzip(), failing(gzipSync(sample).subarray(0, 1000))))).rejects.toThrow(
    /^the store went away$/,
  );
});

test('a reader that stops early stops the source', async () => {
  let isStopped = false;
  const endless = async function* (): AsyncGenerator<Buffer> {
    try {
      for (;;) yield Buffer.alloc(10, 'x');
    } finally {
      isStopped = true;
    }
  };
  for await (const _ of throughTransform(new PassThrough(), endless())) break;
  await new Promise((resolve) => setTimeout(resolve, 50));

  expect(isStopped).toBe(true);
});
