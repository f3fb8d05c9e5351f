// The lifecycle configuration of a bucket. S3 handles it only as a whole: a write replaces every rule.
import {
  DeleteBucketLifecycleCommand,
  GetBucketLifecycleConfigurationCommand,
  type LifecycleRule as SdkRule,
  PutBucketLifecycleConfigurationCommand,
  type TransitionDefaultMinimumObjectSize,
} from '@aws-sdk/client-s3';
import type { BucketLifecycle, LifecycleRule } from '../bucket-lifecycle.js';
import { StoreError } from '../store-error.js';
import type { S3Connection } from './s3-client.js';
import { type Asked, S3Sender } from './s3-sender.js';

const WRITE = 's3:PutLifecycleConfiguration';

/** Converts a rule of the SDK: dates become text. */
const plainRule = (rule: SdkRule): LifecycleRule => JSON.parse(JSON.stringify(rule)) as LifecycleRule;

const dated = <T extends { readonly Date?: string }>(part: T): Omit<T, 'Date'> & { Date?: Date } => {
  const { Date: day, ...rest } = part;
  return day === undefined ? rest : { ...rest, Date: new Date(day) };
};

/**
 * Converts a rule for the SDK: text becomes dates. A rule in the older form gets a filter, since S3 accepts none beside rules that have
 * one.
 */
const sdkRule = ({
  Transitions,
  Expiration,
  Prefix,
  Filter = { Prefix: Prefix ?? '' },
  ...rest
}: LifecycleRule): SdkRule =>
  ({
    ...rest,
    Filter,
    ...(Transitions && { Transitions: Transitions.map(dated) }),
    ...(Expiration && { Expiration: dated(Expiration) }),
  }) as SdkRule;

/** Returns the rules of the whole bucket, whatever the prefix of a store in it. */
export function s3Lifecycle(connection: S3Connection, bucket: string): BucketLifecycle {
  const sender = new S3Sender(connection, bucket, '');
  return {
    async read(signal) {
      const asked: Asked = {
        operation: 'GetBucketLifecycleConfiguration',
        action: 's3:GetLifecycleConfiguration',
        signal,
      };
      const command = new GetBucketLifecycleConfigurationCommand({ Bucket: bucket });
      try {
        const answer = await sender.send(asked, (client, send) => client.send(command, send));
        const { Rules: rules, TransitionDefaultMinimumObjectSize: minimumSize } = answer;
        if (rules === undefined) return { rules: [], isBlank: true };
        return { rules: rules.map(plainRule), ...(minimumSize !== undefined && { minimumSize }) };
      } catch (error) {
        if (error instanceof StoreError && error.reason === 'NoSuchLifecycleConfiguration') return { rules: [] };
        throw error;
      }
    },
    async write({ rules, minimumSize }, signal) {
      if (rules.length === 0) {
        const asked: Asked = { operation: 'DeleteBucketLifecycle', action: WRITE, signal };
        const command = new DeleteBucketLifecycleCommand({ Bucket: bucket });
        await sender.send(asked, (client, send) => client.send(command, send));
        return;
      }
      const asked: Asked = { operation: 'PutBucketLifecycleConfiguration', action: WRITE, signal };
      const command = new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        LifecycleConfiguration: { Rules: rules.map(sdkRule) },
        ...(minimumSize !== undefined && {
          TransitionDefaultMinimumObjectSize: minimumSize as TransitionDefaultMinimumObjectSize,
        }),
      });
      await sender.send(asked, (client, send) => client.send(command, send));
    },
  };
}
