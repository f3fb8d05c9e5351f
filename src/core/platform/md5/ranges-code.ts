// Code that gives ranges to the lanes of md5-kernel.ts one after another: in WebAssembly, because it runs a few times for each small file, and
// JavaScript would be slow until V8 has compiled it, in every thread (docs/decisions/104).
import { INITIAL_STATE, LENGTH_BYTES } from './md5-rounds.js';
import type { Code, WasmFunction } from '../wasm/wasm-assembler.js';
import * as wasm from '../wasm/wasm-assembler.js';

/** Of a range in the table: its address and length, then the words of its digest. */
export const RANGE_WORDS = 6;
const RANGE_BYTES = RANGE_WORDS * 4;
const DIGEST_AT = 8;

/** Addresses, counted from the base. */
export interface RangesLayout {
  /** For each lane: the address of its next block, its blocks that are left, the blocks of its padding, and its range in the table. */
  readonly pointersAt: number;
  readonly leftAt: number;
  readonly paddingAt: number;
  readonly rangeAt: number;
  /** The state of the first lane; four lanes make a group, each of whose vectors has one word of all four. */
  readonly statesAt: number;
  /** The padded end of each lane's message: two blocks. */
  readonly tailsAt: number;
  readonly tableAt: number;
  readonly lanes: number;
  readonly blockBytes: number;
}

/** Positions in the module of `compress(blocks)` and `tail(from, count, to)`. */
export interface RangesCalls {
  readonly compress: number;
  readonly tail: number;
}

const { local_get: get, local_set: set, i32_const: int, i32_add: add, i32_sub: sub, sequence } = wasm;
const WORDS = [0, 1, 2, 3] as const;
/** More blocks than any range has. */
const NO_LANE = -1;

/** `ranges(count)` hashes the ranges of the table and writes their digests into it. */
export function rangesFunction(base: Code, layout: RangesLayout, calls: RangesCalls): WasmFunction {
  const { blockBytes } = layout;
  const shift = Math.log2(blockBytes);
  // `lane` is the number of the lane times 4.
  const [count, lane, next, blocks, range, length, rest, tail, end] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const ofLane = add(base, get(lane));
  const load = (at: number): Code => wasm.i32_load(ofLane, at);
  const store = (at: number, value: Code): Code => wasm.i32_store(ofLane, at, value);
  const eachLane = (body: Code): Code =>
    sequence(
      set(lane, int(0)),
      wasm.loop_while(wasm.i32_lt_u(wasm.local_tee(lane, add(get(lane), int(4))), int(layout.lanes * 4)), body),
    );
  const group = wasm.i32_shl(wasm.i32_shr_u(get(lane), int(4)), int(6));
  const state = add(base, add(group, wasm.i32_and(get(lane), int(15))));
  const tailOfLane = add(base, wasm.i32_shl(get(lane), int(shift - 1)));
  const beginTail = sequence(
    store(layout.pointersAt, add(tailOfLane, int(layout.tailsAt))),
    store(layout.leftAt, load(layout.paddingAt)),
    store(layout.paddingAt, int(0)),
  );
  // The remainder of the message with its padding (RFC 1321, 3.1 and 3.2) is built apart; blocks before it are read in place.
  const begin = sequence(
    set(range, add(add(base, int(layout.tableAt)), wasm.i32_mul(get(next), int(RANGE_BYTES)))),
    set(next, add(get(next), int(1))),
    store(layout.rangeAt, get(range)),
    ...WORDS.map((word) => wasm.i32_store(state, layout.statesAt + 16 * word, int(INITIAL_STATE[word]))),
    set(length, wasm.i32_load(get(range), 4)),
    set(rest, wasm.i32_and(get(length), int(blockBytes - 1))),
    set(tail, add(tailOfLane, int(layout.tailsAt))),
    wasm.call(calls.tail, sub(add(wasm.i32_load(get(range), 0), get(length)), get(rest)), get(rest), get(tail)),
    store(layout.paddingAt, add(int(1), wasm.i32_ge_u(get(rest), int(blockBytes - LENGTH_BYTES)))),
    set(end, add(get(tail), wasm.i32_shl(load(layout.paddingAt), int(shift)))),
    wasm.i32_store(sub(get(end), int(LENGTH_BYTES)), 0, wasm.i32_shl(get(length), int(3))),
    wasm.i32_store(sub(get(end), int(LENGTH_BYTES)), 4, wasm.i32_shr_u(get(length), int(29))),
    wasm.if_else(
      wasm.i32_ne(get(length), get(rest)),
      sequence(
        store(layout.pointersAt, wasm.i32_load(get(range), 0)),
        store(layout.leftAt, wasm.i32_shr_u(get(length), int(shift))),
      ),
      beginTail,
    ),
  );
  const finish = WORDS.map((word) =>
    wasm.i32_store(get(range), DIGEST_AT + 4 * word, wasm.i32_load(state, layout.statesAt + 16 * word)),
  ).join('');
  // When a lane comes to the end of its blocks, all stop, and it continues with its padding or the next range.
  const attend = wasm.if_else(
    load(layout.paddingAt),
    beginTail,
    sequence(
      set(range, load(layout.rangeAt)),
      wasm.if_else(get(range), finish),
      wasm.if_else(wasm.i32_lt_u(get(next), get(count)), begin, store(layout.rangeAt, int(0))),
    ),
  );
  const isIdle = wasm.i32_eqz(load(layout.leftAt));
  // An idle lane runs along at address 0: the memory is longer than any range.
  const fewest = wasm.if_else(
    isIdle,
    store(layout.pointersAt, int(0)),
    wasm.if_else(wasm.i32_lt_u(load(layout.leftAt), get(blocks)), set(blocks, load(layout.leftAt))),
  );
  const body = sequence(
    eachLane(sequence(...[layout.leftAt, layout.paddingAt, layout.rangeAt].map((at) => store(at, int(0))))),
    wasm.loop_while(
      int(1),
      sequence(
        eachLane(wasm.if_else(isIdle, attend)),
        set(blocks, int(NO_LANE)),
        eachLane(fewest),
        wasm.if_else(wasm.i32_eq(get(blocks), int(NO_LANE)), wasm.returning('')),
        wasm.call(calls.compress, get(blocks)),
        eachLane(wasm.if_else(load(layout.leftAt), store(layout.leftAt, sub(load(layout.leftAt), get(blocks))))),
      ),
    ),
  );
  return { name: 'ranges', parameters: 1, locals: [[8, wasm.I32]], body };
}
