import { createHash } from 'node:crypto';

/** Bytes that differ everywhere. */
export function content(bytes: number, seed = 1): Buffer {
  const buffer = Buffer.alloc(bytes);
  for (let at = 0, block = 0; at < bytes; at += 32, block++)
    createHash('sha256').update(`${seed} ${block}`).digest().copy(buffer, at);
  return buffer;
}
