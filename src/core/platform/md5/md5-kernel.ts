// MD5 (RFC 1321) of eight streams at once, as a WebAssembly module generated at load time. A v128 holds the same 32-bit variable of four
// streams (https://webassembly.github.io/spec/core/syntax/instructions.html#vector-instructions). Two such groups run interleaved: every
// step of MD5 waits for the previous one, and the other group's instructions fill the wait. Addresses are not checked: the caller must keep
// every pointer inside the memory.
import { type ChainPlace, chainFunction } from './chain-code.js';
import { constantOf, rotationOf, wordOf } from './md5-rounds.js';
import { RANGE_WORDS, type RangesLayout, rangesFunction } from './ranges-code.js';
import type { Code, WasmFunction } from '../wasm/wasm-assembler.js';
import * as wasm from '../wasm/wasm-assembler.js';

const GROUPS = 2;
export const LANES = GROUPS * 4;
export const BLOCK_BYTES = 64;

/** Layout of the module's memory. Vectors are aligned to 16 bytes. */
const CONSTANTS_AT = 0;
/** Words A, B, C, D of each group's four lanes. */
const STATE_AT = CONSTANTS_AT + 64 * 16;
/** Address of each lane's next block. */
export const POINTERS_AT = STATE_AT + GROUPS * 4 * 16;
/** The sixteen words of the current block, of each group's four lanes. */
const WORDS_AT = POINTERS_AT + GROUPS * 16;
/** The padded end of each lane's message: up to two blocks. */
const TAILS_AT = WORDS_AT + GROUPS * 16 * 16;
/** Two chains (chain-code.ts): states, then pointers. */
const CHAINS_AT = TAILS_AT + LANES * 2 * BLOCK_BYTES;
export const CHAIN_PLACES = [
  { stateAt: CHAINS_AT, pointerAt: CHAINS_AT + 32 },
  { stateAt: CHAINS_AT + 16, pointerAt: CHAINS_AT + 36 },
] as const satisfies readonly ChainPlace[];
/** For users of chains: the last bytes of a message with its padding, and what other threads see of it (md5-chain.ts). */
export const REST_AT = CHAINS_AT + BLOCK_BYTES;
export const OFFER_AT = REST_AT + 2 * BLOCK_BYTES;
/** Ranges that the lanes take one after another (ranges-code.ts), and how far each lane is. */
const LANES_AT = OFFER_AT + BLOCK_BYTES;
export const RANGES_AT = LANES_AT + 3 * LANES * 4;
export const MOST_RANGES = 1024;
export const DATA_AT = Math.ceil((RANGES_AT + MOST_RANGES * RANGE_WORDS * 4) / BLOCK_BYTES) * BLOCK_BYTES;
const RANGES_LAYOUT = {
  pointersAt: POINTERS_AT,
  leftAt: LANES_AT,
  paddingAt: LANES_AT + LANES * 4,
  rangeAt: LANES_AT + 2 * LANES * 4,
  statesAt: STATE_AT,
  tailsAt: TAILS_AT,
  tableAt: RANGES_AT,
  lanes: LANES,
  blockBytes: BLOCK_BYTES,
} as const satisfies RangesLayout;

/** Returns the address of word 0 to 3 of a lane's state: four lanes make a group, and each of its vectors has one word of all four. */
export const stateAddress = (lane: number, word: number): number =>
  STATE_AT + ((lane >> 2) * 4 + word) * 16 + (lane & 3) * 4;

const BLOCKS_LEFT = 0;
const FIRST_POINTER = 1;
const FIRST_VECTOR = FIRST_POINTER + LANES;
const VECTORS_OF_GROUP = 10;

/** Writes the additive constants, four times each as the steps load them. */
export function writeConstants(memory: ArrayBufferLike, base: number): void {
  const view = new DataView(memory, base);
  for (let step = 0; step < 64; step++) {
    for (let lane = 0; lane < 4; lane++) view.setUint32(CONSTANTS_AT + step * 16 + lane * 4, constantOf(step), true);
  }
}

