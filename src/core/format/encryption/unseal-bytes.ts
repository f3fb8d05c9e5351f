// Opens an envelope that was read whole.
import { isSealed } from './envelope.js';
import { Unsealer, type UnsealOptions } from './unsealer.js';

export interface OpenedBytes {
  readonly bytes: Buffer;
  /** ID of the key that the bytes were sealed with; undefined when they were not sealed. */
  readonly sealedBy?: string;
}

/** Opens sealed bytes; returns others unchanged. @throws integrity, unsupported, and what opening the key throws */
export async function unsealBytes(stored: Buffer, options: UnsealOptions): Promise<OpenedBytes> {
  if (!isSealed(stored)) return { bytes: stored };
  const unsealer = new Unsealer(options);
  const bytes = Buffer.concat(await unsealer.push(stored));
  unsealer.finish();
  return { bytes, ...(unsealer.kmsKeyId === undefined ? {} : { sealedBy: unsealer.kmsKeyId }) };
}
