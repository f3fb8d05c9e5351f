// A WebAssembly module, generated when it is first needed, that reads lines of `files` into columns. It takes what entry-line.ts writes of a file or a
// folder, in that order of keys; a line with anything else ends the scan, and entry-json-parse.ts reads it. A module is fast from its first line on,
// where JavaScript is slow until V8 has compiled it (docs/decisions/104). Addresses are not checked: the caller ends the text with the end of a line.
import { MAX_ID } from '../manifest/plain-line.js';
import type { Code, WasmFunction } from '../../platform/wasm/wasm-assembler.js';
import * as wasm from '../../platform/wasm/wasm-assembler.js';
import {
  COLUMNS_AT,
  type Column,
  LIMITS_AT,
  BOUND_AT,
  MEMORY_BYTES,
  MOST_ROWS,
  PATHS_AT,
  PATH_KEY,
  POSITIONS_AT,
  STATE_AT,
  UNUSED_AT,
  WIDTHS,
} from './scanner-layout.js';
import {
  AFTER,
  COUNT,
  HEX,
  LINE,
  PATH,
  TEXT,
  TIME,
  add,
  anyOf,
  both,
  byteAt,
  code,
  differs,
  failIf,
  get,
  increment,
  int,
  is,
  isNot,
  set,
  stateOf,
  sub,
} from './scanner-parts.js';
import {
  afterFunction,
  countFunction,
  digitsFunction,
  hexFunction,
  pathFunction,
  textFunction,
  timeFunction,
} from './scanner-values.js';

const PAGE_BYTES = 1 << 16;

/** `line(at, row, paths)`: reads a line into a row, with its path at `paths`; where the next line begins, 0 for one that is not taken. */
function lineFunction(): WasmFunction {
  const [at, row, paths, next, isFolder, hasChunk, hasOffset, size, offset] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const address = (name: Column): Code => wasm.i32_mul(get(row), int(WIDTHS[name]));
  const put = (name: Column, value: Code): Code => {
    const to = COLUMNS_AT[name];
    if (WIDTHS[name] === 1) return wasm.i32_store8(address(name), to, value);
    if (WIDTHS[name] === 2) return wasm.i32_store16(address(name), to, value);
    return WIDTHS[name] === 4 ? wasm.i32_store(address(name), to, value) : wasm.f64_store(address(name), to, value);
  };
  /** Goes on where a function says. */
  const follow = (function_: number, ...more: readonly Code[]): Code =>
    wasm.sequence(set(at, wasm.call(function_, get(at), ...more)), failIf(wasm.i32_eqz(get(at))));
  const expect = (text: string): Code => wasm.sequence(failIf(differs(get(at), text)), increment(at, text.length));
  const perhaps = (text: string, then: Code, or: Code = ''): Code =>
    wasm.if_else(wasm.i32_eqz(differs(get(at), text)), wasm.sequence(increment(at, text.length), then), or);
  const last = wasm.f64_load(int(0), STATE_AT.count);
  const theText = (key: string): Code => perhaps(key, wasm.sequence(follow(TEXT), increment(at)));
  const theDigest = (key: string, name: 'md5' | 'xxh64', has: Column): Code =>
    perhaps(
      key,
      wasm.sequence(follow(HEX, add(address(name), int(COLUMNS_AT[name])), int(WIDTHS[name])), put(has, int(1))),
      put(has, int(0)),
    );
  const owner = (key: string, name: 'uid' | 'gid'): Code =>
    wasm.sequence(
      expect(key),
      follow(COUNT),
      failIf(wasm.f64_gt(last, wasm.f64_convert_i32_u(int(MAX_ID)))),
      put(name, wasm.i32_trunc_f64_u(last)),
    );
  const octal = (place: number): Code => sub(byteAt(get(at), place), int(code('0')));
  const mode = [0, 1, 2, 3].map((place) => wasm.i32_shl(octal(place), int(9 - 3 * place)));
  const chunkAddress = (width: number): Code => wasm.i32_mul(get(next), int(width));
  const body = wasm.sequence(
    put('lineFrom', get(at)),
    failIf(differs(get(at), PATH_KEY)),
    increment(at, PATH_KEY.length),
    set(next, wasm.call(PATH, get(at), get(paths))),
    failIf(wasm.i32_eqz(get(next))),
    failIf(wasm.i32_eqz(wasm.call(AFTER, get(at), get(next), stateOf('lastFrom'), stateOf('lastTo')))),
    wasm.if_else(
      stateOf('boundTo'),
      failIf(wasm.i32_eqz(wasm.call(AFTER, int(BOUND_AT), stateOf('boundTo'), get(at), get(next)))),
    ),
    put('pathEnd', add(sub(get(paths), int(PATHS_AT)), sub(get(next), get(at)))),
    set(at, get(next)),
    perhaps(
      '","type":"file","size":',
      wasm.sequence(follow(COUNT), set(size, last)),
      wasm.sequence(expect('","type":"directory"'), set(isFolder, int(1))),
    ),
    put('kind', get(isFolder)),
    put('size', get(size)),
    expect(',"mtime":"'),
    follow(TIME),
    put('mtimeSeconds', wasm.f64_load(int(0), STATE_AT.seconds)),
    put('mtimeNanos', stateOf('nanos')),
    expect(',"mode":"'),
    failIf(anyOf(...[0, 1, 2, 3].map((place) => wasm.i32_ge_u(octal(place), int(8))))),
    put('mode', anyOf(...mode)),
    increment(at, 4),
    owner('","uid":', 'uid'),
    owner(',"gid":', 'gid'),
    theText(',"user":"'),
    theText(',"group":"'),
    theDigest(',"md5":"', 'md5', 'hasMd5'),
    perhaps(',"sha256":"', follow(HEX, int(UNUSED_AT), int(32))),
    theDigest(',"xxh64":"', 'xxh64', 'hasXxh64'),
    perhaps(
      ',"chunk":',
      wasm.sequence(
        follow(COUNT),
        failIf(wasm.f64_ge(last, wasm.f64_convert_i32_u(stateOf('chunks')))),
        set(next, wasm.i32_trunc_f64_u(last)),
        set(hasChunk, int(1)),
        put('chunk', wasm.i32_load(chunkAddress(4), POSITIONS_AT)),
      ),
      put('chunk', int(-1)),
    ),
    perhaps(',"offset":', wasm.sequence(follow(COUNT), set(offset, last), set(hasOffset, int(1)))),
    put('offset', get(offset)),
    wasm.if_else(
      wasm.i32_eqz(get(isFolder)),
      wasm.if_else(
        both(get(hasChunk), get(hasOffset)),
        failIf(wasm.f64_gt(wasm.f64_add(get(offset), get(size)), wasm.f64_load(chunkAddress(8), LIMITS_AT))),
        failIf(wasm.f64_gt(get(size), wasm.f64_const(0))),
      ),
    ),
    expect(',"ctime":"'),
    follow(TIME),
    put('ctimeSeconds', wasm.f64_load(int(0), STATE_AT.seconds)),
    put('ctimeNanos', stateOf('nanos')),
    expect(',"inode":"'),
    follow(TEXT),
    expect('"}'),
    wasm.if_else(is(byteAt(get(at)), ','), increment(at)),
    failIf(isNot(byteAt(get(at)), '\n')),
    add(get(at), int(1)),
  );
  const locals = [
    [4, wasm.I32],
    [2, wasm.F64],
  ] as const;
  return { name: 'line', parameters: 3, hasResult: true, locals, body };
}

