// Frames that are laid down for other threads, seen from one thread: who helps is made up, or a thread that waits in vain.
import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { callHelper, type DeskUse, FrameDesk, makeDesk } from '../../../../src/core/archive/pack/frame-desk.js';
import { FrameCompressor } from '../../../../src/core/archive/pack/frame-compressor.js';
import { frameBufferBytes, FrameWriter } from '../../../../src/core/archive/pack/frame-writer.js';
import { Md5Batch } from '../../../../src/core/archive/pack/md5-batch.js';
import { loadCodec } from '../../../../src/core/platform/codec/codec.js';
import type { Codec } from '../../../../src/core/platform/codec/codec-type.js';
import { cancelledError } from '../../../../src/core/platform/failures/errors.js';
import { openMd5Room } from '../../../../src/core/platform/md5/md5-rooms.js';
import { noise } from '../trees.js';

const codec = loadCodec();
const FRAME = 4096;
/** A number of helpers that is never asked to do anything. */
const HELPERS_WORD = 1;

function openDesk(throwIfStopping: () => void = () => undefined): DeskUse {
  const data = makeDesk(2, frameBufferBytes(FRAME));
  if (data === undefined) throw new Error('this machine has no WebAssembly');
  new Int32Array(data.words)[HELPERS_WORD] = 1;
  return { data, thread: 0, throwIfStopping };
}

function writerAt(desk: DeskUse, using: Codec, level = 3): FrameWriter {
  const md5s = new Md5Batch(Buffer.alloc(0), openMd5Room(desk.data.rooms, 0)?.lanes);
  return new FrameWriter({ md5s, codec: using, frameBytes: FRAME, level, desk });
}

/** What one thread makes of the content, alone or at a desk. */
function framesOf(writer: FrameWriter, content: Buffer) {
  writer.begin(Buffer.from(new SharedArrayBuffer(100)));
  writer.write(content);
  writer.flush();
  const { chunk } = writer;
  writer.complete(chunk);
  return { records: chunk.records, sha256: hash('sha256', chunk.output.subarray(0, chunk.length)) };
}

const alone = (content: Buffer) =>
  framesOf(
    new FrameWriter({ md5s: new Md5Batch(Buffer.alloc(0), undefined), codec, frameBytes: FRAME, level: 3 }),
    content,
  );

describe('frames that are laid down', () => {
  test('are compressed by who laid them down when nobody comes', () => {
    const content = noise(FRAME * 20 + 77);

    expect(framesOf(writerAt(openDesk(), codec), content)).toEqual(alone(content));
  });

  test('are the same when another has compressed some of them', () => {
    const desk = openDesk();
    const other = new FrameDesk({ ...desk, thread: 1 }, new FrameCompressor(codec));
    const writer = writerAt(desk, codec);
    const content = noise(FRAME * 20 + 77);
    writer.begin(Buffer.from(new SharedArrayBuffer(100)));
    for (let at = 0; at < content.length; at += 1000) {
      writer.write(content.subarray(at, at + 1000));
      if (at % 3000 === 0) for (const room of [0, 1, 2]) if (other.takeBack(room)) other.compress(room);
    }
    writer.flush();
    writer.complete(writer.chunk);

    expect(writer.chunk.records).toEqual(alone(content).records);
  });

  test('are compressed once more where that failed', () => {
    let calls = 0;
    const failing: Codec = {
      ...codec,
      compressFrame: (target, source, level) => {
        if (++calls % 3 === 1) throw new Error('no memory');
        return codec.compressFrame(target, source, level);
      },
    };
    const content = noise(FRAME * 9);
    const writer = writerAt(openDesk(), failing);

    // The first attempt fails at the desk, the second succeeds, and so on.
    expect(framesOf(writer, content).records).toEqual(alone(content).records);
    expect(calls).toBeGreaterThan(9);
  });

  test('of an encoder that loses data end the chunk', () => {
    const lossy: Codec = {
      ...codec,
      compressFrame: (target, source, level) => codec.compressFrame(target, new Uint8Array(source.length), level),
    };

    expect(() => framesOf(writerAt(openDesk(), lossy, 10), noise(FRAME * 3))).toThrow(
      'the zstd encoder lost data at level 10',
    );
  });

  test('are taken back with what was written after a mark', () => {
    const writer = writerAt(openDesk(), codec);
    const [kept, after] = [noise(FRAME * 2 + 500), noise(FRAME)];
    writer.begin(Buffer.from(new SharedArrayBuffer(100)));
    writer.write(kept);
    const mark = writer.mark();
    writer.write(noise(FRAME * 5));
    writer.rewind(mark);
    writer.write(after);
    writer.flush();
    writer.complete(writer.chunk);

    expect(writer.chunk.records).toEqual(alone(Buffer.concat([kept, after])).records);
  });

  test('are compressed by a thread that helps, which goes on as long as it is called', () => {
    const desk = openDesk();
    const other = new FrameDesk({ ...desk, thread: 1 }, new FrameCompressor(codec));
    const writer = writerAt(desk, codec);
    const content = noise(FRAME + 9);
    writer.begin(Buffer.from(new SharedArrayBuffer(100)));
    writer.write(content);
    callHelper(desk.data, 1, true);
    other.free(1); // who helps holds none
    other.help(20);

    expect(writer.chunk.laid.map((room) => other.result(room))).toMatchObject([{ rawSize: FRAME }]);
    expect(other.isCalled).toBe(true);
    callHelper(desk.data, 1, false);
    expect(other.isCalled).toBe(false);
    other.help(60_000); // ends at once

    writer.flush();
    writer.complete(writer.chunk);
    expect(writer.chunk.records).toEqual(alone(content).records);
  });

  test('are waited for until the upload is stopped', () => {
    const desk = openDesk(() => {
      throw cancelledError('stopped while it was packed');
    });
    const other = new FrameDesk({ ...desk, thread: 1 }, new FrameCompressor(codec));
    const writer = writerAt(desk, codec);
    writer.begin(Buffer.from(new SharedArrayBuffer(100)));
    writer.write(noise(FRAME));
    // Another thread has begun, and never ends.
    const words = new Int32Array(desk.data.words);
    const status = words.indexOf(2, 2);
    words[status] = 3;

    expect(other.hasHelpers).toBe(true);
    expect(() => writer.complete(writer.chunk)).toThrow('stopped while it was packed');
  });
});
