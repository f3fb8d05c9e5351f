// Multipart uploads to S3.
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { isArchiverError } from '../failures/errors.js';
import type { ObjectStore, UnfinishedMultipart } from './object-store.js';
import { ListingGuard } from './s3-list-guard.js';
import { decodeListed } from './s3-list.js';
import { multipartEtag, plainEtag } from './s3-etag.js';
import type { Asked, S3Sender } from './s3-sender.js';
import { writeParameters } from './s3-write.js';
import { checkKey } from './store-url.js';

async function* listMultipart(
  sender: S3Sender,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<UnfinishedMultipart> {
  const asked: Asked = { operation: 'ListMultipartUploads', action: 's3:ListBucketMultipartUploads', signal };
  const base = sender.prefix === '' ? '' : `${sender.prefix}/`;
  // Ceph's gateway encodes these keys when asked and does not say so, which leaves a reader guessing: it is not asked.
  const encoding = sender.isAws ? { EncodingType: 'url' as const } : {};
  const guard = new ListingGuard({ name: `ListMultipartUploads ${sender.nameOf(prefix)}`, isKeySplit: true });
  let from: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket: sender.bucket,
      Prefix: base + prefix,
      ...encoding,
      ...from,
    });
    const answer = await sender.send(asked, (client, send) => client.send(command, send));
    const decode = answer.EncodingType === 'url' ? decodeListed : (text: string): string => text;
    const uploads = (answer.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated }): UnfinishedMultipart => {
      return { key: sender.relativeKey(decode(Key)), multipartId: UploadId, startedAt: Initiated ?? new Date(0) };
    });
    guard.page(uploads.map(({ key }) => key));
    yield* uploads;
    if (answer.IsTruncated !== true) return;
    const { NextKeyMarker, NextUploadIdMarker } = answer;
    if (NextKeyMarker === undefined)
      throw sender.complaint(asked, 'the listing says that it goes on, and does not say where');
    guard.mark(`${NextKeyMarker}\0${NextUploadIdMarker ?? ''}`);
    from = {
      KeyMarker: decode(NextKeyMarker),
      ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
    };
  }
}

/** The multipart calls of an S3 store. */
export function s3Multipart(
  sender: S3Sender,
): Pick<ObjectStore, 'createMultipart' | 'uploadPart' | 'completeMultipart' | 'abortMultipart' | 'listMultipart'> {
  const target = (key: string) => ({ Bucket: sender.bucket, Key: sender.fullKey(key) });
  return {
    createMultipart: async (key, options = {}) => {
      checkKey(key, sender.prefix);
      const asked: Asked = { operation: 'CreateMultipartUpload', action: 's3:PutObject', key, signal: options.signal };
      const command = new CreateMultipartUploadCommand({ ...target(key), ...writeParameters(options) });
      const answer = await sender.send(asked, (client, send) => client.send(command, send));
      if (answer.UploadId === undefined || answer.UploadId === '')
        throw sender.complaint(asked, 'the store gave the upload no id');
      return answer.UploadId;
    },
    uploadPart: async (key, multipartId, partNumber, body, signal) => {
      const asked: Asked = { operation: 'UploadPart', action: 's3:PutObject', key, signal };
      const command = new UploadPartCommand({
        ...target(key),
        UploadId: multipartId,
        PartNumber: partNumber,
        Body: body,
        ContentLength: body.byteLength,
      });
      const answer = await sender.send(asked, (client, send) => client.send(command, send));
      if (answer.ETag === undefined) throw sender.complaint(asked, 'the store did not confirm the part');
      return { partNumber, etag: plainEtag(answer.ETag) };
    },
    completeMultipart: async (key, multipartId, parts, signal) => {
      const asked: Asked = { operation: 'CompleteMultipartUpload', action: 's3:PutObject', key, signal };
      const command = new CompleteMultipartUploadCommand({
        ...target(key),
        UploadId: multipartId,
        MultipartUpload: {
          Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` })),
        },
      });
      const answer = await sender.send(asked, (client, send) => client.send(command, send));
      // S3 answers 200 before it starts; the outcome is in the body, and an unfinished body names no ETag.
      if (answer.ETag === undefined) throw sender.complaint(asked, 'the store did not confirm the upload');
      // Ceph's gateway confirms with an empty ETag.
      return { etag: plainEtag(answer.ETag) || (multipartEtag(parts) ?? '') };
    },
    abortMultipart: async (key, multipartId, signal) => {
      const asked: Asked = { operation: 'AbortMultipartUpload', action: 's3:AbortMultipartUpload', key, signal };
      const command = new AbortMultipartUploadCommand({ ...target(key), UploadId: multipartId });
      try {
        await sender.send(asked, (client, send) => client.send(command, send));
      } catch (error) {
        if (!isArchiverError(error, 'not-found')) throw error;
      }
    },
    listMultipart: (prefix, signal) => listMultipart(sender, prefix, signal),
  };
}
