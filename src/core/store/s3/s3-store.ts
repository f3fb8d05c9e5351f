// An ObjectStore on S3 and its look-alikes. One method, one request; retries, watchdogs and counting are decorators.
// Guarantees: every failure is an ArchiverError that names the operation and `s3://bucket/key`; an answer that does not
// fit the question (a wrong range, a "success" that carries an error) is a failure; unread bodies are destroyed.
import {
  ListObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion as S3Version,
} from '@aws-sdk/client-s3';
import type { WholeStore, ListVersionsOptions, ObjectVersion, ObjectVersionId, VersionPage } from '../object-store.js';
import type { S3Connection } from './s3-client.js';
import { s3Deleter } from './s3-delete.js';
import { s3Reader } from './s3-read.js';
import { S3Sender, type Asked } from './s3-sender.js';
import { s3Multipart } from './s3-multipart.js';
import { s3Writer } from './s3-write.js';
import { formatStoreUrl } from '../store-url.js';
import { isArchiverError } from '../../platform/failures/errors.js';
import { StoreError } from '../store-error.js';
import { defined } from '../../platform/defined.js';
import { compareBytes } from '../file/file-list.js';
import { ListGuard } from '../list-guard.js';
import { decodeListed } from './s3-list.js';

/** Makes a store of a bucket and a prefix without a slash at either end. */
export function s3Store(connection: S3Connection, { bucket, prefix }: Pick<S3Sender, 'bucket' | 'prefix'>): WholeStore {
  const sender = new S3Sender(connection, bucket, prefix);
  const url = formatStoreUrl({ kind: 's3', bucket, prefix });
  return {
    url,
    ...s3Reader(sender),
    ...s3Writer(sender),
    ...s3Deleter(sender),
    ...s3Multipart(sender),
    time: (signal) => s3Time(sender, signal),
    listVersions: (options) => s3Versions(sender, options),
  };
}

// Finds the time at the store: the `Date` of its answer to the smallest listing. Only a read is requested, and any writer that can tell
// what is old may list. The answer's headers are seen where the SDK takes the answer apart.

// The answer's headers are seen where the SDK takes the answer apart.
const SEEN_THERE = { step: 'deserialize', name: 'noteDate' } as const;

const dateOf = (response: unknown): string | undefined =>
  (response as { readonly headers?: Readonly<Record<string, string | undefined>> }).headers?.['date'];

/** Returns the time by the store's clock. @throws store when its answer tells no time */
async function s3Time(sender: S3Sender, signal?: AbortSignal): Promise<Date> {
  const asked: Asked = { operation: 'ListObjects', action: 's3:ListBucket', signal };
  const query = {
    Bucket: sender.bucket,
    MaxKeys: 1,
    ...(sender.prefix === '' ? {} : { Prefix: `${sender.prefix}/` }),
  };
  let told: string | undefined;
  const note = <T extends { readonly response: unknown }>(result: T): T => {
    told = dateOf(result.response);
    return result;
  };
  try {
    const command = new ListObjectsV2Command(query);
    command.middlewareStack.add((next) => async (args) => note(await next(args)), SEEN_THERE);
    await sender.send(asked, (client, send) => client.send(command, send));
  } catch (error) {
    if (!isArchiverError(error, 'unsupported')) throw error;
    const command = new ListObjectsCommand(query);
    command.middlewareStack.add((next) => async (args) => note(await next(args)), SEEN_THERE);
    await sender.send(asked, (client, send) => client.send(command, send));
  }
  const time = Date.parse(told ?? '');
  if (Number.isNaN(time)) {
    // Not retriable: a proxy that removes the header does so each time.
    throw new StoreError(
      'store',
      `ListObjects ${sender.nameOf('')}: the answer does not say what time it is (no Date)`,
      {
        reason: 'NoDate',
        hint: 'check the server, or the proxy in front of it, named by --endpoint-url',
      },
    );
  }
  return new Date(time);
}

// Listing versions and delete markers with ListObjectVersions.

type Decode = (text: string) => string;

function versionsOf(sender: S3Sender, answer: ListObjectVersionsCommandOutput, decode: Decode): ObjectVersion[] {
  const of = (
    line: Pick<S3Version, 'Key' | 'VersionId' | 'IsLatest' | 'LastModified'> & { StorageClass?: string | undefined },
    sizeBytes: number,
    isDeleteMarker: boolean,
  ): ObjectVersion => ({
    key: sender.relativeKey(decode(line.Key ?? '')),
    versionId: line.VersionId ?? 'null',
    sizeBytes,
    isCurrent: line.IsLatest ?? true,
    isDeleteMarker,
    ...defined({ storageClass: line.StorageClass, lastModified: line.LastModified }),
  });
  const objects = (answer.Versions ?? []).map((line) => of(line, line.Size ?? 0, false));
  const markers = (answer.DeleteMarkers ?? []).map((line) => of(line, 0, true));
  // A folder marker of the base itself is not a key below it. The answer lists versions and markers separately.
  return [...objects, ...markers]
    .filter(({ key }) => key !== '')
    .sort((a, b) => compareBytes(a.key, b.key) || Number(b.isCurrent) - Number(a.isCurrent));
}

function nextOf(
  sender: S3Sender,
  answer: ListObjectVersionsCommandOutput,
  asked: Asked,
  decode: Decode,
): ObjectVersionId | undefined {
  if (answer.IsTruncated !== true) return undefined;
  const { NextKeyMarker, NextVersionIdMarker } = answer;
  if (NextKeyMarker === undefined)
    throw sender.complaint(asked, 'the listing is truncated but does not say where it continues');
  return { key: sender.relativeKey(decode(NextKeyMarker)), versionId: NextVersionIdMarker ?? '' };
}

const markOf = ({ key, versionId }: ObjectVersionId): string => `${key}\0${versionId}`;

/** Lists every version below the base, page by page. */
async function* s3Versions(sender: S3Sender, options: ListVersionsOptions = {}): AsyncGenerator<VersionPage> {
  const asked: Asked = {
    operation: 'ListObjectVersions',
    action: 's3:ListBucketVersions',
    signal: options.signal,
  };
  const prefix = (sender.prefix === '' ? '' : `${sender.prefix}/`) + (options.prefix ?? '');
  let { after } = options;
  const guard = new ListGuard({
    name: `ListObjectVersions ${sender.nameOf(options.prefix ?? '')}`,
    after: after?.key,
    isKeySplit: true,
  });
  if (after !== undefined) guard.mark(markOf(after));
  do {
    const command: ListObjectVersionsCommand = new ListObjectVersionsCommand({
      Bucket: sender.bucket,
      EncodingType: 'url',
      ...(prefix === '' ? {} : { Prefix: prefix }),
      ...(after === undefined ? {} : { KeyMarker: sender.fullKey(after.key) }),
      ...(after === undefined || after.versionId === '' ? {} : { VersionIdMarker: after.versionId }),
    });
    const answer = await sender.send(asked, (client, send) => client.send(command, send));
    const decode: Decode = answer.EncodingType === 'url' ? decodeListed : (text) => text;
    const next = nextOf(sender, answer, asked, decode);
    const versions = versionsOf(sender, answer, decode);
    guard.page(versions.map(({ key }) => key));
    if (next !== undefined) guard.mark(markOf(next));
    yield { versions, ...(next === undefined ? {} : { next }) };
    after = next;
  } while (after !== undefined);
}
