// Values of DVC's YAML files. Numbers remember how Python prints them, because DVC is written in Python and puts them into stage names and
// paths: `1e-5` becomes `1e-05`, `1.0` stays `1.0`.

/** A number, and its text in Python. */
export class PythonNumber {
  constructor(
    readonly text: string,
    readonly value: number,
  ) {}
}

export type Value = string | boolean | null | PythonNumber | readonly Value[] | ValueMap;
/** In the order of the file; keys are strings. */
export type ValueMap = ReadonlyMap<string, Value>;

/** Values that JSON can represent. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value);
export const isMap = (value: Value | undefined): value is ValueMap => value instanceof Map;

/** Returns the text that DVC makes of a single value. */
export function textOf(value: string | boolean | null | PythonNumber): string {
  if (value instanceof PythonNumber) return value.text;
  if (value === null) return 'None';
  return typeof value === 'boolean' ? String(value) : value;
}

/** Parses a YAML integer: decimal, `0o17` or `0x1f`. */
export function integer(source: string): PythonNumber {
  const big = BigInt(source.replace(/^\+/, ''));
  return new PythonNumber(String(big), Number(big));
}

/** Parses a number with a point or an exponent, `.inf` or `.nan`. */
export function float(source: string): PythonNumber {
  const special = /^([-+]?)\.(inf|nan)$/i.exec(source);
  if (special === null) return new PythonNumber(floatText(Number(source)), Number(source));
  const isNegative = special[1] === '-';
  if (special[2]?.toLowerCase() === 'nan') return new PythonNumber('nan', Number.NaN);
  return new PythonNumber(isNegative ? '-inf' : 'inf', isNegative ? -Infinity : Infinity);
}

const LARGE = 1e16;
const SMALL = 1e-4;

/** Formats a number like `repr` of a Python float. */
function floatText(value: number): string {
  const size = Math.abs(value);
  if (size === Infinity) return value < 0 ? '-inf' : 'inf';
  if (size !== 0 && (size >= LARGE || size < SMALL))
    return value.toExponential().replace(/e([-+])(\d)$/, (_, sign: string, digit: string) => `e${sign}0${digit}`);
  const text = Object.is(value, -0) ? '-0' : String(value);
  return Number.isInteger(value) ? `${text}.0` : text;
}

/** Converts a value to JSON; numbers that JSON cannot represent exactly become text. */
export function jsonOf(value: Value): Json {
  if (value instanceof PythonNumber) return isExact(value) ? value.value : value.text;
  if (isList(value)) return value.map(jsonOf);
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [key, jsonOf(item)]));
  return value;
}

const isExact = ({ value, text }: PythonNumber): boolean =>
  Number.isFinite(value) && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text));
