// CRC-32 of zip and gzip. Node has it from 20.15 on; before that it is made here, a byte at a time.
import * as zlib from 'node:zlib';

type Native = (bytes: Uint8Array, before: number) => number;

const POLYNOMIAL = 0xedb88320;
const native: unknown = Reflect.get(zlib, 'crc32');
const isNative = (found: unknown): found is Native => typeof found === 'function';

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ POLYNOMIAL : value >>> 1;
  return value;
});

/** The checksum of bytes that come in pieces. */
export class Crc32 {
  value = 0;

  constructor(private readonly update1: Native = isNative(native) ? native : crc32) {}

  update(bytes: Uint8Array): void {
    this.value = this.update1(bytes, this.value);
  }
}

/** Continues a checksum. */
export function crc32(bytes: Uint8Array, before: number): number {
  let value = ~before;
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  return ~value >>> 0;
}
