// The IAM policy of a writer. It deliberately omits deleting, lifecycle rules (they delete too), everything about buckets, tags and ACLs,
// and retention except with `locks`. See docs/security.md.
import type { FleetPlace, Partition } from './fleet-place.js';
import type { PolicyDocument, PolicyStatement } from './policy-document.js';
import type { StoreServer } from './store-server.js';

export interface WriterPolicyOptions {
  /** Undefined for every writer of the fleet, and everything else below its base. */
  readonly writerId: string | undefined;
  readonly partition: Partition;
  readonly kmsKeyArn: string | undefined;
  /** True when stored content must not be readable. */
  readonly writeOnly: boolean;
  /**
   * True when the writer locks its objects: retention may then be set and extended, but not shortened, which would need permission to
   * bypass.
   */
  readonly locks: boolean;
  readonly server: Pick<StoreServer, 'hasAclActions'>;
}

// Listed by name, although NotAction would be shorter: Ceph's gateway accepts a statement with NotAction but never applies it.
const NEVER = [
  's3:Delete*',
  's3:BypassGovernanceRetention',
  's3:PutObjectTagging',
  's3:PutObjectVersionTagging',
  's3:PutObjectLegalHold',
  's3:RestoreObject',
];
const ACLS = ['s3:PutObjectAcl', 's3:PutObjectVersionAcl'];
const LOCKING = ['s3:PutObjectRetention'];
const READING = ['s3:Get*', 's3:AbortMultipartUpload'];

/** Returns the policy. Its denials hold whatever else is granted, for example by a server that lets the owner of an object read it. */
export function writerPolicy(place: FleetPlace, options: WriterPolicyOptions): PolicyDocument {
  const { writerId, partition, kmsKeyArn, writeOnly, locks, server } = options;
  const bucket = `arn:${partition}:s3:::${place.bucket}`;
  const area = writerId === undefined ? place.base : `${place.base}writers/${writerId}/`;
  const data = [`${bucket}/${area}*`];
  const reading = writeOnly ? [] : ['s3:GetObject', 's3:AbortMultipartUpload'];
  const onData = ['s3:PutObject', ...(locks ? LOCKING : []), ...reading];
  const acls = server.hasAclActions ? ACLS : [];
  const never = [...NEVER, ...acls, ...(locks ? [] : LOCKING), ...(writeOnly ? READING : [])];
  const onKey = ['kms:GenerateDataKey', ...(writeOnly ? [] : ['kms:Decrypt'])];
  const config = `${bucket}/${place.base}fleet/${writerId}/config.yaml`;
  return {
    Version: '2012-10-17',
    Statement: [
      { Sid: 'Data', Effect: 'Allow', Action: onData, Resource: data },
      listing(bucket, area),
      ...(writerId === undefined ? [] : [allow('OwnConfig', ['s3:GetObject'], [config, `${config}.sig`])]),
      ...(kmsKeyArn === undefined ? [] : [allow('Key', onKey, [kmsKeyArn])]),
      { Sid: 'NeverOnData', Effect: 'Deny', Action: never, Resource: data },
    ],
  };
}

/** Returns the policy of the operator, for servers where even the owner of a bucket may do nothing with what others have put there. */
export function operatorPolicy({ bucket, base }: FleetPlace): PolicyDocument {
  const arn = `arn:aws:s3:::${bucket}`;
  const onData = ['s3:GetObject*', 's3:PutObject', 's3:DeleteObject*', 's3:AbortMultipartUpload'];
  return {
    Version: '2012-10-17',
    Statement: [allow('List', ['s3:ListBucket*'], [arn]), allow('Everything', onData, [`${arn}/${base}*`])],
  };
}

const allow = (Sid: string, Action: readonly string[], Resource: readonly string[]): PolicyStatement => ({
  Sid,
  Effect: 'Allow',
  Action,
  Resource,
});

function listing(bucket: string, area: string): PolicyStatement {
  const statement = allow('List', ['s3:ListBucket'], [bucket]);
  return area === '' ? statement : { ...statement, Condition: { StringLike: { 's3:prefix': [`${area}*`] } } };
}
