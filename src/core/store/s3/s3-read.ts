// Reading from S3: get, head, list.
import type { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  type GetObjectCommandOutput,
  type HeadObjectCommandOutput,
} from '@aws-sdk/client-s3';
import { defined } from '../../platform/defined.js';
import { ArchiverError, isArchiverError } from '../../platform/failures/errors.js';
import type { StorageTraits, ByteRange, GetOptions, ObjectContent, ObjectInfo, ObjectReader } from '../object-store.js';
import { StoreError } from '../store-error.js';
import { storeBody } from '../store-body.js';
import { plainEtag } from './s3-etag.js';
import { s3List } from './s3-list.js';
import { retentionOf } from './s3-retention.js';
import type { Asked, S3Sender, SendOptions } from './s3-sender.js';

function rangeHeader(range: ByteRange): string {
  if ('suffix' in range) return `bytes=-${range.suffix}`;
  if (range.end <= range.start || range.start < 0)
    throw new ArchiverError('internal', `an empty range ${range.start}-${range.end} was asked for`);
  return `bytes=${range.start}-${range.end - 1}`;
}

interface Extent {
  readonly start: number;
  readonly sizeBytes: number;
  readonly totalBytes: number;
}

/** Returns the range of the answer; undefined when it does not match the request. */
function extentOf(answer: GetObjectCommandOutput, range: ByteRange | undefined): Extent | undefined {
  const length = answer.ContentLength;
  if (range === undefined)
    return length === undefined || answer.ContentRange !== undefined
      ? undefined
      : { start: 0, sizeBytes: length, totalBytes: length };
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(answer.ContentRange ?? '');
  if (!match) return undefined;
  const [start = 0, last = 0, totalBytes = 0] = match.slice(1).map(Number);
  const sizeBytes = last - start + 1;
  const expectedStart = 'suffix' in range ? Math.max(0, totalBytes - range.suffix) : range.start;
  const expectedEnd = 'suffix' in range ? totalBytes : Math.min(range.end, totalBytes);
  const fits = start === expectedStart && last + 1 === expectedEnd && (length === undefined || length === sizeBytes);
  return fits ? { start, sizeBytes, totalBytes } : undefined;
}

const parseRestore = (header: string | undefined): ObjectInfo['restore'] => {
  if (header === undefined) return undefined;
  const expiry = /expiry-date="([^"]+)"/.exec(header)?.[1];
  const inProgress = /ongoing-request="true"/.test(header);
  return expiry === undefined ? { inProgress } : { inProgress, expiry: new Date(expiry) };
};

/** Returns the traits that an answer shows. Without versioning there is no version id; with suspended versioning it is `null`. */
export const storageTraitsOf = ({
  VersionId = 'null',
  ServerSideEncryption,
}: Pick<HeadObjectCommandOutput, 'VersionId' | 'ServerSideEncryption'>): StorageTraits => ({
  ...(VersionId === 'null' ? {} : { keepsVersions: true }),
  ...(ServerSideEncryption?.startsWith('aws:kms') === true ? { usesKms: true } : {}),
});

function infoOf(key: string, answer: HeadObjectCommandOutput): ObjectInfo {
  const restore = parseRestore(answer.Restore);
  return {
    key,
    sizeBytes: answer.ContentLength ?? 0,
    etag: plainEtag(answer.ETag),
    lastModified: answer.LastModified ?? new Date(0),
    storageClass: answer.StorageClass ?? 'STANDARD',
    ...(answer.ArchiveStatus === undefined ? {} : { archiveTier: answer.ArchiveStatus }),
    ...(restore ? { restore } : {}),
    ...storageTraitsOf(answer),
    ...(answer.ServerSideEncryption === undefined
      ? {}
      : { encryption: { method: answer.ServerSideEncryption, kmsKeyId: answer.SSEKMSKeyId ?? null } }),
    ...defined({ retention: retentionOf(answer.ObjectLockMode, answer.ObjectLockRetainUntilDate) }),
  };
}

// Tries both spellings of an ETag: the standard requires quotes around it, but Ceph's gateway compares it as it is, quotes included.
class MatchSpelling {
  #isQuoted: boolean;

  constructor(isAws: boolean) {
    this.#isQuoted = isAws;
  }

