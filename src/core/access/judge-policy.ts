// Judges whom a policy grants access. Pure; what is not understood is never taken for harmless.
import { type LimitingKeys, isLimited } from './fixed-condition.js';
import { statementsOf } from './policy-statement.js';

export interface PolicyVerdict {
  /** Names of statements that let in anybody. */
  readonly open: readonly string[];
  /** Statements that let in anybody under a condition that limits how, but not who. */
  readonly via: readonly string[];
  /** Statements that let in anybody who meets a condition with fixed values. */
  readonly scoped: readonly string[];
  /** Statements that cannot be understood. */
  readonly odd: readonly string[];
  /** Named accounts, each once. */
  readonly accounts: readonly string[];
}

const NO_KEYS: LimitingKeys = new Map();

/** Judges a policy; undefined when it is not a policy at all. */
export function judgePolicy(
  policy: string,
  keys: LimitingKeys,
  viaKeys: LimitingKeys = NO_KEYS,
): PolicyVerdict | undefined {
  const allows = statementsOf(policy)?.filter(({ isAllow }) => isAllow);
  if (allows === undefined) return undefined;
  const namesOf = (chosen: typeof allows): readonly string[] => chosen.map(({ name }) => name);
  const anyone = allows.filter(({ principals }) => principals.isAnyone);
  const isScoped = ({ conditions }: (typeof allows)[number]): boolean => isLimited(conditions ?? [], keys);
  const isVia = ({ conditions }: (typeof allows)[number]): boolean => isLimited(conditions ?? [], viaKeys);
  const unscoped = anyone.filter((one) => !isScoped(one));
  return {
    open: namesOf(unscoped.filter((one) => !isVia(one))),
    via: namesOf(unscoped.filter(isVia)),
    scoped: namesOf(anyone.filter(isScoped)),
    odd: namesOf(allows.filter(({ isOdd }) => isOdd)),
    accounts: [...new Set(allows.flatMap(({ principals }) => principals.accounts))].sort(),
  };
}
