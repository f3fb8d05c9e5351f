// Rewrites argv into the one form that meow reads without surprises: `--name="value"` for every flag, then `--`, then
// the arguments. Measured on meow 14.1 (test/cli/normalize-argv.test.ts shows each): a value that starts with a dash is
// taken for a flag, `--no-verify` negates a key nobody declared, `--dry-run false` eats the argument, a missing value
// becomes '' or [], a repeated flag throws, and one pair of quotes around a value is stripped (so we add a pair).
import { usageError } from '../core/platform/failures/errors.js';
import { findFlagToken, findLongFlag, findShortFlag, longNames, looksLikeFlag } from './find-flag.js';
import { kebab, type Flag, type Flags } from './flag.js';
import { suggest } from '../core/platform/text/suggest.js';

export interface NormalArgv {
  readonly argv: readonly string[];
  /** True if `--help` or `-h` was in the place of a flag. */
  readonly wantsHelp: boolean;
}

interface State {
  readonly flags: Flags;
  readonly tokens: readonly string[];
  index: number;
  wantsHelp: boolean;
  readonly out: string[];
  readonly args: string[];
}

const emit = (state: State, key: string, value: string): void => {
  state.out.push(`--${kebab(key)}="${value}"`);
};

function isKnownFlag(flags: Flags, token: string): boolean {
  return token === '--' || token === '--help' || token === '-h' || findFlagToken(flags, token) !== undefined;
}

/** Returns the token after a flag that needs a value. If that is itself a flag of the command, the value is missing. */
function nextValue(state: State, shown: string): string {
  const token = state.tokens[state.index + 1];
  if (token === undefined) throw usageError(`${shown} needs a value`);
  if (isKnownFlag(state.flags, token)) {
    throw usageError(`${shown} needs a value, and ${token} is a flag`, `write ${shown}=${token} if that is the value`);
  }
  state.index += 1;
  return token;
}

function value(state: State, key: string, flag: Flag, shown: string, given: string | undefined): void {
  const text = given ?? nextValue(state, shown);
  if (text === '' && !flag.allowsEmpty)
    throw usageError(`${shown} must not be empty`, `give a value, or leave ${shown} out`);
  emit(state, key, text);
}

function unknownFlag(state: State, shown: string, name: string): Error {
  const near = suggest(name, [...longNames(state.flags), 'help']);
  return usageError(`${shown} is not a flag here${near === undefined ? '' : `; did you mean --${near}?`}`);
}

function longFlag(state: State, token: string): void {
  const at = token.indexOf('=');
  const name = token.slice(2, at === -1 ? undefined : at);
  const given = at === -1 ? undefined : token.slice(at + 1);
  const found = findLongFlag(state.flags, name);
  if (found === undefined) {
    if (name !== 'help') throw unknownFlag(state, `--${name}`, name);
    state.wantsHelp = true;
  } else if (found.flag.kind !== 'switch') {
    value(state, found.key, found.flag, `--${name}`, given);
  } else if (found.isNegative) {
    if (given !== undefined) throw usageError(`--${name} takes no value`);
    emit(state, found.key, 'false');
  } else {
    if (given === '') throw usageError(`--${name} wants true or false after the =`);
    emit(state, found.key, given ?? 'true');
  }
}

function shortGroup(state: State, token: string): void {
  for (let at = 1; at < token.length; at += 1) {
    const letter = token.charAt(at);
    const found = findShortFlag(state.flags, letter);
    const remainder = token.slice(at + 1);
    if (found === undefined) {
      if (letter !== 'h') throw unknownFlag(state, `-${letter}`, token.slice(1));
      state.wantsHelp = true;
    } else if (found.flag.kind === 'switch') {
      if (remainder.startsWith('='))
        throw usageError(`-${letter} takes no value; write --${kebab(found.key)}${remainder}`);
      emit(state, found.key, 'true');
    } else {
      const attached = remainder.startsWith('=') ? remainder.slice(1) : remainder;
      value(state, found.key, found.flag, `-${letter}`, remainder === '' ? undefined : attached);
      return;
    }
  }
}

/** Checks the shape of argv and returns it in the form that `tokenize` takes. */
export function normalizeArgv(flags: Flags, tokens: readonly string[]): NormalArgv {
  const state: State = { flags, tokens, index: 0, wantsHelp: false, out: [], args: [] };
  for (; state.index < tokens.length; state.index += 1) {
    const token = tokens[state.index] ?? '';
    if (token === '--') {
      state.args.push(...tokens.slice(state.index + 1));
      break;
    }
    if (token.startsWith('--')) longFlag(state, token);
    else if (looksLikeFlag(token)) shortGroup(state, token);
    else state.args.push(token);
  }
  return { argv: [...state.out, '--', ...state.args], wantsHelp: state.wantsHelp };
}
