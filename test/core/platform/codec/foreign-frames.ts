// zstd as other tools write it, and what it decodes to: run by tests in this Node, and as a program in others, where it prints
// what was wrong as JSON.
import { createHash } from 'node:crypto';
import zlib from 'node:zlib';
import { loadNodeCodec } from '../../../../src/core/platform/codec/node-codec.js';
import { decodeZstdStream, type StreamDecoders } from '../../../../src/core/platform/codec/zstd-stream.js';

const skippable = (content: string): Buffer => {
  const start = Buffer.from('5a2a4d1800000000', 'hex');
  start.writeUInt32LE(content.length, 4);
  return Buffer.concat([start, Buffer.from(content)]);
};

/** A frame that says nothing of its size, of raw blocks, which is what a pipe through `zstd` gives where nothing repeats. */
export function sizelessFrame(content: Buffer, blockBytes = 1000): Buffer {
  const parts: Buffer[] = [Buffer.from('28b52ffd0058', 'hex')]; // a window of 2 MiB, no checksum
  for (let at = 0; at === 0 || at < content.length; at += blockBytes) {
    const bytes = content.subarray(at, at + blockBytes);
    const header = Buffer.alloc(3);
    header.writeUIntLE((bytes.length << 3) | Number(at + blockBytes >= content.length), 0, 3);
    parts.push(header, Buffer.from(bytes));
  }
  return Buffer.concat(parts);
}

/** `make` gives one frame with its size and checksum. */
export function foreignStreams(
  make: (content: Buffer) => Buffer,
): readonly (readonly [name: string, stored: Buffer, content: Buffer])[] {
  const [a, b] = [Buffer.alloc(300_000, 'a little text '), Buffer.from('b')];
  const many = Array.from({ length: 40 }, (_, index) => Buffer.alloc(10_000, `part ${index} `));
  const ab = Buffer.concat([a, b]);
  return [
    ['one frame', make(a), a],
    ['two frames (cat a.zst b.zst)', Buffer.concat([make(a), make(b)]), ab],
    [
      'many frames, each behind a skippable one (pzstd)',
      Buffer.concat(many.flatMap((part) => [skippable('size'), make(part)])),
      Buffer.concat(many),
    ],
    ['a skippable frame first', Buffer.concat([skippable('leading'), make(a)]), a],
    ['a skippable frame between and last', Buffer.concat([make(a), skippable(''), make(b), skippable('table')]), ab],
    ['empty frames', Buffer.concat([make(Buffer.alloc(0)), make(b), make(Buffer.alloc(0))]), b],
    ['frames without a size', Buffer.concat([sizelessFrame(a), sizelessFrame(Buffer.alloc(0)), make(b)]), ab],
  ];
}

export async function decodeAll(stored: Buffer, pieceBytes: number, decoders?: StreamDecoders): Promise<Buffer> {
  const inPieces = async function* (): AsyncGenerator<Buffer> {
    for (let at = 0; at < stored.length; at += pieceBytes) yield stored.subarray(at, at + pieceBytes);
  };
  const parts: Buffer[] = [];
  for await (const piece of decodeZstdStream(inPieces(), decoders)) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

/** As a program: through the zstd of this Node alone, without the addon. */
async function main(): Promise<void> {
  const { zstdCompressSync, createZstdDecompress } = zlib as unknown as {
    readonly zstdCompressSync?: (content: Buffer, options: object) => Buffer;
    readonly createZstdDecompress?: NonNullable<StreamDecoders['node']>;
  };
  const make = (content: Buffer): Buffer =>
    zstdCompressSync === undefined
      ? sizelessFrame(content)
      : zstdCompressSync(content, { params: { 201: 1 }, pledgedSrcSize: content.length });
  const wrong: string[] = [];
  for (const [name, stored, content] of foreignStreams(make)) {
    for (const pieceBytes of [1, 1000, 1 << 20]) {
      if (pieceBytes === 1 && stored.length > 10_000) continue;
      const found = await decodeAll(stored, pieceBytes, { binding: undefined, node: createZstdDecompress });
      const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      if (digest(found) !== digest(content)) wrong.push(`${name}: ${found.length} of ${content.length} bytes`);
    }
  }
  const codec = loadNodeCodec();
  try {
    const [a, b] = [make(Buffer.from('a')), make(Buffer.from('b'))];
    codec?.decompressFrame(Buffer.alloc(1), Buffer.concat([a, b]));
    if (codec !== undefined) wrong.push('a chunk frame with another behind it was taken');
  } catch {
    // refused, as it should be
  }
  process.stdout.write(
    `${JSON.stringify({ node: process.version, hasOwn: createZstdDecompress !== undefined, wrong })}\n`,
  );
}

if (process.argv[2] === 'run') await main();