/** Returns the module, with its layout from address `base` on; `sharedPages`: in an imported memory of this size, instead of its own. */
export function assembleKernel(base = 0, sharedPages?: number): Buffer<ArrayBuffer> {
  const [first] = CHAIN_PLACES;
  const at = wasm.i32_const(base);
  const functions = [
    compressFunction(at),
    tailFunction(),
    chainFunction('alone', at, [first], BLOCK_BYTES),
    chainFunction('both', at, CHAIN_PLACES, BLOCK_BYTES),
    rangesFunction(at, RANGES_LAYOUT, { compress: 0, tail: 1 }),
  ];
  return wasm.assembleModule(sharedPages === undefined ? { pages: 1 } : { sharedPages }, functions);
}

/** `compress(blocks)` hashes that many blocks (at least 1) of every lane and advances the pointers. */
function compressFunction(base: Code): WasmFunction {
  const body = wasm.sequence(
    each(LANES, (lane) => wasm.local_set(FIRST_POINTER + lane, wasm.i32_load(base, POINTERS_AT + lane * 4))),
    wasm.loop_while(
      wasm.local_tee(BLOCKS_LEFT, wasm.i32_sub(wasm.local_get(BLOCKS_LEFT), wasm.i32_const(1))),
      wasm.sequence(
        each(GROUPS, (group) =>
          each(4, (v) => wasm.local_set(local(group, v), wasm.v128_load(base, stateAt(group, v)))),
        ),
        each(64, (step) =>
          wasm.sequence(
            step < 16 && step % 4 === 0 ? each(GROUPS, (group) => transpose(base, group, step)) : '',
            each(GROUPS, (group) => stepCode(base, group, step)),
          ),
        ),
        each(GROUPS, (group) => each(4, (v) => addToState(base, group, v))),
        each(LANES, (lane) => advance(FIRST_POINTER + lane)),
      ),
    ),
    each(LANES, (lane) => wasm.i32_store(base, POINTERS_AT + lane * 4, wasm.local_get(FIRST_POINTER + lane))),
  );
  const locals = [
    [LANES, wasm.I32],
    [GROUPS * VECTORS_OF_GROUP, wasm.V128],
  ] as const;
  return { name: 'compress', parameters: 1, locals, body };
}

function each(count: number, code: (index: number) => Code): Code {
  let all = '';
  for (let index = 0; index < count; index++) all += code(index);
  return all;
}

const advance = (pointer: number): Code =>
  wasm.local_set(pointer, wasm.i32_add(wasm.local_get(pointer), wasm.i32_const(BLOCK_BYTES)));

/** Vector locals of a group: A, B, C, D, and six temporaries. */
const local = (group: number, index: number): number => FIRST_VECTOR + group * VECTORS_OF_GROUP + index;
const stateAt = (group: number, variable: number): number => STATE_AT + (group * 4 + variable) * 16;
const wordAt = (group: number, word: number): number => WORDS_AT + (group * 16 + word) * 16;

function addToState(base: Code, group: number, variable: number): Code {
  const at = stateAt(group, variable);
  return wasm.v128_store(base, at, wasm.i32x4_add(wasm.v128_load(base, at), wasm.local_get(local(group, variable))));
}

