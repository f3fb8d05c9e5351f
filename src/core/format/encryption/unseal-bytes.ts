// Opens an envelope that was read whole.
import { isSealed } from './envelope.js';
import { Unsealer, type UnsealOptions } from './unsealer.js';

export interface OpenedBytes {
  readonly bytes: Buffer;
  /** The key that they were sealed with; undefined when they were not. */
  readonly sealedBy?: string;
}

/** Opens bytes that are sealed; gives others back. @throws integrity, unsupported, and what opening the key throws */
export async function unsealBytes(stored: Buffer, options: UnsealOptions): Promise<OpenedBytes> {
  if (!isSealed(stored)) return { bytes: stored };
  const unsealer = new Unsealer(options);
  const bytes = Buffer.concat(await unsealer.push(stored));
  unsealer.finish();
  return { bytes, ...(unsealer.kmsKeyId === undefined ? {} : { sealedBy: unsealer.kmsKeyId }) };
}
