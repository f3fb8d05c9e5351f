// A thread that hashes for another one, in the same thread: it takes what is offered whenever the test lets it.
import { hash } from 'node:crypto';
import { expect } from 'vitest';
import { makeMd5Rooms, type Md5Room, openMd5Room } from '../../src/core/platform/md5/md5-rooms.js';

/** Opens rooms of `bytes` that see each other. */
export function openRooms(count: number, bytes: number): readonly Md5Room[] {
  const rooms = makeMd5Rooms(count, bytes);
  return Array.from({ length: count }, (_, index) => {
    const room = rooms && openMd5Room(rooms, index);
    if (room === undefined) throw new Error('this machine has no WebAssembly SIMD');
    return room;
  });
}

/** Returns a function that hashes messages of some length, and so at most as much of the other room; it looks whether its own are right. */
export function partnerIn({ lanes, chain }: Md5Room, bytes: number): () => void {
  const frame = lanes.allocate(bytes);
  for (let at = 0; at < bytes; at++) frame[at] = Math.imul(at, 40_503) >>> 8;
  let turn = 0;
  return () => {
    const message = chain.begin();
    const content = frame.subarray(turn, bytes - ((turn * 7919) % bytes));
    turn = (turn + 1) % 64;
    message.update(content);
    chain.offer();
    expect(message.digest().toString('hex')).toBe(hash('md5', content));
  };
}
