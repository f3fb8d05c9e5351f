// Just enough of the WebAssembly binary format (https://webassembly.github.io/spec/core/binary/) to write a module with one memory and a
// few functions. An instruction is a function from its operands' code to its own code, so that a nested call reads like an expression and
// produces the stack machine's order. Nothing is checked here: the engine validates the module. Instruction names are the specification's,
// with an underscore for the dot.

/** Bytes of instructions, one per character: the engine joins strings faster than cold code joins arrays. */
export type Code = string;

export interface WasmFunction {
  readonly name: string;
  /** Number of i32 parameters: the function's first locals. */
  readonly parameters: number;
  /** True for one that leaves an i32; others have no result. */
  readonly hasResult?: boolean;
  /** Locals after the parameters: number and type. */
  readonly locals: readonly (readonly [count: number, type: Code])[];
  readonly body: Code;
}

/** Value types. */
export const I32: Code = '\x7f';
export const F64: Code = '\x7c';
export const V128: Code = '\x7b';

/** Concatenates code. */
export const sequence = (...parts: readonly Code[]): Code => parts.join('');

const bytes = (values: readonly number[]): Code => String.fromCharCode(...values);

/** Unsigned LEB128. */
function unsigned(value: number): Code {
  let code = '';
  let rest = value;
  for (; rest >= 0x80; rest >>>= 7) code += String.fromCharCode((rest & 0x7f) | 0x80);
  return code + String.fromCharCode(rest);
}

/** Signed LEB128 of 32 bits. */
const signed = (value: number): Code => signedLong(BigInt(value | 0));

/** Signed LEB128 of 64 bits. */
function signedLong(value: bigint): Code {
  let code = '';
  let rest = value;
  for (; rest < -0x40n || rest > 0x3fn; rest >>= 7n) code += String.fromCharCode(Number(rest & 0x7fn) | 0x80);
  return code + String.fromCharCode(Number(rest & 0x7fn));
}

export const local_get = (index: number): Code => '\x20' + unsigned(index);
export const local_set = (index: number, value: Code): Code => value + '\x21' + unsigned(index);
export const local_tee = (index: number, value: Code): Code => value + '\x22' + unsigned(index);
/** Runs `body`, and repeats it while `condition`, evaluated after it, is not zero: a `loop` without result, and `br_if 0`. */
export const loop_while = (condition: Code, body: Code): Code => '\x03\x40' + body + condition + '\x0d\x00\x0b';

/** Runs `body` while `condition` is not zero, which is evaluated first: a `loop` in a `block`. */
export const while_loop = (condition: Code, body: Code): Code =>
  '\x02\x40\x03\x40' + condition + '\x45\x0d\x01' + body + '\x0c\x00\x0b\x0b';
/** Runs `then` if `condition` is not zero, otherwise `or`. */
export const if_else = (condition: Code, then: Code, or: Code = ''): Code =>
  condition + '\x04\x40' + then + (or === '' ? '' : '\x05' + or) + '\x0b';
/** `return`: ends the function with this result. */
export const returning = (value: Code): Code => value + '\x0f';
/** Calls the function with this position in the module. */
export const call = (index: number, ...operands: readonly Code[]): Code => operands.join('') + '\x10' + unsigned(index);

export const i32_const = (value: number): Code => '\x41' + signed(value);
export const i32_eqz = (a: Code): Code => a + '\x45';
export const i32_eq = (a: Code, b: Code): Code => a + b + '\x46';
export const i32_ne = (a: Code, b: Code): Code => a + b + '\x47';
export const i32_lt_u = (a: Code, b: Code): Code => a + b + '\x49';
export const i32_gt_u = (a: Code, b: Code): Code => a + b + '\x4b';
export const i32_ge_u = (a: Code, b: Code): Code => a + b + '\x4f';
export const i32_mul = (a: Code, b: Code): Code => a + b + '\x6c';
export const i32_div_u = (a: Code, b: Code): Code => a + b + '\x6e';
export const i32_rem_u = (a: Code, b: Code): Code => a + b + '\x70';
export const i32_or = (a: Code, b: Code): Code => a + b + '\x72';
export const i32_shl = (a: Code, b: Code): Code => a + b + '\x74';
export const i32_shr_u = (a: Code, b: Code): Code => a + b + '\x76';
export const i32_add = (a: Code, b: Code): Code => a + b + '\x6a';
export const i32_sub = (a: Code, b: Code): Code => a + b + '\x6b';
export const i32_and = (a: Code, b: Code): Code => a + b + '\x71';
export const i32_xor = (a: Code, b: Code): Code => a + b + '\x73';
export const i32_rotl = (a: Code, count: number): Code => a + i32_const(count) + '\x77';

/** Encodes alignment and offset. Alignment is a power of two and only a hint for speed. */
const access = (alignment: number, offset: number): Code => unsigned(alignment) + unsigned(offset);

export const i32_load = (address: Code, offset: number): Code => address + '\x28' + access(2, offset);
export const i32_store = (address: Code, offset: number, value: Code): Code =>
  address + value + '\x36' + access(2, offset);

