// Decides which conditions limit who gets a grant, by AWS' own test of what is public: at least one of the keys below has only fixed
// values, without wildcards and policy variables. Operators that also hold when the key is missing (`…IfExists`, `ForAllValues:`), that
// exclude (`…Not…`) or that test several values (`ForAnyValue:`) limit nothing.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html#access-control-block-public-access-policy-status
import { isNarrowRange } from './address-range.js';
import type { Conditions } from './policy-statement.js';

/** True for a fixed value. */
export type IsFixed = (value: string) => boolean;
/** Tests of values, by condition key in lower case. */
export type LimitingKeys = ReadonlyMap<string, IsFixed>;

const EQUAL = new Set(['stringequals', 'stringequalsignorecase', 'stringlike', 'arnequals', 'arnlike']);
const ADDRESS_KEY = 'aws:sourceip';

const matches =
  (pattern: RegExp): IsFixed =>
  (value) =>
    pattern.test(value);
const ACCOUNT = matches(/^\d{12}$/);
const ARN = matches(/^arn:aws[a-z-]*:[a-z0-9-]+:[a-z0-9-]*:(?:\d{12})?:[^*?$\s]+$/);
const WORD = matches(/^[^*?$\s]+$/);
const ORGANIZATION = matches(/^o-[a-z0-9]{10,32}$/);

/** Keys that AWS lists for bucket policies. */
export const BUCKET_KEYS: LimitingKeys = new Map([
  ['aws:principalorgid', ORGANIZATION],
  [ADDRESS_KEY, isNarrowRange],
  ['aws:sourcearn', ARN],
  ['aws:sourcevpc', matches(/^vpc-[0-9a-f]{8,17}$/)],
  ['aws:sourcevpce', matches(/^vpce-[0-9a-f]{8,17}$/)],
  ['aws:sourceowner', ACCOUNT],
  ['aws:sourceaccount', ACCOUNT],
  ['s3:x-amz-server-side-encryption-aws-kms-key-id', WORD],
  ['aws:userid', WORD],
  // The name of the access point may be a wildcard.
  ['s3:dataaccesspointarn', matches(/^arn:aws[a-z-]*:s3:[a-z0-9-]+:\d{12}:accesspoint\/[a-z0-9.*-]+$/)],
  ['s3:dataaccesspointaccount', ACCOUNT],
]);

/** Keys that limit a grant of a KMS key to an account, an organization or a source. */
export const KEY_POLICY_KEYS: LimitingKeys = new Map([
  ['kms:calleraccount', ACCOUNT],
  ['aws:principalorgid', ORGANIZATION],
  ['aws:principalaccount', ACCOUNT],
  // Wildcards after the account stay within it.
  ['aws:principalarn', matches(/^arn:aws[a-z-]*:(?:iam|sts)::\d{12}:[^$\s]+$/)],
  ['aws:sourceaccount', ACCOUNT],
  ['aws:sourcearn', ARN],
]);

/** The service through which a key is used: it limits how it is used, not by whom. */
export const VIA_KEYS: LimitingKeys = new Map([
  ['kms:viaservice', matches(/^[a-z0-9-]+\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/)],
]);

/** True when one of the conditions has only fixed values for one of the keys. */
export function isLimited(conditions: Conditions, keys: LimitingKeys): boolean {
  return conditions.some(({ operator, key, values }) => {
    const name = key.toLowerCase();
    const isFixed = keys.get(name);
    const kind = operator.toLowerCase();
    const limits = name === ADDRESS_KEY ? kind === 'ipaddress' : EQUAL.has(kind);
    if (isFixed === undefined || !limits || values.length === 0) return false;
    return values.every((value) => typeof value === 'string' && isFixed(value));
  });
}
