// Replaces exactly the set of rules that was examined. S3 has no condition for this (there is no If-Match), so the bucket is read right
// before writing and again after it: a change in between these two is overwritten, a later one is noticed.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { BucketLifecycle, RuleSet } from '../../store/bucket-lifecycle.js';
import { printable } from '../../platform/paths/raw-path.js';
import { alteredRules, isWidened } from './altered-rules.js';
import { type AskClasses, isRuleRefusal, refusedRules, withoutAborting } from './refused-rules.js';
import { isSameSet } from './rules.js';

export interface Replaced {
  /** The written set: all rules, or all but the one that aborts unfinished uploads where the store does not support such rules. */
  readonly sent: RuleSet;
  /** The set that the bucket has now. */
  readonly kept: RuleSet;
}

/**
 * Writes the rules, and reads them back; asks for the store's classes when those of the rules are refused. @throws conflict where the
 * bucket no longer has the rules of `before`; unsupported where the store refuses the rules, or keeps them for more objects than they were
 * written for; what the store says
 */
export async function replaceRules(
  lifecycle: BucketLifecycle,
  before: RuleSet,
  after: RuleSet,
  { askClasses, signal }: { readonly askClasses: AskClasses; readonly signal?: AbortSignal },
): Promise<Replaced> {
  if (!isSameSet(await lifecycle.read(signal), before)) {
    throw new ArchiverError('conflict', 'the rules of the bucket were changed meanwhile, and nothing was written', {
      hint: 'run the command again: it shows the rules as they are now',
    });
  }
  const sent = await writeTaken(lifecycle, before, after, askClasses, signal);
  const kept = await lifecycle.read(signal);
  const widened = alteredRules(sent, kept)?.find(isWidened);
  if (widened === undefined) return { sent, kept };
  // Garage keeps a rule by tag without its tag, and would delete everything.
  await lifecycle.write(before, signal);
  throw new ArchiverError(
    'unsupported',
    `this store keeps rule '${printable(widened.sent.ID ?? '')}' for other objects than it was written for, so the rules from before were put back`,
    { hint: 'its filter has a condition that the store does not know, such as a tag: name objects by their prefix' },
  );
}

/** Writes the rules and returns those that the store has accepted. */
async function writeTaken(
  lifecycle: BucketLifecycle,
  before: RuleSet,
  after: RuleSet,
  askClasses: AskClasses,
  signal: AbortSignal | undefined,
): Promise<RuleSet> {
  const fewer = withoutAborting(before, after);
  try {
    await lifecycle.write(after, signal);
    return after;
  } catch (error) {
    if (fewer === undefined || !isRuleRefusal(error)) throw await refusedRules(error, before, after, askClasses);
  }
  // A refusal does not name the rule. Moving chunks was asked for; aborting uploads is only a courtesy, so it is dropped.
  try {
    await lifecycle.write(fewer, signal);
    return fewer;
  } catch (error) {
    throw await refusedRules(error, before, fewer, askClasses);
  }
}
