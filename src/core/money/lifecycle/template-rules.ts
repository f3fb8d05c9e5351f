// Makes the rules of a template for a store. S3 rules cannot exclude anything, and objects in an archive class cannot be read without a
// thaw: a manifest there would make its upload unreadable. The chunks of an upload have a key prefix of their own, `…/uploads/<id>/shard-`,
// that no manifest, segment, record, heartbeat or configuration has: one rule is made for each upload.
import { createHash } from 'node:crypto';
import type { LifecycleRule } from '../../store/bucket-lifecycle.js';
import { ownIds } from './rules.js';
import type { StoredUpload } from './stored-uploads.js';
import type { Template } from './templates.js';
import { MAX_RULES } from './validate.js';

/** As AWS suggests. */
const ABORT_DAYS = 7;

export interface TemplateRules {
  readonly rules: readonly LifecycleRule[];
  /** Number of uploads, the newest ones, that are left out because a bucket takes only so many rules. */
  readonly leftOut: number;
}

/** Makes the rule that aborts unfinished uploads anywhere in a store. */
export const abortRule = (storePrefix: string): LifecycleRule => ({
  ID: `${ownIds(storePrefix)}abort-incomplete-uploads`,
  Filter: { Prefix: storePrefix === '' ? '' : `${storePrefix}/` },
  Status: 'Enabled',
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABORT_DAYS },
});

const prefixHash = (prefix: string): string => createHash('sha256').update(prefix).digest('hex').slice(0, 8);

/**
 * Makes the rules of a template. `uploads` are those with chunks to move, oldest first; `others` is the number of rules in the bucket that
 * are not replaced.
 */
export function templateRules(
  { transitions }: Template,
  storePrefix: string,
  uploads: readonly StoredUpload[],
  others: number,
): TemplateRules {
  const room = Math.max(0, MAX_RULES - others - 1);
  const rules = uploads.slice(0, room).map(({ uploadId, chunkPrefix }): LifecycleRule => ({
    ID: `${ownIds(storePrefix)}${uploadId}-${prefixHash(chunkPrefix)}`,
    Filter: { Prefix: chunkPrefix },
    Status: 'Enabled',
    Transitions: transitions,
  }));
  return { rules: [...rules, abortRule(storePrefix)], leftOut: Math.max(0, uploads.length - room) };
}
