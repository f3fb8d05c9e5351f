// The part of WebAssembly's JavaScript interface that is used here; neither lib.es nor @types/node has it.

export interface WasmMemory {
  readonly buffer: ArrayBufferLike;
  grow(pages: number): number;
}

export interface WebAssemblyApi {
  readonly Memory: new (size: { initial: number; maximum: number; shared: true }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports?: object) => { readonly exports: unknown };
  validate(this: void, bytes: Uint8Array): boolean;
}

/** Missing under --jitless. */
export const webAssembly = (): WebAssemblyApi | undefined =>
  (globalThis as { readonly WebAssembly?: WebAssemblyApi }).WebAssembly;

/**
 * Makes an instance of a module and returns what it exports; undefined where WebAssembly, an instruction (as `validate` finds) or address space is
 * missing.
 */
export function instantiate(
  bytes: Uint8Array,
  imports?: object,
  validate: ((bytes: Uint8Array) => boolean) | undefined = webAssembly()?.validate,
): unknown {
  const api = webAssembly();
  if (api === undefined || validate?.(bytes) !== true) return undefined;
  return unlessNoSpace(() => new api.Instance(new api.Module(bytes), imports).exports);
}

/** V8 reserves gigabytes of address space for each memory; `ulimit -v` may be lower. */
export function unlessNoSpace<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
