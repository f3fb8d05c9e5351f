// The rules that a template makes for a store. S3 can exclude nothing from a rule, and whatever lies in an archive
// class is not read without being asked back: a manifest there would make its upload unreadable. The chunks of one upload have a
// prefix of their own, `…/uploads/<id>/shard-`, that no manifest, record, heartbeat or configuration has: one rule for each upload.
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
  /** Uploads that the bucket has no room for, the newest ones: it takes so many rules and no more. */
  readonly leftOut: number;
}

/** Aborts what was left unfinished anywhere in a store. */
export const abortRule = (storePrefix: string): LifecycleRule => ({
  ID: `${ownIds(storePrefix)}abort-incomplete-uploads`,
  Filter: { Prefix: storePrefix === '' ? '' : `${storePrefix}/` },
  Status: 'Enabled',
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: ABORT_DAYS },
});

const prefixHash = (prefix: string): string => createHash('sha256').update(prefix).digest('hex').slice(0, 8);

/**
 * The rules of a template for a store. `uploads`: those with chunks that are to move, oldest first; `others`: how many rules the
 * bucket has that are not replaced.
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