  async try<T>(etag: string, request: (ifMatch: string) => Promise<T>): Promise<T> {
    const spelled = (isQuoted: boolean): string => (isQuoted ? `"${etag}"` : etag);
    try {
      return await request(spelled(this.#isQuoted));
    } catch (error) {
      if (!isArchiverError(error, 'conflict')) throw error;
      const answer = await request(spelled(!this.#isQuoted));
      this.#isQuoted = !this.#isQuoted;
      return answer;
    }
  }
}

function contentOf(sender: S3Sender, answer: GetObjectCommandOutput, asked: Asked, options: GetOptions): ObjectContent {
  const body = answer.Body as Readable | undefined;
  const refuse = (error: Error): never => {
    body?.destroy();
    throw error;
  };
  const extent = extentOf(answer, options.range);
  if (!body || !extent)
    return refuse(sender.complaint(asked, 'the store answered with another range than was asked for'));
  const etag = plainEtag(answer.ETag);
  if (options.ifMatch !== undefined && etag !== options.ifMatch) {
    return refuse(
      new StoreError('conflict', `GetObject ${sender.nameOf(asked.key ?? '')}: the object has changed`, {
        reason: 'PreconditionFailed',
      }),
    );
  }
  const name = sender.nameOf(asked.key ?? '');
  return {
    ...extent,
    etag,
    storageClass: answer.StorageClass ?? 'STANDARD',
    ...defined({ lastModified: answer.LastModified }),
    ...storageTraitsOf(answer),
    about: defined({
      contentType: answer.ContentType,
      metadata: answer.Metadata,
      versionId: answer.VersionId === 'null' ? undefined : answer.VersionId,
    }),
    body: storeBody(body, { sizeBytes: extent.sizeBytes, name, mapError: (error) => sender.error(error, asked) }),
  };
}

/** Returns the reading half of an S3 store. */
export function s3Reader(sender: S3Sender): Omit<ObjectReader, 'url'> {
  const spelling = new MatchSpelling(sender.isAws);
  const request = async (key: string, options: GetOptions, ifMatch?: string): Promise<ObjectContent> => {
    const asked: Asked = { operation: 'GetObject', action: 's3:GetObject', key, signal: options.signal };
    const command = new GetObjectCommand({
      Bucket: sender.bucket,
      Key: sender.fullKey(key),
      ...(options.range ? { Range: rangeHeader(options.range) } : {}),
      ...(ifMatch === undefined ? {} : { IfMatch: ifMatch }),
    });
    const { into } = options;
    const answer = await sender.send(asked, (client, send) => {
      const hooks: SendOptions & Pick<GetOptions, 'into'> = { ...send, into };
      return client.send(command, hooks);
    });
    return contentOf(sender, answer, asked, options);
  };
  /** Finds the reason of a failed HEAD, whose answer has no body (expired credentials, mostly), by a GET. @throws that reason */
  const throwReason = async (key: string, signal: AbortSignal | undefined): Promise<void> => {
    const { body } = await request(key, { range: { start: 0, end: 1 }, ...(signal && { signal }) });
    body.destroy();
  };
  const head = async (key: string, signal?: AbortSignal): Promise<ObjectInfo | undefined> => {
    const command = new HeadObjectCommand({ Bucket: sender.bucket, Key: sender.fullKey(key) });
    const { region } = sender;
    try {
      const asked: Asked = { operation: 'HeadObject', action: 's3:GetObject', key, signal };
      return infoOf(key, await sender.send(asked, (client, send) => client.send(command, send)));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === 'not-found' && error.reason !== 'NoSuchBucket') return undefined;
      if (error.code !== 'store' || error.retriable || error.reason === 'WrongRegion') throw error;
      const why = await throwReason(key, signal).catch((reason: unknown) => reason);
      // The GET, or another request, was told to sign for another region: a sender changes it once.
      if (sender.region !== region) return await head(key, signal);
      throw why ?? error;
    }
  };
  return {
    get: (key, options = {}) =>
      options.ifMatch === undefined
        ? request(key, options)
        : spelling.try(options.ifMatch, (ifMatch) => request(key, options, ifMatch)),
    head,
    list: (options = {}) => s3List(sender, options),
  };
}
