// The location of a fleet, with names that are safe in ARNs, policies, units and compose files. `*`, `?` and `${…}` would widen a policy,
// so buckets, prefixes and ids are limited to letters, digits, dots, hyphens and underscores.
import { usageError } from '../../platform/failures/errors.js';
import { formatStoreUrl, parseStoreUrl } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { StoreServer } from './store-server.js';

export interface FleetPlace {
  /** `s3://bucket` or `s3://bucket/prefix`. */
  readonly url: string;
  readonly bucket: string;
  /** Key prefix of the fleet: empty, or `prefix/`. */
  readonly base: string;
}

/** Longest value of an IAM tag; the URL is the tag that tells which fleet an identity belongs to. */
const MAX_URL = 256;
const SEGMENT = /^[A-Za-z0-9._-]+$/;
const BELOW = /(?:^|\/)(?:writers|fleet)\/[^/]+$|(?:^|\/)(?:uploads|datasets)(?:\/|$)/;

/** Parses the base URL of a fleet. @throws usage for a folder, for a place within a fleet, and for a prefix with other characters */
export function fleetPlace(url: string): FleetPlace {
  const place = parseStoreUrl(url);
  if (place.kind === 'file') {
    throw usageError(
      `${printable(url)} is a folder, and IAM identities and policies are about buckets: who may write to a folder is said by its file system`,
      'name a bucket: s3://bucket/prefix',
    );
  }
  const { bucket, prefix } = place;
  const text = formatStoreUrl(place);
  if (prefix !== '' && !prefix.split('/').every((segment) => SEGMENT.test(segment))) {
    throw usageError(
      `the prefix '${printable(prefix)}' cannot stand in a policy: other characters than A-Z a-z 0-9 . _ - may widen it`,
    );
  }
  if (BELOW.test(prefix)) {
    throw usageError(
      `${printable(text)} lies within a fleet, and its base is wanted`,
      'leave out what begins with writers/, fleet/, uploads/ or datasets/; a writer is named by --writer-id',
    );
  }
  if (text.length > MAX_URL) {
    throw usageError(`${printable(text)} is ${text.length} characters long, and ${MAX_URL} are allowed for a fleet`);
  }
  return { url: text, bucket, base: prefix === '' ? '' : `${prefix}/` };
}

export type Partition = 'aws' | 'aws-cn' | 'aws-us-gov';

/** Returns the ARN partition of a region. Other servers have only one partition, whatever their region is called. */
export function partitionOf(region: string, { kind }: Pick<StoreServer, 'kind'>): Partition {
  if (kind !== 'aws') return 'aws';
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

const REGION = /^[a-z0-9-]{1,32}$/;

/** Returns the region. @throws usage for an invalid name */
export function checkRegion(region: string): string {
  if (REGION.test(region)) return region;
  throw usageError(`'${printable(region)}' is not a region: they are named like us-west-2`);
}

const KEY_ARN = /^arn:(aws|aws-cn|aws-us-gov):kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]{1,128}$/;

/** Returns the ARN of a key. @throws usage for anything else: policies do not support aliases, and key ids leave the account open */
export function checkKeyArn(arn: string, partition: Partition): string {
  const found = KEY_ARN.exec(arn)?.[1];
  if (found === undefined) {
    throw usageError(
      `--kms-key-arn '${printable(arn)}' is not the ARN of a KMS key`,
      'write arn:aws:kms:REGION:ACCOUNT:key/ID; `aws kms describe-key --key-id alias/NAME` shows it for an alias',
    );
  }
  if (found !== partition) {
    throw usageError(`the key ${printable(arn)} is of ${found}, and the region of the bucket is of ${partition}`);
  }
  return arn;
}
