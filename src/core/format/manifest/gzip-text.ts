// Text that is gzipped, while it is made or at once, for manifests.
import { once } from 'node:events';
import { createGzip, gzipSync } from 'node:zlib';

const PIECE = 1 << 18;
// Level 6 makes a manifest 8 % smaller than level 4 and takes twice as long.
const GZIP_LEVEL = 4;
/** Bytes of each buffer of what is compressed; by default zlib comes back to this thread for each 16 KiB. */
const OUTPUT = 1 << 16;

/** Gzips text as it comes; the result is one gzip member. */
export class GzipText {
  private readonly gzip = createGzip({ level: GZIP_LEVEL, chunkSize: OUTPUT });
  private readonly parts: Buffer[] = [];
  private readonly ended = once(this.gzip, 'end');
  private text = '';
  /** Of the last two pieces, so that one is made while the one before it is compressed. */
  private passed: readonly Promise<void>[] = [];

  constructor() {
    this.gzip.on('data', (part: Buffer) => this.parts.push(part));
  }

  /** Adds text. When it returns false, wait for `drained` before adding more. */
  add(text: string): boolean {
    this.text += text;
    if (this.text.length < PIECE) return true;
    this.pass();
    return false;
  }

  private pass(): void {
    const { text } = this;
    this.text = '';
    // Whoever waits for the end is told what went wrong.
    const compressed = new Promise<void>((resolve) => this.gzip.write(text, () => resolve()));
    this.passed = [...this.passed.slice(-1), compressed];
  }

  async drained(): Promise<void> {
    if (this.passed.length > 1) await this.passed[0];
  }

  /** Called once: what was compressed is kept by whoever gets it. */
  async finish(): Promise<Buffer> {
    this.gzip.end(this.text);
    await this.ended;
    return Buffer.concat(this.parts.splice(0));
  }

  /** Frees the memory of the compressor when the text is no longer wanted. */
  destroy(): void {
    this.gzip.destroy();
  }
}

/** Gzips a text: a short one in this thread, which takes less than asking another one for it. */
export async function gzipText(text: string): Promise<Buffer> {
  if (text.length < PIECE) return gzipSync(text, { level: GZIP_LEVEL });
  const gzip = new GzipText();
  gzip.add(text);
  return await gzip.finish();
}
