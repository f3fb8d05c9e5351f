// The buffers in which stored bytes are passed to the workers. Shared memory, not transferred ArrayBuffers: V8 counts the
// latter as its own memory, and each one returned by a worker made it collect its whole heap, which cost a sixth of a
// restore's CPU time. The collector does not know about these, so they are kept and reused.

/** Sizes are rounded up to a quarter of a power of two, so that few sizes occur. */
const STEPS = 4;
const MIN_BYTES = 1 << 16;

/** Capacity in bytes of a new buffer that has to hold `bytes`. */
export function roundedCapacity(bytes: number): number {
  if (bytes <= MIN_BYTES) return MIN_BYTES;
  const step = 2 ** Math.floor(Math.log2(bytes)) / STEPS;
  return Math.ceil(bytes / step) * step;
}

export class SpanBuffers {
  private free: SharedArrayBuffer[] = [];
  private held = 0;

  /** `limitBytes`: above it, free buffers that do not fit are given up before a new one is made. */
  constructor(private readonly limitBytes: number) {}

  /** Bytes of all buffers, taken and free. */
  get heldBytes(): number {
    return this.held;
  }

  /** A buffer of at least `bytes`: the smallest free one, else a new one. It still holds old data. */
  take(bytes: number): SharedArrayBuffer {
    const at = this.free.findIndex(({ byteLength }) => byteLength >= bytes);
    const [found] = at < 0 ? [] : this.free.splice(at, 1);
    if (found !== undefined) return found;
    const capacity = roundedCapacity(bytes);
    while (this.held + capacity > this.limitBytes && this.free.length > 0)
      this.held -= this.free.shift()?.byteLength ?? 0;
    this.held += capacity;
    return new SharedArrayBuffer(capacity);
  }

  /** Returns a buffer to the pool. */
  give(buffer: SharedArrayBuffer): void {
    const after = this.free.findIndex(({ byteLength }) => byteLength >= buffer.byteLength);
    this.free.splice(after < 0 ? this.free.length : after, 0, buffer);
  }
}
