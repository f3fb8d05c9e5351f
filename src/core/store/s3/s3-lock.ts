// The Object Lock of a bucket, and PutObjectRetention.
import { GetObjectRetentionCommand, PutObjectRetentionCommand } from '@aws-sdk/client-s3';
import { defined } from '../../platform/defined.js';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import type { BucketLock } from '../bucket-lock.js';
import { StoreError } from '../store-error.js';
import type { StoreUrl } from '../store-url.js';
import type { S3Connection } from './s3-client.js';
import { s3Posture } from './s3-posture.js';
import { LOCK_MODES, lockedOr } from './s3-retention.js';
import { type Asked, S3Sender } from './s3-sender.js';

export function s3Lock(
  connection: S3Connection,
  { bucket, prefix }: Pick<Extract<StoreUrl, { kind: 's3' }>, 'bucket' | 'prefix'>,
): BucketLock {
  const sender = new S3Sender(connection, bucket, prefix);
  const posture = s3Posture(connection, bucket);
  return {
    async read(signal) {
      // A server that does not know the request has no locks.
      const found = await posture.ask('objectLock', { signal }).catch(undefinedOn('unsupported'));
      if (found?.isOn !== true) return undefined;
      if (found.retention === undefined) return {};
      const { mode, days, years } = found.retention;
      return {
        defaultRetention: { mode: mode === 'COMPLIANCE' ? 'compliance' : 'governance', ...defined({ days, years }) },
      };
    },
    async checkSight(key, signal) {
      const asked: Asked = { operation: 'GetObjectRetention', action: 's3:GetObjectRetention', key, signal };
      const command = new GetObjectRetentionCommand({ Bucket: bucket, Key: sender.fullKey(key) });
      try {
        await sender.send(asked, (client, send) => client.send(command, send));
      } catch (error) {
        // Any other answer will do: that there is no lock, or (of a server that does not know the request) something else.
        const isAnswer = error instanceof StoreError && !error.retriable;
        if (!isAnswer || isArchiverError(error, 'access-denied', 'credentials', 'cancelled')) throw error;
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
