// Instantiates the MD5 kernel, if the engine supports it: with its own memory, or in a region of one that threads share.
import { instantiate, unlessNoSpace, type WasmMemory, webAssembly } from '../wasm/web-assembly.js';
import { assembleKernel, writeConstants } from './md5-kernel.js';

const PAGE_BYTES = 1 << 16;

export interface Kernel {
  readonly memory: WasmMemory;
  /** Where the kernel's layout begins in its memory. */
  readonly base: number;
  compress(blocks: number): void;
  /** Hashes the ranges of the table. */
  ranges(count: number): void;
  /** Hashes blocks of the first chain, or of both side by side. */
  alone(blocks: number): void;
  both(blocks: number): void;
}

/** Returns undefined when WebAssembly or its SIMD is missing, or there is no address space. */
export function loadKernel(validate?: (bytes: Uint8Array) => boolean): Kernel | undefined {
  return withLayout(0, instantiate(assembleKernel(), undefined, validate));
}

/** Loads a kernel into a memory of `makeSharedMemory`, whose layout and data lie there from `base` on. */
export function loadKernelInto(memory: WasmMemory, base: number): Kernel | undefined {
  const bytes = assembleKernel(base, memory.buffer.byteLength / PAGE_BYTES);
  return withLayout(base, instantiate(bytes, { env: { memory } }));
}

/** Makes a memory that threads can share; undefined as for `loadKernel`. */
export function makeSharedMemory(bytes: number): WasmMemory | undefined {
  const api = webAssembly();
  const pages = Math.ceil(bytes / PAGE_BYTES);
  if (api === undefined || pages > 2 ** 16) return undefined;
  return unlessNoSpace(() => new api.Memory({ initial: pages, maximum: pages, shared: true }));
}

/** Grows the kernel's memory to this size; earlier Buffers become empty when it has to grow. @throws RangeError */
export function reserve({ memory }: Kernel, bytes: number): void {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
}

function withLayout(base: number, instance: unknown): Kernel | undefined {
  if (instance === undefined) return undefined;
  const exported = instance as Omit<Kernel, 'base'>;
  writeConstants(exported.memory.buffer, base);
  return { ...exported, base };
}
