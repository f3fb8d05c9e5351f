// Judges who may use a bucket: by its policy, S3's verdict on that, its ACL and whether ACLs have any effect. Pure.
import type { AclGrant, BucketAcl, PostureAnswers } from '../store/bucket-posture.js';
import { printable } from '../platform/paths/raw-path.js';
import { type CommandPlace, s3Command } from './aws-command.js';
import { finding, type Finding, listed } from './finding.js';
import { BUCKET_KEYS } from './fixed-condition.js';
import { judgePolicy } from './judge-policy.js';
import { blockCommand, type EffectiveBlock } from './public-access.js';

const showPolicy = (place: CommandPlace): string =>
  s3Command('get-bucket-policy', ['--query', 'Policy', '--output', 'text'], place);

const mayBe = (setting: EffectiveBlock[keyof EffectiveBlock], name: string): string =>
  setting === 'unknown' ? ` Whether ${name} of the account cuts that off is not known.` : '';

/** Judges the policy by AWS' own definition of a public policy. */
export function judgeBucketPolicy(policy: string | undefined, block: EffectiveBlock, place: CommandPlace): Finding {
  const check = 'bucket-policy';
  if (policy === undefined) return finding(check, 'ok', 'none');
  const verdict = judgePolicy(policy, BUCKET_KEYS);
  const show = showPolicy(place);
  if (verdict === undefined)
    return finding(check, 'unknown', 'cannot be understood', {
      detail: 'The policy is not as AWS writes policies, so nothing is known of what it allows.',
      remediation: show,
    });
  const { open, odd, scoped, accounts } = verdict;
  if (open.length > 0) {
    const detail = `Public by AWS' definition: ${listed(open)} allows anybody, and no condition with fixed values limits it.`;
    if (block.RestrictPublicBuckets === 'on')
      return finding(check, 'warn', 'public, cut off by RestrictPublicBuckets', {
        detail: `${detail} Only Block Public Access holds it back.`,
        remediation: show,
      });
    return finding(check, 'critical', 'public', {
      detail: `${detail}${mayBe(block.RestrictPublicBuckets, 'RestrictPublicBuckets')}`,
      remediation: blockCommand(place),
    });
  }
  if (odd.length > 0)
    return finding(check, 'unknown', 'cannot be understood', {
      detail: `What ${listed(odd)} allows is not known: it is not as AWS writes statements.`,
      remediation: show,
    });
  if (scoped.length > 0)
    return finding(check, 'info', 'anybody who meets a condition', {
      detail: `${listed(scoped)} allows any principal that meets a condition with fixed values; AWS does not take that for public.`,
      remediation: show,
    });
  return finding(check, 'ok', 'not public', {
    detail: accounts.length === 0 ? null : `It names accounts ${listed(accounts)}.`,
  });
}

/** Judges S3's own verdict on the policy. */
export function judgePolicyStatus(
  status: PostureAnswers['policyStatus'],
  block: EffectiveBlock,
  place: CommandPlace,
): Finding {
  const check = 'policy-status';
  if (status === undefined) return finding(check, 'ok', 'no policy');
  switch (status.isPublic) {
    case undefined:
      return finding(check, 'unknown', 'S3 gives no verdict', { detail: 'The answer does not say IsPublic.' });
    case false:
      return finding(check, 'ok', 'S3 says: not public');
    case true:
      return block.RestrictPublicBuckets === 'on'
        ? finding(check, 'warn', 'S3 says: public (cut off)', {
            detail: 'RestrictPublicBuckets holds it back.',
            remediation: showPolicy(place),
          })
        : finding(check, 'critical', 'S3 says: public', {
            detail: `S3 itself takes the policy for public.${mayBe(block.RestrictPublicBuckets, 'RestrictPublicBuckets')}`,
            remediation: blockCommand(place),
          });
    default:
      throw new TypeError(`not a verdict: ${String(status.isPublic satisfies never)}`);
  }
}

const GLOBAL = 'http://acs.amazonaws.com/groups/global/';
const LOG_DELIVERY = 'http://acs.amazonaws.com/groups/s3/LogDelivery';
const EVERYBODY = new Map([
  [`${GLOBAL}AllUsers`, 'everybody'],
  [`${GLOBAL}AuthenticatedUsers`, 'every AWS account in the world'],
]);
const PERMISSIONS = new Set(['FULL_CONTROL', 'READ', 'WRITE', 'READ_ACP', 'WRITE_ACP']);
const GROUPS = new Set([...EVERYBODY.keys(), LOG_DELIVERY]);

