// Finds and aborts unfinished multipart uploads on S3, which other tools leave below our keys.
import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3';
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import type { ListMultipartOptions, UnfinishedMultipart, WholeStore } from '../object-store.js';
import { StoreError } from '../store-error.js';
import { ListGuard } from '../list-guard.js';
import { decodeListed } from './s3-list.js';
import type { Asked, S3Sender } from './s3-sender.js';
import { objectName } from './s3-verdict.js';

/** Returns the bytes of the parts that have arrived; 0 for an upload that has ended meanwhile. */
export async function partBytes(
  sender: S3Sender,
  { key, multipartId }: Pick<UnfinishedMultipart, 'key' | 'multipartId'>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const asked: Asked = { operation: 'ListParts', action: 's3:ListMultipartUploadParts', key, signal };
  const guard = new ListGuard({ name: `ListParts ${sender.nameOf(key)}`, isKeySplit: true });
  const upload = { Bucket: sender.bucket, Key: sender.fullKey(key), UploadId: multipartId };
  let bytes = 0;
  let from: { PartNumberMarker?: string } = {};
  for (;;) {
    const command: ListPartsCommand = new ListPartsCommand({ ...upload, ...from });
    const answer = await sender
      .send(asked, (client, send) => client.send(command, send))
      .catch(undefinedOn('not-found'));
    bytes += (answer?.Parts ?? []).reduce((sum, { Size = 0 }) => sum + Size, 0);
    if (answer?.IsTruncated !== true) return bytes;
    const { NextPartNumberMarker: marker } = answer;
    if (marker === undefined)
      throw sender.complaint(asked, 'the listing is truncated but does not say where it continues');
    guard.mark(marker);
    from = { PartNumberMarker: marker };
  }
}

/**
 * Translates an error of a listing. It names no upload, so "does not exist" means that the server has no such listing (`rclone serve s3`).
 */
function listingError(error: unknown): unknown {
  if (!isArchiverError(error, 'not-found') || !(error instanceof StoreError) || error.reason === 'NoSuchBucket')
    return error;
  const { reason } = error;
  const text = `the store does not list unfinished multipart uploads (${reason ?? 'not found'})`;
  return new StoreError('unsupported', `ListMultipartUploads: ${text}`, { cause: error, reason });
}

/** Yields all pages of one listing; `fullPrefix` and the keys are those of the bucket. */
async function* listed(
  sender: S3Sender,
  fullPrefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<UnfinishedMultipart> {
  const asked: Asked = { operation: 'ListMultipartUploads', action: 's3:ListBucketMultipartUploads', signal };
  // Ceph's gateway encodes these keys when asked and does not say that it did, so it is not asked.
  const encoding = sender.isAws ? { EncodingType: 'url' as const } : {};
  const guard = new ListGuard({
    name: `ListMultipartUploads ${objectName({ bucket: sender.bucket, key: fullPrefix })}`,
    isKeySplit: true,
  });
  let from: { KeyMarker?: string; UploadIdMarker?: string } = {};
  for (;;) {
    const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
      Bucket: sender.bucket,
      Prefix: fullPrefix,
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
      // An upload of unknown age may belong to a writer that is at work.
      const startedAt = Initiated ?? new Date();
      return { key: decode(Key), multipartId: UploadId, startedAt };
    });
    guard.page(uploads.map(({ key }) => key));
    yield* uploads;
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

/**
 * Lists uploads below a prefix. MinIO shows the uploads of a bucket or of one key, but none for a folder: if a folder shows none, the
 * bucket is asked. If that is not allowed, the answer for the folder holds.
 */
async function* listedBelow(
  sender: S3Sender,
  fullPrefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<UnfinishedMultipart> {
  let isEmpty = true;
  for await (const upload of listed(sender, fullPrefix, signal)) {
    isEmpty = false;
    yield upload;
  }
  if (!isEmpty || sender.isAws || !fullPrefix.endsWith('/')) return;
  try {
    for await (const upload of listed(sender, '', signal)) if (upload.key.startsWith(fullPrefix)) yield upload;
  } catch (error) {
    if (!isArchiverError(error, 'access-denied')) throw error;
  }
}

async function* listMultipart(
  sender: S3Sender,
  prefix: string,
  signal: AbortSignal | undefined,
  { withSizes = false }: ListMultipartOptions = {},
): AsyncGenerator<UnfinishedMultipart> {
  for await (const { key: fullKey, ...upload } of listedBelow(sender, sender.fullKey(prefix), signal)) {
    const found = { ...upload, key: sender.relativeKey(fullKey) };
    yield withSizes ? { ...found, sizeBytes: await partBytes(sender, found, signal) } : found;
  }
}

/** Returns the calls of an S3 store that list and abort multipart uploads. */
export function s3Multipart(sender: S3Sender): Pick<WholeStore, 'abortMultipart' | 'listMultipart'> {
  return {
    abortMultipart: async (key, multipartId, signal) => {
      const asked: Asked = { operation: 'AbortMultipartUpload', action: 's3:AbortMultipartUpload', key, signal };
      const command = new AbortMultipartUploadCommand({
        Bucket: sender.bucket,
        Key: sender.fullKey(key),
        UploadId: multipartId,
      });
      await sender.send(asked, (client, send) => client.send(command, send)).catch(undefinedOn('not-found'));
    },
    listMultipart: (prefix, signal, look) => listMultipart(sender, prefix, signal, look),
  };
}
