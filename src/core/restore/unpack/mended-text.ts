import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { WrongBytes } from './unpack-protocol.js';

/** Returns the warning about bytes that were wrong when first read, and right the second time: the store or the network is not reliable. */
export function mendedText({ chunk, frames }: WrongBytes, chunks: readonly ChunkRecord[]): string {
  const name = printable(chunks[chunk]?.key ?? `chunk ${chunk}`);
  return `${partText(frames)} of ${name} came with wrong bytes, and with the right ones when read again: the store or the network damages data`;
}

function partText(frames: WrongBytes['frames']): string {
  if (frames === undefined) return 'the table of contents';
  return frames.first === frames.last ? `frame ${frames.first}` : `frames ${frames.first}-${frames.last}`;
}
