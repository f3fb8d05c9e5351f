import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGunzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeZstdStream, throughTransform } from '../../../../src/core/platform/codec/zstd-stream.js';
import { frameOf } from '../../../support/make-archive.js';
import { decodeAll, foreignStreams, sizelessFrame } from './foreign-frames.js';

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
  const drain = async (pieces: AsyncIterable<Uint8Array>): Promise<void> => {
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

  await expect.poll(() => isStopped).toBe(true);
});

describe('WebAssembly, where there is neither the addon nor zstd of Node', () => {
  const wasm = { binding: undefined, node: undefined };

  test.each(foreignStreams(frameOf))('reads %s', async (_name, stored, content) => {
    expect((await decodeAll(stored, 777, wasm)).equals(content)).toBe(true);
  });

  test('refuses what is cut off, damaged, no zstd, or wants too large a window', async () => {
    const bent = frameOf(sample);
    bent[1000]! ^= 0xff;
    const window = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (31 - 10) << 3, 0x01, 0x00, 0x00]);

    await expect(decodeAll(frameOf(sample).subarray(0, -1), 1000, wasm)).rejects.toThrow('cut off');
    await expect(decodeAll(bent, 1000, wasm)).rejects.toThrow('cannot be decoded');
    await expect(decodeAll(Buffer.concat([frameOf(sample), Buffer.from('no zstd')]), 1000, wasm)).rejects.toThrow(
      'cannot be decoded',
    );
    await expect(decodeAll(window, 1000, wasm)).rejects.toThrow(/window of more than 128 MiB/);
  });

  test('refuses a frame that it cannot hold before it takes the memory for it', async () => {
    // A last block that repeats a byte 2^17 times, after 7200 like it: 900 MiB from 28 KB.
    const block = (isLast: boolean): Buffer =>
      Buffer.from([...[0, 1, 2].map((byte) => (((1 << 20) | 2 | Number(isLast)) >> (8 * byte)) & 255), 0]);
    const stored = Buffer.concat([
      sizelessFrame(Buffer.alloc(0)).subarray(0, 6),
      ...Array.from({ length: 7200 }, () => block(false)),
      block(true),
    ]);

    await expect(decodeAll(stored, 1000, wasm)).rejects.toMatchObject({
      code: 'unsupported',
      hint: expect.stringContaining('Node 22.15'),
    });
  });
});

describe.each(['22', '24'])('Node %s without the addon', (major) => {
  const node = (...args: readonly string[]) =>
    spawnSync('npx', ['-y', '-p', `node@${major}`, 'node', ...args], { encoding: 'utf8', timeout: 120_000 });

  test(
    'reads every frame of what other tools wrote, and takes one frame alone of a chunk',
    { timeout: 300_000 },
    (context) => {
      if (node('--version').status !== 0) context.skip(`the registry gave no Node ${major}`);
      const { stdout, stderr } = node(
        '--import',
        'tsx',
        fileURLToPath(new URL('foreign-frames.ts', import.meta.url)),
        'run',
      );

      expect([stderr.includes('Error'), JSON.parse(stdout)]).toEqual([
        false,
        { node: expect.stringMatching(`^v${major}\\.`), hasOwn: true, wrong: [] },
      ]);
    },
  );
});
