// Puts a set of rules in the place of exactly the one that was looked at. S3 takes no condition here (there is no If-Match), so the bucket is
// read again right before, and once more after: what comes in between those two is overwritten, and what comes after is seen.
import { ArchiverError } from '../failures/errors.js';
import type { BucketLifecycle, RuleSet } from '../object-store/bucket-lifecycle.js';
import { isSameSet } from './rules.js';

/** True where the bucket has the new rules. @throws conflict where it no longer has those before; what the store says */
export async function replaceRules(
  lifecycle: BucketLifecycle,
  before: RuleSet,
  after: RuleSet,
  signal?: AbortSignal,
): Promise<boolean> {
  if (!isSameSet(await lifecycle.read(signal), before)) {
    throw new ArchiverError('conflict', 'the rules of the bucket were changed meanwhile, and nothing was written', {
      hint: 'run the command again: it shows the rules as they are now',
    });
  }
  await lifecycle.write(after, signal);
  return isSameSet(await lifecycle.read(signal), after);
}
