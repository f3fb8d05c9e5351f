// Checks IP address ranges in policy conditions.
import { isIPv4, isIPv6 } from 'node:net';

/**
 * AWS treats wider ranges as the whole internet:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
 */
const MIN_PREFIX = { v4: 8, v6: 32 } as const;

/** True for an address or a range (`203.0.113.0/24`) that is narrow enough to limit who calls. */
export function isNarrowRange(text: string): boolean {
  const [, address = '', digits] = /^([0-9a-fA-F.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const prefix = digits === undefined ? Number.POSITIVE_INFINITY : Number(digits);
  const isWithin = (bits: number, least: number): boolean =>
    digits === undefined || (prefix >= least && prefix <= bits);
  if (isIPv4(address)) return isWithin(32, MIN_PREFIX.v4);
  return isIPv6(address) && isWithin(128, MIN_PREFIX.v6);
}
