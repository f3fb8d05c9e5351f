// Rules between flags as data: help prints their text, parsing checks them, one table test covers them. A flag counts as given when a flag,
// a variable or the config file set it, a switch only if it differs from its default. A value of a higher layer overrides those that it
// excludes in lower ones; only within one layer that is a failure.
import { kebab } from './flag.js';
import type { Origin } from './origin.js';

export interface RuleInput {
  readonly given: (key: string) => boolean;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface LayeredInput extends RuleInput {
  readonly origins: Readonly<Record<string, Origin>>;
  /** Name of the variable or config key that gave a value. */
  readonly sources: Readonly<Record<string, string>>;
  readonly overruled: ReadonlySet<string>;
}

export interface FlagRule<K extends string = string> {
  readonly kind: 'flags';
  readonly text: string;
  readonly keys: readonly K[];
  /** Returns the message of the failure, or undefined. */
  check(input: RuleInput): string | undefined;
  /** Names the flags that are needed and not given. */
  lacks?(input: RuleInput): string | undefined;
  /** Returns the keys whose values are ignored, because a higher layer says otherwise. */
  overruled?(input: LayeredInput): readonly string[];
}

const RANK: Readonly<Record<Origin, number>> = { flag: 3, environment: 2, config: 1, default: 0 };

/** Returns, of keys that exclude each other, those that are given below the highest layer that gives one. */
export function overriddenKeys(keys: readonly string[], { given, origins }: LayeredInput): readonly string[] {
  const rank = (key: string): number => RANK[origins[key] ?? 'default'];
  const present = keys.filter((key) => given(key));
  const highest = Math.max(0, ...present.map(rank));
  return present.filter((key) => rank(key) < highest);
}

/** True if a lower layer gives `a`, and something that `a` needs was ruled out, or switched off, above it. */
const isLeftOver = (a: string, others: readonly string[], { given, origins, overruled }: LayeredInput): boolean =>
  given(a) &&
  origins[a] !== 'flag' &&
  others.some(
    (key) => !given(key) && (overruled.has(key) || RANK[origins[key] ?? 'default'] > RANK[origins[a] ?? 'default']),
  );

/** A condition of the command's own; `text` is both its help and the message of the failure. */
export interface CheckRule<V, A> {
  readonly kind: 'check';
  readonly text: string;
  ok(values: V, args: A): boolean;
}

export type Rule<K extends string, V, A> = FlagRule<K> | CheckRule<V, A>;

/** `--name`. */
export const dashed = (key: string): string => `--${kebab(key)}`;

/** `a, b and c`. */
export const joinWords = (names: readonly string[], word: string): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`;

const listed = (keys: readonly string[], word: string): string => joinWords(keys.map(dashed), word);

const ruleOf = <K extends string>(
  text: string,
  keys: readonly K[],
  check: FlagRule['check'],
  overruled?: FlagRule['overruled'],
): FlagRule<K> => ({ kind: 'flags', text, keys, check, ...(overruled && { overruled }) });

/** `a` makes sense only with every one of the others. */
export function requires<const K extends string>(a: K, ...others: readonly K[]): FlagRule<K> {
  const text = `${dashed(a)} needs ${listed(others, 'and')}`;
  return ruleOf(
    text,
    [a, ...others],
    ({ given }) => {
      const missing = given(a) ? others.filter((key) => !given(key)) : [];
      return missing.length === 0 ? undefined : `${dashed(a)} needs ${listed(missing, 'and')}`;
    },
    (input) => (isLeftOver(a, others, input) ? [a] : []),
  );
}

/** `a` cannot be combined with any of the others. */
export function conflicts<const K extends string>(a: K, others: readonly K[]): FlagRule<K> {
  return {
    ...conflictsAcrossLayers(a, others),
    overruled: (input) => others.flatMap((key) => overriddenKeys([a, key], input)),
  };
}

/** Like `conflicts`, for flags that must not be dropped silently, such as encryption: it is refused across layers, too. */
export function conflictsAcrossLayers<const K extends string>(a: K, others: readonly K[]): FlagRule<K> {
  const text = `${dashed(a)} cannot be combined with ${listed(others, 'or')}`;
  return ruleOf(text, [a, ...others], ({ given }) => {
    const clashing = given(a) ? others.filter((key) => given(key)) : [];
    return clashing.length === 0 ? undefined : `${dashed(a)} cannot be combined with ${listed(clashing, 'or')}`;
  });
}

/**
 * `key` does nothing where `because` have the values that `when` looks for, which are never their defaults: refused within one layer, and
 * otherwise the higher layer counts. If none of `because` was set, a typed `key` is refused and one of a lower layer, which may be meant
 * for other commands, is not. `text` is both help and the message of the failure.
 */
export function idle<const K extends string>(
  key: K,
  because: readonly K[],
  text: string,
  when: (values: RuleInput['values']) => boolean,
): FlagRule<K> {
  return ruleOf(
    text,
    [key, ...because],
    ({ given, values }) => (given(key) && when(values) ? text : undefined),
    ({ given, values, origins }) => {
      if (!given(key) || !when(values)) return [];
      const rank = (one: string): number => RANK[origins[one] ?? 'default'];
      const set = [key, ...because].filter((one) => rank(one) > 0);
      const highest = set.length === 1 ? RANK.flag : Math.max(...set.map(rank));
      return set.filter((one) => rank(one) < highest);
    },
  );
}

/** At least one of these is given. */
export function atLeastOne<const K extends string>(...keys: readonly K[]): FlagRule<K> {
  const text = `one of ${listed(keys, 'or')}`;
  const lacks = ({ given }: RuleInput): string | undefined => (keys.some(given) ? undefined : text);
  return { ...ruleOf(text, keys, () => undefined), lacks };
}

/** Exactly one of these is given. */
export function exactlyOne<const K extends string>(...keys: readonly K[]): FlagRule<K> {
  const text = `exactly one of ${listed(keys, 'or')}`;
  const check: FlagRule['check'] = ({ given }) => {
    const present = keys.filter((key) => given(key));
    return present.length < 2 ? undefined : `${listed(present, 'and')} cannot be combined: give ${text}`;
  };
  return { ...atLeastOne(...keys), ...ruleOf(text, keys, check, (input) => overriddenKeys(keys, input)) };
}