/** `scan(at, end)`: reads the lines up to `end`, or the first that is not taken, or as many as there are rows. */
function scanFunction(): WasmFunction {
  const [at, to, row, paths, next, files, directories, pathEnd, bytes] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const ofRow = (width: number): Code => wasm.i32_mul(get(row), int(width));
  const store = (name: keyof typeof STATE_AT, value: Code): Code => wasm.i32_store(int(0), STATE_AT[name], value);
  const body = wasm.sequence(
    set(next, int(1)),
    set(paths, int(PATHS_AT)),
    wasm.while_loop(
      both(
        both(wasm.i32_ne(get(next), int(0)), wasm.i32_lt_u(get(at), get(to))),
        wasm.i32_lt_u(get(row), int(MOST_ROWS)),
      ),
      wasm.sequence(
        set(next, wasm.call(LINE, get(at), get(row), get(paths))),
        wasm.if_else(
          get(next),
          wasm.sequence(
            set(pathEnd, add(wasm.i32_load(ofRow(4), COLUMNS_AT.pathEnd), int(PATHS_AT))),
            store('lastFrom', add(get(at), int(PATH_KEY.length))),
            store('lastTo', add(add(get(at), int(PATH_KEY.length)), sub(get(pathEnd), get(paths)))),
            set(paths, get(pathEnd)),
            wasm.if_else(byteAt(ofRow(1), COLUMNS_AT.kind), increment(directories), increment(files)),
            set(bytes, wasm.f64_add(get(bytes), wasm.f64_load(ofRow(8), COLUMNS_AT.size))),
            increment(row),
            set(at, get(next)),
          ),
        ),
      ),
    ),
    store('rows', get(row)),
    store('next', get(at)),
    store('files', get(files)),
    store('directories', get(directories)),
    wasm.f64_store(int(0), STATE_AT.bytes, get(bytes)),
  );
  const locals = [
    [6, wasm.I32],
    [1, wasm.F64],
  ] as const;
  return { name: 'scan', parameters: 2, locals, body };
}

/** Returns the module. */
export function assembleScanner(): Buffer<ArrayBuffer> {
  const functions = [
    textFunction(),
    pathFunction(),
    countFunction(),
    digitsFunction(),
    timeFunction(),
    hexFunction(),
    afterFunction(),
    lineFunction(),
    scanFunction(),
  ];
  return wasm.assembleModule({ pages: Math.ceil(MEMORY_BYTES / PAGE_BYTES) }, functions);
}
