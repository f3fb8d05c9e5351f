// Code for MD5 of one message, or of two side by side, in the processor's ordinary registers: each step of MD5 waits for the one before, and
// the steps of the other message fill the wait. On a Xeon (Sapphire Rapids) one is hashed at 0.62 GB/s, as by OpenSSL, and two at 1.12; for
// three or four (1.18, 1.15) there are not registers enough.
import { constantOf, rotationOf, wordOf } from './md5-rounds.js';
import type { Code, WasmFunction } from '../wasm/wasm-assembler.js';
import * as wasm from '../wasm/wasm-assembler.js';

/** Addresses, counted from the base, of a chain's words A, B, C, D, and of the address of its next block. */
export interface ChainPlace {
  readonly stateAt: number;
  readonly pointerAt: number;
}

const BLOCKS_LEFT = 0;
/** Locals of a chain: the address of its block, then A, B, C, D. */
const LOCALS = 5;
const WORDS = [0, 1, 2, 3] as const;
const pointerOf = (chain: number): number => 1 + chain * LOCALS;
const variableOf = (chain: number, index: number): number => pointerOf(chain) + 1 + (index & 3);

/** `name(blocks)` hashes that many blocks (at least 1) of every chain, and advances their pointers. */
export function chainFunction(
  name: string,
  base: Code,
  places: readonly ChainPlace[],
  blockBytes: number,
): WasmFunction {
  const each = (code: (chain: number, place: ChainPlace) => Code): Code =>
    places.map((place, chain) => code(chain, place)).join('');
  const words = (code: (word: number) => Code): Code => WORDS.map(code).join('');
  const step = (index: number): Code => each((chain) => stepCode(chain, index));
  const advance = (chain: number): Code => {
    const pointer = pointerOf(chain);
    return wasm.local_set(pointer, wasm.i32_add(wasm.local_get(pointer), wasm.i32_const(blockBytes)));
  };
  const body = wasm.sequence(
    each((chain, { stateAt, pointerAt }) =>
      wasm.sequence(
        wasm.local_set(pointerOf(chain), wasm.i32_load(base, pointerAt)),
        words((word) => wasm.local_set(variableOf(chain, word), wasm.i32_load(base, stateAt + word * 4))),
      ),
    ),
    wasm.loop_while(
      wasm.local_tee(BLOCKS_LEFT, wasm.i32_sub(wasm.local_get(BLOCKS_LEFT), wasm.i32_const(1))),
      wasm.sequence(
        ...Array.from({ length: 64 }, (_, index) => step(index)),
        each((chain, { stateAt }) => words((word) => addToState(base, variableOf(chain, word), stateAt + word * 4))),
        each(advance),
      ),
    ),
    each((chain, { pointerAt }) => wasm.i32_store(base, pointerAt, wasm.local_get(pointerOf(chain)))),
  );
  return { name, parameters: 1, locals: [[places.length * LOCALS, wasm.I32]], body };
}

/** The state before the block stays in memory: there are not registers enough for both. */
const addToState = (base: Code, variable: number, at: number): Code =>
  wasm.sequence(
    wasm.local_set(variable, wasm.i32_add(wasm.local_get(variable), wasm.i32_load(base, at))),
    wasm.i32_store(base, at, wasm.local_get(variable)),
  );

/** a = b + ((a + f(b, c, d) + word + constant) <<< rotation), where the four variables change roles from step to step. */
function stepCode(chain: number, step: number): Code {
  const role = (index: number): number => variableOf(chain, index + 64 - step);
  const [a, b, c, d] = [role(0), role(1), role(2), role(3)];
  const start = wasm.i32_add(
    wasm.i32_add(wasm.local_get(a), wasm.i32_const(constantOf(step))),
    wasm.i32_load(wasm.local_get(pointerOf(chain)), wordOf(step) * 4),
  );
  const sum = addRound(step >> 4, start, [wasm.local_get(b), wasm.local_get(c), wasm.local_get(d)]);
  return wasm.local_set(a, wasm.i32_add(wasm.i32_rotl(sum, rotationOf(step)), wasm.local_get(b)));
}

/** Adds F, G, H or I of the RFC to `start`, with as few operations as possible after x, which is known last. */
function addRound(round: number, start: Code, [x, y, z]: readonly [Code, Code, Code]): Code {
  const not = (value: Code): Code => wasm.i32_xor(value, wasm.i32_const(-1));
  switch (round) {
    case 0:
      return wasm.i32_add(start, wasm.i32_xor(z, wasm.i32_and(wasm.i32_xor(y, z), x)));
    case 1:
      // The halves have no bit in common, so they can be added.
      return wasm.i32_add(wasm.i32_add(start, wasm.i32_and(y, not(z))), wasm.i32_and(x, z));
    case 2:
      return wasm.i32_add(start, wasm.i32_xor(wasm.i32_xor(y, z), x));
    default:
      return wasm.i32_sub(start, wasm.i32_xor(y, wasm.i32_and(z, not(x))));
  }
}
