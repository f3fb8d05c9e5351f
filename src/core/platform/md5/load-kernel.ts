// Instantiates the MD5 kernel, if the engine supports it: with its own memory, or in a region of one that threads share.
import { assembleKernel, writeConstants } from './md5-kernel.js';

const PAGE_BYTES = 1 << 16;

export interface Kernel {
  readonly memory: KernelMemory;
  /** Where the kernel's layout begins in its memory. */
  readonly base: number;
  compress(blocks: number): void;
  tail(from: number, count: number, to: number): void;
  /** Hashes blocks of the first chain, or of both side by side. */
  alone(blocks: number): void;
  both(blocks: number): void;
}

export interface KernelMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

/** The part of WebAssembly's JavaScript interface that is used here; neither lib.es nor @types/node has it. */
interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => KernelMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => { readonly exports: unknown };
  validate(this: void, bytes: Uint8Array): boolean;
}

/** Missing under --jitless. */
const webAssembly = (): WebAssemblyApi | undefined =>
  (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;

/** Returns undefined when WebAssembly or its SIMD is missing, or there is no address space. */
export function loadKernel(validate?: (bytes: Uint8Array) => boolean): Kernel | undefined {
  return instantiate(assembleKernel(), 0, validate);
}

/** Loads a kernel into a memory of `makeSharedMemory`, whose layout and data lie there from `base` on. */
export function loadKernelInto(memory: KernelMemory, base: number): Kernel | undefined {
  const bytes = assembleKernel(base, memory.buffer.byteLength / PAGE_BYTES);
  return instantiate(bytes, base, undefined, { env: { memory } });
}

/** Makes a memory that threads can share; undefined as for `loadKernel`. */
export function makeSharedMemory(bytes: number): KernelMemory | undefined {
  const api = webAssembly();
  const pages = Math.ceil(bytes / PAGE_BYTES);
  if (api === undefined || pages > 2 ** 16) return undefined;
  return unlessNoSpace(() => new api.Memory({ initial: pages, maximum: pages, shared: true }));
}

function instantiate(
  bytes: Uint8Array,
  base: number,
  validate?: (bytes: Uint8Array) => boolean,
  imports?: object,
): Kernel | undefined {
  const api = webAssembly();
  if (api === undefined || !(validate ?? api.validate)(bytes)) return undefined;
  return unlessNoSpace(() => {
    const exported = new api.Instance(new api.Module(bytes), imports).exports as Omit<Kernel, 'base'>;
    writeConstants(exported.memory.buffer, base);
    return { ...exported, base };
  });
}

/** V8 reserves gigabytes of address space for each memory; `ulimit -v` may be lower. */
function unlessNoSpace<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
