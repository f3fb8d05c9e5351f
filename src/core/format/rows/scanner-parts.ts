// What the functions of scanner-code.ts and scanner-values.ts are made of.
import type { Code } from '../../platform/wasm/wasm-assembler.js';
import * as wasm from '../../platform/wasm/wasm-assembler.js';
import { STATE_AT } from './scanner-layout.js';

export const { local_get: get, local_set: set, i32_const: int, i32_add: add, i32_sub: sub } = wasm;
export const byteAt = (address: Code, offset = 0): Code => wasm.i32_load8_u(address, offset);
export const code = (character: string): number => character.charCodeAt(0);
export const is = (byte: Code, character: string): Code => wasm.i32_eq(byte, int(code(character)));
export const isNot = (byte: Code, character: string): Code => wasm.i32_ne(byte, int(code(character)));
export const failIf = (condition: Code): Code => wasm.if_else(condition, wasm.returning(int(0)));
export const anyOf = (...conditions: readonly Code[]): Code => conditions.reduce((all, one) => wasm.i32_or(all, one));
export const both = wasm.i32_and;
export const increment = (local: number, by = 1): Code => set(local, add(get(local), int(by)));
export const stateOf = (name: keyof typeof STATE_AT): Code => wasm.i32_load(int(0), STATE_AT[name]);

/** Not zero where the bytes at an address differ from `text`. */
export function differs(address: Code, text: string): Code {
  const bytes = Buffer.from(text, 'latin1');
  const parts: Code[] = [];
  for (let at = 0; at < bytes.length;) {
    const left = bytes.length - at;
    if (left >= 8)
      parts.push(wasm.i64_ne(wasm.i64_load_unaligned(address, at), wasm.i64_const(bytes.readBigUInt64LE(at))));
    else if (left >= 4) parts.push(wasm.i32_ne(wasm.i32_load_unaligned(address, at), int(bytes.readUInt32LE(at))));
    else if (left >= 2) parts.push(wasm.i32_ne(wasm.i32_load16_u(address, at), int(bytes.readUInt16LE(at))));
    else parts.push(wasm.i32_ne(byteAt(address, at), int(bytes[at] ?? 0)));
    at += left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
  }
  return anyOf(...parts);
}

export const isControl = (byte: Code): Code => wasm.i32_lt_u(byte, int(code(' ')));

/** Positions of the functions in the module. */
export const [TEXT, PATH, COUNT, DIGITS, TIME, HEX, AFTER, LINE] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
