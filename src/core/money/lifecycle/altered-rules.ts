// Rules that a store keeps otherwise than they were written. Garage leaves out transitions and conditions that it does not know, and
// says nothing.
import type { LifecycleRule, RuleSet } from '../../store/bucket-lifecycle.js';
import { isSameRule, selectionOf } from './rules.js';

export interface AlteredRule {
  readonly sent: LifecycleRule;
  /** Absent where the store has not kept it at all. */
  readonly kept?: LifecycleRule;
}

/** Those that differ, by ID; undefined where there are rules that nobody sent: then somebody else has written since. */
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

/** The store does something to other objects than it was told. */
export function isWidened({ sent, kept }: AlteredRule): boolean {
  if (kept === undefined) return false;
  const acts = kept.Expiration ?? kept.NoncurrentVersionExpiration ?? kept.Transitions;
  return acts !== undefined && JSON.stringify(selectionOf(kept)) !== JSON.stringify(selectionOf(sent));
}
