// Finds and aborts unfinished multipart uploads on S3, which other tools leave below our keys.
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { isArchiverError, noneOn } from '../../failures/errors.js';
import type { MultipartLook, ObjectStore, UnfinishedMultipart } from '../object-store.js';
import { StoreError } from '../store-error.js';
import { ListGuard } from './s3-list-guard.js';
import { decodeListed } from './s3-list.js';
import type { Asked, S3Sender } from './s3-sender.js';

/** What the parts take that have arrived; 0 for an upload that has ended meanwhile. */
async function partBytes(
  sender: S3Sender,
  { key, multipartId }: UnfinishedMultipart,
  signal: AbortSignal | undefined,
): Promise<number> {
  const asked: Asked = { operation: 'ListParts', action: 's3:ListMultipartUploadParts', key, signal };
  const guard = new ListGuard({ name: `ListParts ${sender.nameOf(key)}`, isKeySplit: true });
  const upload = { Bucket: sender.bucket, Key: sender.fullKey(key), UploadId: multipartId };
  let bytes = 0;
  let from: { PartNumberMarker?: string } = {};
  for (;;) {
    const command: ListPartsCommand = new ListPartsCommand({ ...upload, ...from });
    const answer = await sender.send(asked, (client, send) => client.send(command, send)).catch(noneOn('not-found'));
    bytes += (answer?.Parts ?? []).reduce((sum, { Size = 0 }) => sum + Size, 0);
    if (answer?.IsTruncated !== true) return bytes;
    const { NextPartNumberMarker: marker } = answer;
    if (marker === undefined)
      throw sender.complaint(asked, 'the listing is truncated but does not say where it continues');
    guard.mark(marker);
    from = { PartNumberMarker: marker };
  }
}

/** A listing names no upload, so one that "does not exist" is a listing that the server does not have (`rclone serve s3`). */
function listingError(error: unknown): unknown {
  if (!isArchiverError(error, 'not-found') || !(error instanceof StoreError) || error.reason === 'NoSuchBucket')
    return error;
  const { reason } = error;
  const text = `the store does not list unfinished multipart uploads (${reason ?? 'not found'})`;
  return new StoreError('unsupported', `ListMultipartUploads: ${text}`, { cause: error, reason });
}

async function* listMultipart(
  sender: S3Sender,
  prefix: string,
  signal: AbortSignal | undefined,
  { withSizes = false }: MultipartLook = {},
): AsyncGenerator<UnfinishedMultipart> {
  const asked: Asked = { operation: 'ListMultipartUploads', action: 's3:ListBucketMultipartUploads', signal };
  const base = sender.prefix === '' ? '' : `${sender.prefix}/`;
  // Ceph's gateway encodes these keys when asked and does not say that it did, so it is not asked.
  const encoding = sender.isAws ? { EncodingType: 'url' as const } : {};
  const guard = new ListGuard({ name: `ListMultipartUploads ${sender.nameOf(prefix)}`, isKeySplit: true });
  let from: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket: sender.bucket,
      Prefix: base + prefix,
      ...encoding,
      ...from,
    });
    const answer = await sender
      .send(asked, (client, send) => client.send(command, send))
      .catch((error: unknown) => {
        throw listingError(error);
      });
    const decode = answer.EncodingType === 'url' ? decodeListed : (text: string): string => text;
    const uploads = (answer.Uploads ?? []).map(({ Key = '', UploadId = '', Initiated }): UnfinishedMultipart => {
      // One of unknown age may be of a writer that is at work.
      const startedAt = Initiated ?? new Date();
      return { key: sender.relativeKey(decode(Key)), multipartId: UploadId, startedAt };
    });
    guard.page(uploads.map(({ key }) => key));
    for (const upload of uploads)
      yield withSizes ? { ...upload, sizeBytes: await partBytes(sender, upload, signal) } : upload;
    if (answer.IsTruncated !== true) return;
    const { NextKeyMarker, NextUploadIdMarker } = answer;
    if (NextKeyMarker === undefined)
      throw sender.complaint(asked, 'the listing is truncated but does not say where it continues');
    guard.mark(`${NextKeyMarker}\0${NextUploadIdMarker ?? ''}`);
    from = {
      KeyMarker: decode(NextKeyMarker),
      ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
    };
  }
}

/** The calls of an S3 store that remove multipart uploads. */
export function s3Multipart(sender: S3Sender): Pick<ObjectStore, 'abortMultipart' | 'listMultipart'> {
  return {
    abortMultipart: async (key, multipartId, signal) => {
      const asked: Asked = { operation: 'AbortMultipartUpload', action: 's3:AbortMultipartUpload', key, signal };
      const command = new AbortMultipartUploadCommand({
        Bucket: sender.bucket,
        Key: sender.fullKey(key),
        UploadId: multipartId,
      });
      await sender.send(asked, (client, send) => client.send(command, send)).catch(noneOn('not-found'));
    },
    listMultipart: (prefix, signal, look) => listMultipart(sender, prefix, signal, look),
  };
}
