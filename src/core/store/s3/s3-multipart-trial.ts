// A multipart upload that is begun to see whether the store lists it and copies into it.
import { CreateMultipartUploadCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import type { MultipartTrial } from '../bucket-multipart.js';
import type { StoreUrl } from '../store-url.js';
import type { S3Connection } from './s3-client.js';
import { partBytes } from './s3-multipart.js';
import { type Asked, S3Sender } from './s3-sender.js';
import { copySource } from './s3-write.js';

interface Raw {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Whether an answer is a success without a body (rclone), which the SDK takes for a failure: the parts show what was done. */
const isWordless = ({ statusCode, headers }: Raw): boolean => statusCode === 200 && headers?.['content-length'] === '0';

const SEEN_THERE = { step: 'deserialize', name: 'noteWordless' } as const;

export function s3MultipartTrial(
  connection: S3Connection,
  { bucket, prefix }: Pick<Extract<StoreUrl, { kind: 's3' }>, 'bucket' | 'prefix'>,
): MultipartTrial {
  const sender = new S3Sender(connection, bucket, prefix);
  return {
    async begin(key, signal) {
      const asked: Asked = { operation: 'CreateMultipartUpload', action: 's3:PutObject', key, signal };
      const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: sender.fullKey(key) });
      const { UploadId } = await sender.send(asked, (client, send) => client.send(command, send));
      if (UploadId === undefined) throw sender.complaint(asked, 'the answer names no upload');
      return UploadId;
    },
    async copyPart(fromKey, key, multipartId, signal) {
      const action = 's3:PutObject and s3:GetObject';
      const asked: Asked = { operation: 'UploadPartCopy', action, key, signal };
      const command = new UploadPartCopyCommand({
        Bucket: bucket,
        Key: sender.fullKey(key),
        UploadId: multipartId,
        PartNumber: 1,
        CopySource: copySource(sender, fromKey),
      });
      let isDone = false;
      command.middlewareStack.add(
        (next) => async (args) => {
          const result = await next(args);
          isDone = isWordless(result.response as Raw);
          return result;
        },
        SEEN_THERE,
      );
      try {
        await sender.send(asked, (client, send) => client.send(command, send));
      } catch (error) {
        if (!isDone) throw error;
      }
    },
    partBytes: (key, multipartId, signal) => partBytes(sender, { key, multipartId }, signal),
  };
}
