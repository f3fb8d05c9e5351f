// The functions of scanner-code.ts for values in a line: each returns where its value ends, and 0 for something else.
import type { Code, WasmFunction } from '../../platform/wasm/wasm-assembler.js';
import * as wasm from '../../platform/wasm/wasm-assembler.js';
import { HEX_AT, MAX_PATH_BYTES, STATE_AT } from './scanner-layout.js';
import {
  DIGITS,
  add,
  anyOf,
  both,
  byteAt,
  code,
  failIf,
  get,
  increment,
  int,
  is,
  isControl,
  isNot,
  set,
  sub,
} from './scanner-parts.js';

/** `text(at)`: where the quote behind a text without escapes is; 0 for another. */
export function textFunction(): WasmFunction {
  const [at, byte] = [0, 1];
  const body = wasm.sequence(
    set(byte, byteAt(get(at))),
    wasm.while_loop(
      isNot(get(byte), '"'),
      wasm.sequence(
        failIf(anyOf(isControl(get(byte)), is(get(byte), '\\'))),
        increment(at),
        set(byte, byteAt(get(at))),
      ),
    ),
    get(at),
  );
  return { name: 'text', parameters: 1, hasResult: true, locals: [[1, wasm.I32]], body };
}

/** `path(at, to)`: copies a path in which path-rules.ts finds nothing wrong, and returns as `text` does. */
export function pathFunction(): WasmFunction {
  const [at, to, byte, before, from] = [0, 1, 2, 3, 4];
  const body = wasm.sequence(
    failIf(is(byteAt(get(at), 1), ':')), // the letter of a drive
    set(from, get(at)),
    set(before, int(code('/'))),
    set(byte, byteAt(get(at))),
    wasm.while_loop(
      isNot(get(byte), '"'),
      wasm.sequence(
        failIf(anyOf(isControl(get(byte)), is(get(byte), '\\'))),
        failIf(both(is(get(before), '/'), anyOf(is(get(byte), '/'), is(get(byte), '.')))),
        wasm.i32_store8(get(to), 0, get(byte)),
        set(before, get(byte)),
        increment(to),
        increment(at),
        set(byte, byteAt(get(at))),
      ),
    ),
    failIf(is(get(before), '/')), // also when there is no path
    failIf(wasm.i32_gt_u(sub(get(at), get(from)), int(MAX_PATH_BYTES))),
    get(at),
  );
  return { name: 'path', parameters: 2, hasResult: true, locals: [[3, wasm.I32]], body };
}

/** `count(at)`: puts a number of at most 15 digits into the state; where it ends, 0 for something else. */
export function countFunction(): WasmFunction {
  const [at, digit, from, value] = [0, 1, 2, 3];
  const next = set(digit, sub(byteAt(get(at)), int(code('0'))));
  const body = wasm.sequence(
    set(from, get(at)),
    next,
    wasm.while_loop(
      wasm.i32_lt_u(get(digit), int(10)),
      wasm.sequence(
        set(value, wasm.f64_add(wasm.f64_mul(get(value), wasm.f64_const(10)), wasm.f64_convert_i32_u(get(digit)))),
        increment(at),
        next,
      ),
    ),
    failIf(wasm.i32_ge_u(sub(sub(get(at), get(from)), int(1)), int(15))),
    wasm.f64_store(int(0), STATE_AT.count, get(value)),
    get(at),
  );
  const locals = [
    [2, wasm.I32],
    [1, wasm.F64],
  ] as const;
  return { name: 'count', parameters: 1, hasResult: true, locals, body };
}

/** `digits(at, number)`: the value of so many digits, at most nine; -1 for something else. */
export function digitsFunction(): WasmFunction {
  const [at, number, value, digit] = [0, 1, 2, 3];
  const body = wasm.sequence(
    wasm.while_loop(
      get(number),
      wasm.sequence(
        set(digit, sub(byteAt(get(at)), int(code('0')))),
        wasm.if_else(wasm.i32_ge_u(get(digit), int(10)), wasm.returning(int(-1))),
        set(value, add(wasm.i32_mul(get(value), int(10)), get(digit))),
        increment(at),
        increment(number, -1),
      ),
    ),
    get(value),
  );
  return { name: 'digits', parameters: 2, hasResult: true, locals: [[2, wasm.I32]], body };
}

