// A memory for the frames of several threads, so that each of them can hash what lies in the others' (md5-chain.ts).
import type { WasmMemory } from '../wasm/web-assembly.js';
import { loadKernelInto, makeSharedMemory } from './load-kernel.js';
import { Md5Chain } from './md5-chain.js';
import { BLOCK_BYTES, DATA_AT } from './md5-kernel.js';
import { lanesIn, type Md5Lanes } from './md5-lanes.js';

const PAGE_BYTES = 1 << 16;

/** Rooms of `bytes` each, as it is sent to the threads. */
export interface Md5Rooms {
  readonly memory: WasmMemory;
  readonly bytes: number;
  readonly count: number;
}

export interface Md5Room {
  /** For ranges of the frame, which is allocated from them or lies in another room. */
  readonly lanes: Md5Lanes;
  /** For a message that goes on in the next frame. */
  readonly chain: Md5Chain;
}

/** A message's last block is loaded whole, past its end. */
const strideOf = (bytes: number): number => Math.ceil((DATA_AT + bytes + BLOCK_BYTES) / PAGE_BYTES) * PAGE_BYTES;

/** Makes rooms; undefined when WebAssembly is missing, or there is no address space for all of them. */
export function makeMd5Rooms(count: number, bytes: number): Md5Rooms | undefined {
  const memory = makeSharedMemory(count * strideOf(bytes));
  return memory && { memory, bytes, count };
}

/** The memory of room number `index` as a whole. */
export const roomAt = ({ memory, bytes }: Md5Rooms, index: number): Buffer =>
  Buffer.from(memory.buffer, index * strideOf(bytes) + DATA_AT, bytes);

/** Opens room number `index`, which belongs to the calling thread; undefined when the engine has no SIMD: others do without it. */
export function openMd5Room({ memory, bytes, count }: Md5Rooms, index: number): Md5Room | undefined {
  const bases = Array.from({ length: count }, (_, room) => room * strideOf(bytes));
  const kernel = loadKernelInto(memory, index * strideOf(bytes));
  if (kernel === undefined) return undefined;
  const others = bases.filter((base) => base !== kernel.base);
  return { lanes: lanesIn(kernel, bytes), chain: new Md5Chain(kernel, others) };
}
