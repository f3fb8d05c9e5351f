// Puts a set of rules in the place of exactly the one that was looked at. S3 takes no condition here (there is no If-Match), so the bucket is
// read again right before, and once more after: what comes in between those two is overwritten, and what comes after is seen.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { BucketLifecycle, RuleSet } from '../../store/bucket-lifecycle.js';
import { printable } from '../../platform/paths/raw-path.js';
import { alteredRules, isWidened } from './altered-rules.js';
import { type AskClasses, isRuleRefusal, refusedRules, withoutAborting } from './refused-rules.js';
import { isSameSet } from './rules.js';

export interface Replaced {
  /** What was written: all of it, or all but the rule that aborts unfinished uploads where the store has no such rules. */
  readonly sent: RuleSet;
  /** What the bucket shows now. */
  readonly kept: RuleSet;
}

/**
 * Writes the rules, and reads what has become of them; asks for classes where those of the rules are refused. @throws conflict where the bucket no longer has those before; unsupported where the
 * store does not take them, or keeps them for more objects than they were written for; what the store says
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
  // A rule by tag that is kept without its tag deletes everything (Garage).
  await lifecycle.write(before, signal);
  throw new ArchiverError(
    'unsupported',
    `this store keeps rule '${printable(widened.sent.ID ?? '')}' for other objects than it was written for, so the rules from before were put back`,
    { hint: 'its filter has a condition that the store does not know, such as a tag: name objects by their prefix' },
  );
}

/** Gives what the store has taken. */
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
  // A refusal does not say of which rule. Those that move chunks are what was asked for; the other one is a courtesy.
  try {
    await lifecycle.write(fewer, signal);
    return fewer;
  } catch (error) {
    throw await refusedRules(error, before, fewer, askClasses);
  }
}
