import { hash, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Md5Message } from '../../../../src/core/platform/md5/md5-chain.js';
import { Md5Offer } from '../../../../src/core/platform/md5/md5-offer.js';
import { makeMd5Rooms } from '../../../../src/core/platform/md5/md5-rooms.js';
import { openRooms } from '../../../support/md5-partner.js';

const FRAME = 1 << 18;
const EDGES = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 65_535, 65_536, 65_601, FRAME];

const hex = (message: Md5Message): string => message.digest().toString('hex');

/** A file that is packed by a thread of its own, frame by frame. */
function packing(room: ReturnType<typeof openRooms>[number]) {
  const frame = room.lanes.allocate(FRAME);
  let content = Buffer.alloc(0);
  let message = room.chain.begin();
  let at = 0;
  const ended: { made: string; right: string }[] = [];
  return {
    ended,
    add(bytes: number) {
      const count = Math.min(bytes, FRAME - at);
      const piece = frame.subarray(at, at + count);
      randomBytes(count).copy(piece);
      message.update(piece);
      content = Buffer.concat([content, piece]);
      at += count;
    },
    skip: (bytes: number) => void (at = Math.min(FRAME, at + bytes)),
    offer: () => room.chain.offer(),
    /** Ends the frame: from here on its memory is written to again. */
    settle() {
      room.chain.settle();
      frame.fill(0xaa);
      at = 0;
    },
    end() {
      ended.push({ made: hex(message), right: hash('md5', content) });
      content = Buffer.alloc(0);
      message = room.chain.begin();
    },
  };
}

describe('the MD5 of messages in frames', () => {
  it('is that of each of them, whatever the pieces, the frames, and who hashes whose', () => {
    const step = fc.record({
      who: fc.nat(2),
      what: fc.constantFrom('add', 'add', 'add', 'skip', 'offer', 'offer', 'settle', 'end'),
      bytes: fc.oneof(fc.constantFrom(...EDGES), fc.nat(FRAME)),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const files = openRooms(3, FRAME).map(packing);
        for (const { who, what, bytes } of steps) {
          const file = files[who];
          if (what === 'add' || what === 'skip') file?.[what](bytes);
          else file?.[what]();
        }
        for (const file of files) {
          file.end();
          for (const { made, right } of file.ended) expect(made).toBe(right);
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each(EDGES)('is right for two of %i bytes, and for one that ends before the other', (bytes) => {
    const files = openRooms(2, FRAME).map(packing);
    const [a, b] = files;
    for (const second of [bytes, Math.floor(bytes / 3)]) {
      a?.add(bytes);
      b?.add(second);
      a?.offer();
      b?.end();
      a?.settle();
      a?.end();
    }
    const ended = files.flatMap((file) => file.ended);
    expect(ended).toHaveLength(4);
    expect(ended.map(({ made }) => made)).toEqual(ended.map(({ right }) => right));
  });

  it('takes what is offered, so that its owner finds it hashed', () => {
    const [a, b] = openRooms(2, FRAME);
    const message = a?.chain.begin();
    message?.update(a?.lanes.allocate(FRAME).fill(1) ?? Buffer.alloc(0));
    a?.chain.offer();

    b?.chain.begin().update(b.lanes.allocate(FRAME));
    b?.chain.settle();

    a?.lanes.allocate(FRAME).fill(2); // nobody reads it any more
    expect(message?.digest().toString('hex')).toBe(hash('md5', Buffer.alloc(FRAME, 1)));
  });

  it('of one that was dropped while it was offered does not reach the next one', () => {
    const [first, second] = openRooms(2, FRAME);
    const frame = first?.lanes.allocate(FRAME).fill(1) ?? Buffer.alloc(0);
    const dropped = first?.chain.begin();
    dropped?.update(frame);
    first?.chain.offer();
    const message = first?.chain.begin();
    frame.fill(3);
    second?.chain.begin().update(second.lanes.allocate(FRAME));
    second?.chain.settle();
    message?.update(frame.subarray(0, 100));

    expect(() => dropped?.update(frame)).toThrow('another message has begun');
    expect(() => dropped?.digest()).toThrow('another message has begun');
    expect(message?.digest().toString('hex')).toBe(hash('md5', Buffer.alloc(100, 3)));
  });

  it('refuses bytes that other threads cannot see', () => {
    const [room] = openRooms(1, FRAME);
    const message = room?.chain.begin();

    expect(() => message?.update(Buffer.alloc(10))).toThrow('not in its memory');
  });

  it('fails when a thread that took an offer never gives it back', () => {
    const memory = new SharedArrayBuffer(1 << 16);
    const [own, seen] = [new Md5Offer(memory, 0), new Md5Offer(memory, 0)];
    own.set(64, 1);
    own.open();

    expect(seen.take()).toBe(true);
    expect(seen.take()).toBe(false);
    expect(() => own.close(1)).toThrow('does not give back');
    seen.giveBack();
    own.close();
    expect(seen.take()).toBe(false);
  });

  it('is made as before where there is no address space for the frames of all threads', () => {
    expect(makeMd5Rooms(300, 16 << 20)).toBeUndefined();
  });
});