/** True for a grant to the owner. MinIO gives neither the owner nor the grantee an id, and never grants anything to others. */
const isOwn = ({ granteeType, uri, user = '' }: AclGrant, owner: string | undefined): boolean =>
  uri === undefined && user === owner && (owner !== '' || granteeType === 'CanonicalUser');

/** True for a grant in an unknown form. */
function isOddGrant(grant: AclGrant, owner: string | undefined): boolean {
  const { granteeType, permission, uri, user } = grant;
  if (!PERMISSIONS.has(permission)) return true;
  if (granteeType === 'Group') return uri === undefined || !GROUPS.has(uri);
  return !isOwn(grant, owner) && (uri !== undefined || user === undefined || user === '');
}

export function judgeAcl(
  { owner, grants }: BucketAcl,
  block: EffectiveBlock,
  ownership: string | undefined,
  place: CommandPlace,
): Finding {
  const check = 'acl';
  const open = grants.filter(({ uri }) => uri !== undefined && EVERYBODY.has(uri));
  const remediation = s3Command('put-bucket-acl', ['--acl', 'private'], place);
  if (open.length > 0) {
    const whom = open.map(({ uri = '', permission }) => `${EVERYBODY.get(uri) ?? ''} ${permission}`);
    const detail = `The ACL grants ${listed([...new Set(whom)])}.`;
    const isIgnored = block.IgnorePublicAcls === 'on' || ownership === 'BucketOwnerEnforced';
    if (isIgnored)
      return finding(check, 'warn', 'public, and ignored', {
        detail: `${detail} It counts for nothing as long as ${ownership === 'BucketOwnerEnforced' ? 'ACLs are off (BucketOwnerEnforced)' : 'IgnorePublicAcls is on'}.`,
        remediation,
      });
    return finding(check, 'critical', 'public', {
      detail: `${detail}${mayBe(block.IgnorePublicAcls, 'IgnorePublicAcls')}`,
      remediation,
    });
  }
  const odd = grants.filter((grant) => isOddGrant(grant, owner));
  // Happens on a server without ACLs (Garage), where none can be set either.
  if (odd.length === 0 && owner === undefined)
    return finding(check, 'unknown', 'cannot be understood', {
      detail: 'The ACL names no owner, so nothing is known of whom it lets in.',
    });
  if (odd.length > 0)
    return finding(check, 'unknown', 'cannot be understood', {
      detail: `The ACL has grants to ${listed(odd.map(({ uri, user, granteeType }) => uri ?? user ?? (granteeType || 'nobody')))}, whose kind is not known.`,
      remediation,
    });
  const others = grants.filter((grant) => !isOwn(grant, owner));
  if (others.length === 0) return finding(check, 'ok', 'the owner alone');
  return finding(check, 'info', 'others beside the owner', {
    detail: `The ACL grants ${listed(others.map(({ uri, user, permission }) => `${uri === LOG_DELIVERY ? 'log delivery' : (user ?? '')} ${permission}`))}.`,
    remediation,
  });
}

const OWNED_BY_OTHERS = new Set(['BucketOwnerPreferred', 'ObjectWriter']);

/** Judges object ownership; not set means the same as ObjectWriter. */
export function judgeOwnership(ownership: string | undefined, place: CommandPlace): Finding {
  const check = 'ownership';
  const remediation = s3Command(
    'put-bucket-ownership-controls',
    ['--ownership-controls', 'Rules=[{ObjectOwnership=BucketOwnerEnforced}]'],
    place,
  );
  if (ownership === 'BucketOwnerEnforced') return finding(check, 'ok', 'the bucket owner owns all, ACLs are off');
  if (ownership !== undefined && !OWNED_BY_OTHERS.has(ownership))
    return finding(check, 'unknown', 'cannot be understood', {
      detail: `The bucket says ${printable(ownership)}, which is no setting that is known.`,
      remediation,
    });
  return finding(check, 'warn', `ACLs count (${ownership ?? 'not set'})`, {
    detail:
      'Objects can be opened to others one by one, and what other accounts write can belong to them. BucketOwnerEnforced ends both.',
    remediation,
  });
}