export const i32_load_unaligned = (address: Code, offset: number): Code => address + '\x28' + access(0, offset);
export const i32_load8_u = (address: Code, offset: number): Code => address + '\x2d' + access(0, offset);
export const i32_load16_u = (address: Code, offset: number): Code => address + '\x2f' + access(0, offset);
export const i32_store8 = (address: Code, offset: number, value: Code): Code =>
  address + value + '\x3a' + access(0, offset);
export const i32_store16 = (address: Code, offset: number, value: Code): Code =>
  address + value + '\x3b' + access(1, offset);

export const i64_load_unaligned = (address: Code, offset: number): Code => address + '\x29' + access(0, offset);
export const i64_const = (value: bigint): Code => '\x42' + signedLong(BigInt.asIntN(64, value));
export const i64_ne = (a: Code, b: Code): Code => a + b + '\x52';

export const f64_load = (address: Code, offset: number): Code => address + '\x2b' + access(3, offset);
export const f64_store = (address: Code, offset: number, value: Code): Code =>
  address + value + '\x39' + access(3, offset);
/** A number that is an i32. */
export const f64_const = (value: number): Code => f64_convert_i32_s(i32_const(value));
export const f64_gt = (a: Code, b: Code): Code => a + b + '\x64';
export const f64_ge = (a: Code, b: Code): Code => a + b + '\x66';
export const f64_add = (a: Code, b: Code): Code => a + b + '\xa0';
export const f64_mul = (a: Code, b: Code): Code => a + b + '\xa2';
export const f64_convert_i32_s = (a: Code): Code => a + '\xb7';
export const f64_convert_i32_u = (a: Code): Code => a + '\xb8';
/** Traps for a number that is no i32 without sign. */
export const i32_trunc_f64_u = (a: Code): Code => a + '\xab';

/**
 * Encodes a SIMD instruction; they share a prefix (https://webassembly.github.io/spec/core/binary/instructions.html#vector-instructions).
 */
const vector = (opcode: number, operands: Code): Code => operands + '\xfd' + unsigned(opcode);

export const v128_load = (address: Code, offset: number): Code => vector(0x00, address) + access(4, offset);
export const v128_load_unaligned = (address: Code, offset: number): Code => vector(0x00, address) + access(0, offset);
export const v128_store = (address: Code, offset: number, value: Code): Code =>
  vector(0x0b, address + value) + access(4, offset);
export const v128_const = (values: readonly number[]): Code => vector(0x0c, '') + bytes(values);
/** Byte i of the result is byte `from[i]` of a followed by b. */
export const i8x16_shuffle = (a: Code, b: Code, from: readonly number[]): Code => vector(0x0d, a + b) + bytes(from);
export const i8x16_splat = (a: Code): Code => vector(0x0f, a);
export const i8x16_eq = (a: Code, b: Code): Code => vector(0x23, a + b);
export const i8x16_lt_u = (a: Code, b: Code): Code => vector(0x26, a + b);
export const v128_and = (a: Code, b: Code): Code => vector(0x4e, a + b);
/** a and not b. */
export const v128_andnot = (a: Code, b: Code): Code => vector(0x4f, a + b);
export const v128_or = (a: Code, b: Code): Code => vector(0x50, a + b);
export const v128_xor = (a: Code, b: Code): Code => vector(0x51, a + b);
export const i32x4_shl = (a: Code, count: number): Code => vector(0xab, a + i32_const(count));
export const i32x4_shr_u = (a: Code, count: number): Code => vector(0xad, a + i32_const(count));
export const i32x4_add = (a: Code, b: Code): Code => vector(0xae, a + b);
export const i32x4_sub = (a: Code, b: Code): Code => vector(0xb1, a + b);

const sized = (content: Code): Code => unsigned(content.length) + content;
const list = (items: readonly Code[]): Code => unsigned(items.length) + items.join('');
const section = (id: number, items: readonly Code[]): Code => unsigned(id) + sized(list(items));

/** A memory of `pages` × 64 KiB that can grow, or one of `sharedPages` that threads share, which is imported as `env.memory`. */
export type ModuleMemory = { readonly pages: number } | { readonly sharedPages: number };

/** Returns the module's bytes: the functions and `memory` are exported by name. */
export function assembleModule(memory: ModuleMemory, functions: readonly WasmFunction[]): Buffer<ArrayBuffer> {
  const shared = (pages: number): Code => '\x02\x03' + unsigned(pages) + unsigned(pages);
  const type = ({ parameters, hasResult }: WasmFunction): Code =>
    '\x60' + sized(I32.repeat(parameters)) + list(hasResult === true ? [I32] : []);
  const code = ({ locals, body }: WasmFunction): Code =>
    sized(list(locals.map(([count, type]) => unsigned(count) + type)) + body + '\x0b');
  const module = sequence(
    '\0asm\x01\0\0\0',
    section(1, functions.map(type)),
    'sharedPages' in memory ? section(2, [sized('env') + sized('memory') + shared(memory.sharedPages)]) : '',
    section(
      3,
      functions.map((_, index) => unsigned(index)),
    ),
    'pages' in memory ? section(5, ['\0' + unsigned(memory.pages)]) : '',
    section(7, [
      sized('memory') + '\x02\0',
      ...functions.map(({ name }, index) => sized(name) + '\0' + unsigned(index)),
    ]),
    section(10, functions.map(code)),
  );
  return Buffer.from(module, 'latin1');
}
