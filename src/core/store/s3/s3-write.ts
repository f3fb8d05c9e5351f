// Writing single objects to S3: put, copy, thaw.
import { createHash } from 'node:crypto';
import {
  CopyObjectCommand,
  PutObjectCommand,
  RestoreObjectCommand,
  type StorageClass,
  type Tier,
} from '@aws-sdk/client-s3';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ObjectStore, PutOptions, ThawTier, WriteOptions } from '../object-store.js';
import { StoreError } from '../store-error.js';
import { plainEtag } from './s3-etag.js';
import { storageTraitsOf } from './s3-read.js';
import type { Asked, S3Sender, SendOptions } from './s3-sender.js';
import { checkKey } from '../store-url.js';
import { LOCK_MODES, lockedOr } from './s3-retention.js';

const TIERS: Readonly<Record<ThawTier, Tier>> = { expedited: 'Expedited', standard: 'Standard', bulk: 'Bulk' };

/** Returns the parameters that all requests that write an object have. */
const writeParameters = (options: WriteOptions) => ({
  ...(options.storageClass === undefined ? {} : { StorageClass: options.storageClass as StorageClass }),
  ...(options.contentType === undefined ? {} : { ContentType: options.contentType }),
  ...(options.kmsKeyId === undefined
    ? {}
    : { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: options.kmsKeyId }),
  ...(options.retention === undefined
    ? {}
    : { ObjectLockMode: LOCK_MODES[options.retention.mode], ObjectLockRetainUntilDate: options.retention.until }),
});

/** Returns the checksum that S3 demands with a lock. AWS gets one with every request; other servers know Content-MD5 for sure. */
const lockChecksum = ({ isAws }: S3Sender, body: Uint8Array, { retention }: PutOptions) =>
  retention === undefined || isAws ? {} : { ContentMD5: createHash('md5').update(body).digest('base64') };

function putCommand(sender: S3Sender, key: string, body: Uint8Array, options: PutOptions): PutObjectCommand {
  const { sha256 } = options;
  const command = new PutObjectCommand({
    Bucket: sender.bucket,
    Key: sender.fullKey(key),
    Body: body,
    ContentLength: body.byteLength,
    ...writeParameters(options),
    ...lockChecksum(sender, body, options),
    ...(options.ifAbsent === true ? { IfNoneMatch: '*' } : {}),
    // Without quotes, as Ceph's gateway wants it; AWS takes either.
    ...(options.ifMatch === undefined ? {} : { IfMatch: options.ifMatch }),
    // AWS keeps it as the object's checksum, which spares the SDK its CRC32.
    ...(sha256 !== undefined && sender.isAws ? { ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64') } : {}),
  });
  if (sha256 !== undefined) {
    // The signer takes a hash that is already there and does not read the body again.
    command.middlewareStack.add(
      (next) => (args) => {
        (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = sha256;
        return next(args);
      },
      { step: 'build', name: 'knownBodyHash' },
    );
  }
  return command;
}

/** Returns the name of a copy's original, URL-encoded. */
export const copySource = (sender: S3Sender, key: string): string =>
  `${sender.bucket}/${sender.fullKey(key)}`.split('/').map(encodeURIComponent).join('/');

/** Adds hooks to the options: the SDK passes options that it does not know to our transport. */
const withHooks = (
  send: SendOptions,
  { onSent, pace }: PutOptions,
): SendOptions & Pick<PutOptions, 'onSent' | 'pace'> => ({
  ...send,
  ...(onSent === undefined ? {} : { onSent }),
  ...(pace === undefined ? {} : { pace }),
});

async function thaw(
  sender: S3Sender,
  key: string,
  { days, tier, signal }: Parameters<ObjectStore['thaw']>[1],
): Promise<'started' | 'already'> {
  const asked: Asked = { operation: 'RestoreObject', action: 's3:RestoreObject', key, signal };
  const command = new RestoreObjectCommand({
    Bucket: sender.bucket,
    Key: sender.fullKey(key),
    RestoreRequest: { ...(days === undefined ? {} : { Days: days }), GlacierJobParameters: { Tier: TIERS[tier] } },
  });
  try {
    const answer = await sender.send(asked, (client, send) => client.send(command, send));
    return answer.$metadata.httpStatusCode === 200 ? 'already' : 'started';
  } catch (error) {
    // InvalidObjectState: the object is not archived, so it is readable as it is.
    const isUnderWay =
      error instanceof StoreError &&
      (error.reason === 'RestoreAlreadyInProgress' ||
        error.reason === 'InvalidObjectState' ||
        error.reason === 'ObjectAlreadyInActiveTierError');
    if (isUnderWay) return 'already';
    throw error;
  }
}

/** Returns the writing half of an S3 store, without multipart and deleting. */
export function s3Writer(sender: S3Sender): Pick<ObjectStore, 'put' | 'copy' | 'thaw'> {
  return {
    put: async (key, body, options = {}) => {
      checkKey(key, sender.prefix);
      const asked: Asked = {
        operation: 'PutObject',
        action: 's3:PutObject',
        key,
        isConditional: options.ifMatch !== undefined,
        storageClass: options.storageClass,
        signal: options.signal,
      };
      const answer = await lockedOr(sender, options, () =>
        sender.send(asked, (client, send) =>
          client.send(putCommand(sender, key, body, options), withHooks(send, options)),
        ),
      );
      return { etag: plainEtag(answer.ETag), ...storageTraitsOf(answer) };
    },
    copy: async (fromKey, toKey, options = {}) => {
      checkKey(toKey, sender.prefix);
      const asked: Asked = {
        operation: 'CopyObject',
        action: 's3:PutObject and s3:GetObject',
        key: toKey,
        storageClass: options.storageClass,
        signal: options.signal,
      };
      const command = new CopyObjectCommand({
        Bucket: sender.bucket,
        Key: sender.fullKey(toKey),
        CopySource: copySource(sender, fromKey),
        ...writeParameters(options),
      });
      const answer = await lockedOr(sender, options, () =>
        sender.send(asked, (client, send) => client.send(command, send)),
      );
      if (answer.CopyObjectResult?.ETag === undefined)
        throw sender.complaint(asked, 'the store did not confirm the copy');
    },
    thaw: (key, options) => {
      const { days = 1 } = options;
      if (!Number.isInteger(days) || days < 1)
        throw new ArchiverError('usage', 'an object is restored for at least one day');
      return thaw(sender, key, options);
    },
  };
}
