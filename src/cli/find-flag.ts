// Finds the flag that a token names: `--kms-key-id`, an alias, the negative `--no-verify` of a switch, or a short letter.
import { kebab, type Flag, type Flags } from './flag.js';

export interface FoundFlag {
  readonly key: string;
  readonly flag: Flag;
  /** Written as `--no-name`. */
  readonly isNegative: boolean;
}

/** Returns the flag called `--name`: by its name, its alias, or `no-` and the name of a switch. */
export function findLongFlag(flags: Flags, name: string): FoundFlag | undefined {
  for (const [key, flag] of Object.entries(flags)) {
    const names = [kebab(key), ...(flag.alias === undefined ? [] : [kebab(flag.alias)])];
    if (names.includes(name)) return { key, flag, isNegative: false };
    if (flag.kind === 'switch' && names.some((known) => `no-${known}` === name)) return { key, flag, isNegative: true };
  }
  return undefined;
}

/** Returns the flag with this short letter. */
export function findShortFlag(flags: Flags, letter: string): FoundFlag | undefined {
  const found = Object.entries(flags).find(([, flag]) => flag.short === letter);
  return found && { key: found[0], flag: found[1], isNegative: false };
}

/** Returns the flag that a whole token names, with the value after `=` if there is one; it does not look into groups like `-abc`. */
export function findFlagToken(flags: Flags, token: string): (FoundFlag & { readonly value?: string }) | undefined {
  const at = token.indexOf('=');
  const name = at === -1 ? token : token.slice(0, at);
  const value = at === -1 ? {} : { value: token.slice(at + 1) };
  const found = name.startsWith('--')
    ? findLongFlag(flags, name.slice(2))
    : name.length === 2 && name.startsWith('-')
      ? findShortFlag(flags, name.charAt(1))
      : undefined;
  return found && { ...found, ...value };
}

/** All long names of the flags, without dashes, for suggestions. */
export function longNames(flags: Flags): readonly string[] {
  return Object.entries(flags).flatMap(([key, flag]) => {
    const names = [kebab(key), ...(flag.alias === undefined ? [] : [kebab(flag.alias)])];
    return flag.kind === 'switch' ? [...names, ...names.map((name) => `no-${name}`)] : names;
  });
}

/** True for `-x` and `--x`; a lone `-` and a negative number are values. */
export const looksLikeFlag = (token: string): boolean => /^-(?:-|[^\d.-])/.test(token);
