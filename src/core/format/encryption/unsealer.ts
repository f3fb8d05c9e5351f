// Opens an envelope while its bytes arrive in pieces. Passes on nothing that is not authenticated, and holds no more than a frame and a
// piece.
import { createDecipheriv } from 'node:crypto';
import { integrityError } from '../../platform/failures/errors.js';
import {
  CIPHER,
  checkPlace,
  FRAME_BYTES,
  frameAad,
  frameCount,
  frameNonce,
  headerLength,
  parseHeader,
  PREAMBLE_BYTES,
  TAG_BYTES,
} from './envelope.js';
import type { KeyContext, WrappedKey } from '../../store/key-service.js';

export interface UnsealOptions {
  /** Name for messages. */
  readonly what: string;
  /** Place that it is read from. */
  readonly place: string;
  readonly context: KeyContext;
  /** Opens its data key. */
  readonly openKey: (wrapped: WrappedKey) => Promise<Buffer>;
}

export class Unsealer {
  /** Known once the header was read. */
  kmsKeyId: string | undefined;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private opened: { readonly aad: Buffer; readonly dataKey: Buffer; readonly contentBytes: number } | undefined;
  private frames = 0;
  private frame = 0;

  constructor(private readonly options: UnsealOptions) {}

  /** Takes the next bytes; returns what could be opened. @throws integrity, unsupported, and what opening the key throws */
  async push(piece: Buffer): Promise<readonly Buffer[]> {
    this.held.push(piece);
    this.heldBytes += piece.length;
    if (this.opened === undefined && !(await this.readHeader())) return [];
    const opened: Buffer[] = [];
    while (this.frame < this.frames && this.heldBytes >= this.frameBytes()) opened.push(this.openFrame());
    if (this.frame === this.frames && this.heldBytes > 0)
      throw integrityError(`${this.options.what} has data after the end of the encrypted content`);
    return opened;
  }

  /** Call after the last bytes. @throws integrity when something is missing */
  finish(): void {
    if (this.opened !== undefined && this.frame === this.frames) return;
    const found = this.opened === undefined ? 'its encryption header' : `frame ${this.frame + 1} of ${this.frames}`;
    throw integrityError(`${this.options.what} is cut off in ${found}`);
  }

  private async readHeader(): Promise<boolean> {
    const { what, place, context, openKey } = this.options;
    if (this.heldBytes < PREAMBLE_BYTES) return false;
    const length = headerLength(this.peek(PREAMBLE_BYTES), what);
    if (this.heldBytes < length) return false;
    const bytes = this.take(length);
    const header = parseHeader(bytes, what);
    checkPlace(header, place, what);
    this.kmsKeyId = header.kmsKeyId;
    const dataKey = await openKey(header);
    this.opened = { aad: frameAad(bytes, context), dataKey, contentBytes: header.contentBytes };
    this.frames = frameCount(header.contentBytes);
    return true;
  }

  private frameBytes(): number {
    const left = (this.opened?.contentBytes ?? 0) - this.frame * FRAME_BYTES;
    return Math.min(FRAME_BYTES, left) + TAG_BYTES;
  }

  private openFrame(): Buffer {
    const bytes = this.take(this.frameBytes());
    const isLast = this.frame === this.frames - 1;
    const { aad, dataKey } = this.opened ?? { aad: Buffer.alloc(0), dataKey: Buffer.alloc(0) };
    const decipher = createDecipheriv(CIPHER, dataKey, frameNonce(this.frame, isLast));
    decipher.setAAD(aad);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    const content = decipher.update(bytes.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
    } catch (error) {
      throw integrityError(
        `${this.options.what} is damaged: frame ${this.frame + 1} of ${this.frames} was changed, or does not belong there`,
        { cause: error },
      );
    }
    this.frame++;
    return content;
  }

  private peek(length: number): Buffer {
    if ((this.held[0]?.length ?? 0) < length) this.held = [Buffer.concat(this.held)];
    return this.held[0]?.subarray(0, length) ?? Buffer.alloc(0);
  }

  private take(length: number): Buffer {
    const taken = this.peek(length);
    const rest = this.held[0]?.subarray(length);
    this.held = [...(rest === undefined || rest.length === 0 ? [] : [rest]), ...this.held.slice(1)];
    this.heldBytes -= length;
    return taken;
  }
}
