// The Object Lock of a bucket, and PutObjectRetention.
import {
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { defined } from '../../defined.js';
import { isArchiverError } from '../../failures/errors.js';
import type { BucketLock } from '../bucket-lock.js';
import { StoreError } from '../store-error.js';
import type { StoreUrl } from '../store-url.js';
import type { S3Connection } from './s3-client.js';
import { LOCK_MODES, lockedOr } from './s3-retention.js';
import { type Asked, S3Sender } from './s3-sender.js';

const NONE = new Set(['ObjectLockConfigurationNotFoundError', 'NoSuchObjectLockConfiguration']);

export function s3Lock(
  connection: S3Connection,
  { bucket, prefix }: Pick<Extract<StoreUrl, { kind: 's3' }>, 'bucket' | 'prefix'>,
): BucketLock {
  const sender = new S3Sender(connection, bucket, prefix);
  return {
    async read(signal) {
      const action = 's3:GetBucketObjectLockConfiguration';
      const asked: Asked = { operation: 'GetObjectLockConfiguration', action, signal };
      const command = new GetObjectLockConfigurationCommand({ Bucket: bucket });
      try {
        const answer = await sender.send(asked, (client, send) => client.send(command, send));
        const { ObjectLockEnabled, Rule } = answer.ObjectLockConfiguration ?? {};
        if (ObjectLockEnabled !== 'Enabled') return undefined;
        const { Mode, Days: days, Years: years } = Rule?.DefaultRetention ?? {};
        if (Mode === undefined) return {};
        const mode = Mode === 'COMPLIANCE' ? 'compliance' : 'governance';
        return { defaultRetention: { mode, ...defined({ days, years }) } };
      } catch (error) {
        if (error instanceof StoreError && NONE.has(error.reason ?? '')) return undefined;
        if (isArchiverError(error, 'unsupported')) return undefined; // of a server that does not know the request
        throw error;
      }
    },
    async checkSight(key, signal) {
      const asked: Asked = { operation: 'GetObjectRetention', action: 's3:GetObjectRetention', key, signal };
      const command = new GetObjectRetentionCommand({ Bucket: bucket, Key: sender.fullKey(key) });
      try {
        await sender.send(asked, (client, send) => client.send(command, send));
      } catch (error) {
        // Any other answer is one: that there is no lock, or (of a server that does not know the request) something else.
        const isAnswer = error instanceof StoreError && !error.retriable;
        if (!isAnswer || isArchiverError(error, 'access-denied', 'cancelled')) throw error;
      }
    },
    async retain(key, retention, signal) {
      const asked: Asked = { operation: 'PutObjectRetention', action: 's3:PutObjectRetention', key, signal };
      const command = new PutObjectRetentionCommand({
        Bucket: bucket,
        Key: sender.fullKey(key),
        Retention: { Mode: LOCK_MODES[retention.mode], RetainUntilDate: retention.until },
      });
      await lockedOr(sender, { retention }, () => sender.send(asked, (client, send) => client.send(command, send)));
    },
  };
}
