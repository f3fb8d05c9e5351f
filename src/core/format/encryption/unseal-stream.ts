// A stream of content: sealed bytes are decrypted on the way, all others pass unchanged. The first bytes tell which of the two it is.
import { Transform, type Readable } from 'node:stream';
import { isSealed, MAGIC_BYTES } from './envelope.js';
import { Unsealer, type UnsealOptions } from './unsealer.js';

export interface UnsealStreamOptions extends UnsealOptions {
  /** Gets the stored bytes as they arrive. */
  readonly onStored: (piece: Uint8Array) => void;
  /** Gets the ID of the key that the content is sealed with, before any of it is passed on. */
  readonly onSealed: (kmsKeyId: string) => void;
}

/** Opens `body` if it is sealed. Destroying the result destroys `body`; an error of `body` is an error of the result. */
export function unsealStream(body: Readable, options: UnsealStreamOptions): Readable {
  const opener = new Opener(options);
  const opened = new Transform({
    transform(piece: Buffer, _encoding, done) {
      options.onStored(piece);
      opener.push(piece).then(
        (pieces) => {
          for (const one of pieces) this.push(one);
          done();
        },
        (error: unknown) => done(error as Error),
      );
    },
    flush(done) {
      try {
        done(null, opener.finish());
      } catch (error) {
        done(error as Error);
      }
    },
    destroy(error, done) {
      body.destroy();
      done(error);
    },
  });
  body.on('error', (error) => opened.destroy(error));
  body.pipe(opened);
  return opened;
}

class Opener {
  private start = Buffer.alloc(0);
  private kind: 'unknown' | 'plain' | Unsealer = 'unknown';
  private isTold = false;

  constructor(private readonly options: UnsealStreamOptions) {}

  async push(piece: Buffer): Promise<readonly Buffer[]> {
    if (this.kind === 'plain') return [piece];
    if (this.kind !== 'unknown') return await this.unseal(this.kind, piece);
    this.start = Buffer.concat([this.start, piece]);
    if (this.start.length < MAGIC_BYTES) return [];
    this.kind = isSealed(this.start) ? new Unsealer(this.options) : 'plain';
    return this.kind === 'plain' ? [this.start] : await this.unseal(this.kind, this.start);
  }

  private async unseal(unsealer: Unsealer, piece: Buffer): Promise<readonly Buffer[]> {
    const opened = await unsealer.push(piece);
    if (!this.isTold && unsealer.kmsKeyId !== undefined) {
      this.isTold = true;
      this.options.onSealed(unsealer.kmsKeyId);
    }
    return opened;
  }

  /** Ends the input. Returns held bytes that are too few to be sealed. */
  finish(): Buffer | undefined {
    if (this.kind === 'unknown') return this.start;
    if (this.kind !== 'plain') this.kind.finish();
    return undefined;
  }
}
