// Instantiates the MD5 kernel with its own memory, if the engine supports it.
import { assembleKernel, writeConstants } from './md5-kernel.js';

export interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  compress(blocks: number): void;
  tail(from: number, count: number, to: number): void;
}

/** The part of WebAssembly's JavaScript interface that is used here; neither lib.es nor @types/node has it. */
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
  validate(this: void, bytes: Uint8Array): boolean;
}

/** Returns undefined when WebAssembly or its SIMD is missing, or there is no address space. */
export function loadKernel(validate?: (bytes: Uint8Array) => boolean): Kernel | undefined {
  // Missing under --jitless.
  const api = (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;
  if (api === undefined) return undefined;
  const bytes = assembleKernel();
  if (!(validate ?? api.validate)(bytes)) return undefined;
  try {
    const kernel = new api.Instance(new api.Module(bytes)).exports as Kernel;
    writeConstants(kernel.memory.buffer);
    return kernel;
  } catch (error) {
    // V8 reserves gigabytes of address space for each memory; `ulimit -v` may be lower.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