/** Transposes words `first` to `first + 3` of four lanes, from one row per lane to one row per word. */
function transpose(base: Code, group: number, first: number): Code {
  const lows = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
  const lowHalves = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
  const highs = lows.map((byte) => byte + 8);
  const highHalves = lowHalves.map((byte) => byte + 8);
  const rows = [0, 1, 2, 3].map((row) => local(group, 4 + row));
  const [left, right] = [local(group, 8), local(group, 9)];
  const row = (index: number): Code => wasm.local_get(rows[index] ?? 0);
  const pair = (a: number, b: number, from: readonly number[]): Code => wasm.i8x16_shuffle(row(a), row(b), from);
  const put = (word: number, from: readonly number[]): Code =>
    wasm.v128_store(
      base,
      wordAt(group, first + word),
      wasm.i8x16_shuffle(wasm.local_get(left), wasm.local_get(right), from),
    );
  const load = (lane: number): Code =>
    wasm.v128_load_unaligned(wasm.local_get(FIRST_POINTER + group * 4 + lane), first * 4);
  return wasm.sequence(
    ...rows.map((row, lane) => wasm.local_set(row, load(lane))),
    wasm.local_set(left, pair(0, 1, lows)) + wasm.local_set(right, pair(2, 3, lows)),
    put(0, lowHalves) + put(1, highHalves),
    wasm.local_set(left, pair(0, 1, highs)) + wasm.local_set(right, pair(2, 3, highs)),
    put(2, lowHalves) + put(3, highHalves),
  );
}

/** a = b + ((a + f(b, c, d) + word + constant) <<< rotation), where the four variables change roles from step to step. */
function stepCode(base: Code, group: number, step: number): Code {
  const round = step >> 4;
  const role = (index: number): number => local(group, (index + 64 - step) & 3);
  const [a, b, c, d] = [role(0), role(1), role(2), role(3)];
  const sum = local(group, 4);
  const word = wordOf(step);
  const rotation = rotationOf(step);
  const start = wasm.i32x4_add(
    wasm.i32x4_add(wasm.local_get(a), wasm.v128_load(base, CONSTANTS_AT + step * 16)),
    wasm.v128_load(base, wordAt(group, word)),
  );
  const [x, y, z] = [wasm.local_get(b), wasm.local_get(c), wasm.local_get(d)];
  const rotated = wasm.v128_or(
    wasm.i32x4_shl(wasm.local_get(sum), rotation),
    wasm.i32x4_shr_u(wasm.local_get(sum), 32 - rotation),
  );
  return wasm.local_set(sum, addRound(round, start, [x, y, z])) + wasm.local_set(a, wasm.i32x4_add(rotated, x));
}

/** Adds F, G, H or I of the RFC to `start`, with as few operations as possible after x, which is known last. */
function addRound(round: number, start: Code, [x, y, z]: readonly [Code, Code, Code]): Code {
  switch (round) {
    case 0:
      // F = xy | ~x z = z ^ (x & (y ^ z))
      return wasm.i32x4_add(start, wasm.v128_xor(z, wasm.v128_and(wasm.v128_xor(y, z), x)));
    case 1:
      // G = xz | y ~z: the halves have no bit in common, so they can be added
      return wasm.i32x4_add(wasm.i32x4_add(start, wasm.v128_andnot(y, z)), wasm.v128_and(x, z));
    case 2:
      return wasm.i32x4_add(start, wasm.v128_xor(wasm.v128_xor(y, z), x));
    default:
      // I, of which the 1 is in the constant
      return wasm.i32x4_sub(start, wasm.v128_xor(y, wasm.v128_andnot(z, x)));
  }
}

/** `tail(from, count, to)` writes a block of the last `count` (0 to 63) bytes, the bit that ends the message, and zeros. */
function tailFunction(): WasmFunction {
  const [from, count, to, splat] = [0, 1, 2, 3];
  const piece = (at: number): Code => {
    const positions = wasm.v128_const(Array.from({ length: 16 }, (_, byte) => at + byte));
    const limit = wasm.local_get(splat);
    return wasm.v128_store(
      wasm.local_get(to),
      at,
      wasm.v128_or(
        wasm.v128_and(wasm.v128_load_unaligned(wasm.local_get(from), at), wasm.i8x16_lt_u(positions, limit)),
        wasm.v128_and(wasm.i8x16_eq(positions, limit), wasm.i8x16_splat(wasm.i32_const(0x80))),
      ),
    );
  };
  const body = wasm.local_set(splat, wasm.i8x16_splat(wasm.local_get(count))) + [0, 16, 32, 48].map(piece).join('');
  return { name: 'tail', parameters: 3, locals: [[1, wasm.V128]], body };
}