/** `time(at)`: puts a time of a year from 1 on into the state; the place behind its quote, 0 for something else. As timestamp.ts reckons. */
export function timeFunction(): WasmFunction {
  const [at, year, month, day, hour, minute, second, nanos, of] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const part = (local: number, offset: number, digits: number): Code =>
    set(local, wasm.call(DIGITS, add(get(at), int(offset)), int(digits)));
  const parts = [year, month, day, hour, minute, second, nanos].map(get);
  const separators = [
    [4, '-'],
    [7, '-'],
    [10, 'T'],
    [13, ':'],
    [16, ':'],
    [19, '.'],
    [29, 'Z'],
    [30, '"'],
  ] as const;
  const remainder = (by: number): Code => wasm.i32_rem_u(get(year), int(by));
  const isCommon = anyOf(remainder(4), both(wasm.i32_eqz(remainder(100)), wasm.i32_ne(remainder(400), int(0))));
  const shortMonths = int([4, 6, 9, 11].reduce((bits, short) => bits | (1 << short), 0));
  // Years and months from March on, in eras of 400 years.
  const isEarly = wasm.i32_lt_u(get(month), int(3));
  const dayOfYear = add(wasm.i32_div_u(add(wasm.i32_mul(get(month), int(153)), int(2)), int(5)), sub(get(day), int(1)));
  const days = sub(
    add(
      add(
        wasm.i32_mul(wasm.i32_div_u(get(year), int(400)), int(146_097)),
        add(wasm.i32_mul(get(of), int(365)), wasm.i32_div_u(get(of), int(4))),
      ),
      sub(dayOfYear, wasm.i32_div_u(get(of), int(100))),
    ),
    int(719_468),
  );
  const ofDay = add(add(wasm.i32_mul(get(hour), int(3600)), wasm.i32_mul(get(minute), int(60))), get(second));
  const body = wasm.sequence(
    failIf(anyOf(...separators.map(([offset, character]) => isNot(byteAt(get(at), offset), character)))),
    part(year, 0, 4),
    part(month, 5, 2),
    part(day, 8, 2),
    part(hour, 11, 2),
    part(minute, 14, 2),
    part(second, 17, 2),
    part(nanos, 20, 9),
    failIf(wasm.i32_shr_u(anyOf(...parts), int(31))),
    failIf(wasm.i32_eqz(get(year))),
    failIf(wasm.i32_ge_u(sub(get(month), int(1)), int(12))),
    failIf(wasm.i32_ge_u(sub(get(day), int(1)), int(31))),
    failIf(wasm.i32_ge_u(get(hour), int(24))),
    failIf(wasm.i32_ge_u(get(minute), int(60))),
    failIf(wasm.i32_ge_u(get(second), int(60))),
    wasm.if_else(
      wasm.i32_gt_u(get(day), int(28)),
      wasm.if_else(
        wasm.i32_eq(get(month), int(2)),
        failIf(anyOf(wasm.i32_gt_u(get(day), int(29)), isCommon)),
        failIf(both(wasm.i32_eq(get(day), int(31)), wasm.i32_shr_u(shortMonths, get(month)))),
      ),
    ),
    wasm.if_else(isEarly, wasm.sequence(increment(year, -1), increment(month, 9)), increment(month, -3)),
    set(of, wasm.i32_rem_u(get(year), int(400))),
    wasm.f64_store(
      int(0),
      STATE_AT.seconds,
      wasm.f64_add(wasm.f64_mul(wasm.f64_convert_i32_s(days), wasm.f64_const(86_400)), wasm.f64_convert_i32_u(ofDay)),
    ),
    wasm.i32_store(int(0), STATE_AT.nanos, get(nanos)),
    add(get(at), int(31)),
  );
  return { name: 'time', parameters: 1, hasResult: true, locals: [[8, wasm.I32]], body };
}

/** `hex(at, to, number)`: so many bytes from hex; the place behind the quote that follows, 0 for something else. */
export function hexFunction(): WasmFunction {
  const [at, to, number, high, low] = [0, 1, 2, 3, 4];
  const body = wasm.sequence(
    wasm.while_loop(
      get(number),
      wasm.sequence(
        set(high, byteAt(byteAt(get(at)), HEX_AT)),
        set(low, byteAt(byteAt(get(at), 1), HEX_AT)),
        failIf(wasm.i32_gt_u(wasm.i32_or(get(high), get(low)), int(15))),
        wasm.i32_store8(get(to), 0, wasm.i32_or(wasm.i32_shl(get(high), int(4)), get(low))),
        increment(at, 2),
        increment(to),
        increment(number, -1),
      ),
    ),
    failIf(isNot(byteAt(get(at)), '"')),
    add(get(at), int(1)),
  );
  return { name: 'hex', parameters: 3, hasResult: true, locals: [[2, wasm.I32]], body };
}

/** `after(from, to, other, otherTo)`: whether a path sorts after another one; there is none if `otherTo` is 0. */
export function afterFunction(): WasmFunction {
  const [from, to, other, otherTo, a, b] = [0, 1, 2, 3, 4, 5];
  const body = wasm.sequence(
    wasm.if_else(wasm.i32_eqz(get(otherTo)), wasm.returning(int(1))),
    wasm.while_loop(
      both(wasm.i32_ne(get(other), get(otherTo)), wasm.i32_ne(get(from), get(to))),
      wasm.sequence(
        set(a, byteAt(get(from))),
        set(b, byteAt(get(other))),
        wasm.if_else(wasm.i32_ne(get(a), get(b)), wasm.returning(wasm.i32_gt_u(get(a), get(b)))),
        increment(from),
        increment(other),
      ),
    ),
    wasm.i32_ne(get(from), get(to)),
  );
  return { name: 'after', parameters: 4, hasResult: true, locals: [[2, wasm.I32]], body };
}
