// Finds rules that a store has kept differently from how they were written. Garage silently drops transitions and conditions that it does
// not know.
import type { LifecycleRule, RuleSet } from '../../store/bucket-lifecycle.js';
import { isSameRule, selectionOf } from './rules.js';

export interface AlteredRule {
  readonly sent: LifecycleRule;
  /** Missing when the store has not kept the rule at all. */
  readonly kept?: LifecycleRule;
}

/**
 * Returns the rules that differ, by ID; undefined when there are rules that were not sent, because then somebody else has written since.
 */
export function alteredRules(sent: RuleSet, kept: RuleSet): readonly AlteredRule[] | undefined {
  const ids = new Set(sent.rules.map(({ ID }) => ID));
  if (kept.rules.some(({ ID }) => !ids.has(ID))) return undefined;
  const byId = new Map(kept.rules.map((rule) => [rule.ID, rule]));
  return sent.rules.flatMap((rule): AlteredRule[] => {
    const found = byId.get(rule.ID);
    if (found === undefined) return [{ sent: rule }];
    return isSameRule(rule, found) ? [] : [{ sent: rule, kept: found }];
  });
}

/** True when the kept rule acts on other objects than the sent one. */
export function isWidened({ sent, kept }: AlteredRule): boolean {
  if (kept === undefined) return false;
  const acts = kept.Expiration ?? kept.NoncurrentVersionExpiration ?? kept.Transitions;
  return acts !== undefined && JSON.stringify(selectionOf(kept)) !== JSON.stringify(selectionOf(sent));
}
